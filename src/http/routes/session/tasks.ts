// Tasks of a session: the list in the tasks space. The first open task is the next one.
import { unwrap } from "../../../platform/errors";
import { Id, PageQuery, pageSchema, z } from "../../../schemas/common";
import { ExpectedQuery, Task, TaskChange, TaskCreate, TaskOrder, TaskStatus } from "../../../schemas/space";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { decodeCursor, toPage } from "../../pagination";
import { SessionParams } from "./sessions";
import { withRevision } from "./spaces";

const TaskParams = z.object({ id: Id, task_id: Task.shape.id });
const TaskCursor = z.object({ at: z.number().int().min(0) });

export function taskRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Cognition", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/tasks", "addTask", {
    summary: "Add a task at the end or at an index",
    quota: ["bytes"],
    bound: "first-write",
    params: SessionParams,
    body: TaskCreate,
    example: { body: { id: "guest-test", text: "Write a test for the guest checkout", index: 0 } },
    responses: { 201: { description: "The task", schema: Task, example: TASK } },
    handle: async ({ c, services: { session, tenant }, params: { id }, body, idempotency }) => {
      const { value, rev } = unwrap(await session(id).addTask({ tenant, id }, body, idempotency));
      return withRevision(c, rev).json(value, 201);
    },
  });

  routes.get("/v1/sessions/{id}/tasks", "listTasks", {
    summary: "List tasks, the most important first",
    audit: { export: "export.tasks" },
    params: SessionParams,
    query: PageQuery.extend({ status: TaskStatus.optional() }),
    responses: {
      200: { description: "Tasks", schema: pageSchema(Task), example: { data: [TASK], next_cursor: null } },
    },
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
    params: SessionParams,
    responses: {
      200: { description: "The task", schema: Task, example: TASK },
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
    example: { body: {} },
    responses: { 200: { description: "The task", schema: Task, example: { ...TASK, status: "done" } } },
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
    params: SessionParams,
    body: TaskOrder,
    example: { body: { ids: ["guest-test"] } },
    responses: {
      200: { description: "The tasks", schema: z.object({ data: z.array(Task) }), example: { data: [TASK] } },
    },
    handle: async ({ c, services: { session, tenant }, params: { id }, body }) => {
      const { value, rev } = unwrap(await session(id).orderTasks({ tenant, id }, body));
      return withRevision(c, rev).json({ data: value });
    },
  });
}

const TASK = { id: "guest-test", text: "Write a test for the guest checkout", status: "open" };
