// Long-term memories: listed and searched, read with provenance, triples, history and lineage, remembered in batches,
// changed and erased.
import { withOwnerInput } from "../calls/tool";
import type { App } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import { decodeCursor, TimePosition, toPage } from "../http/pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../http/rdf-response";
import { negotiateType } from "../http/read-request";
import { Clock, Flag, Id, MemoryTypeName, PageQuery, pageSchema, UserId, z } from "../kernel/common";
import { NAMESPACE } from "../ontology/generated/terms.generated";
import { SYNTAXES, type Syntax, serialiseTriples } from "../ontology/quad-syntax";
import { hideRelations } from "./check-relations";
import { MemoryImpact, MemoryLineage } from "./history/lineage-schemas";
import { listMemories, readMemoryHistory } from "./history/past-memories";
import { readImpact } from "./history/read-impact";
import { readLineage, toProvTriples } from "./history/read-lineage";
import { eraseMemory, readMemoryDetail, readMemoryTriples } from "./memory-operations";
import { requireType } from "./memory-properties";
import {
  BatchAnswer,
  BatchInput,
  MemorySearch,
  RecordedMemoryView,
  UpdateMemoryAnswer,
  UpdateMemoryInput,
} from "./memory-requests";
import { MEMORY_VIEW_EXAMPLE, MemoryDetail, MemoryKey, MemoryView, Tag } from "./memory-schemas";
import { rememberTool } from "./remember";
import { rememberBatch } from "./remember-batch";
import { toMemoryView } from "./store/memory-mapping";
import { updateMemory } from "./update-memory";

const Receipt = z
  .object({
    deleted: z.object({ memories: z.number(), triples: z.number(), vectors: z.number(), links: z.number() }),
  })
  .openapi("MemoryReceipt");

export function memoryRoutes(app: App): void {
  const routes = groupRoutes(app, {
    tag: "Memories",
    stage: "store",
    bound: "memory",
    capability: "CanQueryMemory",
  });

  routes.get("/v1/memories", "listMemories", {
    summary: "List memories, newest first",
    limitsReads: true,
    audit: { export: "export.memories" },
    bound: "owner",
    query: PageQuery.extend({
      type: MemoryTypeName.optional(),
      session_id: Id.optional(),
      user_id: UserId.optional(),
      agent_id: Id.optional(),
      project_id: Id.optional(),
      include_superseded: Flag,
      ...Clock.shape,
      tag: Tag.optional().openapi({ description: "Only memories with this tag" }),
      key: MemoryKey.optional().openapi({
        description: "Only the memory with this key, in the given session, agent or project",
      }),
      key_prefix: MemoryKey.optional().openapi({
        description:
          "Only memories whose key begins with this prefix, in the given session, agent or project",
      }),
    }),
    responses: { 200: { description: "Memories", schema: pageSchema(MemoryView) } },
    handle: async ({ services, query }) => {
      const { type, session_id, user_id, agent_id, project_id, include_superseded, limit, cursor } = query;
      if (type !== undefined) requireType(services.ontology, type);
      const filter = {
        type: type ?? null,
        session_id: session_id ?? null,
        user_id: user_id ?? null,
        agent_id: agent_id ?? null,
        project_id: project_id ?? null,
        include_superseded,
        as_of: query.as_of,
        valid_at: query.valid_at,
        key: query.key,
        key_prefix: query.key_prefix,
        metadata: query.tag === undefined ? undefined : { tags: query.tag },
      };
      const after = decodeCursor(TimePosition, cursor);
      const found = await listMemories(services, filter, { limit: limit + 1, after });
      const memories = await hideRelations(services, found);
      return toPage(memories.map(toMemoryView), limit, ({ timestamp, id }) => ({ timestamp, id }));
    },
  });

  routes.get("/v1/memories/{id}", "getMemory", {
    summary: "Read a memory with its provenance",
    query: Clock,
    responses: { 200: { description: "The memory", schema: MemoryDetail } },
    handle: ({ services, params: { id }, query }) => readMemoryDetail(services, id, query),
  });

  routes.get("/v1/memories/{id}/triples", "getMemoryTriples", {
    summary: "Read a memory as triples",
    description: SYNTAX_NOTE,
    responses: { 200: describeTriples(TRIPLES_EXAMPLE) },
    handle: async ({ c, services, params: { id } }) =>
      respondWithTriples(c, await readMemoryTriples(services, id)),
  });

  routes.get("/v1/memories/{id}/history", "getMemoryHistory", {
    summary: "Read the chain of supersession of a memory with its versions, oldest first",
    query: Clock,
    responses: {
      200: {
        description: "The memories of the chain",
        schema: z.object({ data: z.array(RecordedMemoryView) }),
      },
    },
    handle: async ({ services, params: { id }, query }) => ({
      data: await readMemoryHistory(services, id, query),
    }),
  });

  routes.delete("/v1/memories/{id}", "deleteMemory", {
    summary: "Erase a memory from triples, read model, text index and vectors",
    audit: { action: "memory.erase" },
    capability: "CanWriteMemory",
    responses: {
      200: {
        description: "The number of erased rows",
        schema: Receipt,
        example: { deleted: { memories: 1, triples: 16, vectors: 1, links: 1 } },
      },
    },
    handle: async ({ services, params: { id } }) => ({ deleted: await eraseMemory(services, id) }),
  });
}

/** The triples of the example memory, by predicate, with the XML Schema type of a literal. */
const TRIPLES: readonly (readonly [predicate: string, object: string, datatype?: string])[] = [
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns#type", `${NAMESPACE}ProcessConvention`],
  [`${NAMESPACE}summary`, "We deploy on Fridays only after the smoke tests pass", "string"],
  [`${NAMESPACE}hasConfidence`, `${NAMESPACE}High`],
  [`${NAMESPACE}confidenceValue`, "0.9", "decimal"],
  [`${NAMESPACE}importanceScore`, "1", "decimal"],
  [`${NAMESPACE}hasSourceType`, `${NAMESPACE}AgentSource`],
  [`${NAMESPACE}hasTimestamp`, "2026-11-16T09:08:00.000Z", "dateTime"],
  [`${NAMESPACE}assertedIn`, `${NAMESPACE}session_checkout-fix`],
  [`${NAMESPACE}assertedBy`, `${NAMESPACE}agent_ada`],
  [`${NAMESPACE}appliesToProject`, `${NAMESPACE}project_shop`],
  [`${NAMESPACE}rationale`, "Agreed after the outage in May", "string"],
  [`${NAMESPACE}derivedFrom`, `${NAMESPACE}evidence_runbook.md`],
  [`${NAMESPACE}accessCount`, "4", "integer"],
  [`${NAMESPACE}lastAccessed`, "2026-11-16T09:10:00.000Z", "dateTime"],
  [`${NAMESPACE}hasConventionScope`, `${NAMESPACE}ProjectScope`],
  [`${NAMESPACE}hasEnforcementLevel`, `${NAMESPACE}Required`],
];

const TRIPLES_EXAMPLE = {
  data: TRIPLES.map(([predicate, object, datatype]) => ({
    subject: `${NAMESPACE}memory_${MEMORY_VIEW_EXAMPLE.id}`,
    predicate,
    object,
    ...(datatype && { datatype: `http://www.w3.org/2001/XMLSchema#${datatype}` }),
  })),
};

const TASK_STATUS_PROBLEM = "must be one of: Planned, InProgress, Blocked, Completed, Abandoned";

export function memoryChangeRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Memories", stage: "store" });

  app.openAPIRegistry.register("RememberItem", withOwnerInput(rememberTool));

  routes.post("/v1/memories/search", "searchMemories", {
    summary: "List the memories that pass a filter, newest first",
    scope: "read",
    limitsReads: true,
    audit: { export: "export.memories" },
    capability: "CanQueryMemory",
    bound: "owner",
    body: MemorySearch,
    responses: { 200: { description: "Memories", schema: pageSchema(MemoryView) } },
    handle: async ({ services, body }) => {
      const { filter: metadata, include_superseded, limit, cursor } = body;
      const { session_id = null, user_id = null, agent_id = null, project_id = null } = body;
      const { as_of, valid_at } = body;
      const owner = { session_id, user_id, agent_id, project_id };
      const filter = { type: null, ...owner, include_superseded, as_of, valid_at, metadata };
      const after = decodeCursor(TimePosition, cursor);
      const found = await listMemories(services, filter, { limit: limit + 1, after });
      const memories = await hideRelations(services, found);
      return toPage(memories.map(toMemoryView), limit, ({ timestamp, id }) => ({ timestamp, id }));
    },
  });

  routes.post("/v1/memories/batch", "rememberBatch", {
    summary: "Remember many memories in one call",
    description:
      "Each item is a body of POST /v1/remember with its own owner, and has its own result: an invalid item does not " +
      "refuse the others. Items are stored in order, those of one session together.",
    quota: { handler: ["memories", "bytes"] },
    bound: "handler",
    body: BatchInput,
    responses: {
      200: {
        description: "The result of each item, in order",
        schema: BatchAnswer,
        example: {
          results: [
            {
              remembered: true,
              memory_id: "5a4efb7d1e4dc8d6c9e7f6c1f2f7f0be",
              deduplicated: false,
              superseded: [],
            },
            {
              error: {
                code: "invalid_request",
                detail: `properties.hasTaskStatus: ${TASK_STATUS_PROBLEM}`,
                errors: [{ path: "properties.hasTaskStatus", message: TASK_STATUS_PROBLEM }],
              },
            },
          ],
        },
      },
    },
    handle: async ({ services, body, idempotency }) =>
      (await rememberBatch(services, body.memories, idempotency)).body,
  });

  routes.patch("/v1/memories/{id}", "updateMemory", {
    summary: "Change a memory",
    description:
      "Another content or type makes a successor: a memory with a new id that supersedes this one and has its owner, " +
      "evidence, metadata and tags. Anything else, also another case or spacing of the content, changes in place. Of a " +
      "memory that is not live only metadata and tags can be changed.",
    quota: ["bytes"],
    capability: "CanWriteMemory",
    bound: "memory",
    body: UpdateMemoryInput,
    responses: { 200: { description: "The memory, or its successor", schema: UpdateMemoryAnswer } },
    handle: ({ services, params: { id }, body }) => updateMemory(services, id, body),
  });
}

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
    responses: {
      200: {
        description: "The lineage",
        schema: MemoryLineage,
        types: RDF_SYNTAXES,
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
    responses: { 200: { description: "The affected memories, nearest first", schema: MemoryImpact } },
    handle: ({ services, params: { id } }) => readImpact(services, id),
  });
}

const PROV_EXAMPLE =
  "<https://jido.ai/ontology#memory_5c05b1d2a3f04e7a9d3b6f5a7c8e9d01> <http://www.w3.org/ns/prov#wasDerivedFrom> <https://jido.ai/ontology#evidence_message%3Am1> .\n";
