// Spaces: the current beliefs and goals of an agent, in one container per session. Tasks are the list in the tasks space;
// the first open task is the next one.

import type { App, AppContext } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, toPage } from "../../http/pagination";
import { AnyJson, Id, PageQuery, pageSchema, z } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import {
  ExpectedQuery,
  MapKey,
  MemoryPatch,
  MemoryPut,
  SPACE_CONTAINER_VIEW_EXAMPLE,
  SpaceChanged,
  SpaceContainerView,
  SpaceName,
  SpaceOps,
  SpacePut,
  SpaceView,
  TASK_EXAMPLE,
  Task,
  TaskChange,
  TaskCreate,
  TaskOrder,
  TaskStatus,
} from "./space-schemas";

const TAG = "Cognition";
const SpaceParams = z.object({ id: Id, name: SpaceName });
const KeyParams = z.object({ id: Id, name: SpaceName, key: MapKey });

export function spaceRoutes(app: App): void {
  memoryRoutes(app);
  spaces(app);
}

function memoryRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: TAG, stage: "session", bound: "first-write" });

  routes.get("/v1/sessions/{id}/memory", "getSessionMemory", {
    summary: "Read all spaces of a session",
    bound: "session",
    responses: { 200: { description: "The container", schema: SpaceContainerView } },
    handle: async ({ services: { session, tenant }, params: { id } }) =>
      unwrap(await session(id).getSpaces({ tenant, id })),
  });

  routes.put("/v1/sessions/{id}/memory", "replaceSessionMemory", {
    summary: "Replace all spaces and the metadata atomically",
    description:
      "Spaces that are not given are deleted; `tasks` and `world` always exist and are emptied. The container gets one new " +
      "revision, and each space that is written one of its own.",
    quota: ["bytes"],
    body: MemoryPut,
    responses: {
      200: { description: "The container", schema: SpaceContainerView, example: REPLACED_MEMORY },
    },
    handle: async ({ services: { session, tenant }, params: { id }, body }) =>
      unwrap(await session(id).replaceSpaces({ tenant, id }, body)),
  });

  routes.patch("/v1/sessions/{id}/memory", "updateSessionMemory", {
    summary: "Change several spaces and the metadata atomically",
    description:
      "Each named space gets new `data` or `ops`, or is deleted by `null`: all changes or none. The container gets one new " +
      "revision, and each changed space one of its own.",
    quota: ["bytes"],
    body: MemoryPatch,
    responses: {
      200: {
        description: "The container",
        schema: SpaceContainerView,
        example: {
          ...REPLACED_MEMORY,
          rev: 2,
          updated_at: "2026-11-16T09:16:00.000Z",
          spaces: {
            ...REPLACED_MEMORY.spaces,
            "shop:cache": { ...REPLACED_MEMORY.spaces["shop:cache"], rev: 2, data: { sku: "A-17" } },
            world: { kind: "map", rev: 2, data: { branch: "guest-checkout" }, metadata: {} },
          },
          metadata: { plan: "SHOP-412" },
        },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id }, body }) =>
      unwrap(await session(id).patchSpaces({ tenant, id }, body)),
  });
}

function spaces(app: App): void {
  const routes = groupRoutes(app, { tag: TAG, stage: "session", bound: "session" });

  routes.put("/v1/sessions/{id}/spaces/{name}", "putSpace", {
    summary: "Create a space, or replace its contents",
    quota: ["bytes"],
    bound: "first-write",
    params: SpaceParams,
    body: SpacePut,
    responses: {
      200: { description: "The space already existed", schema: SpaceView },
      201: { description: "The space was created", schema: SpaceView },
    },
    handle: async ({ c, services: { session, tenant }, params: { id, name }, body }) => {
      const { space, created } = unwrap(await session(id).putSpace({ tenant, id }, name, body));
      return withRevision(c, space.rev).json(space, created ? 201 : 200);
    },
  });

  routes.get("/v1/sessions/{id}/spaces/{name}", "getSpace", {
    summary: "Read a space",
    params: SpaceParams,
    responses: { 200: { description: "The space", schema: SpaceView } },
    handle: async ({ c, services: { session, tenant }, params: { id, name } }) => {
      const space = unwrap(await session(id).getSpace({ tenant, id }, name));
      return withRevision(c, space.rev).json(space);
    },
  });

  routes.get("/v1/sessions/{id}/spaces/{name}/keys/{key}", "getSpaceKey", {
    summary: "Read one key of a map space",
    params: KeyParams,
    responses: {
      200: {
        description: "The value",
        schema: z.object({ key: z.string(), value: AnyJson }),
        example: { key: "cause", value: "Guests have no customer id" },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id, name, key } }) => ({
      key,
      value: unwrap(await session(id).getSpaceKey({ tenant, id }, name, key)),
    }),
  });

  routes.delete("/v1/sessions/{id}/spaces/{name}", "deleteSpace", {
    summary: "Delete a space, other than tasks and world",
    audit: { exempt: "the working state of a session, which its agent changes all the time" },
    params: SpaceParams,
    query: ExpectedQuery,
    handle: async ({ services: { session, tenant }, params: { id, name }, query }) => {
      unwrap(await session(id).deleteSpace({ tenant, id }, name, query));
    },
  });

  routes.post("/v1/sessions/{id}/spaces/{name}/ops", "changeSpace", {
    summary: "Apply operations to a space atomically",
    quota: ["bytes"],
    bound: "first-write",
    params: SpaceParams,
    body: SpaceOps,
    responses: { 200: { description: "The space after all operations", schema: SpaceChanged } },
    handle: async ({
      c,
      services: { session, tenant },
      params: { id, name },
      body: { ops, ...expected },
      idempotency,
    }) => {
      const changed = unwrap(await session(id).changeSpace({ tenant, id }, name, ops, expected, idempotency));
      return withRevision(c, changed.rev).json(changed);
    },
  });
}

/** Sets the revision as ETag, for a later conditional change. */
function withRevision(c: AppContext, rev: number): AppContext {
  c.header("ETag", `"${rev}"`);
  return c;
}

const REPLACED_MEMORY = {
  ...SPACE_CONTAINER_VIEW_EXAMPLE,
  rev: 1,
  spaces: {
    tasks: { kind: "list", rev: 0, data: [], metadata: {} },
    world: { kind: "map", rev: 1, data: { branch: "main" }, metadata: {} },
    "shop:cache": { kind: "map", rev: 1, data: {}, metadata: { owner: "shop" } },
  },
  updated_at: SPACE_CONTAINER_VIEW_EXAMPLE.created_at,
};

const TaskParams = z.object({ id: Id, task_id: Task.shape.id });
const TaskCursor = z.object({ at: z.number().int().min(0) });

export function taskRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Cognition", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/tasks", "addTask", {
    summary: "Add a task at the end or at an index",
    quota: ["bytes"],
    bound: "first-write",
    body: TaskCreate,
    responses: { 201: { description: "The task", schema: Task } },
    handle: async ({ c, services: { session, tenant }, params: { id }, body, idempotency }) => {
      const { value, rev } = unwrap(await session(id).addTask({ tenant, id }, body, idempotency));
      return withRevision(c, rev).json(value, 201);
    },
  });

  routes.get("/v1/sessions/{id}/tasks", "listTasks", {
    summary: "List tasks, the most important first",
    audit: { export: "export.tasks" },
    query: PageQuery.extend({ status: TaskStatus.optional() }),
    responses: { 200: { description: "Tasks", schema: pageSchema(Task) } },
    handle: async ({
      c,
      services: { session, tenant },
      params: { id },
      query: { status, limit, cursor },
    }) => {
      const from = decodeCursor(TaskCursor, cursor)?.at ?? 0;
      const { value, rev } = unwrap(await session(id).listTasks({ tenant, id }, status ?? null));
      const rest = value.slice(from, from + limit + 1);
      return withRevision(c, rev).json(toPage(rest, limit, () => ({ at: from + limit })));
    },
  });

  routes.get("/v1/sessions/{id}/tasks/next", "getNextTask", {
    summary: "Read the first open task",
    responses: {
      200: { description: "The task", schema: Task },
      204: { description: "No task is open", schema: null },
    },
    handle: async ({ c, services: { session, tenant }, params: { id } }) => {
      const next = unwrap(await session(id).getNextTask({ tenant, id }));
      return next === null ? c.body(null, 204) : withRevision(c, next.rev).json(next.value);
    },
  });

  routes.post("/v1/sessions/{id}/tasks/{task_id}/complete", "completeTask", {
    summary: "Mark a task as done",
    quota: { exempt: "It changes a status." },
    params: TaskParams,
    body: TaskChange,
    responses: {
      200: { description: "The task", schema: Task, example: { ...TASK_EXAMPLE, status: "done" } },
    },
    handle: async ({ c, services: { session, tenant }, params: { id, task_id }, body, idempotency }) => {
      const { value, rev } = unwrap(
        await session(id).completeTask({ tenant, id }, task_id, body, idempotency),
      );
      return withRevision(c, rev).json(value);
    },
  });

  routes.delete("/v1/sessions/{id}/tasks/{task_id}", "deleteTask", {
    summary: "Delete a task",
    audit: { exempt: "the working state of a session, which its agent changes all the time" },
    params: TaskParams,
    query: ExpectedQuery,
    handle: async ({ services: { session, tenant }, params: { id, task_id }, query }) => {
      unwrap(await session(id).removeTask({ tenant, id }, task_id, query));
    },
  });

  routes.put("/v1/sessions/{id}/tasks/order", "orderTasks", {
    summary: "Reorder all tasks, including done ones",
    quota: { exempt: "It changes an order." },
    body: TaskOrder,
    responses: { 200: { description: "The tasks", schema: z.object({ data: z.array(Task) }) } },
    handle: async ({ c, services: { session, tenant }, params: { id }, body }) => {
      const { value, rev } = unwrap(await session(id).orderTasks({ tenant, id }, body));
      return withRevision(c, rev).json({ data: value });
    },
  });
}
