// The thread of a session, an append-only log, and the projectors that derive memory from it.
import { unwrap } from "../../../platform/errors";
import { boundedText, Id, z } from "../../../schemas/common";
import {
  ProjectorPatch,
  ProjectorRun,
  ProjectorView,
  ThreadAppend,
  ThreadAppended,
  ThreadPage,
  ThreadQuery,
} from "../../../schemas/projection";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { SessionParams } from "./sessions";

const ProjectorParams = z.object({ id: Id, name: boundedText(1, 128) });

export function threadRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Cognition", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/thread", "appendThread", {
    summary: "Append to the thread",
    quota: ["bytes"],
    bound: "first-write",
    params: SessionParams,
    body: ThreadAppend,
    example: {
      body: {
        entries: [
          { kind: "note", payload: "Our staging server is Hetzner." },
          { kind: "tool_result", payload: { tool: "mix test", passed: 212, failed: 0 } },
        ],
      },
    },
    responses: {
      201: {
        description: "The sequence numbers of the entries",
        schema: ThreadAppended,
        example: { first_seq: 6, last_seq: 7 },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id }, body, idempotency }) =>
      unwrap(await session(id).appendThread({ tenant, id }, body.entries, idempotency)),
  });

  routes.get("/v1/sessions/{id}/thread", "readThread", {
    summary: "Read a range of the thread, oldest first",
    description: "`from` and `to` are inclusive. Continue with `from` = `next_seq`.",
    audit: { exempt: "an agent follows its session by sequence numbers all the time" },
    params: SessionParams,
    query: ThreadQuery,
    responses: {
      200: {
        description: "Entries",
        schema: ThreadPage,
        example: {
          data: [
            {
              seq: 6,
              kind: "note",
              payload: "Our staging server is Hetzner.",
              at: "2026-11-16T09:17:00.000Z",
            },
          ],
          next_seq: 8,
        },
      },
    },
    handle: async ({
      services: { session, tenant },
      params: { id },
      query: { from = 1, to = Number.MAX_SAFE_INTEGER, kind, limit },
    }) =>
      unwrap(
        await session(id).readThread(
          { tenant, id },
          { from, to, limit, ...(kind !== undefined && { kinds: [kind] }) },
        ),
      ),
  });

  routes.get("/v1/sessions/{id}/projectors", "listProjectors", {
    summary: "List the projectors and their progress",
    params: SessionParams,
    responses: {
      200: {
        description: "Projectors",
        schema: z.object({ data: z.array(ProjectorView) }),
        example: PROJECTORS,
      },
    },
    handle: async ({ services: { session, tenant }, params: { id } }) => ({
      data: unwrap(await session(id).listProjectors({ tenant, id })),
    }),
  });

  routes.patch("/v1/sessions/{id}/projectors/{name}", "updateProjector", {
    summary: "Change the trigger of a projector in this session",
    quota: { exempt: "It changes settings." },
    params: ProjectorParams,
    body: ProjectorPatch,
    example: { body: { trigger: { after: 10 } } },
    responses: { 200: { description: "The projector", schema: ProjectorView, example: PROJECTOR } },
    handle: async ({ services: { session, tenant }, params: { id, name }, body }) =>
      unwrap(await session(id).patchProjector({ tenant, id }, name, body)),
  });

  routes.post("/v1/sessions/{id}/projectors/{name}/run", "runProjector", {
    summary: "Run a projector now, over the entries it has not covered",
    quota: { exempt: "It condenses entries that were accepted before." },
    params: ProjectorParams,
    body: z.object({}).strict(),
    example: { body: {} },
    responses: {
      200: {
        description: "The covered range",
        schema: ProjectorRun,
        example: { projected: 7, covers: { from: 1, to: 7 } },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id, name }, idempotency }) =>
      unwrap(await session(id).runProjector({ tenant, id }, name, idempotency)),
  });
}

const PROJECTOR = {
  name: "facts",
  covered_seq: 7,
  trigger: { tick: true, after: 10, signals: ["**"] },
  failures: 0,
  retry_at: null,
};

const PROJECTORS = {
  data: [
    {
      name: "summary",
      covered_seq: 0,
      trigger: { tick: true, after: 50, signals: [] },
      failures: 0,
      retry_at: null,
    },
    PROJECTOR,
    {
      name: "tasks",
      covered_seq: 7,
      trigger: { tick: true, after: 50, signals: ["**"] },
      failures: 0,
      retry_at: null,
    },
    {
      name: "vectors",
      covered_seq: 0,
      trigger: { tick: true, after: null, signals: [] },
      failures: 0,
      retry_at: null,
    },
  ],
};
