// Examples of the formats of exports and imports.
import type { Json } from "../kernel/json";

const EXPORT = [
  `{"kind":"kioku","format":2,"version":"0.1.0","exported_at":"2026-01-31T12:00:00.000Z","scope":"agent","id":"ada","contains":["ledger"],"leaves_out":["keys","secrets","audit log","vectors"]}`,
  `{"kind":"ledger","agent_id":"ada","version":1,"ledger":{"task_id":"guest-checkout"},"last_checkpoint":"2026-01-31T11:58:00.000Z"}`,
  `{"kind":"end","lines":1,"counts":{"ledger":1}}`,
]
  .map((line) => `${line}\n`)
  .join("");

const ID = "5c05e0b7a2f94f4f9a0d3d8b1c2e6f70";
const TURTLE = `@prefix jido: <https://jido.ai/ontology#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

jido:memory_${ID} a jido:Fact ;
    jido:summary "Guests are known by their e-mail" ;
    jido:confidenceValue 0.9 ;
    jido:hasTimestamp "2026-01-31T12:00:00.000Z"^^xsd:dateTime ;
    jido:appliesToProject jido:project_shop .
`;
const NQUADS = `<https://jido.ai/ontology#memory_${ID}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://jido.ai/ontology#Fact> .
<https://jido.ai/ontology#memory_${ID}> <https://jido.ai/ontology#summary> "Guests are known by their e-mail" .
`;
const JSON_LD = {
  "@context": { jido: "https://jido.ai/ontology#", xsd: "http://www.w3.org/2001/XMLSchema#" },
  "@graph": [
    {
      "@id": `jido:memory_${ID}`,
      "@type": "jido:Fact",
      "jido:summary": "Guests are known by their e-mail",
      "jido:confidenceValue": { "@value": "0.9", "@type": "xsd:decimal" },
    },
  ],
};

export const EXPORT_EXAMPLES: Readonly<Record<string, Json>> = {
  "application/x-ndjson": EXPORT,
  "application/trig": TURTLE,
  "application/n-quads": NQUADS,
  "text/turtle": TURTLE,
  "application/ld+json": JSON_LD,
};

export const IMPORT_EXAMPLES = {
  body: { format: "jsonl", data: EXPORT },
  text: {
    "application/x-ndjson": EXPORT,
    "application/trig": TURTLE,
    "application/n-quads": NQUADS,
    "text/turtle": TURTLE,
    "application/ld+json": JSON.stringify(JSON_LD),
  },
};
