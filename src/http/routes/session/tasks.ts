// Tasks of a session: the list in the tasks space. The first open task is the next one.
import { unwrap } from "../../../platform/errors";
import { Id, PageQuery, pageSchema, z } from "../../../schemas/common";
import { ExpectedQuery, Task, TaskChange, TaskCreate, TaskOrder, TaskStatus } from "../../../schemas/space";
import type { App } from "../../app-context";
import { endpoint } from "../../endpoint";
import { decodeCursor, toPage } from "../../pagination";
import { SessionParams } from "./sessions";
import { withRevision } from "./spaces";

const TAG = "Cognition";
const TaskParams = z.object({ id: Id, task_id: Task.shape.id });
const TaskCursor = z.object({ at: z.number().int().min(0) });

export function taskRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/tasks",
      operationId: "addTask",
      summary: "Add a task at the end or at an index",
      tag: TAG,
      scope: "write",
      quota: ["bytes"],
      bound: "first-write",
      stage: "session",
      params: SessionParams,
      body: TaskCreate,
      example: { body: { id: "guest-test", text: "Write a test for the guest checkout", index: 0 } },
      responses: { 201: { description: "The task", schema: Task, example: TASK } },
    },
    async ({ c, services: { session, tenant }, params: { id }, body, idempotency }) => {
      const { value, rev } = unwrap(await session(id).addTask({ tenant, id }, body, idempotency));
      return withRevision(c, rev).json(value, 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/tasks",
      operationId: "listTasks",
      summary: "List tasks, the most important first",
      tag: TAG,
      scope: "read",
      audit: { export: "export.tasks" },
      bound: "session",
      stage: "session",
      params: SessionParams,
      query: PageQuery.extend({ status: TaskStatus.optional() }),
      responses: {
        200: { description: "Tasks", schema: pageSchema(Task), example: { data: [TASK], next_cursor: null } },
      },
    },
    async ({ c, services: { session, tenant }, params: { id }, query: { status, limit, cursor } }) => {
      const from = decodeCursor(TaskCursor, cursor)?.at ?? 0;
      const { value, rev } = unwrap(await session(id).listTasks({ tenant, id }, status ?? null));
      const rest = value.slice(from, from + limit + 1);
      return withRevision(c, rev).json(toPage(rest, limit, () => ({ at: from + limit })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/tasks/next",
      operationId: "getNextTask",
      summary: "Read the first open task",
      tag: TAG,
      scope: "read",
      bound: "session",
      stage: "session",
      params: SessionParams,
      responses: {
        200: { description: "The task", schema: Task, example: TASK },
        204: { description: "No task is open", schema: null },
      },
    },
    async ({ c, services: { session, tenant }, params: { id } }) => {
      const next = unwrap(await session(id).getNextTask({ tenant, id }));
      return next === null ? c.body(null, 204) : withRevision(c, next.rev).json(next.value);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/tasks/{task_id}/complete",
      operationId: "completeTask",
      summary: "Mark a task as done",
      tag: TAG,
      scope: "write",
      quota: { exempt: "It changes a status." },
      bound: "session",
      stage: "session",
      params: TaskParams,
      body: TaskChange,
      example: { body: {} },
      responses: { 200: { description: "The task", schema: Task, example: { ...TASK, status: "done" } } },
    },
    async ({ c, services: { session, tenant }, params: { id, task_id }, body, idempotency }) => {
      const { value, rev } = unwrap(
        await session(id).completeTask({ tenant, id }, task_id, body, idempotency),
      );
      return withRevision(c, rev).json(value);
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/sessions/{id}/tasks/{task_id}",
      operationId: "deleteTask",
      summary: "Delete a task",
      tag: TAG,
      scope: "write",
      audit: { exempt: "the working state of a session, which its agent changes all the time" },
      bound: "session",
      stage: "session",
      params: TaskParams,
      query: ExpectedQuery,
      responses: { 204: { description: "Deleted", schema: null } },
    },
    async ({ c, services: { session, tenant }, params: { id, task_id }, query }) => {
      unwrap(await session(id).removeTask({ tenant, id }, task_id, query));
      return c.body(null, 204);
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path: "/v1/sessions/{id}/tasks/order",
      operationId: "orderTasks",
      summary: "Reorder all tasks, including done ones",
      tag: TAG,
      scope: "write",
      quota: { exempt: "It changes an order." },
      bound: "session",
      stage: "session",
      params: SessionParams,
      body: TaskOrder,
      example: { body: { ids: ["guest-test"] } },
      responses: {
        200: {
          description: "The tasks",
          schema: z.object({ data: z.array(Task) }),
          example: { data: [TASK] },
        },
      },
    },
    async ({ c, services: { session, tenant }, params: { id }, body }) => {
      const { value, rev } = unwrap(await session(id).orderTasks({ tenant, id }, body));
      return withRevision(c, rev).json({ data: value });
    },
  );
}

const TASK = { id: "guest-test", text: "Write a test for the guest checkout", status: "open" };
