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
import { endpoint } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";
import { EXAMPLE_MEMORY } from "./memories";

const TAG = "Memories";

const TASK_STATUS_PROBLEM = "must be one of: Planned, InProgress, Blocked, Completed, Abandoned";

export function memoryChangeRoutes(app: App): void {
  app.openAPIRegistry.register("RememberItem", withOwnerInput(rememberTool));

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/memories/search",
      operationId: "searchMemories",
      summary: "List the memories that pass a filter, newest first",
      tag: TAG,
      scope: "read",
      limitsReads: true,
      audit: { export: "export.memories" },
      capability: "CanQueryMemory",
      bound: "owner",
      stage: "store",
      body: MemorySearch,
      example: {
        body: {
          filter: { "metadata.team": "web", tags: { $in: ["deploy", "release"] } },
          project_id: "shop",
        },
      },
      responses: {
        200: {
          description: "Memories",
          schema: pageSchema(MemoryView),
          example: { data: [EXAMPLE_MEMORY], next_cursor: null },
        },
      },
    },
    async ({ c, services, body }) => {
      const { filter: metadata, include_superseded, limit, cursor } = body;
      const { session_id = null, user_id = null, agent_id = null, project_id = null } = body;
      const { as_of, valid_at } = body;
      const owner = { session_id, user_id, agent_id, project_id };
      const filter = { type: null, ...owner, include_superseded, as_of, valid_at, metadata };
      const after = decodeCursor(TimePosition, cursor);
      const found = await listMemories(services, filter, { limit: limit + 1, after });
      const memories = await hideRelations(services, found);
      return c.json(toPage(memories.map(toMemoryView), limit, ({ timestamp, id }) => ({ timestamp, id })));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/memories/batch",
      operationId: "rememberBatch",
      summary: "Remember many memories in one call",
      description:
        "Each item is a body of POST /v1/remember with its own owner, and has its own result: an invalid item does not " +
        "refuse the others. Items are stored in order, those of one session together.",
      tag: TAG,
      scope: "write",
      quota: { handler: ["memories", "bytes"] },
      bound: "handler",
      stage: "store",
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
    },
    async ({ c, services, body, idempotency }) => {
      const reply = await rememberBatch(services, body.memories, idempotency);
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "patch",
      path: "/v1/memories/{id}",
      operationId: "updateMemory",
      summary: "Change a memory",
      description:
        "Another content or type makes a successor: a memory with a new id that supersedes this one and has its owner, " +
        "evidence, metadata and tags. Anything else, also another case or spacing of the content, changes in place. Of a " +
        "memory that is not live only metadata and tags can be changed.",
      tag: TAG,
      scope: "write",
      quota: ["bytes"],
      capability: "CanWriteMemory",
      bound: "memory",
      stage: "store",
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
    },
    async ({ c, services, params: { id }, body }) => c.json(await updateMemory(services, id, body)),
  );
}
