// What was said that holds → `world.facts`: statements worth keeping, under what they are about, and who and what was
// named. Entry by entry, so that it does not matter how many come at once.

import { COGNITION } from "../../../limits";
import { hash64 } from "../../../platform/hash";
import type { Json, JsonObject } from "../../../platform/json";
import { clip, normaliseContent } from "../../../text/normalise-text";
import {
  extractCandidates,
  extractSentences,
  isStatement,
  SECRET_PATTERN,
} from "../../promotion/extract-candidates";
import type { Projector } from "../projector";
import { findMentions, type Mentions } from "./entity-recognition";
import { parseRetraction, parseSubject, parseTopicStatement, type TopicStatement } from "./parse-topics";
import { asObject, asSeq, toUtterances, truncateAtSentence, type Utterance } from "./utterances";

const KEY = "facts";
const SOURCE = "projector";

export const factsProjector: Projector = {
  name: "facts",
  reads: ["message", "note"],
  trigger: { tick: true, after: 50 },
  async project(entries) {
    const heard = toUtterances(entries).flatMap(extractEntry);
    return {
      edits: ({ map }) => {
        const before = map("world")[KEY];
        const known = before === undefined ? {} : asObject(before);
        if (known === null) return [];
        const after = heard.reduce(applyEntry, new Map(Object.entries(known)));
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
  said: (Fact | { ended: TopicStatement })[];
  mentions: Mentions;
};

/** All that one entry says. */
function extractEntry({ seq, role, text, at }: Utterance): ExtractedEntry[] {
  if (role !== "user" && role !== "assistant") return [];
  const sentences = extractSentences(truncateAtSentence(text)).filter(
    (sentence) => !SECRET_PATTERN.test(sentence.text),
  );
  const said: ExtractedEntry["said"] = [];
  for (const sentence of sentences) {
    if (said.length >= COGNITION.projectedPerEntry) break;
    // Only users know how things are with them; a model may say what it supposes.
    const plain = role === "user" && isStatement(sentence);
    const ended = plain ? parseRetraction(sentence.text) : null;
    const toFact =
      extractCandidateFact({ seq, role, text: sentence.text, at }) ??
      (plain ? extractStatedFact(sentence.text) : []);
    said.push(...(ended === null ? toFact : [{ ended }]));
  }
  return [{ seq, at, said, mentions: findMentions(sentences, role === "user") }];
}

/** What is claimed to be so. A task, a risk, a guess or an open question is worth remembering, and no fact. */
const FACT_TYPES: readonly string[] = ["fact", "decision", "convention", "discovery", "lesson_learned"];

/** A sentence that carries a sign of lasting value; null without one. */
function extractCandidateFact({ seq, role, text, at }: Utterance): Fact[] | null {
  const [candidate] = extractCandidates({ id: String(seq), role, content: text, timestamp: at });
  if (candidate === undefined) return null;
  const { content, memory_type, confidence } = candidate;
  return !FACT_TYPES.includes(memory_type)
    ? []
    : toFact(parseSubject(content), content, memory_type, confidence);
}

/** As sure as what users say of their own affairs. */
const STATED_CONFIDENCE = 0.7;

function extractStatedFact(sentence: string): Fact[] {
  const statement = parseTopicStatement(sentence);
  return statement === null ? [] : toFact(statement.subject, statement.text, "fact", STATED_CONFIDENCE);
}

/** Subjects whose value nobody should find in a prompt. */
const SECRET_SUBJECT =
  /\b(?:pin|pass\w*|secret|token|key|code|credential|login|ssn|cvv|otp|iban|card number)s?\b/;

function toFact(subject: string | null, said: string, type: string, confidence: number): Fact[] {
  if (subject !== null && SECRET_SUBJECT.test(subject)) return [];
  const text = clip(said, COGNITION.projectedChars);
  return [{ key: subject ?? `fact:${hash64(normaliseContent(text)).slice(0, 12)}`, text, type, confidence }];
}

type Facts = Map<string, Json>;

function applyEntry(facts: Facts, { seq, at, said, mentions }: ExtractedEntry): Facts {
  for (const item of said) {
    if ("ended" in item) retractFact(facts, item.ended);
    else recordFact(facts, item, { seq, at });
  }
  for (const { name, type } of resolveMentions(facts, mentions)) {
    const key = entityKey(name);
    if (!isWritable(facts, key)) continue;
    const earlier = asObject(facts.get(key));
    const count = (asSeq(earlier?.mentions) ?? 0) + 1;
    facts.set(key, { kind: "entity", type, text: name, mentions: count, seq, at, source: SOURCE });
  }
  evictOldest(facts, "fact");
  evictOldest(facts, "entity");
  return facts;
}

/** The later statement holds, unless it is by someone who knows less. */
function recordFact(
  facts: Facts,
  { key, text, type, confidence }: Fact,
  seen: { seq: number; at: string },
): void {
  if (!isWritable(facts, key)) return;
  const earlier = asObject(facts.get(key));
  const sure = typeof earlier?.confidence === "number" ? earlier.confidence : 0;
  const again =
    typeof earlier?.text === "string" && normaliseContent(earlier.text) === normaliseContent(text);
  if (earlier !== null && !again && confidence < sure) return;
  const replaced = asSeq(again ? earlier?.replaced : earlier?.seq);
  facts.set(key, {
    kind: "fact",
    type,
    text,
    confidence: again ? Math.max(sure, confidence) : confidence,
    ...seen,
    source: SOURCE,
    ...(replaced === null ? {} : { replaced }),
  });
}

function retractFact(facts: Facts, { subject, value }: TopicStatement): void {
  if (subject === null || !isWritable(facts, subject)) return;
  const text = asObject(facts.get(subject))?.text;
  if (typeof text === "string" && text.toLowerCase().includes(value.toLowerCase())) facts.delete(subject);
}

/** What an entry surely names, and what it names if that is known already. */
function resolveMentions(facts: Facts, { found, ambiguous }: Mentions): Mentions["found"] {
  const all = new Map(found.slice(0, COGNITION.projectedPerEntry).map((entity) => [entity.name, entity]));
  const isKnown = (name: string) => getProjected(facts.get(entityKey(name))) !== null || all.has(name);
  for (const readings of ambiguous) {
    const name = readings.find(isKnown);
    if (name !== undefined && !all.has(name)) all.set(name, { name, type: "name" });
  }
  return [...all.values()];
}

function entityKey(name: string): string {
  return `entity:${name}`;
}

/** A projected fact. Others may keep theirs beside it. */
function getProjected(value: Json | undefined): JsonObject | null {
  const known = asObject(value);
  return known?.source === SOURCE ? known : null;
}

function isWritable(facts: Facts, key: string): boolean {
  return !facts.has(key) || getProjected(facts.get(key)) !== null;
}

/** The ones not seen for the longest time leave. */
function evictOldest(facts: Facts, kind: "fact" | "entity"): void {
  const known = [...facts].filter(([, value]) => getProjected(value)?.kind === kind);
  const excess = known.length - COGNITION.factsKept;
  if (excess <= 0) return;
  const seen = ([, value]: [string, Json]) => asSeq(getProjected(value)?.seq) ?? 0;
  const leaving = known.sort((a, b) => seen(a) - seen(b)).slice(0, excess);
  for (const [key] of leaving) facts.delete(key);
}
