// The world and the tasks of a session as tools: what the agent holds true now, and what it has to do. Reads of a session
// that does not exist yet find nothing, as an agent looks before it writes.

import { requireSession } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import type { Access } from "../../kernel/access";
import { OwnerIds, RequiredSession, type z } from "../../kernel/common";
import { type Result, unwrap } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import type { Services } from "../../services/services";
import { Task } from "./space-schemas";
import {
  AddTaskInput,
  CompleteTaskInput,
  FactNoted,
  ListTasksAnswer,
  ListTasksInput,
  NextTaskAnswer,
  NextTaskInput,
  NoteFactInput,
  ReadWorldAnswer,
  ReadWorldInput,
} from "./world-schemas";

const SESSION_OWNER = OwnerIds.extend(RequiredSession.shape);
const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
const REPEATABLE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };

async function readWorld(
  { tenant, session }: Services,
  { owner }: Access,
  { key }: z.output<typeof ReadWorldInput>,
): Promise<OperationReply<z.output<typeof ReadWorldAnswer>>> {
  const id = requireSession(owner);
  const space = unwrapExisting(await session(id).getSpace({ tenant, id }, "world"));
  const entries = Object.entries(space?.data ?? {}).filter(([name]) => key === undefined || name === key);
  return { status: 200, body: { rev: space?.rev ?? 0, world: Object.fromEntries(entries) } };
}

export const readWorldTool = defineTool({
  name: "read_world",
  title: "Read the world",
  description:
    "Read what is held true in a session now: the noted facts by subject, the summary of the conversation and further " +
    "parts by key. Use it when you continue a session. Use recall for what earlier sessions remembered.",
  scope: "read",
  annotations: READ,
  ownerInput: SESSION_OWNER,
  input: ReadWorldInput,
  output: ReadWorldAnswer,
  responses: { 200: "The world" },
  servesBound: true,
  run: readWorld,
});

async function noteFact(
  { tenant, session }: Services,
  access: Access,
  fact: z.output<typeof NoteFactInput>,
  idempotency: Idempotency,
): Promise<OperationReply<FactNoted>> {
  const id = requireSession(access.owner);
  return {
    status: 200,
    body: unwrap(await session(id).noteFact({ tenant, id }, fact, idempotency, access)),
  };
}

export const noteFactTool = defineTool({
  name: "note_fact",
  title: "Note a fact",
  description:
    "Note a fact that holds in this session now, by its subject: the state of a system, a choice, an observation. A new " +
    "fact on the same subject replaces it. Assembled contexts contain it. Use remember for what should outlive the session.",
  scope: "write",
  quota: ["bytes"],
  annotations: REPEATABLE,
  ownerInput: SESSION_OWNER,
  input: NoteFactInput,
  output: FactNoted,
  responses: { 200: "Noted" },
  servesBound: true,
  run: noteFact,
});

async function listTasks(
  { tenant, session }: Services,
  { owner }: Access,
  { status, limit }: z.output<typeof ListTasksInput>,
): Promise<OperationReply<z.output<typeof ListTasksAnswer>>> {
  const id = requireSession(owner);
  const found = await session(id).listTasks({ tenant, id }, status === "all" ? null : status);
  const tasks = unwrapExisting(found)?.value ?? [];
  return { status: 200, body: { count: tasks.length, tasks: tasks.slice(0, limit) } };
}

export const listTasksTool = defineTool({
  name: "list_tasks",
  title: "List tasks",
  description: "List the tasks of a session, the most important first: the open ones by default.",
  scope: "read",
  annotations: READ,
  ownerInput: SESSION_OWNER,
  input: ListTasksInput,
  output: ListTasksAnswer,
  responses: { 200: "The tasks" },
  servesBound: true,
  run: listTasks,
});

async function addTask(
  { tenant, session }: Services,
  access: Access,
  task: z.output<typeof AddTaskInput>,
  idempotency: Idempotency,
): Promise<OperationReply<Task>> {
  const id = requireSession(access.owner);
  const added = unwrap(await session(id).addTask({ tenant, id }, task, idempotency, access));
  return { status: 201, body: added.value };
}

export const addTaskTool = defineTool({
  name: "add_task",
  title: "Add a task",
  description:
    "Add a task to the list of a session, at the end or at a position. Use it for steps that you plan and for what the " +
    "user asks you to do later, so that it is not forgotten.",
  scope: "write",
  quota: ["bytes"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: SESSION_OWNER,
  input: AddTaskInput,
  output: Task,
  responses: { 201: "The task" },
  servesBound: true,
  run: addTask,
});

async function completeTask(
  { tenant, session }: Services,
  { owner }: Access,
  { task_id }: z.output<typeof CompleteTaskInput>,
  idempotency: Idempotency,
): Promise<OperationReply<Task>> {
  const id = requireSession(owner);
  const completed = unwrap(await session(id).completeTask({ tenant, id }, task_id, {}, idempotency));
  return { status: 200, body: completed.value };
}

export const completeTaskTool = defineTool({
  name: "complete_task",
  title: "Complete a task",
  description: "Mark a task of a session as done, as soon as it is. A task that is done already stays so.",
  scope: "write",
  annotations: REPEATABLE,
  ownerInput: SESSION_OWNER,
  input: CompleteTaskInput,
  output: Task,
  responses: { 200: "The task" },
  servesBound: true,
  run: completeTask,
});

async function readNextTask(
  { tenant, session }: Services,
  { owner }: Access,
): Promise<OperationReply<z.output<typeof NextTaskAnswer>>> {
  const id = requireSession(owner);
  const next = unwrapExisting(await session(id).getNextTask({ tenant, id }));
  return { status: 200, body: { task: next?.value ?? null } };
}

export const nextTaskTool = defineTool({
  name: "next_task",
  title: "Read the next task",
  description:
    "Read the first open task of a session: what to do next. Null means that nothing is left to do.",
  scope: "read",
  annotations: READ,
  ownerInput: SESSION_OWNER,
  input: NextTaskInput,
  output: NextTaskAnswer,
  responses: { 200: "The task" },
  servesBound: true,
  run: readNextTask,
});

/** Returns the value; null if the session does not exist. */
function unwrapExisting<T>(result: Result<T>): T | null {
  return !result.ok && result.failure.code === "not_found" ? null : unwrap(result);
}
