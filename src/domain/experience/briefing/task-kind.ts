// The kind of a task: by the words of its goal first, then by its phase, then by what is done next.

import { type PrimeAnswer, TASK_KINDS, type TaskKind } from "../../../schemas/briefing";
import { stem } from "../../../text/stem";

export type BriefingKind = PrimeAnswer["kind"];

export type TaskDescription = { goal: string; phase?: string | undefined; action_type?: string | undefined };

export function detectTaskKind({ goal, phase, action_type }: TaskDescription): BriefingKind {
  return (
    classifyGoal(goal) ??
    // A phase is a noun, whose last word says what it is: a code review. An action begins with its verb.
    findKindOfWords(splitName(phase ?? "").reverse(), PHASES) ??
    findKindOfWords(splitName(action_type ?? ""), ACTIONS) ??
    "general"
  );
}

/** "run_test" and "runTest" as their words. */
function splitName(name: string): string[] {
  const spaced = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return spaced.match(/\p{L}+/gu) ?? [];
}

function findKindOfWords(
  words: readonly string[],
  kinds: ReadonlyMap<string, TaskKind>,
): TaskKind | undefined {
  return words.map((word) => kinds.get(stem(word))).find((kind) => kind !== undefined);
}

/** Names of things, which say nothing of the task. */
const QUOTED = /`[^`]*`|"[^"]*"|“[^”]*”/g;
const CLAUSE_END = /[.!?;:)\]]+(?=\s|$)|[[\n。！？]+|\s[-–—]+\s/;

/** The first clause that tells decides: "Checkout: add a coupon field", "The export hangs. Users complain". */
function classifyGoal(goal: string): TaskKind | undefined {
  const said = goal.normalize("NFKC").replaceAll("’", "'").replace(QUOTED, "x").toLowerCase();
  return said
    .split(CLAUSE_END)
    .map(classifyClause)
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
function classifyClause(text: string): TaskKind | undefined {
  const found = text.trim().replace(PREAMBLE, "").match(WORD) ?? [];
  const words = found.map((word) => word.replace(/'s$/, ""));
  const clause = { words, stems: words.map(stem) };
  if (words[0] === "why") return classifyWhyQuestion(clause);
  if (QUESTION.test(words[0] ?? "")) return classifyLook(clause, "exploration");
  const order = findKindAt(clause, 0, ORDERS);
  if (order !== undefined) return classifyOrder(clause, order);
  const look = findKindAt(clause, 0, LOOKS);
  if (look !== undefined) return classifyLook(clause, look);
  return hasTrouble(clause) ? "debugging" : (findFirstKind(clause, ORDERS) ?? findFirstKind(clause, LOOKS));
}

/** "Why does it hang?" seeks a fault, "Why do we use D1?" a reason. */
function classifyWhyQuestion(clause: Clause): TaskKind {
  const reason = /^why (?:do|did|are|were|have) (?:we|you|they)\b/.test(clause.words.join(" "));
  return reason && !hasTrouble(clause) ? "exploration" : "debugging";
}

/** The opening order counts, but for "Build fails", where it is a thing, and "Write a fix for it", which is fixing. */
function classifyOrder(clause: Clause, order: TaskKind): TaskKind {
  if (THINGS.has(clause.stems[0] ?? "") && hasTrouble(takeLeadingWords(clause))) return "debugging";
  return order === "implementation" && namesFix(clause) ? "debugging" : order;
}

/**
 * Looking is preparation for what follows an "and", unless that is a report. To look into trouble is debugging, and
 * to look at a pull request is a review, whichever is named first.
 */
function classifyLook(clause: Clause, look: TaskKind): TaskKind {
  for (let at = 1; at < clause.words.length; at += 1) {
    const next = findKindAt(clause, at + 1, ORDERS);
    if (/^(?:and|then)$/.test(clause.words[at] ?? "") && next !== undefined && !mentionsReport(clause, at))
      return next;
  }
  for (let at = 1; at < clause.words.length; at += 1) {
    if (isTrouble(clause, at) || clause.words[at] === "why") return "debugging";
    if (/^(?:pr|prs|pull|merge)$/.test(clause.words[at] ?? "") && findKindAt(clause, at, ORDERS) === "review")
      return "review";
  }
  return look;
}

function mentionsReport({ stems }: Clause, from: number): boolean {
  return stems.slice(from).some((word) => REPORTS.has(word));
}

function findKindAt(
  { stems }: Clause,
  at: number,
  kinds: ReadonlyMap<string, TaskKind>,
): TaskKind | undefined {
  return kinds.get(`${stems[at]} ${stems[at + 1]}`) ?? kinds.get(stems[at] ?? "");
}

function findFirstKind(clause: Clause, kinds: ReadonlyMap<string, TaskKind>): TaskKind | undefined {
  return clause.words.map((_, at) => findKindAt(clause, at, kinds)).find((kind) => kind !== undefined);
}

const SMALL_WORD =
  /^(?:an?|the|my|our|your|this|that|these|those|all|any|each|every|for|to|in|on|of|from|with|by|when|if|so|and|or)$/;
/** A thing and its verb stand this close: "Review page is broken". */
const CLOSE = 4;

/** The first words, as far as no small word stands between them. */
function takeLeadingWords({ words, stems }: Clause): Clause {
  const small = words.findIndex((word) => SMALL_WORD.test(word));
  const end = Math.min(CLOSE, small < 0 ? words.length : small);
  return { words: words.slice(0, end), stems: stems.slice(0, end) };
}

/** "Add a fix for the crash", and not "Add a fix button". */
function namesFix({ words, stems }: Clause): boolean {
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

function stemWords(words: string): string[] {
  return (words.match(/\S+/g) ?? []).map((word) => word.split("_").map(stem).join(" "));
}

function indexByStem(words: Partial<Record<TaskKind, string>>): ReadonlyMap<string, TaskKind> {
  return new Map(TASK_KINDS.flatMap((kind) => stemWords(words[kind] ?? "").map((word) => [word, kind])));
}

/** What a goal orders, or names. An underscore joins the words of a phrase. */
export const ORDERS = indexByStem({
  debugging: `fix bugfix hotfix patch debug troubleshoot diagnose repair resolve solve reproduce bisect unbreak bug
    root_cause`,
  review: `review audit assess assessment verify validate critique proofread approve check_over look_over go_over
    double_check pr pull_request merge_request`,
  refactoring: `refactor rename extract clean cleanup tidy simplify restructure reorganise reorganize split move
    inline decouple deduplicate dedupe consolidate modularise modularize rewrite replace optimise optimize
    break_up break_apart break_down remove delete drop convert`,
  exploration: `explore exploration research learn study compare comparison evaluate evaluation spike brainstorm
    plan design explain describe summarise summarize`,
  implementation: `implement implementation add build create write support integrate integration introduce migrate
    migration setup set_up deploy deployment feature feat new develop generate scaffold extend enable allow handle
    configure install update upgrade change document publish release ship port wire set show display expose retry ensure
    prevent improve increase bump`,
});

/** Verbs of looking say little: what is looked at, or done after it, may say more. Else it is this. */
export const LOOKS = indexByStem({
  exploration: `investigate investigation look find figure understand analyse analyze analysis examine inspect read
    search trace profile discover`,
  review: "check",
});

/** Orders that are things as well: "Build the index" orders, "Build fails" does not. */
export const THINGS = new Set(
  stemWords("build review update upgrade deploy release install support patch audit move split write"),
);

/** What is wrong. */
export const TROUBLE = new Set(
  stemWords(`break fail failure crash error exception bug regression flaky hang freeze leak deadlock panic segfault
    stacktrace traceback wrong incorrect unable unresponsive problem throw defect outage incident corrupt`),
);

/** Behind a word of trouble these make it a thing to work on: error handling, a crash report. */
export const DEALING = new Set(
  stemWords(`handling handler message page code type class boundary format response report reporting reporter tracking
    tracker log logging budget screen state status toast banner recovery monitoring mode template dialog`),
);

/** What is made when a failure is worked on. */
export const FIXES = new Set(stemWords("fix bugfix hotfix patch workaround"));

/** What is written at the end of looking into something. */
export const REPORTS = new Set(
  stemWords("summary report note finding answer recommendation overview document doc"),
);

export const PHASES = indexByStem({
  exploration: `planning research discovery exploration explore analysis investigation design requirements ideation
    spike learning architecture`,
  implementation: `development develop implementation implement build coding construction integration deployment deploy
    delivery setup bootstrap infrastructure migration release`,
  debugging: "debugging testing test qa fix bugfix hotfix stabilisation stabilization incident",
  review: "review audit verification validation acceptance",
  refactoring: "refactoring refactor cleanup restructuring simplification optimisation optimization",
});

/** Edits and deletions are of every kind, so they are of none. */
export const ACTIONS = indexByStem({
  exploration: "read search list grep glob find view browse query fetch open explore research",
  implementation: "write create add insert generate scaffold implement build deploy install",
  debugging: "test debug reproduce fix trace",
  review: "review diff approve comment audit",
  refactoring: "refactor rename move extract",
});
