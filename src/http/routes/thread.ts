// The thread, what happened, and the projectors that make memory of it.
import { unwrap } from "../../platform/errors";
import {
  ProjectorPatch,
  ProjectorRun,
  ProjectorView,
  ThreadAppend,
  ThreadAppended,
  ThreadPage,
  ThreadQuery,
} from "../../schemas/cognition";
import { Id, text, z } from "../../schemas/common";
import { type App, endpoint, servicesOf } from "../endpoint";
import { SessionParams } from "./sessions";

const TAG = "Cognition";
const ProjectorParams = z.object({ id: Id, name: text(1, 128) });

export function threadRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/thread",
      summary: "Append to the thread",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: ThreadAppend,
      answers: { 201: { description: "The numbers they were given", schema: ThreadAppended } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).appendThread({ tenant, id }, body.entries, idempotency);
      return c.json(unwrap(await c.var.timing.measure("session", work)), 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/thread",
      summary: "Read the thread by range, oldest first",
      description: "`from` and `to` are inclusive; go on with `from` = `next_seq`.",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      query: ThreadQuery,
      answers: { 200: { description: "Entries", schema: ThreadPage } },
    },
    async ({ c, caller, params: { id }, query: { from = 1, to = Number.MAX_SAFE_INTEGER, kind, limit } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () =>
        session(id).readThread(
          { tenant, id },
          { from, to, limit, ...(kind !== undefined && { kinds: [kind] }) },
        );
      return c.json(unwrap(await c.var.timing.measure("session", work)));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/projectors",
      summary: "The projectors, and how far each has come",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      answers: { 200: { description: "Projectors", schema: z.object({ data: z.array(ProjectorView) }) } },
    },
    async ({ c, caller, params: { id } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).listProjectors({ tenant, id });
      return c.json({ data: unwrap(await c.var.timing.measure("session", work)) });
    },
  );

  endpoint(
    app,
    {
      method: "patch",
      path: "/v1/sessions/{id}/projectors/{name}",
      summary: "Change when a projector runs in this session",
      tag: TAG,
      scope: "write",
      params: ProjectorParams,
      body: ProjectorPatch,
      answers: { 200: { description: "The projector", schema: ProjectorView } },
    },
    async ({ c, caller, params: { id, name }, body }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).patchProjector({ tenant, id }, name, body);
      return c.json(unwrap(await c.var.timing.measure("session", work)));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/projectors/{name}/run",
      summary: "Run a projector now, over what it has not covered",
      tag: TAG,
      scope: "write",
      params: ProjectorParams,
      body: z.object({}).strict(),
      answers: { 200: { description: "What it has covered now", schema: ProjectorRun } },
    },
    async ({ c, caller, params: { id, name }, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).runProjector({ tenant, id }, name, idempotency);
      return c.json(unwrap(await c.var.timing.measure("session", work)));
    },
  );
}
