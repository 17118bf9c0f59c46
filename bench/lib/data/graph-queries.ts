// Queries over the generated triples, from a point lookup to aggregates over everything.
import { nameMemory } from "./statements.ts";

export interface GraphQuery {
  name: string;
  query: string;
  /** The same question for an engine without inference; equal to the query if it needs none. */
  withoutInference?: string;
}

const PREFIXES = `PREFIX jido: <https://jido.ai/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
`;

const HOPS = (type: string) => `${PREFIXES}SELECT ?m ?text ?agent {
  ?m ${type} jido:Convention ; jido:appliesToProject jido:project_5 ; jido:summary ?text ; jido:supersededBy ?n .
  ?n jido:assertedBy ?agent }`;

export const GRAPH_QUERIES: readonly GraphQuery[] = [
  { name: "point lookup", query: `${PREFIXES}SELECT ?p ?o { <${nameMemory(234)}> ?p ?o }` },
  { name: "class and two hops", query: HOPS("a"), withoutInference: HOPS("a/rdfs:subClassOf*") },
  {
    name: "filter, order, limit",
    query: `${PREFIXES}SELECT ?m ?c ?text { ?m jido:confidenceValue ?c ; jido:summary ?text . FILTER(?c > 0.9) } ORDER BY DESC(?c) LIMIT 20`,
  },
  {
    name: "count by source",
    query: `${PREFIXES}SELECT ?s (COUNT(?m) AS ?n) { ?m jido:hasSourceType ?s ; jido:hasTimestamp ?t } GROUP BY ?s ORDER BY DESC(?n)`,
  },
  {
    name: "path supersededBy*",
    query: `${PREFIXES}SELECT ?m ?last { ?m jido:topicKey "topic_17" . ?m jido:supersededBy* ?last . FILTER NOT EXISTS { ?last jido:supersededBy ?x } }`,
  },
  {
    name: "optional and union",
    query: `${PREFIXES}SELECT ?m ?r { { ?m jido:hasSourceType jido:UserSource ; jido:appliesToProject jido:project_5 } UNION { ?m jido:assertedBy jido:agent_7 ; jido:appliesToProject jido:project_6 } OPTIONAL { ?m jido:rationale ?r } } LIMIT 100`,
  },
  {
    name: "regex in a project",
    query: `${PREFIXES}SELECT ?m ?text { ?m jido:appliesToProject jido:project_3 ; jido:summary ?text . FILTER regex(?text, "cache.*release", "i") }`,
  },
  {
    name: "mean confidence by project",
    query: `${PREFIXES}SELECT ?p (AVG(?c) AS ?a) (COUNT(*) AS ?n) { ?m jido:appliesToProject ?p ; jido:confidenceValue ?c } GROUP BY ?p HAVING (COUNT(*) > 10) ORDER BY ?p`,
  },
];
