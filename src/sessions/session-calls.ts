// What each call on a session does, declared once: the caller's side applies quotas, the key check and compaction by it
// (session-client.ts), the object masks arguments and creates sessions by it (durable-objects/session.ts).

import type { Result } from "../kernel/errors";
import type { QuotaKind } from "../trust/quotas";
import type { SessionRef } from "./session-record";
import type { SessionRpc } from "./session-rpc";
import type { Destination } from "./session-rules";

/** A read may send messages or count an access: a call that begins again with other rules repeats it without harm. */
type SessionRead = { writes: false };

type SessionWrite<Args extends unknown[]> = {
  writes: true;
  /** Whether it creates a session that does not exist yet, which needs the quota of sessions. */
  creates: boolean;
  /** Where its arguments are stored, for the privacy gate; null if they contain nothing to mask. */
  masks: Destination | null;
  /** The quotas that it needs as part of another call, such as a batch. Routes and tools declare their own. */
  quota?: readonly QuotaKind[];
  /** Whether it deletes content that the files of a local service must not keep. */
  deletes?: true | ((...args: Args) => boolean);
};

export type SessionCall<Args extends unknown[] = never> = SessionRead | SessionWrite<Args>;

type Arguments<Method> = Method extends (ref: SessionRef, ...args: infer Args) => unknown ? Args : never;

/** A declaration for every call: one that is missing does not compile. */
export type SessionCalls<Rpc> = { [Name in keyof Rpc]: SessionCall<Arguments<Rpc[Name]>> };

export type SessionCallName = keyof SessionRpc;

const READ = { writes: false } as const;
/** Changes an existing session by arguments without text. */
const CHANGE = { writes: true, creates: false, masks: null } as const;
const DELETION = { ...CHANGE, deletes: true } as const;
/** Stores text; the first call creates the session. */
const FIRST_WRITE = { writes: true, creates: true, masks: "store" } as const;

export const SESSION_CALLS = {
  create: FIRST_WRITE,
  get: READ,
  getSettings: READ,
  patch: { writes: true, creates: false, masks: "store" },
  pause: CHANGE,
  resume: CHANGE,
  close: CHANGE,
  recordActivity: CHANGE,
  hasAnswered: READ,
  abandonIfIdle: CHANGE,
  erase: DELETION,
  redact: CHANGE,

  readRecords: READ,
  findLastSeq: READ,
  importRecords: { writes: true, creates: true, masks: "recorded" },

  addMessages: { writes: true, creates: true, masks: "window", quota: ["messages", "bytes"] },
  prepareRecall: READ,
  listMessages: READ,
  listRecentMessages: READ,

  putContext: FIRST_WRITE,
  getContext: READ,
  listContext: READ,
  deleteContext: DELETION,

  addPending: FIRST_WRITE,
  listPending: READ,
  promote: CHANGE,
  remember: { ...FIRST_WRITE, masks: "items", quota: ["memories", "bytes"] },
  rememberWithSettings: { writes: true, creates: false, masks: "store", quota: ["memories", "bytes"] },

  assemble: READ,
  readKnowledge: READ,

  getSpaces: READ,
  replaceSpaces: FIRST_WRITE,
  patchSpaces: FIRST_WRITE,
  readSpacesForSuccessor: READ,
  getSpace: READ,
  getSpaceKey: READ,
  putSpace: FIRST_WRITE,
  deleteSpace: DELETION,
  changeSpace: {
    ...FIRST_WRITE,
    deletes: (_name, ops) => ops.some(({ op }) => op === "delete" || op === "remove"),
  },
  noteFact: FIRST_WRITE,

  listTasks: READ,
  getNextTask: READ,
  addTask: FIRST_WRITE,
  completeTask: CHANGE,
  removeTask: DELETION,
  orderTasks: CHANGE,

  appendThread: { writes: true, creates: true, masks: "window" },
  readThread: READ,
  recordToolUse: { writes: true, creates: false, masks: "recorded" },

  listProjectors: READ,
  patchProjector: CHANGE,
  runProjector: CHANGE,

  acceptDirective: { ...FIRST_WRITE, deletes: ({ type }) => type === "delete" },
  listSignals: READ,
} as const satisfies SessionCalls<SessionRpc>;

/** Whether a call with these arguments deletes content. */
export function isDeletion(call: SessionCall, args: readonly unknown[]): boolean {
  if (!call.writes || call.deletes === undefined) return false;
  return call.deletes === true || (call.deletes as (...args: unknown[]) => boolean)(...args);
}

/** Defines a method for every call on a prototype, which is where RPC looks for the methods of an object. */
export function defineSessionCalls<T extends object>(
  prototype: T,
  run: (self: T, name: SessionCallName, ref: SessionRef, args: unknown[]) => Promise<Result<unknown>>,
): void {
  for (const name of Object.keys(SESSION_CALLS) as SessionCallName[])
    Object.defineProperty(prototype, name, {
      value(this: T, ref: SessionRef, ...args: unknown[]) {
        return run(this, name, ref, args);
      },
    });
}
