// Long-term memories by id: with their provenance, as triples, as history; listed; erased.
import { accepts } from "hono/accepts";
import type { Services } from "../../operations/services";
import { FailureError, fail } from "../../platform/errors";
import { Flag, Id, PageQuery, pageSchema, z } from "../../schemas/common";
import { type MemoryDetail as Detail, MemoryDetail, MemoryKey, MemoryView } from "../../schemas/memory";
import { MemoryTypeName } from "../../schemas/session";
import { toMemoryView } from "../../store/memories/memory-mapping";
import { SYNTAXES, type Syntax, serialiseTriples } from "../../store/triples/rdf-syntax";
import { parseInstanceId, toInstanceIri } from "../../store/triples/triples";
import type { App } from "../app-context";
import { endpoint } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";

const MemoryParams = z.object({ id: Id });
const Cursor = z.object({ timestamp: z.string(), id: z.string() });
const Receipt = z
  .object({
    deleted: z.object({ memories: z.number(), triples: z.number(), vectors: z.number(), links: z.number() }),
  })
  .openapi("MemoryReceipt");
const FullTriples = z.object({
  data: z.array(
    z.object({
      subject: z.string(),
      predicate: z.string(),
      object: z.string(),
      datatype: z.string().optional(),
    }),
  ),
});
const TAG = "Memories";

export function memoryRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories",
      operationId: "listMemories",
      summary: "List memories, newest first",
      tag: TAG,
      scope: "read",
      stage: "store",
      query: PageQuery.extend({
        type: MemoryTypeName.optional(),
        session_id: Id.optional(),
        agent_id: Id.optional(),
        project_id: Id.optional(),
        include_superseded: Flag,
        key: MemoryKey.optional().openapi({
          description: "Of the session, agent or project given: only the memory of this topic",
        }),
        key_prefix: MemoryKey.optional().openapi({
          description: "Of the session, agent or project given: only topics whose key begins with this",
        }),
      }),
      responses: {
        200: { description: "Memories", schema: pageSchema(MemoryView), example: LIST_MEMORIES_RESPONSE },
      },
    },
    async ({ c, services: { store }, query }) => {
      const { type, session_id, agent_id, project_id, include_superseded, limit, cursor } = query;
      const filter = {
        type: type ?? null,
        session_id: session_id ?? null,
        agent_id: agent_id ?? null,
        project_id: project_id ?? null,
        include_superseded,
        key: query.key,
        key_prefix: query.key_prefix,
      };
      const after = decodeCursor(Cursor, cursor);
      const memories = await store.memories.list(filter, { limit: limit + 1, after });
      return c.json(toPage(memories.map(toMemoryView), limit, ({ timestamp, id }) => ({ timestamp, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories/{id}",
      operationId: "getMemory",
      summary: "A memory with its provenance",
      tag: TAG,
      scope: "read",
      stage: "store",
      params: MemoryParams,
      responses: {
        200: {
          description: "The memory",
          schema: MemoryDetail,
          example: { ...MEMORY, supersedes: [], links: [] },
        },
      },
    },
    async ({ c, services, params: { id } }) => {
      return c.json(await detailOf(services, id));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories/{id}/triples",
      operationId: "getMemoryTriples",
      summary: "A memory as triples, in the syntax that Accept names",
      description: `By Accept: ${SYNTAXES.join(", ")}.`,
      tag: TAG,
      scope: "read",
      stage: "store",
      params: MemoryParams,
      responses: {
        200: {
          description: "Its triples, with full IRIs",
          schema: FullTriples,
          example: GET_MEMORY_TRIPLES_RESPONSE,
        },
      },
    },
    async ({ c, services: { store }, params: { id } }) => {
      const triples = await store.triples.match({ subject: toInstanceIri("memory", id) });
      if (triples.length === 0) throw notFound(id);
      const syntax = accepts(c, {
        header: "Accept",
        supports: [...SYNTAXES],
        default: "application/json",
      }) as Syntax;
      return c.body(await serialiseTriples(triples, syntax), 200, {
        "Content-Type": `${syntax}; charset=utf-8`,
        Vary: "Accept",
      });
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories/{id}/history",
      operationId: "getMemoryHistory",
      summary: "The chain of supersession that a memory is part of, oldest first",
      tag: TAG,
      scope: "read",
      stage: "store",
      params: MemoryParams,
      responses: {
        200: {
          description: "The chain",
          schema: z.object({ data: z.array(MemoryView) }),
          example: { data: [MEMORY] },
        },
      },
    },
    async ({ c, services: { store }, params: { id } }) => {
      const chain = await store.memories.listHistory(id);
      if (chain.length === 0) throw notFound(id);
      return c.json({ data: chain.map(toMemoryView) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/memories/{id}",
      operationId: "deleteMemory",
      summary: "Erase a memory from triples, read model, text index and vectors",
      tag: TAG,
      scope: "write",
      stage: "store",
      params: MemoryParams,
      responses: {
        200: {
          description: "What was erased",
          schema: Receipt,
          example: { deleted: { memories: 1, triples: 16, vectors: 1, links: 1 } },
        },
      },
    },
    async ({ c, services: { store, indexing, later }, params: { id } }) => {
      const deleted = await store.memories.erase(id);
      if (deleted.memories === 0) throw notFound(id);
      later(indexing.wake());
      return c.json({ deleted });
    },
  );
}

async function detailOf({ store }: Services, id: string): Promise<Detail> {
  const iri = toInstanceIri("memory", id);
  const [memory, incoming, outgoing] = await Promise.all([
    store.memories.find(id),
    store.triples.match({ object: iri }).then((triples) => triples.filter(({ datatype }) => datatype === "")),
    store.triples.match({ subject: iri }),
  ]);
  if (memory === null) throw notFound(id);
  const link = (predicate: string, direction: "out" | "in", other: string) => {
    const otherId = parseInstanceId("memory", other);
    return otherId === null ? [] : [{ relation: predicate.replace("jido:", ""), direction, id: otherId }];
  };
  return {
    ...toMemoryView(memory),
    supersedes: incoming.flatMap(({ predicate, subject }) =>
      predicate === "jido:supersededBy" ? (parseInstanceId("memory", subject) ?? []) : [],
    ),
    links: [
      ...outgoing.flatMap(({ predicate, object, datatype }) =>
        datatype === "" ? link(predicate, "out", object) : [],
      ),
      ...incoming.flatMap(({ predicate, subject }) => link(predicate, "in", subject)),
    ],
  };
}

function notFound(id: string): FailureError {
  return new FailureError(
    fail("not_found", `Memory not found: ${id}. Check the id; recall lists the ids of what is remembered.`)
      .failure,
  );
}

const MEMORY = {
  id: "b924eb2b8ea1f386820e4e58919566bf",
  kind: "memory",
  content: "We deploy on Fridays only after the smoke tests pass",
  type: "process_convention",
  confidence: 0.9,
  timestamp: "2026-11-16T09:08:00.000Z",
  session_id: "checkout-fix",
  agent_id: "ada",
  project_id: "shop",
  source_type: "agent",
  rationale: "Agreed after the outage in May",
  superseded_by: null,
  access_count: 4,
  status: "live",
  importance: 1,
  key: null,
  valid_from: "2026-11-16T09:08:00.000Z",
  valid_until: null,
  forgotten_at: null,
  forget_reason: null,
  last_accessed: "2026-11-16T09:10:00.000Z",
  evidence: ["runbook.md"],
  properties: { hasConventionScope: ["ProjectScope"], hasEnforcementLevel: ["Required"] },
  invalidated_by: null,
};

const LIST_MEMORIES_RESPONSE = {
  data: [
    {
      id: "d2738fe512d8476e3f904e9c40532471",
      kind: "memory",
      content: "Hotfixes are deployed on any day",
      type: "process_convention",
      confidence: 0.8,
      timestamp: "2026-11-16T09:09:00.000Z",
      session_id: null,
      agent_id: null,
      project_id: "shop",
      source_type: "user",
      rationale: null,
      superseded_by: null,
      access_count: 3,
      status: "live",
      importance: 1,
      key: "hotfix-deployments",
      valid_from: "2026-11-16T09:09:00.000Z",
      valid_until: null,
      forgotten_at: null,
      forget_reason: null,
      last_accessed: "2026-11-16T09:10:00.000Z",
      evidence: [],
      properties: { hasConventionScope: ["ProjectScope"], hasEnforcementLevel: ["Advisory"] },
      invalidated_by: null,
    },
    MEMORY,
  ],
  next_cursor: null,
};

const GET_MEMORY_TRIPLES_RESPONSE = {
  data: [
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
      object: "https://jido.ai/ontology#ProcessConvention",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#summary",
      object: "We deploy on Fridays only after the smoke tests pass",
      datatype: "http://www.w3.org/2001/XMLSchema#string",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#hasConfidence",
      object: "https://jido.ai/ontology#High",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#confidenceValue",
      object: "0.9",
      datatype: "http://www.w3.org/2001/XMLSchema#decimal",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#importanceScore",
      object: "1",
      datatype: "http://www.w3.org/2001/XMLSchema#decimal",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#hasSourceType",
      object: "https://jido.ai/ontology#AgentSource",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#hasTimestamp",
      object: "2026-11-16T09:08:00.000Z",
      datatype: "http://www.w3.org/2001/XMLSchema#dateTime",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#assertedIn",
      object: "https://jido.ai/ontology#session_checkout-fix",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#assertedBy",
      object: "https://jido.ai/ontology#agent_ada",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#appliesToProject",
      object: "https://jido.ai/ontology#project_shop",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#rationale",
      object: "Agreed after the outage in May",
      datatype: "http://www.w3.org/2001/XMLSchema#string",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#derivedFrom",
      object: "https://jido.ai/ontology#evidence_runbook.md",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#accessCount",
      object: "4",
      datatype: "http://www.w3.org/2001/XMLSchema#integer",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#lastAccessed",
      object: "2026-11-16T09:10:00.000Z",
      datatype: "http://www.w3.org/2001/XMLSchema#dateTime",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#hasConventionScope",
      object: "https://jido.ai/ontology#ProjectScope",
    },
    {
      subject: "https://jido.ai/ontology#memory_b924eb2b8ea1f386820e4e58919566bf",
      predicate: "https://jido.ai/ontology#hasEnforcementLevel",
      object: "https://jido.ai/ontology#Required",
    },
  ],
};
