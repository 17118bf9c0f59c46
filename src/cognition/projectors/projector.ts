// The projector port. A projector reads thread entries and returns changes to spaces; the session object applies them
// and stores the projector's progress in one transaction.
import type { JsonObject } from "../../kernel/json";
import type { LanguageModel } from "../../models/language-model";
import type { Covers, Directive, ThreadEntry, ThreadKind, Trigger } from "../runtime/thread-schemas";
import type { SpaceOp } from "../spaces/space-schemas";

/** Entries that a projector receives in one run. */
export const MAX_ENTRIES_PER_RUN = 500;

export type SpaceEdit = { space: string; ops: readonly SpaceOp[] };

export type Projection = {
  /**
   * Computes the changes from the spaces at the time of the transaction that stores them, so that a slow projector
   * overwrites no other write. Must be pure.
   */
  edits?: (spaces: SpaceReader) => readonly SpaceEdit[];
  /** Directives to providers, stored in the same transaction. */
  directives?: readonly Directive[];
};

/** Reads spaces by name as plain data. */
export type SpaceReader = {
  map: (name: string) => JsonObject;
  list: (name: string) => readonly JsonObject[];
};

export type ProjectorContext = {
  /** The range that is projected; the entries are those in this range of the kinds that the projector reads. */
  covers: Covers;
  now: number;
  /** Failed attempts with the same entries. */
  failures: number;
  /** Null when no model is configured, or when there is no time to call one. */
  model: LanguageModel | null;
  spaces: SpaceReader;
  /** Loads older entries by sequence number. */
  entries: (seqs: readonly number[]) => Promise<readonly ThreadEntry[]>;
  /** Sends all messages so far to the long-term store, where recall finds them. */
  indexMessages: () => Promise<void>;
};

export type Projector = {
  readonly name: string;
  /** The kinds of entries that the projector receives. */
  readonly reads: readonly ThreadKind[];
  /** The initial trigger; `signals` are patterns of the types of signals, none by default. */
  readonly trigger: Pick<Trigger, "tick" | "after"> & Partial<Trigger>;
  project(entries: readonly ThreadEntry[], context: ProjectorContext): Promise<Projection>;
};

// Patterns of signal types, such as `jido.memory.result`: `*` stands for one word, `**` for any number of them.

/** Returns whether a pattern matches the type of a signal. An entry without a type is not a signal. */
export function matchesSignal(patterns: readonly string[], type: string): boolean {
  if (type === "") return false;
  const words = type.split(".");
  return patterns.some((pattern) => matchesWords(pattern.split("."), words));
}

function matchesWords(pattern: readonly string[], words: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return words.length === 0;
  if (first === "**")
    return words.some((_, i) => matchesWords(rest, words.slice(i))) || matchesWords(rest, []);
  return words.length > 0 && (first === "*" || first === words[0]) && matchesWords(rest, words.slice(1));
}

/** Matches signals of all types. */
export const ANY_SIGNAL = "**";
