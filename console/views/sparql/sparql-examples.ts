/** `infer` also finds what follows from the ontology: a memory of a class is one of its superclasses. */
type SparqlExample = { query: string; infer: boolean };

/**
 * Questions to start from, by what they ask. They hold for a hundred thousand memories: a query within the query finds
 * the few that are joined, and no count needs more solutions than a query may have.
 */
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
  { SELECT ?old ?new WHERE { ?old jido:supersededBy ?new } LIMIT 100 }
  ?old jido:summary ?before .
  ?new jido:summary ?after .
}`,
  },
  "Newest memories by day": {
    infer: false,
    query: `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?day (COUNT(?memory) AS ?count) WHERE {
  { SELECT ?memory ?time WHERE { ?memory jido:hasTimestamp ?time } ORDER BY DESC(?time) LIMIT 10000 }
  BIND(SUBSTR(STR(?time), 1, 10) AS ?day)
}
GROUP BY ?day ORDER BY ?day`,
  },
  "One project as a graph": {
    infer: false,
    query: `PREFIX jido: <https://jido.ai/ontology#>
CONSTRUCT { ?memory jido:appliesToProject ?project ; jido:assertedBy ?agent ; jido:summary ?text }
WHERE {
  { SELECT ?memory ?project WHERE {
    # Or name one: BIND(jido:project_shop AS ?project)
    { SELECT ?project WHERE { ?any jido:appliesToProject ?project } LIMIT 1 }
    ?memory jido:appliesToProject ?project .
  } LIMIT 50 }
  ?memory jido:summary ?text .
  OPTIONAL { ?memory jido:assertedBy ?agent }
}`,
  },
};
