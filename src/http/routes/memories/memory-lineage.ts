// Why a memory is held, and what rests on it.
import { toProvTriples } from "../../../operations/memories/lineage-triples";
import { readImpact } from "../../../operations/memories/read-impact";
import { readLineage } from "../../../operations/memories/read-lineage";
import { Id, z } from "../../../schemas/common";
import { MemoryImpact, MemoryLineage } from "../../../schemas/memories/lineage";
import { SYNTAXES, type Syntax, serialiseTriples } from "../../../store/triples/rdf-syntax";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { negotiateType } from "../../negotiate-type";

const Params = z.object({ id: Id });
const RDF_SYNTAXES = SYNTAXES.filter((syntax) => syntax !== "application/json");

export function lineageRoutes(app: App): void {
  const routes = groupRoutes(app, {
    tag: "Memories",
    stage: "store",
    bound: "memory",
    capability: "CanQueryMemory",
  });

  routes.get("/v1/memories/{id}/why", "getMemoryLineage", {
    summary: "Read why a memory is held: its sources, the activity that made it, what it replaced",
    description: `As JSON, or in PROV-O by the Accept header: ${RDF_SYNTAXES.join(", ")}.`,
    params: Params,
    responses: {
      200: {
        description: "The lineage",
        schema: MemoryLineage,
        types: RDF_SYNTAXES,
        example: LINEAGE,
        exampleText: {
          "text/turtle": PROV_EXAMPLE,
          "application/n-triples": PROV_EXAMPLE,
          "application/ld+json": [
            {
              "@id": "https://jido.ai/ontology#memory_5c05b1d2a3f04e7a9d3b6f5a7c8e9d01",
              "http://www.w3.org/ns/prov#wasDerivedFrom": [
                { "@id": "https://jido.ai/ontology#evidence_message%3Am1" },
              ],
            },
          ],
        },
      },
    },
    handle: async ({ c, services, params: { id } }) => {
      const lineage = await readLineage(services, id);
      c.header("Vary", "Accept");
      const syntax = (negotiateType(c.req.header("Accept"), SYNTAXES) ?? "application/json") as Syntax;
      if (syntax === "application/json") return c.json(lineage);
      return c.body(await serialiseTriples(toProvTriples(lineage), syntax), 200, {
        "Content-Type": `${syntax}; charset=utf-8`,
      });
    },
  });

  routes.get("/v1/memories/{id}/impact", "getMemoryImpact", {
    summary: "Read what would lose support if a memory were wrong",
    params: Params,
    responses: {
      200: { description: "The affected memories, nearest first", schema: MemoryImpact, example: IMPACT },
    },
    handle: ({ services, params: { id } }) => readImpact(services, id),
  });
}

const SUMMARY = {
  id: "5c05b1d2a3f04e7a9d3b6f5a7c8e9d01",
  type: "fact",
  content: "Invoices are paid within 14 days",
  status: "live",
  source_type: "user",
  timestamp: "2026-03-02T09:00:00.000Z",
} as const;

const LINEAGE = {
  memory: {
    ...SUMMARY,
    confidence: 0.8,
    rationale: null,
    session_id: "monday",
    user_id: "mia",
    agent_id: null,
    project_id: null,
  },
  activity: {
    kind: "promotion",
    at: "2026-03-02T09:00:30.000Z",
    key_id: null,
    importance: { score: 0.675, parts: { recency: 0.2, frequency: 0.1, confidence: 0.2, salience: 0.175 } },
    extracted_by: "rules",
    context_key: null,
    run: null,
  },
  sources: [
    {
      kind: "message",
      id: "m1",
      session_id: "monday",
      role: "user",
      name: null,
      content: "We pay invoices within 14 days.",
      timestamp: "2026-03-02T08:59:58.000Z",
    },
  ],
  supersedes: [],
  superseded_by: null,
  forgotten: null,
  derived: [],
  hidden: 0,
};

const PROV_EXAMPLE =
  "<https://jido.ai/ontology#memory_5c05b1d2a3f04e7a9d3b6f5a7c8e9d01> <http://www.w3.org/ns/prov#wasDerivedFrom> <https://jido.ai/ontology#evidence_message%3Am1> .\n";

const IMPACT = {
  memory_id: SUMMARY.id,
  data: [
    {
      ...SUMMARY,
      id: "a327b9ea17371a007fdcfbe6f34c3467",
      content: "The dunning run starts on day 15",
      path: [{ from: SUMMARY.id, relation: "derivedFrom" }],
      other_support: 0,
    },
  ],
  hidden: 0,
  truncated: false,
};
