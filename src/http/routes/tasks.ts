// The tasks space as a list to work off: the first open task is what to do next.
import { unwrap } from "../../platform/errors";
import { ExpectedQuery, Task, TaskChange, TaskCreate, TaskOrder, TaskStatus } from "../../schemas/cognition";
import { Id, PageQuery, pageOf, z } from "../../schemas/common";
import { type App, endpoint, servicesOf } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";
import { SessionParams } from "./sessions";
import { tagged } from "./spaces";

const TAG = "Cognition";
const TaskParams = z.object({ id: Id, task_id: Task.shape.id });
const TaskCursor = z.object({ at: z.number().int().min(0) });

export function taskRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/tasks",
      summary: "Add a task: at the end, or at a place",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: TaskCreate,
      answers: { 201: { description: "The task", schema: Task } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).addTask({ tenant, id }, body, idempotency);
      const { value, rev } = unwrap(await c.var.timing.measure("session", work));
      return tagged(c, rev).json(value, 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/tasks",
      summary: "The tasks, the most important first",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      query: PageQuery.extend({ status: TaskStatus.optional() }),
      answers: { 200: { description: "Tasks", schema: pageOf(Task) } },
    },
    async ({ c, caller, params: { id }, query: { status, limit, cursor } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const from = decodeCursor(TaskCursor, cursor)?.at ?? 0;
      const work = () => session(id).listTasks({ tenant, id }, status ?? null);
      const { value, rev } = unwrap(await c.var.timing.measure("session", work));
      const rest = value.slice(from, from + limit + 1);
      return tagged(c, rev).json(toPage(rest, limit, () => ({ at: from + limit })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/tasks/next",
      summary: "The first open task",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      answers: {
        200: { description: "The task", schema: Task },
        204: { description: "None is open", schema: null },
      },
    },
    async ({ c, caller, params: { id } }) => {
      const { session, tenant } = servicesOf(c, caller);
      const next = unwrap(await c.var.timing.measure("session", () => session(id).nextTask({ tenant, id })));
      return next === null ? c.body(null, 204) : tagged(c, next.rev).json(next.value);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/tasks/{task_id}/complete",
      summary: "Mark a task as done",
      tag: TAG,
      scope: "write",
      params: TaskParams,
      body: TaskChange,
      answers: { 200: { description: "The task", schema: Task } },
    },
    async ({ c, caller, params: { id, task_id }, body, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).completeTask({ tenant, id }, task_id, body, idempotency);
      const { value, rev } = unwrap(await c.var.timing.measure("session", work));
      return tagged(c, rev).json(value);
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/sessions/{id}/tasks/{task_id}",
      summary: "Take a task off the list",
      tag: TAG,
      scope: "write",
      params: TaskParams,
      query: ExpectedQuery,
      answers: { 204: { description: "Gone", schema: null } },
    },
    async ({ c, caller, params: { id, task_id }, query }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).removeTask({ tenant, id }, task_id, query);
      unwrap(await c.var.timing.measure("session", work));
      return c.body(null, 204);
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path: "/v1/sessions/{id}/tasks/order",
      summary: "Put the tasks in another order: every one of them, done ones included",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: TaskOrder,
      answers: { 200: { description: "The tasks", schema: z.object({ data: z.array(Task) }) } },
    },
    async ({ c, caller, params: { id }, body }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).orderTasks({ tenant, id }, body);
      const { value, rev } = unwrap(await c.var.timing.measure("session", work));
      return tagged(c, rev).json({ data: value });
    },
  );
}
