// Long-term memories: listed, and by id with provenance, triples, history and erasure.
import { NAMESPACE } from "../../ontology/terms.generated";
import { hideRelations } from "../../operations/memories/check-relations";
import {
  eraseMemory,
  readMemoryDetail,
  readMemoryTriples,
} from "../../operations/memories/memory-operations";
import { requireType } from "../../operations/memories/memory-types";
import { listMemories, readMemoryHistory } from "../../operations/memories/past-memories";
import { Flag, Id, MemoryTypeName, PageQuery, pageSchema, UserId, z } from "../../schemas/common";
import { Clock } from "../../schemas/memories/clock";
import { RecordedMemoryView } from "../../schemas/memories/recorded-memory";
import { MemoryDetail, MemoryKey, MemoryView, Tag } from "../../schemas/memory";
import { toMemoryView } from "../../store/memories/memory-mapping";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../rdf-response";

const MemoryParams = z.object({ id: Id });
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
    responses: { 200: { description: "Memories", schema: pageSchema(MemoryView), example: MEMORY_PAGE } },
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
    params: MemoryParams,
    query: Clock,
    responses: {
      200: {
        description: "The memory",
        schema: MemoryDetail,
        example: { ...EXAMPLE_MEMORY, supersedes: [], links: [] },
      },
    },
    handle: ({ services, params: { id }, query }) => readMemoryDetail(services, id, query),
  });

  routes.get("/v1/memories/{id}/triples", "getMemoryTriples", {
    summary: "Read a memory as triples",
    description: SYNTAX_NOTE,
    params: MemoryParams,
    responses: { 200: describeTriples(TRIPLES_EXAMPLE) },
    handle: async ({ c, services, params: { id } }) =>
      respondWithTriples(c, await readMemoryTriples(services, id)),
  });

  routes.get("/v1/memories/{id}/history", "getMemoryHistory", {
    summary: "Read the chain of supersession of a memory with its versions, oldest first",
    params: MemoryParams,
    query: Clock,
    responses: {
      200: {
        description: "The memories of the chain",
        schema: z.object({ data: z.array(RecordedMemoryView) }),
        example: {
          data: [
            {
              ...EXAMPLE_MEMORY,
              recorded_at: EXAMPLE_MEMORY.timestamp,
              ended_at: null,
              versions: [
                {
                  ...EXAMPLE_MEMORY,
                  confidence: 0.7,
                  recorded_at: EXAMPLE_MEMORY.timestamp,
                  recorded_until: "2026-11-16T09:09:30.000Z",
                },
              ],
            },
          ],
        },
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
    params: MemoryParams,
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

export const EXAMPLE_MEMORY = {
  id: "b924eb2b8ea1f386820e4e58919566bf",
  kind: "memory",
  content: "We deploy on Fridays only after the smoke tests pass",
  type: "process_convention",
  confidence: 0.9,
  timestamp: "2026-11-16T09:08:00.000Z",
  session_id: "checkout-fix",
  user_id: null,
  agent_id: "ada",
  project_id: "shop",
  source_type: "agent",
  rationale: "Agreed after the outage in May",
  superseded_by: null,
  access_count: 4,
  metadata: { team: "web" },
  tags: ["deploy"],
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

const MEMORY_PAGE = {
  data: [
    {
      id: "d2738fe512d8476e3f904e9c40532471",
      kind: "memory",
      content: "Hotfixes are deployed on any day",
      type: "process_convention",
      confidence: 0.8,
      timestamp: "2026-11-16T09:09:00.000Z",
      session_id: null,
      user_id: null,
      agent_id: null,
      project_id: "shop",
      source_type: "user",
      rationale: null,
      superseded_by: null,
      access_count: 3,
      metadata: {},
      tags: [],
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
    EXAMPLE_MEMORY,
  ],
  next_cursor: null,
};

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
    subject: `${NAMESPACE}memory_${EXAMPLE_MEMORY.id}`,
    predicate,
    object,
    ...(datatype && { datatype: `http://www.w3.org/2001/XMLSchema#${datatype}` }),
  })),
};
