// SPARQL 1.1 Protocol: a query by GET, by POST as a form, or by POST of the query itself.

import { setMetric } from "hono/timing";
import type { App, AppContext } from "../http/app-context";
import type { ResponseSpec } from "../http/document-route";
import { groupRoutes } from "../http/endpoint";
import { type BodyTypes, negotiateType } from "../http/read-request";
import { type FailureError, failure, fieldFailure, invalidField, ok, type Result } from "../kernel/errors";
import type { Json } from "../kernel/json";
import type { Services } from "../services/services";
import { RESULT_TYPES, serialiseAnswer } from "./results/result-formats";
import { refuseUpdate, runSparql } from "./run-sparql";
import type { SparqlAnswer, SparqlExplanation } from "./sparql-answer";
import { SparqlGet, SparqlPost, SparqlPostQuery, SparqlResults } from "./sparql-request";

const DESCRIPTION =
  "Covers the tenant's memories, sessions, episodes, links, agents, projects and the ontology, within the binding of the " +
  "key. SELECT and ASK are answered as JSON, XML, CSV or TSV, CONSTRUCT and DESCRIBE as Turtle, N-Triples, TriG, N-Quads " +
  "or JSON-LD, according to `Accept` (406 if none fits). A malformed query is a 400 with its line and column, one that is " +
  "too expensive a 422 that says what to bind, an update a 405.";

/** What a query asks, from the query string and the body. */
type SparqlCall = {
  query: string;
  "default-graph-uri"?: string[] | undefined;
  "named-graph-uri"?: string[] | undefined;
  infer?: boolean | undefined;
  as_of?: string | undefined;
  valid_at?: string | undefined;
};

export function sparqlRoutes(app: App): void {
  const routes = groupRoutes(app, {
    tag: "SPARQL",
    bound: "handler",
    capability: "CanQueryMemory",
    stage: "sparql",
  });

  routes.get("/v1/sparql", "querySparql", {
    summary: "Query the graph with SPARQL",
    description: `${DESCRIPTION} Without \`query\`, and with \`Accept: text/turtle\`, the answer is the SPARQL service description.`,
    query: SparqlGet,
    example: { query: { query: EXAMPLE_QUERY } },
    responses: { 200: SPARQL_ANSWER },
    handle: async ({ c, services, query: { query, update, ...call } }) => {
      if (update !== undefined) throw refuseUpdate();
      if (query !== undefined) return answerQuery(c, services, { ...call, query });
      const asksForDescription = /text\/turtle/i.test(c.req.header("Accept") ?? "");
      if (!asksForDescription) throw fieldFailure("query", "is required: a SPARQL 1.1 query");
      const { origin, pathname } = new URL(c.req.url);
      return respond(c, describeSparqlService(origin + pathname), "text/turtle");
    },
  });

  routes.post("/v1/sparql", "postSparql", {
    summary: "Query the graph with SPARQL, with the query in the body",
    description: DESCRIPTION,
    scope: "read",
    query: SparqlPostQuery,
    body: SparqlPost,
    bodyRequired: true,
    bodyTypes: BODY_TYPES,
    example: {
      body: { query: EXAMPLE_QUERY },
      text: { [FORM]: new URLSearchParams({ query: EXAMPLE_QUERY }).toString(), [DIRECT]: EXAMPLE_QUERY },
    },
    responses: { 200: SPARQL_ANSWER },
    handle: ({ c, services, query, body }) => answerQuery(c, services, mergeParameters(query, body)),
  });
}

async function answerQuery(
  c: AppContext,
  services: Services,
  { "default-graph-uri": defaultGraphs, "named-graph-uri": namedGraphs, ...call }: SparqlCall,
): Promise<Response> {
  const { origin, pathname } = new URL(c.req.url);
  requireSomeType(c);
  const answer = await runSparql(services, services.binding, {
    ...call,
    base: origin + pathname,
    defaultGraphs,
    namedGraphs,
  });
  reportPlan(c, answer.explain);
  const type = requireType(c, answer.kind);
  return respond(c, await serialiseAnswer(answer, type), type);
}

const ALL_TYPES = [...new Set(Object.values(RESULT_TYPES).flat())];

/** Refuses a header that accepts no format of any query before the query runs. */
function requireSomeType(c: AppContext): void {
  if (negotiateType(c.req.header("Accept"), ALL_TYPES) === null) throw notAcceptable("A query", ALL_TYPES);
}

const ANSWERED_FORMS: Readonly<Record<SparqlAnswer["kind"], string>> = {
  solutions: "SELECT",
  boolean: "ASK",
  graph: "CONSTRUCT or DESCRIBE",
};

function requireType(c: AppContext, kind: SparqlAnswer["kind"]): string {
  const types = RESULT_TYPES[kind];
  const type = negotiateType(c.req.header("Accept"), types);
  if (type === null) throw notAcceptable(ANSWERED_FORMS[kind], types);
  return type;
}

function notAcceptable(what: string, types: readonly string[]): FailureError {
  const message = `${what} is answered as ${types.join(", ")}: accept one of them, or leave Accept out`;
  return failure("not_acceptable", `Accept: ${message}.`, { errors: [{ path: "Accept", message }] });
}

function respond(c: AppContext, text: string, type: string): Response {
  // JSON and XML have their own rules for encodings; text types have a parameter.
  const parameter = type.startsWith("text/") ? "; charset=utf-8" : "";
  return c.body(text, 200, { "Content-Type": type + parameter, Vary: "Accept" });
}

/** Reports in Server-Timing how the query ran. */
function reportPlan(c: AppContext, { statements, whollyInSql }: SparqlExplanation): void {
  setMetric(c, "plan", `${statements} SQL ${whollyInSql ? "only" : "and JavaScript"}`);
}

/** Joins the parameters of the URL and of the body, which may each have a part of the dataset. */
function mergeParameters(url: Omit<SparqlCall, "query">, body: SparqlCall): SparqlCall {
  const join = (name: "default-graph-uri" | "named-graph-uri") =>
    url[name] === undefined && body[name] === undefined
      ? undefined
      : [...(url[name] ?? []), ...(body[name] ?? [])];
  return {
    query: body.query,
    "default-graph-uri": join("default-graph-uri"),
    "named-graph-uri": join("named-graph-uri"),
    infer: body.infer ?? url.infer,
    as_of: body.as_of ?? url.as_of,
    valid_at: body.valid_at ?? url.valid_at,
  };
}

const FORM = "application/x-www-form-urlencoded";
const DIRECT = "application/sparql-query";
const UPDATE = "application/sparql-update";

const BODY_TYPES: BodyTypes = new Map([
  [FORM, readForm],
  [DIRECT, (text: string) => ok({ query: text })],
  [UPDATE, () => ({ ok: false as const, failure: refuseUpdate().failure })],
]);

/** Reads a form: `query`, `infer` and the times once, the graphs any number of times. Unknown names are refused by the schema. */
function readForm(text: string): Result<unknown> {
  const form = new URLSearchParams(text);
  if (form.has("update")) return { ok: false, failure: refuseUpdate().failure };
  for (const name of ["query", "infer", "as_of", "valid_at"])
    if (form.getAll(name).length > 1) return invalidField(name, "is given more than once: send one value");
  const isList = (name: string) => name === "default-graph-uri" || name === "named-graph-uri";
  const fields = [...new Set(form.keys())].map((name) => {
    if (isList(name)) return [name, form.getAll(name)];
    const value = form.get(name);
    return [name, name === "infer" && (value === "true" || value === "false") ? value === "true" : value];
  });
  return ok(Object.fromEntries(fields));
}

// Documents of the SPARQL endpoint: its service description, and the examples of its answers.

const EXAMPLE_QUERY = `PREFIX jido: <https://jido.ai/ontology#>
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

const SPARQL_ANSWER: ResponseSpec = {
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
function describeSparqlService(endpoint: string): string {
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
