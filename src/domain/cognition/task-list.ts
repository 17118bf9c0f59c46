// The agent's agenda: wrappers over the list space `tasks`, where position is priority.
import { fail, invalidField, type Outcome, ok, unwrap } from "../../platform/errors";
import type { Json } from "../../platform/json";
import type { Expected, Task, TaskStatus } from "../../schemas/cognition";
import { applyOps, currentSpace, type Memory, putSpace, spaceOf } from "./space-container";
import { indexOutside, type Refusal } from "./space-data";

const TASKS = "tasks";

export function tasksOf(memory: Memory, status?: TaskStatus): Task[] {
  const tasks = unwrap(spaceOf(memory, TASKS)).data as Task[];
  return tasks.filter((task) => status === undefined || task.status === status);
}

/** The first open one. */
export function nextTask(memory: Memory): Task | null {
  return tasksOf(memory).find((task) => task.status === "open") ?? null;
}

/** A new open task, at the end of the list unless an index is given. */
export function addTask(
  memory: Memory,
  { id, text, index }: { id: string; text: string; index?: number | undefined },
  expected: Expected,
  now: string,
): Outcome<{ memory: Memory; task: Task }> {
  const current = currentSpace(memory, TASKS, expected);
  if (!current.ok) return current;
  const tasks = tasksOf(memory);
  const position = index ?? tasks.length;
  const outside = indexOutside(position, tasks.length, "index");
  if (outside !== null) return outside;
  if (tasks.some((task) => task.id === id))
    return fail("conflict", `There is a task with id ${id} already: give another id, or leave it out.`);
  const task = { id, text, status: "open" as const };
  const added = applyOps(memory, TASKS, [{ op: "insert", index: position, item: task }], expected, now);
  return added.ok ? ok({ memory: added.value, task }) : added;
}

/** Completing a task that is done changes nothing. */
export function completeTask(
  memory: Memory,
  taskId: string,
  expected: Expected,
  now: string,
): Outcome<{ memory: Memory; task: Task }> {
  const current = currentSpace(memory, TASKS, expected);
  if (!current.ok) return current;
  const task = tasksOf(memory).find(({ id }) => id === taskId);
  if (task === undefined) return taskNotFound(taskId);
  if (task.status === "done") return ok({ memory, task });
  const changes = { status: "done" as const };
  const completed = applyOps(memory, TASKS, [{ op: "update", id: taskId, changes }], expected, now);
  return completed.ok ? ok({ memory: completed.value, task: { ...task, ...changes } }) : completed;
}

export function removeTask(memory: Memory, taskId: string, expected: Expected, now: string): Outcome<Memory> {
  const current = currentSpace(memory, TASKS, expected);
  if (!current.ok) return current;
  if (!tasksOf(memory).some(({ id }) => id === taskId)) return taskNotFound(taskId);
  return applyOps(memory, TASKS, [{ op: "remove", id: taskId }], expected, now);
}

/** Puts the tasks in the order of `ids`, which names every one of them once. */
export function orderTasks(
  memory: Memory,
  ids: readonly string[],
  expected: Expected,
  now: string,
): Outcome<{ memory: Memory; tasks: Task[] }> {
  const current = currentSpace(memory, TASKS, expected);
  if (!current.ok) return current;
  const byId = new Map(tasksOf(memory).map((task) => [task.id, task]));
  const misnamed = notEachOnce([...byId.keys()], ids);
  if (misnamed !== null) return misnamed;
  const tasks = ids.flatMap((id) => byId.get(id) ?? []);
  const ordered = putSpace(memory, TASKS, { ...expected, data: tasks as Json[], ensure: false }, now);
  return ordered.ok ? ok({ memory: ordered.value.memory, tasks }) : ordered;
}

function notEachOnce(tasks: readonly string[], ids: readonly string[]): Refusal | null {
  const known = new Set(tasks);
  const named = new Set<string>();
  const twice = new Set<string>();
  for (const id of ids) (named.has(id) ? twice : named).add(id);
  const missing = tasks.filter((id) => !named.has(id));
  const unknown = [...named].filter((id) => !known.has(id));
  const wrong = [listed("missing", missing), listed("unknown", unknown), listed("twice", [...twice])];
  const said = wrong.filter((part) => part !== null);
  if (said.length === 0) return null;
  return invalidField("ids", `must name every task once, done ones included: ${said.join("; ")}`);
}

/** A long list helps nobody. */
const LISTED = 10;

function listed(what: string, ids: readonly string[]): string | null {
  if (ids.length === 0) return null;
  const more = ids.length > LISTED ? ` and ${ids.length - LISTED} more` : "";
  return `${what}: ${ids.slice(0, LISTED).join(", ")}${more}`;
}

function taskNotFound(taskId: string): Refusal {
  return fail("not_found", `Task not found: ${taskId}. GET /v1/sessions/{id}/tasks lists the ids there are.`);
}
