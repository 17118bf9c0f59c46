// The calls on a session's spaces and on its task list, which is the space "tasks". The rules are in
// src/domain/cognition; each change is one transaction.

import {
  applyOps,
  deleteSpace,
  getSpace,
  getSpaceKey,
  patchContainer,
  putSpace,
  type SpaceContainer,
} from "../../domain/cognition/space-container";
import {
  addTask,
  completeTask,
  findNextTask,
  listTasks,
  orderTasks,
  removeTask,
} from "../../domain/cognition/task-list";
import { unwrap } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { Json } from "../../platform/json";
import type {
  ExpectedRevisions,
  MemoryPatch,
  SpaceChanged,
  SpaceContainerView,
  SpaceOp,
  SpacePut,
  SpaceView,
  Task,
  TaskCreate,
  TaskOrder,
  TaskStatus,
} from "../../schemas/space";
import type { SessionCore } from "../session-core";
import type { SessionRef } from "../session-record";
import type { WithRevision } from "../session-rpc";

const TASKS = ["tasks"] as const;

type Change<T> = { container: SpaceContainer; answer: T };

export class SessionSpaces {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  async getContainer(ref: SessionRef): Promise<SpaceContainerView> {
    return toContainerView(this.#load(ref, "all"));
  }

  async patchContainer(ref: SessionRef, patch: MemoryPatch): Promise<SpaceContainerView> {
    await this.#change(ref, { names: [], creates: true }, null, (before, now) => ({
      container: unwrap(patchContainer(before, patch, now)),
      answer: null,
    }));
    return this.getContainer(ref);
  }

  async get(ref: SessionRef, name: string): Promise<SpaceView> {
    return toSpaceView(this.#load(ref, [name]), name);
  }

  async getKey(ref: SessionRef, name: string, key: string): Promise<Json> {
    return unwrap(getSpaceKey(this.#load(ref, [name]), name, key));
  }

  put(ref: SessionRef, name: string, put: SpacePut): Promise<{ space: SpaceView; created: boolean }> {
    return this.#change(ref, { names: [name], creates: true }, null, (before, now) => {
      const { container, created } = unwrap(putSpace(before, name, put, now));
      return { container, answer: { space: toSpaceView(container, name), created } };
    });
  }

  delete(ref: SessionRef, name: string, expected: ExpectedRevisions): Promise<null> {
    return this.#change(ref, { names: [name], creates: false }, null, (before, now) => ({
      container: unwrap(deleteSpace(before, name, expected, now)),
      answer: null,
    }));
  }

  change(
    ref: SessionRef,
    name: string,
    ops: SpaceOp[],
    expected: ExpectedRevisions,
    idempotency: Idempotency,
  ): Promise<SpaceChanged> {
    return this.#change(ref, { names: [name], creates: true }, idempotency, (before, now) => {
      const container = unwrap(applyOps(before, name, ops, expected, now));
      const { rev, memory_rev, data } = toSpaceView(container, name);
      return { container, answer: { rev, memory_rev, data } };
    });
  }

  async listTasks(ref: SessionRef, status: TaskStatus | null): Promise<WithRevision<Task[]>> {
    const container = this.#load(ref, TASKS);
    return withRevision(container, listTasks(container, status ?? undefined));
  }

  async getNextTask(ref: SessionRef): Promise<WithRevision<Task> | null> {
    const container = this.#load(ref, TASKS);
    const task = findNextTask(container);
    return task === null ? null : withRevision(container, task);
  }

  addTask(
    ref: SessionRef,
    { id = crypto.randomUUID(), text, index, ...expected }: TaskCreate,
    idempotency: Idempotency,
  ): Promise<WithRevision<Task>> {
    return this.#change(ref, { names: TASKS, creates: true }, idempotency, (before, now) => {
      const { container, task } = unwrap(addTask(before, { id, text, index }, expected, now));
      return { container, answer: withRevision(container, task) };
    });
  }

  completeTask(
    ref: SessionRef,
    taskId: string,
    expected: ExpectedRevisions,
    idempotency: Idempotency,
  ): Promise<WithRevision<Task>> {
    return this.#change(ref, { names: TASKS, creates: false }, idempotency, (before, now) => {
      const { container, task } = unwrap(completeTask(before, taskId, expected, now));
      return { container, answer: withRevision(container, task) };
    });
  }

  removeTask(ref: SessionRef, taskId: string, expected: ExpectedRevisions): Promise<null> {
    return this.#change(ref, { names: TASKS, creates: false }, null, (before, now) => ({
      container: unwrap(removeTask(before, taskId, expected, now)),
      answer: null,
    }));
  }

  orderTasks(ref: SessionRef, { ids, ...expected }: TaskOrder): Promise<WithRevision<Task[]>> {
    return this.#change(ref, { names: TASKS, creates: false }, null, (before, now) => {
      const { container, tasks } = unwrap(orderTasks(before, ids, expected, now));
      return { container, answer: withRevision(container, tasks) };
    });
  }

  #load(ref: SessionRef, names: readonly string[] | "all"): SpaceContainer {
    return this.#core.storage.spaces.load(this.#core.require(ref).record, names);
  }

  #change<T>(
    ref: SessionRef,
    { names, creates }: { names: readonly string[]; creates: boolean },
    idempotency: Idempotency,
    work: (before: SpaceContainer, now: string) => Change<T>,
  ): Promise<T> {
    const { spaces } = this.#core.storage;
    return this.#core.mutate(ref, { creates }, idempotency, ({ record }, now) => {
      const before = spaces.load(record, names);
      const { container, answer } = work(before, new Date(now).toISOString());
      spaces.save(before, container);
      return answer;
    });
  }
}

function toContainerView(container: SpaceContainer): SpaceContainerView {
  const { id, rev, spaces, created_at, updated_at, metadata } = container;
  const views = Object.entries(spaces).map(([name, { bytes: _bytes, ...space }]) => [name, space]);
  return { id, rev, spaces: Object.fromEntries(views), created_at, updated_at, metadata };
}

function toSpaceView(container: SpaceContainer, name: string): SpaceView {
  const { bytes: _bytes, ...space } = unwrap(getSpace(container, name));
  return { name, ...space, memory_rev: container.rev };
}

function withRevision<T>(container: SpaceContainer, value: T): WithRevision<T> {
  return { value, rev: unwrap(getSpace(container, "tasks")).rev };
}
