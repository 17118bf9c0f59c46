// Reads the facts and the summary that projectors derived for a session, from its space `world`. Callers may edit both
// by hand: a value of another shape is ignored. Pure.
import { isJsonObject, type Json } from "../../kernel/json";
import { normaliseContent } from "../../language/normalise-text";

export type KnownFact = {
  key: string;
  text: string;
  /** When it was last stated; null if a caller wrote it without a time. */
  at: string | null;
  session_id: string;
};

/** What a session knows, apart from its messages, its context and its memories. */
export type SessionKnowledge = {
  facts: KnownFact[];
  /** One statement per line; empty if there is none. */
  summary: string[];
};

export const NO_KNOWLEDGE: SessionKnowledge = { facts: [], summary: [] };

export function parseKnowledge(world: Json | undefined, session_id: string): SessionKnowledge {
  if (!isJsonObject(world)) return NO_KNOWLEDGE;
  const facts = isJsonObject(world.facts) ? Object.entries(world.facts) : [];
  return {
    facts: facts.flatMap(([key, value]) => {
      // Entities are names without a statement.
      if (isJsonObject(value) && value.kind === "entity") return [];
      const text = getText(value, "text");
      const { at, session_id: origin } = isJsonObject(value) ? value : {};
      if (text === null) return [];
      return {
        key,
        text,
        at: typeof at === "string" ? at : null,
        // An inherited fact names the session that learned it.
        session_id: typeof origin === "string" ? origin : session_id,
      };
    }),
    summary: (getText(world.summary, "text") ?? getText(world.summary, "content") ?? "")
      .split("\n")
      .filter((line) => line.trim() !== ""),
  };
}

function getText(value: Json | undefined, field: string): string | null {
  const text = isJsonObject(value) ? value[field] : value;
  return typeof text === "string" && text.trim() !== "" ? text : null;
}

/** Returns the facts whose text is not among the known ones, each text and each key once, the first one of each. */
export function selectNewFacts(facts: readonly KnownFact[], known: readonly string[]): KnownFact[] {
  const texts = new Set(known.map(normaliseContent));
  const keys = new Set<string>();
  return facts.filter(({ key, text }) => {
    const normalised = normaliseContent(text);
    if (texts.has(normalised) || keys.has(key)) return false;
    texts.add(normalised);
    keys.add(key);
    return true;
  });
}
