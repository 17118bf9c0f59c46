// Long-term memories in bulk and in place: searched by a filter, remembered in batches, changed.

import { hideRelations } from "../../operations/memories/check-relations";
import { listMemories } from "../../operations/memories/past-memories";
import { rememberBatch } from "../../operations/memories/remember-batch";
import { updateMemory } from "../../operations/memories/update-memory";
import { rememberTool } from "../../operations/remember";
import { withOwnerInput } from "../../operations/tools/tool";
import { Id, pageSchema, z } from "../../schemas/common";
import {
  BatchAnswer,
  BatchInput,
  MemorySearch,
  UpdateMemoryAnswer,
  UpdateMemoryInput,
} from "../../schemas/memories/memory-requests";
import { MemoryView } from "../../schemas/memory";
import { toMemoryView } from "../../store/memories/memory-mapping";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";
import { EXAMPLE_MEMORY } from "./memories";

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
    example: {
      body: { filter: { "metadata.team": "web", tags: { $in: ["deploy", "release"] } }, project_id: "shop" },
    },
    responses: {
      200: {
        description: "Memories",
        schema: pageSchema(MemoryView),
        example: { data: [EXAMPLE_MEMORY], next_cursor: null },
      },
    },
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
    example: {
      body: {
        memories: [
          {
            content: "The staging shop is reset every night",
            project_id: "shop",
            metadata: { team: "web" },
            tags: ["staging"],
          },
          {
            content: "Write to the guests of the outage",
            type: "task",
            project_id: "shop",
            properties: { hasTaskStatus: "Nearly" },
          },
        ],
      },
    },
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
    params: z.object({ id: Id }),
    body: UpdateMemoryInput,
    example: { body: { importance: 0.9, metadata: { team: "web" }, tags: ["deploy"] } },
    responses: {
      200: {
        description: "The memory, or its successor",
        schema: UpdateMemoryAnswer,
        example: {
          ...EXAMPLE_MEMORY,
          importance: 0.9,
          metadata: { team: "web" },
          tags: ["deploy"],
          supersedes: [],
          links: [],
          superseded: [],
        },
      },
    },
    handle: ({ services, params: { id }, body }) => updateMemory(services, id, body),
  });
}
