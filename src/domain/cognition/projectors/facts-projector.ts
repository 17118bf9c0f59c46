// What was said that holds → `world.facts`: statements worth keeping, under what they are about, and who and what was
// named. Entry by entry, so that it does not matter how many come at once.

import { COGNITION } from "../../../limits";
import { hash64 } from "../../../platform/hash";
import type { Json, JsonObject } from "../../../platform/json";
import { clip, normaliseContent } from "../../../text/memory-text";
import { candidatesFrom, isStatement, PRIVATE, saidIn } from "../../promotion/extract-candidates";
import type { Projector } from "../projector";
import { type Mentions, mentionsIn } from "./entity-recognition";
import { endedIn, type Statement, statementIn, subjectOf } from "./parse-topics";
import { asMap, asSeq } from "./plain-values";
import { opening, type Spoken, spokenIn } from "./utterances";

const KEY = "facts";
const SOURCE = "projector";

export const facts: Projector = {
  name: "facts",
  reads: ["message", "note"],
  trigger: { tick: true, after: 50 },
  async project(entries) {
    const heard = spokenIn(entries).flatMap(hear);
    return {
      edits: ({ map }) => {
        const before = map("world")[KEY];
        const known = before === undefined ? {} : asMap(before);
        if (known === null) return [];
        const after = heard.reduce(learn, new Map(Object.entries(known)));
        const value = Object.fromEntries(after);
        if (JSON.stringify(value) === JSON.stringify(known)) return [];
        return [{ space: "world", ops: [{ op: "put", key: KEY, value }] }];
      },
    };
  },
};

type Fact = { key: string; text: string; type: string; confidence: number };
type Heard = { seq: number; at: string; said: (Fact | { ended: Statement })[]; mentions: Mentions };

/** All that one entry says. */
function hear({ seq, role, text, at }: Spoken): Heard[] {
  if (role !== "user" && role !== "assistant") return [];
  const sentences = saidIn(opening(text)).filter((sentence) => !PRIVATE.test(sentence.text));
  const said: Heard["said"] = [];
  for (const sentence of sentences) {
    if (said.length >= COGNITION.projectedPerEntry) break;
    // Only users know how things are with them; a model may say what it supposes.
    const plain = role === "user" && isStatement(sentence);
    const ended = plain ? endedIn(sentence.text) : null;
    const fact = worthKeeping({ seq, role, text: sentence.text, at }) ?? (plain ? stated(sentence.text) : []);
    said.push(...(ended === null ? fact : [{ ended }]));
  }
  return [{ seq, at, said, mentions: mentionsIn(sentences, role === "user") }];
}

/** What is claimed to be so. A task, a risk, a guess or an open question is worth remembering, and no fact. */
const HELD: readonly string[] = ["fact", "decision", "convention", "discovery", "lesson_learned"];

/** A sentence that carries a sign of lasting value; null without one. */
function worthKeeping({ seq, role, text, at }: Spoken): Fact[] | null {
  const [candidate] = candidatesFrom({ id: String(seq), role, content: text, timestamp: at });
  if (candidate === undefined) return null;
  const { content, memory_type, confidence } = candidate;
  return !HELD.includes(memory_type) ? [] : fact(subjectOf(content), content, memory_type, confidence);
}

/** As sure as what users say of their own affairs. */
const STATED = 0.7;

function stated(sentence: string): Fact[] {
  const statement = statementIn(sentence);
  return statement === null ? [] : fact(statement.subject, statement.text, "fact", STATED);
}

/** Subjects whose value nobody should find in a prompt. */
const SECRET = /\b(?:pin|pass\w*|secret|token|key|code|credential|login|ssn|cvv|otp|iban|card number)s?\b/;

function fact(subject: string | null, said: string, type: string, confidence: number): Fact[] {
  if (subject !== null && SECRET.test(subject)) return [];
  const text = clip(said, COGNITION.projectedChars);
  return [{ key: subject ?? `fact:${hash64(normaliseContent(text)).slice(0, 12)}`, text, type, confidence }];
}

type Facts = Map<string, Json>;

function learn(facts: Facts, { seq, at, said, mentions }: Heard): Facts {
  for (const item of said) {
    if ("ended" in item) forget(facts, item.ended);
    else believe(facts, item, { seq, at });
  }
  for (const { name, type } of mentioned(facts, mentions)) {
    const key = entityKey(name);
    if (!isFree(facts, key)) continue;
    const earlier = asMap(facts.get(key));
    const count = (asSeq(earlier?.mentions) ?? 0) + 1;
    facts.set(key, { kind: "entity", type, text: name, mentions: count, seq, at, source: SOURCE });
  }
  evict(facts, "fact");
  evict(facts, "entity");
  return facts;
}

/** The later statement holds, unless it is by someone who knows less. */
function believe(
  facts: Facts,
  { key, text, type, confidence }: Fact,
  seen: { seq: number; at: string },
): void {
  if (!isFree(facts, key)) return;
  const earlier = asMap(facts.get(key));
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

function forget(facts: Facts, { subject, value }: Statement): void {
  if (subject === null || !isFree(facts, subject)) return;
  const text = asMap(facts.get(subject))?.text;
  if (typeof text === "string" && text.toLowerCase().includes(value.toLowerCase())) facts.delete(subject);
}

/** What an entry surely names, and what it names if that is known already. */
function mentioned(facts: Facts, { found, perhaps }: Mentions): Mentions["found"] {
  const all = new Map(found.slice(0, COGNITION.projectedPerEntry).map((entity) => [entity.name, entity]));
  const isKnown = (name: string) => ours(facts.get(entityKey(name))) !== null || all.has(name);
  for (const readings of perhaps) {
    const name = readings.find(isKnown);
    if (name !== undefined && !all.has(name)) all.set(name, { name, type: "name" });
  }
  return [...all.values()];
}

function entityKey(name: string): string {
  return `entity:${name}`;
}

/** A projected fact. Others may keep theirs beside it. */
function ours(value: Json | undefined): JsonObject | null {
  const known = asMap(value);
  return known?.source === SOURCE ? known : null;
}

function isFree(facts: Facts, key: string): boolean {
  return !facts.has(key) || ours(facts.get(key)) !== null;
}

/** The ones not seen for the longest time leave. */
function evict(facts: Facts, kind: "fact" | "entity"): void {
  const known = [...facts].filter(([, value]) => ours(value)?.kind === kind);
  const excess = known.length - COGNITION.factsKept;
  if (excess <= 0) return;
  const seen = ([, value]: [string, Json]) => asSeq(ours(value)?.seq) ?? 0;
  const leaving = known.sort((a, b) => seen(a) - seen(b)).slice(0, excess);
  for (const [key] of leaving) facts.delete(key);
}
