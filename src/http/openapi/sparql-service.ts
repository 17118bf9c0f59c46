// Documents of the SPARQL endpoint: its service description, and the examples of its answers.
import type { Json } from "../../platform/json";
import { SparqlResults } from "../../schemas/sparql/sparql-request";
import { RESULT_TYPES } from "../../sparql/results/result-formats";
import type { ResponseSpec } from "./document-route";

export const EXAMPLE_QUERY = `PREFIX jido: <https://jido.ai/ontology#>
SELECT ?rule WHERE {
  ?memory a jido:Convention ; jido:appliesToProject jido:project_shop ; jido:summary ?rule .
}
LIMIT 10`;

const RULE = "Hotfixes are deployed on any day";
const TRIPLE = `<https://jido.ai/ontology#memory_d2738fe512d8476e3f904e9c40532471> <https://jido.ai/ontology#summary> "${RULE}" .\n`;

const RESULTS = {
  head: { vars: ["rule"] },
  results: { bindings: [{ rule: { type: "literal", value: RULE } }] },
} as const satisfies Json;

/** Examples of the answers by media type: to the query above, and of a graph. */
const EXAMPLES: Readonly<Record<string, Json>> = {
  "application/sparql-results+json": RESULTS,
  "application/sparql-results+xml": `<?xml version="1.0" encoding="UTF-8"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="rule"/></head>
<results>
<result><binding name="rule"><literal>${RULE}</literal></binding></result>
</results>
</sparql>
`,
  "text/csv": `rule\r\n${RULE}\r\n`,
  "text/tab-separated-values": `?rule\n"${RULE}"\n`,
  "text/turtle": TRIPLE,
  "application/n-triples": TRIPLE,
  "application/trig": TRIPLE,
  "application/n-quads": TRIPLE,
  "application/ld+json": [
    {
      "@id": "https://jido.ai/ontology#memory_d2738fe512d8476e3f904e9c40532471",
      "https://jido.ai/ontology#summary": [{ "@value": RULE }],
    },
  ],
};

export const SPARQL_ANSWER: ResponseSpec = {
  description: "The answer, in the negotiated format",
  schema: SparqlResults,
  example: RESULTS,
  types: Object.keys(EXAMPLES),
  exampleText: EXAMPLES,
};

/** Names of the formats at https://www.w3.org/ns/formats/. */
const FORMATS: Readonly<Record<string, string>> = {
  "application/sparql-results+json": "SPARQL_Results_JSON",
  "application/sparql-results+xml": "SPARQL_Results_XML",
  "text/csv": "SPARQL_Results_CSV",
  "text/tab-separated-values": "SPARQL_Results_TSV",
  "text/turtle": "Turtle",
  "application/n-triples": "N-Triples",
  "application/trig": "TriG",
  "application/n-quads": "N-Quads",
  "application/ld+json": "JSON-LD",
};

/** Returns the description of the service at this address (https://www.w3.org/TR/sparql11-service-description/). */
export function describeSparqlService(endpoint: string): string {
  const types = new Set([...RESULT_TYPES.solutions, ...RESULT_TYPES.graph]);
  const formats = [...types].flatMap((type) =>
    FORMATS[type] === undefined ? [] : [`<http://www.w3.org/ns/formats/${FORMATS[type]}>`],
  );
  return `@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .

[] a sd:Service ;
  sd:endpoint <${endpoint}> ;
  sd:supportedLanguage sd:SPARQL11Query ;
  sd:resultFormat ${formats.join(",\n    ")} ;
  sd:defaultEntailmentRegime <http://www.w3.org/ns/entailment/RDFS> .
`;
}
