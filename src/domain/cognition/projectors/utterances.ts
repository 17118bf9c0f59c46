// Thread entries as something said. Callers put any payload into the thread: one without text says nothing.

import { COGNITION } from "../../../limits";
import type { Json, JsonObject } from "../../../platform/json";
import { ROLES, type Role } from "../../../schemas/message";
import type { ThreadEntry, ThreadKind } from "../../../schemas/projection";
import { splitSentences } from "../../../text/sentences";
import { SECRET_PATTERN } from "../../promotion/extract-candidates";

export type Utterance = { seq: number; role: Role; text: string; at: string };

/** What was said, in the order of the thread. */
export function toUtterances(entries: readonly ThreadEntry[]): Utterance[] {
  return entries.flatMap(({ seq, kind, payload, at }) => {
    const said = asObject(payload);
    const text = asText(said === null ? payload : (textOf(said.content) ?? said.text));
    return text === null ? [] : [{ seq, role: toRole(said?.role, kind), text, at }];
  });
}

/** A text as far as it is read sentence by sentence. What is longer is a document: it ends where one of them ends. */
export function truncateAtSentence(text: string): string {
  if (text.length <= COGNITION.projectedFromChars) return text;
  const start = text.slice(0, COGNITION.projectedFromChars);
  return start.slice(0, Math.max(start.lastIndexOf("\n"), start.lastIndexOf(". ")) + 1);
}

/** A text that no other can be mistaken for a part of, where each has its line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

function textOf(value: Json | undefined): string | undefined {
  return asText(value) ?? undefined;
}

/** What other chat formats call the speakers: a model's words must not pass for the user's. */
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
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

/** The number of an entry. */
export function asSeq(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : null;
}

export function asText(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** Nothing when no words are left. Where there is a secret, code and quotations go as well: it may stand in them. */
export function redactSecrets(said: Utterance): Utterance[] {
  const line = oneLine(said.text);
  // Most messages tell none, and need not be taken apart.
  if (!SECRET_PATTERN.test(line)) return line === "" ? [] : [said];
  const text = dropSecrets(splitSentences(said.text).map((sentence) => oneLine(sentence.text))).join("\n");
  return text === "" ? [] : [{ ...said, text }];
}

function dropSecrets(parts: readonly string[]): string[] {
  const secret = parts.map((part) => SECRET_PATTERN.test(part));
  // The value may follow on a line of its own.
  const begins = parts.map(
    (part, at) =>
      secret[at] === false && secret[at + 1] === false && SECRET_PATTERN.test(`${part} ${parts[at + 1]}`),
  );
  return parts.filter((_, at) => !(secret[at] || begins[at] || begins[at - 1]));
}
