// The projector's port: how entries of the thread become memory. A projector reads entries and says what to change;
// the session's object applies that, and remembers how far the projector has come, in one transaction.

import type { LanguageModel } from "../../models/language/language-model";
import type { JsonObject } from "../../platform/json";
import type { Covers, Directive, SpaceOp, ThreadEntry, ThreadKind, Trigger } from "../../schemas/cognition";

export type SpaceEdit = { space: string; ops: readonly SpaceOp[] };

export type Projection = {
  /**
   * The changes, worked out from the spaces as they are in the very transaction that stores them: a projector may
   * take its time, and nobody's write is lost. Must be pure. Spaces are given by name, as plain data.
   */
  edits?: (spaces: SpacesRead) => readonly SpaceEdit[];
  /** Work for the providers, stored in the same transaction. */
  directives?: readonly Directive[];
};

export type SpacesRead = { map: (name: string) => JsonObject; list: (name: string) => readonly JsonObject[] };

export type ProjectorContext = {
  /** What is projected now: the entries given are those in this range of the kinds that it reads. */
  covers: Covers;
  now: number;
  /** Earlier tries of the same entries that failed. */
  failures: number;
  /** Null when none is configured, or when there is no time for one. */
  model: LanguageModel | null;
  spaces: SpacesRead;
  /** Older entries, by number. */
  entries: (seqs: readonly number[]) => Promise<readonly ThreadEntry[]>;
  /** Brings everything said so far to where recall finds it. */
  indexMessages: () => Promise<void>;
};

export type Projector = {
  readonly name: string;
  /** The kinds of entries that it is run for. */
  readonly reads: readonly ThreadKind[];
  readonly trigger: Trigger;
  project(entries: readonly ThreadEntry[], context: ProjectorContext): Promise<Projection>;
};
