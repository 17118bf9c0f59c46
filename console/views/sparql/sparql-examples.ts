/** Questions to start from, by what they ask. */
export const SPARQL_EXAMPLES: Readonly<Record<string, string>> = {
  "Memories by type": `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?type (COUNT(?memory) AS ?count) WHERE {
  ?memory jido:hasTimestamp ?time ; a ?type .
}
GROUP BY ?type ORDER BY DESC(?count)`,
  "Decisions without an alternative": `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?decision ?text WHERE {
  ?decision a jido:Decision ; jido:summary ?text .
  FILTER NOT EXISTS { ?decision jido:hasAlternative ?alternative }
}
LIMIT 100`,
  "What replaced what": `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?before ?after WHERE {
  ?old jido:supersededBy ?new ; jido:summary ?before .
  ?new jido:summary ?after .
}
LIMIT 100`,
  "Memories by day": `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?day (COUNT(?memory) AS ?count) WHERE {
  ?memory jido:hasTimestamp ?time ; jido:summary ?text .
  BIND(SUBSTR(STR(?time), 1, 10) AS ?day)
}
GROUP BY ?day ORDER BY ?day`,
  "One project as a graph": `PREFIX jido: <https://jido.ai/ontology#>
CONSTRUCT { ?memory jido:summary ?text }
WHERE {
  { SELECT * WHERE { ?memory jido:appliesToProject jido:project_shop ; jido:summary ?text } LIMIT 50 }
}`,
};
