// The agent's task list: operations on the list space `tasks`, where position is priority.
import { fail, invalidField, ok, type Result, unwrap } from "../../kernel/errors";
import { isJsonObject, type Json } from "../../kernel/json";
import {
  applyOps,
  getSpace,
  getSpaceAtRev,
  getSpaceKey,
  putSpace,
  type SpaceContainer,
} from "./space-container";
import { checkIndex, type Refusal } from "./space-data";
import type { ExpectedRevisions, Task, TaskStatus } from "./space-schemas";

const TASKS = "tasks";

export function listTasks(container: SpaceContainer, status?: TaskStatus): Task[] {
  const tasks = unwrap(getSpace(container, TASKS)).data as Task[];
  return tasks.filter((task) => status === undefined || task.status === status);
}

/** Returns the first open task. */
export function findNextTask(container: SpaceContainer): Task | null {
  return listTasks(container).find((task) => task.status === "open") ?? null;
}

/** Adds an open task, at the end of the list unless an index is given. */
export function addTask(
  container: SpaceContainer,
  { id, text, index }: { id: string; text: string; index?: number | undefined },
  expected: ExpectedRevisions,
  now: string,
): Result<{ container: SpaceContainer; task: Task }> {
  const current = getSpaceAtRev(container, TASKS, expected);
  if (!current.ok) return current;
  const tasks = listTasks(container);
  const position = index ?? tasks.length;
  const refused = checkIndex(position, tasks.length, "index");
  if (refused !== null) return refused;
  if (tasks.some((task) => task.id === id))
    return fail("conflict", `A task with id ${id} already exists: send another id, or omit it.`);
  const task = { id, text, status: "open" as const };
  const added = applyOps(container, TASKS, [{ op: "insert", index: position, item: task }], expected, now);
  return added.ok ? ok({ container: added.value, task }) : added;
}

/** Completes a task. Idempotent: a task that is done stays as it is. */
export function completeTask(
  container: SpaceContainer,
  taskId: string,
  expected: ExpectedRevisions,
  now: string,
): Result<{ container: SpaceContainer; task: Task }> {
  const current = getSpaceAtRev(container, TASKS, expected);
  if (!current.ok) return current;
  const task = listTasks(container).find(({ id }) => id === taskId);
  if (task === undefined) return taskNotFound(taskId);
  if (task.status === "done") return ok({ container, task });
  const changes = { status: "done" as const };
  const completed = applyOps(container, TASKS, [{ op: "update", id: taskId, changes }], expected, now);
  return completed.ok ? ok({ container: completed.value, task: { ...task, ...changes } }) : completed;
}

export function removeTask(
  container: SpaceContainer,
  taskId: string,
  expected: ExpectedRevisions,
  now: string,
): Result<SpaceContainer> {
  const current = getSpaceAtRev(container, TASKS, expected);
  if (!current.ok) return current;
  if (!listTasks(container).some(({ id }) => id === taskId)) return taskNotFound(taskId);
  return applyOps(container, TASKS, [{ op: "remove", id: taskId }], expected, now);
}

/** Reorders the tasks by `ids`, which must contain the id of every task exactly once. */
export function orderTasks(
  container: SpaceContainer,
  ids: readonly string[],
  expected: ExpectedRevisions,
  now: string,
): Result<{ container: SpaceContainer; tasks: Task[] }> {
  const current = getSpaceAtRev(container, TASKS, expected);
  if (!current.ok) return current;
  const byId = new Map(listTasks(container).map((task) => [task.id, task]));
  const refused = checkOrder([...byId.keys()], ids);
  if (refused !== null) return refused;
  const tasks = ids.flatMap((id) => byId.get(id) ?? []);
  const ordered = putSpace(container, TASKS, { ...expected, data: tasks as Json[], ensure: false }, now);
  return ordered.ok ? ok({ container: ordered.value.container, tasks }) : ordered;
}

function checkOrder(tasks: readonly string[], ids: readonly string[]): Refusal | null {
  const known = new Set(tasks);
  const named = new Set<string>();
  const twice = new Set<string>();
  for (const id of ids) (named.has(id) ? twice : named).add(id);
  const missing = tasks.filter((id) => !named.has(id));
  const unknown = [...named].filter((id) => !known.has(id));
  const problems = [
    formatIds("missing", missing),
    formatIds("unknown", unknown),
    formatIds("twice", [...twice]),
  ].filter((problem) => problem !== null);
  if (problems.length === 0) return null;
  return invalidField("ids", `must name every task once, done ones included: ${problems.join("; ")}`);
}

/** Keeps the message readable. */
const MAX_LISTED_IDS = 10;

function formatIds(problem: string, ids: readonly string[]): string | null {
  if (ids.length === 0) return null;
  const more = ids.length > MAX_LISTED_IDS ? ` and ${ids.length - MAX_LISTED_IDS} more` : "";
  return `${problem}: ${ids.slice(0, MAX_LISTED_IDS).join(", ")}${more}`;
}

function taskNotFound(taskId: string): Refusal {
  return fail("not_found", `Task not found: ${taskId}. List the tasks of the session for their ids.`);
}

// Facts that an agent notes itself, in `world.facts` beside those of the facts projector, which leaves them as they are.

const WORLD = "world";
const FACTS = "facts";

/** Notes a fact about a subject. It replaces an earlier one on the same subject. */
export function noteFact(
  container: SpaceContainer,
  { subject, text }: { subject: string; text: string },
  now: string,
): Result<{ container: SpaceContainer; replaced: boolean }> {
  const found = getSpaceKey(container, WORLD, FACTS);
  const facts = found.ok ? found.value : {};
  if (!isJsonObject(facts))
    return fail("conflict", "`world.facts` must be an object keyed by subject. Put an object there first.");
  const value = { ...facts, [subject]: { kind: "fact", text, at: now, source: "agent" } };
  const noted = applyOps(container, WORLD, [{ op: "put", key: FACTS, value }], {}, now);
  return noted.ok ? ok({ container: noted.value, replaced: Object.hasOwn(facts, subject) }) : noted;
}
