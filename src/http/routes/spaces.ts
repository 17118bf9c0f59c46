// Spaces: what an agent currently believes and wants. The container and its spaces.
import { unwrap } from "../../platform/errors";
import {
  ExpectedQuery,
  MapKey,
  MemoryPatch,
  MemoryView,
  SpaceChanged,
  SpaceName,
  SpaceOps,
  SpacePut,
  SpaceView,
} from "../../schemas/cognition";
import { AnyJson, Id, z } from "../../schemas/common";
import type { AppContext } from "../context";
import { type App, endpoint, servicesOf } from "../endpoint";
import { SessionParams } from "./sessions";

const TAG = "Cognition";
const SpaceParams = z.object({ id: Id, name: SpaceName });
const KeyParams = z.object({ id: Id, name: SpaceName, key: MapKey });

export function spaceRoutes(app: App): void {
  memoryRoutes(app);
  spaces(app);
}

function memoryRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/memory",
      summary: "All spaces of a session",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      answers: { 200: { description: "The container", schema: MemoryView } },
    },
    async ({ c, caller, params: { id } }) => {
      const { session, tenant } = servicesOf(c, caller);
      return c.json(
        unwrap(await c.var.timing.measure("session", () => session(id).getMemory({ tenant, id }))),
      );
    },
  );

  endpoint(
    app,
    {
      method: "patch",
      path: "/v1/sessions/{id}/memory",
      summary: "Change the container's metadata",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: MemoryPatch,
      answers: { 200: { description: "The container", schema: MemoryView } },
    },
    async ({ c, caller, params: { id }, body }) => {
      const { session, tenant } = servicesOf(c, caller);
      return c.json(
        unwrap(await c.var.timing.measure("session", () => session(id).patchMemory({ tenant, id }, body))),
      );
    },
  );
}

function spaces(app: App): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/v1/sessions/{id}/spaces/{name}",
      summary: "Make a space, or replace what it holds",
      tag: TAG,
      scope: "write",
      params: SpaceParams,
      body: SpacePut,
      answers: {
        200: { description: "The space, which was there before", schema: SpaceView },
        201: { description: "The new space", schema: SpaceView },
      },
    },
    async ({ c, caller, params: { id, name }, body }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).putSpace({ tenant, id }, name, body);
      const { space, created } = unwrap(await c.var.timing.measure("session", work));
      return tagged(c, space.rev).json(space, created ? 201 : 200);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/spaces/{name}",
      summary: "Read a space",
      tag: TAG,
      scope: "read",
      params: SpaceParams,
      answers: { 200: { description: "The space", schema: SpaceView } },
    },
    async ({ c, caller, params: { id, name } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).getSpace({ tenant, id }, name);
      const space = unwrap(await c.var.timing.measure("session", work));
      return tagged(c, space.rev).json(space);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/spaces/{name}/keys/{key}",
      summary: "Read one key of a map space",
      tag: TAG,
      scope: "read",
      params: KeyParams,
      answers: {
        200: { description: "The value", schema: z.object({ key: z.string(), value: AnyJson }) },
      },
    },
    async ({ c, caller, params: { id, name, key } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).getInSpace({ tenant, id }, name, key);
      return c.json({ key, value: unwrap(await c.var.timing.measure("session", work)) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/sessions/{id}/spaces/{name}",
      summary: "Delete a space; tasks and world stay",
      tag: TAG,
      scope: "write",
      params: SpaceParams,
      query: ExpectedQuery,
      answers: { 204: { description: "Gone", schema: null } },
    },
    async ({ c, caller, params: { id, name }, query }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).deleteSpace({ tenant, id }, name, query);
      unwrap(await c.var.timing.measure("session", work));
      return c.body(null, 204);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/spaces/{name}/ops",
      summary: "Change a space by operations: all of them, or none",
      tag: TAG,
      scope: "write",
      params: SpaceParams,
      body: SpaceOps,
      answers: { 200: { description: "The space after the last operation", schema: SpaceChanged } },
    },
    async ({ c, caller, params: { id, name }, body: { ops, ...expected }, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).changeSpace({ tenant, id }, name, ops, expected, idempotency);
      const changed = unwrap(await c.var.timing.measure("session", work));
      return tagged(c, changed.rev).json(changed);
    },
  );
}

/** The space's revision goes along, for whoever expects it next time. */
export function tagged(c: AppContext, rev: number): AppContext {
  c.header("ETag", `"${rev}"`);
  return c;
}
