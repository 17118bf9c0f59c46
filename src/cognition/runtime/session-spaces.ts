// The calls on a session's spaces and on its task list, which is the space "tasks". The rules are in
// src/cognition/spaces; each change is one transaction.
import { type Access, OPEN_ACCESS } from "../../kernel/access";
import { unwrap } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import type { Json } from "../../kernel/json";
import type { SessionCore, WriteOptions } from "../../sessions/session-core";
import type { SessionRef } from "../../sessions/session-record";
import type { PredecessorSpaces, WithRevision } from "../../sessions/session-rpc";
import type { ShortTermMemory } from "../../sessions/session-storage";
import { sweepEphemeral } from "../providers/object-providers";
import { replaceContainer, updateContainer } from "../spaces/container-changes";
import {
  applyOps,
  deleteSpace,
  getSpace,
  getSpaceKey,
  putSpace,
  removeExpired,
  type Space,
  type SpaceContainer,
} from "../spaces/space-container";
import type {
  ExpectedRevisions,
  MemoryPatch,
  MemoryPut,
  SpaceChanged,
  SpaceContainerView,
  SpaceOp,
  SpacePut,
  SpaceView,
  Task,
  TaskCreate,
  TaskOrder,
  TaskStatus,
} from "../spaces/space-schemas";
import {
  addTask,
  completeTask,
  findNextTask,
  listTasks,
  noteFact,
  orderTasks,
  removeTask,
} from "../spaces/task-list";
import type { FactNoted } from "../spaces/world-schemas";

const TASKS = ["tasks"] as const;
const WORLD = ["world"] as const;

type Change<T> = { container: SpaceContainer; answer: T };

export class SessionSpaces {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  async getContainer(ref: SessionRef): Promise<SpaceContainerView> {
    return toContainerView(this.#load(ref, "all"));
  }

  putContainer(ref: SessionRef, put: MemoryPut): Promise<SpaceContainerView> {
    return this.#change(ref, "all", null, (before, now) => {
      const container = unwrap(replaceContainer(before, put, now));
      return { container, answer: toContainerView(container) };
    });
  }

  async patchContainer(ref: SessionRef, patch: MemoryPatch): Promise<SpaceContainerView> {
    const names = Object.keys(patch.spaces ?? {});
    await this.#change(ref, names, null, (before, now) => ({
      container: unwrap(updateContainer(before, patch, now)),
      answer: null,
    }));
    return this.getContainer(ref);
  }

  /** Returns the spaces and the owner of the session, for a session that starts from them; null if there is none. */
  async readForSuccessor(_ref: SessionRef): Promise<PredecessorSpaces | null> {
    const record = this.#core.storage.read()?.record;
    if (record === undefined || record.erasing !== null) return null;
    const { user_id, agent_id, project_id } = record;
    const { metadata, spaces } = this.#core.storage.spaces.load(record, "all");
    const contents = Object.entries(spaces).map(([name, { data, metadata, expires = {} }]) => [
      name,
      { data, metadata, expires },
    ]);
    return { user_id, agent_id, project_id, metadata, spaces: Object.fromEntries(contents) };
  }

  /** Removes expired items, and the expired entries of spaces as one change of the container. */
  sweep(): void {
    const { storage, isoNow } = this.#core;
    const record = storage.read()?.record;
    if (record === undefined) return;
    storage.write(() => {
      const names = storage.spaces.listExpired();
      const before = storage.spaces.load(record, names);
      storage.spaces.save(before, unwrap(removeExpired(before, names, isoNow)));
      sweepEphemeral(storage.sql, this.#core.now());
    });
  }

  async get(ref: SessionRef, name: string): Promise<SpaceView> {
    return toSpaceView(this.#load(ref, [name]), name);
  }

  async getKey(ref: SessionRef, name: string, key: string): Promise<Json> {
    return unwrap(getSpaceKey(this.#load(ref, [name]), name, key));
  }

  put(ref: SessionRef, name: string, put: SpacePut): Promise<{ space: SpaceView; created: boolean }> {
    return this.#change(ref, [name], null, (before, now) => {
      const { container, created } = unwrap(putSpace(before, name, put, now));
      return { container, answer: { space: toSpaceView(container, name), created } };
    });
  }

  delete(ref: SessionRef, name: string, expected: ExpectedRevisions): Promise<null> {
    return this.#change(ref, [name], null, (before, now) => ({
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
    return this.#change(ref, [name], idempotency, (before, now) => {
      const container = unwrap(applyOps(before, name, ops, expected, now));
      const { rev, memory_rev, data } = toSpaceView(container, name);
      return { container, answer: { rev, memory_rev, data } };
    });
  }

  noteFact(
    ref: SessionRef,
    fact: { subject: string; text: string },
    idempotency: Idempotency,
    { owner, binding: within }: Access,
  ): Promise<FactNoted> {
    const note = (before: SpaceContainer, now: string) => {
      const { container, replaced } = unwrap(noteFact(before, fact, now));
      const { rev } = toSpaceView(container, "world");
      return { container, answer: { noted: true as const, subject: fact.subject, replaced, rev } };
    };
    return this.#change(ref, WORLD, idempotency, note, { owner, within });
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
    { owner, binding: within }: Access = OPEN_ACCESS,
  ): Promise<WithRevision<Task>> {
    const add = (before: SpaceContainer, now: string) => {
      const { container, task } = unwrap(addTask(before, { id, text, index }, expected, now));
      return { container, answer: withRevision(container, task) };
    };
    return this.#change(ref, TASKS, idempotency, add, { owner, within });
  }

  completeTask(
    ref: SessionRef,
    taskId: string,
    expected: ExpectedRevisions,
    idempotency: Idempotency,
  ): Promise<WithRevision<Task>> {
    return this.#change(ref, TASKS, idempotency, (before, now) => {
      const { container, task } = unwrap(completeTask(before, taskId, expected, now));
      return { container, answer: withRevision(container, task) };
    });
  }

  removeTask(ref: SessionRef, taskId: string, expected: ExpectedRevisions): Promise<null> {
    return this.#change(ref, TASKS, null, (before, now) => ({
      container: unwrap(removeTask(before, taskId, expected, now)),
      answer: null,
    }));
  }

  orderTasks(ref: SessionRef, { ids, ...expected }: TaskOrder): Promise<WithRevision<Task[]>> {
    return this.#change(ref, TASKS, null, (before, now) => {
      const { container, tasks } = unwrap(orderTasks(before, ids, expected, now));
      return { container, answer: withRevision(container, tasks) };
    });
  }

  #load(ref: SessionRef, names: readonly string[] | "all"): SpaceContainer {
    return this.#core.storage.spaces.load(this.#core.require(ref).record, names);
  }

  #change<T>(
    ref: SessionRef,
    names: readonly string[] | "all",
    idempotency: Idempotency,
    work: (before: SpaceContainer, now: string) => Change<T>,
    options?: WriteOptions,
  ): Promise<T> {
    const { spaces } = this.#core.storage;
    const change = ({ record }: ShortTermMemory, now: number) => {
      const before = spaces.load(record, names);
      const { container, answer } = work(before, new Date(now).toISOString());
      spaces.save(before, container);
      return answer;
    };
    return this.#core.mutate(ref, idempotency, change, options);
  }
}

function toContainerView(container: SpaceContainer): SpaceContainerView {
  const { id, rev, spaces, created_at, updated_at, metadata } = container;
  const views = Object.entries(spaces).map(([name, space]) => [name, toContentsView(space)]);
  return { id, rev, spaces: Object.fromEntries(views), created_at, updated_at, metadata };
}

function toSpaceView(container: SpaceContainer, name: string): SpaceView {
  return { name, ...toContentsView(unwrap(getSpace(container, name))), memory_rev: container.rev };
}

function toContentsView({
  kind,
  rev,
  data,
  metadata,
  expires,
}: Space): Omit<SpaceView, "name" | "memory_rev"> {
  if (expires === undefined) return { kind, rev, data, metadata };
  const times = Object.entries(expires).map(([key, at]) => [key, new Date(at).toISOString()]);
  return { kind, rev, data, metadata, expires: Object.fromEntries(times) };
}

function withRevision<T>(container: SpaceContainer, value: T): WithRevision<T> {
  return { value, rev: unwrap(getSpace(container, "tasks")).rev };
}
