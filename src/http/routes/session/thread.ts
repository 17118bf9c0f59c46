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
import { endpoint } from "../../endpoint";
import { SessionParams } from "./sessions";

const TAG = "Cognition";
const ProjectorParams = z.object({ id: Id, name: boundedText(1, 128) });

export function threadRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/thread",
      operationId: "appendThread",
      summary: "Append to the thread",
      tag: TAG,
      scope: "write",
      quota: ["bytes"],
      bound: "first-write",
      stage: "session",
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
    },
    async ({ c, services: { session, tenant }, params: { id }, body, idempotency }) => {
      return c.json(unwrap(await session(id).appendThread({ tenant, id }, body.entries, idempotency)), 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/thread",
      operationId: "readThread",
      summary: "Read a range of the thread, oldest first",
      description: "`from` and `to` are inclusive. Continue with `from` = `next_seq`.",
      tag: TAG,
      scope: "read",
      audit: { exempt: "an agent follows its session by sequence numbers all the time" },
      bound: "session",
      stage: "session",
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
    },
    async ({
      c,
      services: { session, tenant },
      params: { id },
      query: { from = 1, to = Number.MAX_SAFE_INTEGER, kind, limit },
    }) => {
      return c.json(
        unwrap(
          await session(id).readThread(
            { tenant, id },
            { from, to, limit, ...(kind !== undefined && { kinds: [kind] }) },
          ),
        ),
      );
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/projectors",
      operationId: "listProjectors",
      summary: "List the projectors and their progress",
      tag: TAG,
      scope: "read",
      bound: "session",
      stage: "session",
      params: SessionParams,
      responses: {
        200: {
          description: "Projectors",
          schema: z.object({ data: z.array(ProjectorView) }),
          example: PROJECTORS,
        },
      },
    },
    async ({ c, services: { session, tenant }, params: { id } }) => {
      return c.json({ data: unwrap(await session(id).listProjectors({ tenant, id })) });
    },
  );

  endpoint(
    app,
    {
      method: "patch",
      path: "/v1/sessions/{id}/projectors/{name}",
      operationId: "updateProjector",
      summary: "Change the trigger of a projector in this session",
      tag: TAG,
      scope: "write",
      quota: { exempt: "It changes settings." },
      bound: "session",
      stage: "session",
      params: ProjectorParams,
      body: ProjectorPatch,
      example: { body: { trigger: { after: 10 } } },
      responses: { 200: { description: "The projector", schema: ProjectorView, example: PROJECTOR } },
    },
    async ({ c, services: { session, tenant }, params: { id, name }, body }) => {
      return c.json(unwrap(await session(id).patchProjector({ tenant, id }, name, body)));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/projectors/{name}/run",
      operationId: "runProjector",
      summary: "Run a projector now, over the entries it has not covered",
      tag: TAG,
      scope: "write",
      quota: { exempt: "It condenses entries that were accepted before." },
      bound: "session",
      stage: "session",
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
    },
    async ({ c, services: { session, tenant }, params: { id, name }, idempotency }) => {
      return c.json(unwrap(await session(id).runProjector({ tenant, id }, name, idempotency)));
    },
  );
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
