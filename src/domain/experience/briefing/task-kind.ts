// The kind of a task: by the words of its goal first, then by its phase, then by what is done next.

import type { PrimeAnswer, TaskKind } from "../../../schemas/briefing";
import { stem } from "../../../text/stem";
import { ACTIONS, DEALING, FIXES, LOOKS, ORDERS, PHASES, REPORTS, THINGS, TROUBLE } from "./task-words";

export type Kind = PrimeAnswer["kind"];

export type TaskSaid = { goal: string; phase?: string | undefined; action_type?: string | undefined };

export function detectKind({ goal, phase, action_type }: TaskSaid): Kind {
  return (
    kindOfGoal(goal) ??
    // A phase is a noun, whose last word says what it is: a code review. An action begins with its verb.
    firstKnown(nameWords(phase ?? "").reverse(), PHASES) ??
    firstKnown(nameWords(action_type ?? ""), ACTIONS) ??
    "general"
  );
}

/** "run_test" and "runTest" as their words. */
function nameWords(name: string): string[] {
  const spaced = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return spaced.match(/\p{L}+/gu) ?? [];
}

function firstKnown(words: readonly string[], kinds: ReadonlyMap<string, TaskKind>): TaskKind | undefined {
  return words.map((word) => kinds.get(stem(word))).find((kind) => kind !== undefined);
}

/** Names of things, which say nothing of the task. */
const QUOTED = /`[^`]*`|"[^"]*"|“[^”]*”/g;
const CLAUSE_END = /[.!?;:)\]]+(?=\s|$)|[[\n。！？]+|\s[-–—]+\s/;

/** The first clause that tells decides: "Checkout: add a coupon field", "The export hangs. Users complain". */
function kindOfGoal(goal: string): TaskKind | undefined {
  const said = goal.normalize("NFKC").replaceAll("’", "'").replace(QUOTED, "x").toLowerCase();
  return said
    .split(CLAUSE_END)
    .map(kindOfClause)
    .find((kind) => kind !== undefined);
}

/** What comes before the order in "Please fix it", "We need to fix it", "KIO-12 fix it", "How do I fix it?". */
const PREAMBLE = new RegExp(
  `^(?:(?:${[
    "[a-z]+-\\d+|#?\\d+|[-*•]",
    "please|kindly|now|next|first|then|also|ok(?:ay)?|so|just|quickly|carefully|finally|todo|task|goal",
    "(?:can|could|would|will) you",
    "(?:i|we|you)(?:'d| would)? (?:need|want|have|like)(?: you)? to",
    "(?:i|we|you) (?:must|should|can|will)|i'll|we'll|i'm|we're|let's|let (?:us|me)",
    "help(?: me| us)?|try(?:ing)? to|to",
    "(?:start|begin|continue|keep|finish)(?:ing)?(?: with| on)?",
    "how (?:to|(?:do|can|could|should|would) (?:i|we|you))",
    "(?:the|my|our|your) (?:goal|task|job|aim) is(?: to)?",
  ].join("|")}),?\\s+)+`,
);
const WORD = /[\p{L}\p{N}]+(?:'\p{L}+)?/gu;

/** How a question begins. */
const QUESTION = /^(?:how|what|where|which|is|are|was|were|does|did|has|have|should|can|could)$/;

type Clause = { words: readonly string[]; stems: readonly string[] };

/** By the order that it opens with; one that opens with none tells by its trouble, or by the first order in it. */
function kindOfClause(text: string): TaskKind | undefined {
  const found = text.trim().replace(PREAMBLE, "").match(WORD) ?? [];
  const words = found.map((word) => word.replace(/'s$/, ""));
  const clause = { words, stems: words.map(stem) };
  if (words[0] === "why") return kindOfWhy(clause);
  if (QUESTION.test(words[0] ?? "")) return ofLook(clause, "exploration");
  const order = signAt(clause, 0, ORDERS);
  if (order !== undefined) return ofOrder(clause, order);
  const look = signAt(clause, 0, LOOKS);
  if (look !== undefined) return ofLook(clause, look);
  return hasTrouble(clause) ? "debugging" : (firstSign(clause, ORDERS) ?? firstSign(clause, LOOKS));
}

/** "Why does it hang?" seeks a fault, "Why do we use D1?" a reason. */
function kindOfWhy(clause: Clause): TaskKind {
  const reason = /^why (?:do|did|are|were|have) (?:we|you|they)\b/.test(clause.words.join(" "));
  return reason && !hasTrouble(clause) ? "exploration" : "debugging";
}

/** The opening order counts, but for "Build fails", where it is a thing, and "Write a fix for it", which is fixing. */
function ofOrder(clause: Clause, order: TaskKind): TaskKind {
  if (THINGS.has(clause.stems[0] ?? "") && hasTrouble(followers(clause))) return "debugging";
  return order === "implementation" && makesFix(clause) ? "debugging" : order;
}

/**
 * Looking is preparation for what follows an "and", unless that is a report. To look into trouble is debugging, and
 * to look at a pull request is a review, whichever is named first.
 */
function ofLook(clause: Clause, look: TaskKind): TaskKind {
  for (let at = 1; at < clause.words.length; at += 1) {
    const next = signAt(clause, at + 1, ORDERS);
    if (/^(?:and|then)$/.test(clause.words[at] ?? "") && next !== undefined && !reports(clause, at))
      return next;
  }
  for (let at = 1; at < clause.words.length; at += 1) {
    if (isTrouble(clause, at) || clause.words[at] === "why") return "debugging";
    if (/^(?:pr|prs|pull|merge)$/.test(clause.words[at] ?? "") && signAt(clause, at, ORDERS) === "review")
      return "review";
  }
  return look;
}

function reports({ stems }: Clause, from: number): boolean {
  return stems.slice(from).some((word) => REPORTS.has(word));
}

function signAt({ stems }: Clause, at: number, kinds: ReadonlyMap<string, TaskKind>): TaskKind | undefined {
  return kinds.get(`${stems[at]} ${stems[at + 1]}`) ?? kinds.get(stems[at] ?? "");
}

function firstSign(clause: Clause, kinds: ReadonlyMap<string, TaskKind>): TaskKind | undefined {
  return clause.words.map((_, at) => signAt(clause, at, kinds)).find((kind) => kind !== undefined);
}

const SMALL_WORD =
  /^(?:an?|the|my|our|your|this|that|these|those|all|any|each|every|for|to|in|on|of|from|with|by|when|if|so|and|or)$/;
/** A thing and its verb stand this close: "Review page is broken". */
const CLOSE = 4;

/** The first words, as far as no small word stands between them. */
function followers({ words, stems }: Clause): Clause {
  const small = words.findIndex((word) => SMALL_WORD.test(word));
  const end = Math.min(CLOSE, small < 0 ? words.length : small);
  return { words: words.slice(0, end), stems: stems.slice(0, end) };
}

/** "Add a fix for the crash", and not "Add a fix button". */
function makesFix({ words, stems }: Clause): boolean {
  const at = stems.findIndex((word, place) => place > 0 && place < CLOSE && FIXES.has(word));
  return at > 0 && /^(?:for|to|of|in)?$/.test(words[at + 1] ?? "");
}

function hasTrouble(clause: Clause): boolean {
  return clause.words.some((_, at) => isTrouble(clause, at));
}

const NOT = /^(?:cannot|(?:ca|wo|do|does|did|is|are|was|were|has|have|could)n't)$/;

/** A word of trouble that is not about dealing with it, a "not", or a server's own status. */
function isTrouble({ words, stems }: Clause, at: number): boolean {
  const word = words[at] ?? "";
  const before = words[at - 1] ?? "";
  if (TROUBLE.has(stems[at] ?? "") || /(?:error|exception)s?$/.test(word))
    return !DEALING.has(stems[at + 1] ?? "");
  if (word === "not") return /^(?:is|are|was|were|does|do|did|can|will)$/.test(before);
  if (/^50\d$/.test(word)) return /^(?:returns?|returning|status|http|throws?|gives?)$/.test(before);
  return NOT.test(word);
}
