// Detects the kind of a task from the words of its goal, or else from its phase, or else from its next action. The
// vocabulary is English; see the lists at the end.

import { stem } from "../../language/words/stem";
import { type PrimeAnswer, TASK_KINDS, type TaskKind } from "./briefing-schemas";

export type BriefingKind = PrimeAnswer["kind"];

type TaskDescription = { goal: string; phase?: string | undefined; action_type?: string | undefined };

/** Returns the kind of a task, or "general" if no word gives it away. */
export function detectTaskKind({ goal, phase, action_type }: TaskDescription): BriefingKind {
  return (
    classifyGoal(goal) ??
    // A phase is a noun phrase with its head at the end, such as "code review"; an action begins with its verb.
    findKindOfWords(splitName(phase ?? "").reverse(), PHASES) ??
    findKindOfWords(splitName(action_type ?? ""), ACTIONS) ??
    "general"
  );
}

/** Splits "run_test" or "runTest" into words. */
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

/** Quoted names, which do not describe the task. */
const QUOTED = /`[^`]*`|"[^"]*"|“[^”]*”/g;
const CLAUSE_END = /[.!?;:)\]]+(?=\s|$)|[[\n。！？]+|\s[-–—]+\s/;

/** Returns the kind of the first clause that has one: "Checkout: add a coupon field", "The export hangs. Help". */
function classifyGoal(goal: string): TaskKind | undefined {
  const plain = goal.normalize("NFKC").replaceAll("’", "'").replace(QUOTED, "x").toLowerCase();
  return plain
    .split(CLAUSE_END)
    .map(classifyClause)
    .find((kind) => kind !== undefined);
}

/** Text before the verb in "Please fix it", "We need to fix it", "KIO-12 fix it", "How do I fix it?". */
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

/** First word of a question. */
const QUESTION = /^(?:how|what|where|which|is|are|was|were|does|did|has|have|should|can|could)$/;

type Clause = { words: readonly string[]; stems: readonly string[] };

/** Classifies a clause by its first word; if that is not an order, by a problem it mentions, or by its first order. */
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

/** Tells "Why does it hang?", which asks for a fault, from "Why do we use D1?", which asks for a reason. */
function classifyWhyQuestion(clause: Clause): TaskKind {
  const reason = /^why (?:do|did|are|were|have) (?:we|you|they)\b/.test(clause.words.join(" "));
  return reason && !hasTrouble(clause) ? "exploration" : "debugging";
}

/** Returns the kind of the opening order, except in "Build fails", where it is a noun, and in "Write a fix for it". */
function classifyOrder(clause: Clause, order: TaskKind): TaskKind {
  if (NOUN_ORDERS.has(clause.stems[0] ?? "") && hasTrouble(takeLeadingWords(clause))) return "debugging";
  return order === "implementation" && namesFix(clause) ? "debugging" : order;
}

/**
 * Classifies a clause that begins with a verb of looking. It only prepares an order after "and", unless that order is to
 * write a report. Looking into a problem is debugging, looking at a pull request is a review, whichever comes first.
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

const FUNCTION_WORD =
  /^(?:an?|the|my|our|your|this|that|these|those|all|any|each|every|for|to|in|on|of|from|with|by|when|if|so|and|or)$/;
/** Words within which a noun and its verb occur: "Review page is broken". */
const NEARBY_WORDS = 4;

/** Returns the first words of a clause, up to a function word. */
function takeLeadingWords({ words, stems }: Clause): Clause {
  const small = words.findIndex((word) => FUNCTION_WORD.test(word));
  const end = Math.min(NEARBY_WORDS, small < 0 ? words.length : small);
  return { words: words.slice(0, end), stems: stems.slice(0, end) };
}

/** Matches "Add a fix for the crash", but not "Add a fix button". */
function namesFix({ words, stems }: Clause): boolean {
  const at = stems.findIndex((word, index) => index > 0 && index < NEARBY_WORDS && FIXES.has(word));
  return at > 0 && /^(?:for|to|of|in)?$/.test(words[at + 1] ?? "");
}

function hasTrouble(clause: Clause): boolean {
  return clause.words.some((_, at) => isTrouble(clause, at));
}

const NEGATED_VERB = /^(?:cannot|(?:ca|wo|do|does|did|is|are|was|were|has|have|could)n't)$/;

/** Matches a word for a problem, unless a noun such as "handling" follows; a negated verb; or a 50x status. */
function isTrouble({ words, stems }: Clause, at: number): boolean {
  const word = words[at] ?? "";
  const before = words[at - 1] ?? "";
  if (TROUBLE.has(stems[at] ?? "") || /(?:error|exception)s?$/.test(word))
    return !SUBJECT_NOUNS.has(stems[at + 1] ?? "");
  if (word === "not") return /^(?:is|are|was|were|does|do|did|can|will)$/.test(before);
  if (/^50\d$/.test(word)) return /^(?:returns?|returning|status|http|throws?|gives?)$/.test(before);
  return NEGATED_VERB.test(word);
}

function stemWords(words: string): string[] {
  return (words.match(/\S+/g) ?? []).map((word) => word.split("_").map(stem).join(" "));
}

function indexByStem(words: Partial<Record<TaskKind, string>>): ReadonlyMap<string, TaskKind> {
  return new Map(TASK_KINDS.flatMap((kind) => stemWords(words[kind] ?? "").map((word) => [word, kind])));
}

/** Orders: verbs that a goal may begin with, and their nouns. An underscore joins the words of a phrase. */
const ORDERS = indexByStem({
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

/** Verbs of looking: their kind holds unless the object, or an order that follows, decides otherwise. */
const LOOKS = indexByStem({
  exploration: `investigate investigation look find figure understand analyse analyze analysis examine inspect read
    search trace profile discover`,
  review: "check",
});

/** Orders that are nouns as well: "Build the index" is an order, "Build fails" is not. */
const NOUN_ORDERS = new Set(
  stemWords("build review update upgrade deploy release install support patch audit move split write"),
);

/** Words for problems. */
const TROUBLE = new Set(
  stemWords(`break fail failure crash error exception bug regression flaky hang freeze leak deadlock panic segfault
    stacktrace traceback wrong incorrect unable unresponsive problem throw defect outage incident corrupt`),
);

/** Nouns that turn a problem before them into a subject of work: error handling, a crash report. */
const SUBJECT_NOUNS = new Set(
  stemWords(`handling handler message page code type class boundary format response report reporting reporter tracking
    tracker log logging budget screen state status toast banner recovery monitoring mode template dialog`),
);

/** Results of debugging. */
const FIXES = new Set(stemWords("fix bugfix hotfix patch workaround"));

/** Results of exploration. */
const REPORTS = new Set(stemWords("summary report note finding answer recommendation overview document doc"));

/** Words of phase names. */
const PHASES = indexByStem({
  exploration: `planning research discovery exploration explore analysis investigation design requirements ideation
    spike learning architecture`,
  implementation: `development develop implementation implement build coding construction integration deployment deploy
    delivery setup bootstrap infrastructure migration release`,
  debugging: "debugging testing test qa fix bugfix hotfix stabilisation stabilization incident",
  review: "review audit verification validation acceptance",
  refactoring: "refactoring refactor cleanup restructuring simplification optimisation optimization",
});

/** Verbs of action names. Edits and deletions occur in tasks of every kind, so they have none. */
const ACTIONS = indexByStem({
  exploration: "read search list grep glob find view browse query fetch open explore research",
  implementation: "write create add insert generate scaffold implement build deploy install",
  debugging: "test debug reproduce fix trace",
  review: "review diff approve comment audit",
  refactoring: "refactor rename move extract",
});
