// The calls on a session's cognition. A thin shell: the work is in src/domain/cognition and beside this file.

import { findProjector, PROJECTORS } from "../../domain/cognition/projectors/projector-registry";
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
import { COGNITION } from "../../limits";
import { type FailureError, failure, ok, type Result, unwrap } from "../../platform/errors";
import { sha256Hex } from "../../platform/hash";
import type { Idempotency } from "../../platform/idempotency";
import { type Json, parseJson } from "../../platform/json";
import type { Directive, DirectiveAccepted, SignalPage } from "../../schemas/directive";
import type {
  ProjectorPatch,
  ProjectorRun,
  ProjectorView,
  ThreadAppended,
  ThreadEntryInput,
  ThreadPage,
} from "../../schemas/projection";
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
import { clip } from "../../text/normalise-text";
import { SessionBase } from "../session-base";
import type { SessionRef } from "../session-record";
import type { WithRevision, CognitionRpc } from "../session-rpc";
import { callRef } from "../short-term/conversation";
import { enqueueDirective } from "./directive-runner";
import { type ProjectorState, triggered } from "./projector-states";
import type { ThreadRange } from "./thread-log";

const TASKS = ["tasks"] as const;

export abstract class CognitiveObject extends SessionBase implements CognitionRpc {
  getMemory(ref: SessionRef): Promise<Result<SpaceContainerView>> {
    return this.answer(async () => toMemoryView(this.core.cognition.read(ref, "all")));
  }

  patchMemory(ref: SessionRef, patch: MemoryPatch): Promise<Result<SpaceContainerView>> {
    return this.answer(async () => {
      await this.core.cognition.change(ref, { names: [], creates: true }, null, (memory, now) =>
        also(patchContainer(memory, patch, now), () => null),
      );
      return toMemoryView(this.core.cognition.read(ref, "all"));
    });
  }

  getSpace(ref: SessionRef, name: string): Promise<Result<SpaceView>> {
    return this.answer(async () => toSpaceView(this.core.cognition.read(ref, [name]), name));
  }

  getSpaceKey(ref: SessionRef, name: string, key: string): Promise<Result<Json>> {
    return this.answer(async () => unwrap(getSpaceKey(this.core.cognition.read(ref, [name]), name, key)));
  }

  putSpace(
    ref: SessionRef,
    name: string,
    put: SpacePut,
  ): Promise<Result<{ space: SpaceView; created: boolean }>> {
    return this.answer(() =>
      this.core.cognition.change(ref, { names: [name], creates: true }, null, (before, now) => {
        const { container: memory, created } = unwrap(putSpace(before, name, put, now));
        return ok({ memory, answer: { space: toSpaceView(memory, name), created } });
      }),
    );
  }

  deleteSpace(ref: SessionRef, name: string, expected: ExpectedRevisions): Promise<Result<null>> {
    return this.answer(() =>
      this.core.cognition.change(ref, { names: [name], creates: false }, null, (memory, now) =>
        also(deleteSpace(memory, name, expected, now), () => null),
      ),
    );
  }

  changeSpace(
    ref: SessionRef,
    name: string,
    ops: SpaceOp[],
    expected: ExpectedRevisions,
    idempotency: Idempotency,
  ): Promise<Result<SpaceChanged>> {
    return this.answer(() =>
      this.core.cognition.change(ref, { names: [name], creates: true }, idempotency, (before, now) =>
        also(applyOps(before, name, ops, expected, now), (memory) => {
          const { rev, memory_rev, data } = toSpaceView(memory, name);
          return { rev, memory_rev, data };
        }),
      ),
    );
  }

  listTasks(ref: SessionRef, status: TaskStatus | null): Promise<Result<WithRevision<Task[]>>> {
    return this.answer(async () => {
      const memory = this.core.cognition.read(ref, TASKS);
      return atRev(memory, listTasks(memory, status ?? undefined));
    });
  }

  getNextTask(ref: SessionRef): Promise<Result<WithRevision<Task> | null>> {
    return this.answer(async () => {
      const memory = this.core.cognition.read(ref, TASKS);
      const task = findNextTask(memory);
      return task === null ? null : atRev(memory, task);
    });
  }

  addTask(
    ref: SessionRef,
    { id = crypto.randomUUID(), text, index, ...expected }: TaskCreate,
    idempotency: Idempotency,
  ): Promise<Result<WithRevision<Task>>> {
    return this.answer(() =>
      this.core.cognition.change(ref, { names: TASKS, creates: true }, idempotency, (before, now) => {
        const { container: memory, task } = unwrap(addTask(before, { id, text, index }, expected, now));
        return ok({ memory, answer: atRev(memory, task) });
      }),
    );
  }

  completeTask(
    ref: SessionRef,
    taskId: string,
    expected: ExpectedRevisions,
    idempotency: Idempotency,
  ): Promise<Result<WithRevision<Task>>> {
    return this.answer(() =>
      this.core.cognition.change(ref, { names: TASKS, creates: false }, idempotency, (before, now) => {
        const { container: memory, task } = unwrap(completeTask(before, taskId, expected, now));
        return ok({ memory, answer: atRev(memory, task) });
      }),
    );
  }

  removeTask(ref: SessionRef, taskId: string, expected: ExpectedRevisions): Promise<Result<null>> {
    return this.answer(() =>
      this.core.cognition.change(ref, { names: TASKS, creates: false }, null, (memory, now) =>
        also(removeTask(memory, taskId, expected, now), () => null),
      ),
    );
  }

  orderTasks(ref: SessionRef, { ids, ...expected }: TaskOrder): Promise<Result<WithRevision<Task[]>>> {
    return this.answer(() =>
      this.core.cognition.change(ref, { names: TASKS, creates: false }, null, (before, now) => {
        const { container: memory, tasks } = unwrap(orderTasks(before, ids, expected, now));
        return ok({ memory, answer: atRev(memory, tasks) });
      }),
    );
  }

  appendThread(
    ref: SessionRef,
    entries: ThreadEntryInput[],
    idempotency: Idempotency,
  ): Promise<Result<ThreadAppended>> {
    return this.answer(async () => {
      const { storage } = this.core;
      const appended = await this.core.mutate(ref, { creates: true }, idempotency, (_memory, now) => {
        const first_seq = storage.thread.last() + 1;
        for (const { kind, payload, at } of entries)
          storage.tell({ kind, payload, at: at ?? new Date(now).toISOString() });
        return { first_seq, last_seq: storage.thread.last() };
      });
      this.core.cognition.stir(ref);
      return appended;
    });
  }

  readThread(ref: SessionRef, range: ThreadRange): Promise<Result<ThreadPage>> {
    return this.answer(async () => {
      this.core.existing(ref);
      const { entries, next } = await this.core.storage.thread.read(range);
      return { data: entries, next_seq: next };
    });
  }

  recordToolUse(ref: SessionRef, callId: string, call: object, result: object): Promise<Result<null>> {
    return this.answer(async () => {
      const { storage } = this.core;
      const record = storage.read()?.record;
      if (record === undefined || record.erasing !== null || record.status === "closed") return null;
      const at = this.core.isoNow;
      storage.write(() => {
        const ref = callRef(callId, call);
        storage.tell({ kind: "tool_call", at, payload: bounded(call), ref });
        storage.tell({ kind: "tool_result", at, payload: bounded(result), ref });
        storage.saveRecord({ ...record, updated_at: at });
      });
      await this.core.schedule();
      this.core.cognition.stir(ref);
      return null;
    });
  }

  listProjectors(ref: SessionRef): Promise<Result<ProjectorView[]>> {
    return this.answer(async () => this.core.existing(ref).projectors.map(toProjectorView));
  }

  patchProjector(ref: SessionRef, name: string, { trigger }: ProjectorPatch): Promise<Result<ProjectorView>> {
    return this.answer(() =>
      this.core.mutate(ref, { creates: false }, null, ({ projectors }) => {
        const state = projectors.find((known) => known.name === name);
        if (state === undefined) throw unknownProjector(name);
        const next = triggered(state, trigger);
        this.core.storage.saveProjector(next);
        return toProjectorView(next);
      }),
    );
  }

  runProjector(ref: SessionRef, name: string, idempotency: Idempotency): Promise<Result<ProjectorRun>> {
    return this.once(ref, idempotency, async () => {
      const projector = findProjector(name);
      if (projector === undefined) throw unknownProjector(name);
      this.core.storage.write(() => this.core.writable(ref, { creates: false }));
      const run = await this.core.cognition.projections.run(ref, projector);
      this.core.cognition.stir(ref);
      return run;
    });
  }

  acceptDirective(
    ref: SessionRef,
    directive: Directive,
    idempotency: Idempotency,
  ): Promise<Result<DirectiveAccepted>> {
    return this.answer(async () => {
      const digest = await sha256Hex(JSON.stringify(directive));
      const accepted = await this.core.mutate(ref, { creates: true }, idempotency, (memory) => ({
        request_id: enqueueDirective(this.core.storage, memory, directive, digest),
      }));
      this.core.cognition.stir(ref);
      return accepted;
    });
  }

  listSignals(
    ref: SessionRef,
    { after, limit }: { after: number | undefined; limit: number },
  ): Promise<Result<SignalPage>> {
    return this.answer(async () => this.core.cognition.signals(ref, after, limit));
  }

  /** A WebSocket of the signals after a number, for whoever was let in with this key. */
  protected openSignals(ref: SessionRef, after: number | undefined, key: string): Response {
    const cursor = this.core.cognition.cursor(ref, after);
    return this.core.cognition.sockets.accept(cursor, key);
  }

  /** Nobody is listened to: the socket only tells. */
  override webSocketMessage(): void {}
}

/** The changed container, with an answer made from it. */
function also<T>(
  changed: Result<SpaceContainer>,
  answer: (memory: SpaceContainer) => T,
): Result<{ memory: SpaceContainer; answer: T }> {
  return changed.ok ? ok({ memory: changed.value, answer: answer(changed.value) }) : changed;
}

function toMemoryView({
  id,
  rev,
  spaces,
  created_at,
  updated_at,
  metadata,
}: SpaceContainer): SpaceContainerView {
  return {
    id,
    rev,
    spaces: Object.fromEntries(
      Object.entries(spaces).map(([name, { bytes: _bytes, ...space }]) => [name, space]),
    ),
    created_at,
    updated_at,
    metadata,
  };
}

function toSpaceView(memory: SpaceContainer, name: string): SpaceView {
  const { bytes: _bytes, ...space } = unwrap(getSpace(memory, name));
  return { name, ...space, memory_rev: memory.rev };
}

function atRev<T>(memory: SpaceContainer, value: T): WithRevision<T> {
  return { value, rev: unwrap(getSpace(memory, "tasks")).rev };
}

function toProjectorView({ name, covered_seq, trigger, failures, retry_at }: ProjectorState): ProjectorView {
  return {
    name,
    covered_seq,
    trigger,
    failures,
    retry_at: retry_at === null ? null : new Date(retry_at).toISOString(),
  };
}

function unknownProjector(name: string): FailureError {
  return failure(
    "not_found",
    `Projector not found: ${name}. There are ${PROJECTORS.map((known) => known.name).join(", ")}.`,
  );
}

/** What a tool was told or has said, as far as the thread keeps it. */
function bounded(payload: object): Json {
  const text = JSON.stringify(payload);
  return text.length > COGNITION.noteChars
    ? { clipped: clip(text, COGNITION.noteChars) }
    : parseJson<Json>(text);
}
