/** `infer` also finds what follows from the ontology: a memory of a class is one of its superclasses. */
type SparqlExample = { query: string; infer: boolean };

/** Questions to start from, by what they ask. */
export const SPARQL_EXAMPLES: Readonly<Record<string, SparqlExample>> = {
  "Memories by type": {
    infer: false,
    query: `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?type (COUNT(?memory) AS ?count) WHERE {
  ?memory jido:hasTimestamp ?time ; a ?type .
}
GROUP BY ?type ORDER BY DESC(?count)`,
  },
  "Decisions without an alternative": {
    infer: true,
    query: `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?decision ?text WHERE {
  ?decision a jido:Decision ; jido:summary ?text .
  FILTER NOT EXISTS { ?decision jido:hasAlternative ?alternative }
}
LIMIT 100`,
  },
  "What replaced what": {
    infer: false,
    query: `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?before ?after WHERE {
  ?old jido:supersededBy ?new ; jido:summary ?before .
  ?new jido:summary ?after .
}
LIMIT 100`,
  },
  "Memories by day": {
    infer: false,
    query: `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?day (COUNT(?memory) AS ?count) WHERE {
  ?memory jido:hasTimestamp ?time ; jido:summary ?text .
  BIND(SUBSTR(STR(?time), 1, 10) AS ?day)
}
GROUP BY ?day ORDER BY ?day`,
  },
  "One project as a graph": {
    infer: false,
    query: `PREFIX jido: <https://jido.ai/ontology#>
CONSTRUCT { ?memory jido:appliesToProject ?project ; jido:assertedBy ?agent ; jido:summary ?text }
WHERE {
  { SELECT * WHERE {
    BIND(jido:project_shop AS ?project)
    ?memory jido:appliesToProject ?project ; jido:summary ?text .
  } LIMIT 50 }
  OPTIONAL { ?memory jido:assertedBy ?agent }
}`,
  },
};
