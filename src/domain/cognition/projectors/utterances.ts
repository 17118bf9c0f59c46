// Thread entries as something said. Callers put any payload into the thread: one without text says nothing.

import { COGNITION } from "../../../limits";
import type { Json } from "../../../platform/json";
import type { ThreadEntry, ThreadKind } from "../../../schemas/cognition";
import { ROLES, type Role } from "../../../schemas/session";
import { asMap, asText } from "./plain-values";

export type Spoken = { seq: number; role: Role; text: string; at: string };

/** What was said, in the order of the thread. */
export function spokenIn(entries: readonly ThreadEntry[]): Spoken[] {
  return entries.flatMap(({ seq, kind, payload, at }) => {
    const said = asMap(payload);
    const text = asText(said === null ? payload : (textOf(said.content) ?? said.text));
    return text === null ? [] : [{ seq, role: roleOf(said?.role, kind), text, at }];
  });
}

/** A text as far as it is read sentence by sentence. What is longer is a document: it ends where one of them ends. */
export function opening(text: string): string {
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
const ALIASES: Readonly<Record<string, Role>> = {
  human: "user",
  ai: "assistant",
  agent: "assistant",
  model: "assistant",
  bot: "assistant",
  developer: "system",
  function: "tool",
};

function roleOf(role: Json | undefined, kind: ThreadKind): Role {
  const byKind = kind === "tool_result" ? "tool" : "user";
  if (typeof role !== "string") return byKind;
  if (Object.hasOwn(ALIASES, role)) return ALIASES[role] ?? byKind;
  return ROLES.find((known) => known === role) ?? byKind;
}
