// Derives the topic key of a single-valued statement, so that a new value supersedes the old one and is found by the words
// of the topic.
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { haveSameShape, isFrame, marksChange } from "./change-frames";
import { isSameValue } from "./compare-values";
import { hasFurtherClause } from "./further-clause";
import { USER } from "./noun-phrases";
import { parseFact } from "./parse-fact";
import type { Fact } from "./sentence-rule";

/** Types that assert how things are. Guesses, tasks, incidents and lessons stay true beside newer ones. */
const TYPES: ReadonlySet<MemoryType> = new Set([
  ...listSubtypes("fact"),
  "discovery",
  ...listSubtypes("decision"),
  ...listSubtypes("convention"),
]);

/** The length limit of topic keys. */
const MAX_KEY_CHARS = 128;

/** Returns `fact:<subject>/<attribute>`; null if the statement may stand beside others about its subject. */
export function deriveTopicKey(content: string, type: MemoryType = "fact"): string | null {
  const fact = TYPES.has(type) ? parseFact(content) : null;
  return fact === null ? null : toTopicKey(fact);
}

function toTopicKey({ subject, attribute }: Fact): string | null {
  const key = `fact:${subject}/${attribute}`.normalize("NFKC").toLowerCase();
  return key.length <= MAX_KEY_CHARS ? key : null;
}

/** Returns whether a topic key is about the user, or about a person or a thing of theirs. */
export function isUserTopic(key: string): boolean {
  return key.startsWith(`fact:${USER}/`) || key.startsWith(`fact:${USER}'s `);
}

/** Words of questions about an attribute that its name lacks. */
const ASKED_WITH: Readonly<Record<string, string>> = {
  residence: "live city",
  address: "live",
  employer: "work job company",
  job_title: "work job role",
  department: "work",
  team: "work",
  plays_for: "team club",
  birthplace: "born",
  birthday: "born",
  age: "old",
  diet: "eat food",
  marital_status: "married",
  school: "study",
  university: "study",
  car: "drive",
  manager: "boss report",
  language: "speak",
  name: "called",
  preferred_name: "called",
  price: "cost",
  salary: "earn",
};

/**
 * Returns the words of a topic key, which its statements may lack: those of its attribute, and those of questions about it.
 * "I have moved to Porto" tells where someone lives.
 */
export function listTopicWords(key: string): string[] {
  const attribute = key.slice(key.lastIndexOf("/") + 1);
  const asked = Object.hasOwn(ASKED_WITH, attribute) ? (ASKED_WITH[attribute] ?? "") : "";
  return `${attribute} ${asked}`.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const RANK =
  /\b(?:junior|senior|lead|principal|staff|head|chief|vice|deputy|assistant|associate|trainee|apprentice|intern|qualified)\b/g;

/** Returns true if the new statement gives the attribute of the old one another value. */
export function replacesFact(oldContent: string, newContent: string): boolean {
  if (hasFurtherClause(oldContent)) return false;
  const [before, after] = [parseFact(oldContent), parseFact(newContent)];
  if (before === null || after === null) return false;
  const key = toTopicKey(before);
  if (key === null || key !== toTopicKey(after)) return false;
  // "A bank" may be the bank of the other statement.
  if (before.attribute !== "status" && /^an? /i.test(before.value) !== /^an? /i.test(after.value))
    return false;
  if (isFrame(before) && !(marksChange(newContent) && haveSameShape(before.value, after.value))) return false;
  return before.attribute === "job_title"
    ? !isSameJob(before.value, after.value)
    : !isSameValue(before.value, after.value);
}

/** Compares "engineer at Stripe" by title, rank and employer; an employer that one leaves out may be the same. */
function isSameJob(before: string, after: string): boolean {
  const [[titleBefore = "", employerBefore], [titleAfter = "", employerAfter]] = [
    before.split(" at "),
    after.split(" at "),
  ];
  if (!isSameValue(titleBefore, titleAfter)) return false;
  if (
    employerBefore !== undefined &&
    employerAfter !== undefined &&
    !isSameValue(employerBefore, employerAfter)
  )
    return false;
  const ranks = listRanks(titleAfter);
  return ranks === "" || ranks === listRanks(titleBefore);
}

function listRanks(title: string): string {
  return (title.toLowerCase().match(RANK) ?? []).sort().join();
}

const PATTERN_PREFIX = "pattern:";

/** Returns the topic key under which a pattern with a name of its own is stored. */
export function toPatternTopicKey(name: string): string {
  return PATTERN_PREFIX + name;
}

/** Returns the name in a pattern's topic key; null without a key, or with one of another kind. */
export function readPatternName(topicKey: string | null): string | null {
  return topicKey?.startsWith(PATTERN_PREFIX) ? topicKey.slice(PATTERN_PREFIX.length) : null;
}
