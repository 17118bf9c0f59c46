// Reads the utterances of thread entries. Callers may append any payload, and edit
// projected values by hand: a value of another shape is ignored.
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json";
import { ROLES, type Role } from "../../memories/message-schemas";
import type { ThreadEntry, ThreadKind } from "../runtime/thread-schemas";

export type Utterance = { seq: number; role: Role; text: string; at: string };

/** Facts or tasks from one entry, and the code points of each: an entry with more is a document. */
export const MAX_ITEMS_PER_ENTRY = 10;
export const MAX_ITEM_CHARS = 200;
/** Characters of an entry that are searched for facts and tasks: a run over many long entries is limited by CPU time. */
export const MAX_SEARCHED_CHARS = 8_000;

/** Returns the entries that have text, in the order of the thread. */
export function toUtterances(entries: readonly ThreadEntry[]): Utterance[] {
  return entries.flatMap(({ seq, kind, payload, at }) => {
    const message = asObject(payload);
    const text = asText(message === null ? payload : (asText(message.content) ?? message.text));
    return text === null ? [] : [{ seq, role: toRole(message?.role, kind), text, at }];
  });
}

/** Limits a text to the searched length, at the end of a line or sentence. */
export function truncateAtSentence(text: string): string {
  if (text.length <= MAX_SEARCHED_CHARS) return text;
  const start = text.slice(0, MAX_SEARCHED_CHARS);
  return start.slice(0, Math.max(start.lastIndexOf("\n"), start.lastIndexOf(". ")) + 1);
}

/** Role names of other chat formats: a model's text must not pass for the user's. */
const ROLE_ALIASES: Readonly<Record<string, Role>> = {
  human: "user",
  ai: "assistant",
  agent: "assistant",
  model: "assistant",
  bot: "assistant",
  developer: "system",
  function: "tool",
};

function toRole(role: Json | undefined, kind: ThreadKind): Role {
  const byKind = kind === "tool_result" ? "tool" : "user";
  if (typeof role !== "string") return byKind;
  if (Object.hasOwn(ROLE_ALIASES, role)) return ROLE_ALIASES[role] ?? byKind;
  return ROLES.find((known) => known === role) ?? byKind;
}

export function asObject(value: Json | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

/** Returns the sequence number of an entry. */
export function asSeq(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : null;
}

export function asText(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
