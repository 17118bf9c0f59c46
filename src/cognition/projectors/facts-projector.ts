// Projects facts into `world.facts`: statements of lasting value by subject, and the named entities of a conversation.
// Entries are processed one by one, so that the batch size does not matter.
import { extractCandidates, extractSentences, isStatement } from "../../facts/extraction/extract-candidates";
import { hash64 } from "../../kernel/hash";
import type { Json, JsonObject } from "../../kernel/json";
import { clip, normaliseContent } from "../../language/normalise-text";
import { hasSecret } from "../../trust/privacy/mask-values";
import { PROJECTOR_SOURCE } from "../spaces/space-data";
import { findMentions, type Mentions } from "./entity-recognition";
import { parseRetraction, parseSubject, parseTopicStatement, type TopicStatement } from "./parse-topics";
import { ANY_SIGNAL, type Projector } from "./projector";
import {
  asObject,
  asSeq,
  MAX_ITEM_CHARS,
  MAX_ITEMS_PER_ENTRY,
  toUtterances,
  truncateAtSentence,
  type Utterance,
} from "./utterances";

/** Facts that the projector retains, and as many entities. */
export const MAX_FACTS = 200;

const KEY = "facts";

export const factsProjector: Projector = {
  name: "facts",
  reads: ["message", "note"],
  trigger: { tick: true, after: 50, signals: [ANY_SIGNAL] },
  async project(entries) {
    const extracted = toUtterances(entries).flatMap(extractEntry);
    return {
      edits: ({ map }) => {
        const before = map("world")[KEY];
        const known = before === undefined ? {} : asObject(before);
        if (known === null) return [];
        const after = extracted.reduce(applyEntry, new Map(Object.entries(known)));
        const value = Object.fromEntries(after);
        if (JSON.stringify(value) === JSON.stringify(known)) return [];
        return [{ space: "world", ops: [{ op: "put", key: KEY, value }] }];
      },
    };
  },
};

type Fact = { key: string; text: string; type: string; confidence: number };
type ExtractedEntry = {
  seq: number;
  at: string;
  statements: (Fact | { retracted: TopicStatement })[];
  mentions: Mentions;
};

/** Extracts facts, retractions and mentions from one entry. */
function extractEntry({ seq, role, text, at }: Utterance): ExtractedEntry[] {
  if (role !== "user" && role !== "assistant") return [];
  const sentences = extractSentences(truncateAtSentence(text)).filter(
    (sentence) => !hasSecret(sentence.text),
  );
  const statements: ExtractedEntry["statements"] = [];
  for (const sentence of sentences) {
    if (statements.length >= MAX_ITEMS_PER_ENTRY) break;
    // Plain statements count only from users: a model may state an assumption.
    const isUserStatement = role === "user" && isStatement(sentence);
    const retracted = isUserStatement ? parseRetraction(sentence.text) : null;
    const facts =
      extractCandidateFact({ seq, role, text: sentence.text, at }) ??
      (isUserStatement ? extractStatedFact(sentence.text) : []);
    statements.push(...(retracted === null ? facts : [{ retracted }]));
  }
  return [{ seq, at, statements, mentions: findMentions(sentences, role === "user") }];
}

/** Memory types that assert something. Tasks, risks, guesses and open questions are not facts. */
const FACT_TYPES: readonly string[] = [
  "fact",
  "preference",
  "decision",
  "convention",
  "discovery",
  "lesson_learned",
];

/** Returns the fact of a sentence that promotion would extract; null if it would extract nothing. */
function extractCandidateFact({ seq, role, text, at }: Utterance): Fact[] | null {
  const [candidate] = extractCandidates({ id: String(seq), role, content: text, timestamp: at });
  if (candidate === undefined) return null;
  const { content, memory_type, confidence } = candidate;
  return !FACT_TYPES.includes(memory_type)
    ? []
    : toFact(parseSubject(content), content, memory_type, confidence);
}

/** The confidence of user statements, as in promotion. */
const STATED_CONFIDENCE = 0.8;

function extractStatedFact(sentence: string): Fact[] {
  const statement = parseTopicStatement(sentence);
  return statement === null ? [] : toFact(statement.subject, statement.text, "fact", STATED_CONFIDENCE);
}

/** Subjects whose values must not reach a prompt. */
const SECRET_SUBJECT =
  /\b(?:pin|pass\w*|secret|token|key|code|credential|login|ssn|cvv|otp|iban|card number)s?\b/;

function toFact(subject: string | null, content: string, type: string, confidence: number): Fact[] {
  if (subject !== null && SECRET_SUBJECT.test(subject)) return [];
  const text = clip(content, MAX_ITEM_CHARS);
  return [{ key: subject ?? `fact:${hash64(normaliseContent(text)).slice(0, 12)}`, text, type, confidence }];
}

type Facts = Map<string, Json>;

function applyEntry(facts: Facts, { seq, at, statements, mentions }: ExtractedEntry): Facts {
  for (const statement of statements) {
    if ("retracted" in statement) retractFact(facts, statement.retracted);
    else recordFact(facts, statement, { seq, at });
  }
  for (const { name, type } of resolveMentions(facts, mentions)) {
    const key = toEntityKey(name);
    if (!isWritable(facts, key)) continue;
    const earlier = asObject(facts.get(key));
    const count = (asSeq(earlier?.mentions) ?? 0) + 1;
    facts.set(key, { kind: "entity", type, text: name, mentions: count, seq, at, source: PROJECTOR_SOURCE });
  }
  evictOldest(facts, "fact");
  evictOldest(facts, "entity");
  return facts;
}

/** Records a fact. A newer statement replaces the one on its subject, unless its confidence is lower. */
function recordFact(
  facts: Facts,
  { key, text, type, confidence }: Fact,
  seen: { seq: number; at: string },
): void {
  if (!isWritable(facts, key)) return;
  const earlier = asObject(facts.get(key));
  const earlierConfidence = typeof earlier?.confidence === "number" ? earlier.confidence : 0;
  const isRepeated =
    typeof earlier?.text === "string" && normaliseContent(earlier.text) === normaliseContent(text);
  if (earlier !== null && !isRepeated && confidence < earlierConfidence) return;
  const replaced = asSeq(isRepeated ? earlier?.replaced : earlier?.seq);
  facts.set(key, {
    kind: "fact",
    type,
    text,
    confidence: isRepeated ? Math.max(earlierConfidence, confidence) : confidence,
    ...seen,
    source: PROJECTOR_SOURCE,
    ...(replaced === null ? {} : { replaced }),
  });
}

function retractFact(facts: Facts, { subject, value }: TopicStatement): void {
  if (subject === null || !isWritable(facts, subject)) return;
  const text = asObject(facts.get(subject))?.text;
  if (typeof text === "string" && text.toLowerCase().includes(value.toLowerCase())) facts.delete(subject);
}

/** Returns the certain mentions of an entry, and the ambiguous ones that match a known entity. */
function resolveMentions(facts: Facts, { found, ambiguous }: Mentions): Mentions["found"] {
  const all = new Map(found.slice(0, MAX_ITEMS_PER_ENTRY).map((entity) => [entity.name, entity]));
  const isKnown = (name: string) => getOwnValue(facts.get(toEntityKey(name))) !== null || all.has(name);
  for (const variants of ambiguous) {
    const name = variants.find(isKnown);
    if (name !== undefined && !all.has(name)) all.set(name, { name, type: "name" });
  }
  return [...all.values()];
}

function toEntityKey(name: string): string {
  return `entity:${name}`;
}

/** Returns a value that this projector wrote; null for values that callers keep beside them. */
function getOwnValue(value: Json | undefined): JsonObject | null {
  const fact = asObject(value);
  return fact?.source === PROJECTOR_SOURCE ? fact : null;
}

function isWritable(facts: Facts, key: string): boolean {
  return !facts.has(key) || getOwnValue(facts.get(key)) !== null;
}

/** Evicts the facts or entities that were not mentioned for the longest time. */
function evictOldest(facts: Facts, kind: "fact" | "entity"): void {
  const projected = [...facts].filter(([, value]) => getOwnValue(value)?.kind === kind);
  const excess = projected.length - MAX_FACTS;
  if (excess <= 0) return;
  const getLastSeq = ([, value]: [string, Json]) => asSeq(getOwnValue(value)?.seq) ?? 0;
  const evicted = projected.sort((a, b) => getLastSeq(a) - getLastSeq(b)).slice(0, excess);
  for (const [key] of evicted) facts.delete(key);
}
