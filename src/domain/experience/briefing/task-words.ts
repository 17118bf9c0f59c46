// The words that tell what kind of task somebody speaks of, in English; how they are read is said in task-kind.ts.

import { TASK_KINDS, type TaskKind } from "../../../schemas/briefing";
import { stem } from "../../../text/stem";

function stemsOf(words: string): string[] {
  return (words.match(/\S+/g) ?? []).map((word) => word.split("_").map(stem).join(" "));
}

function kindsOf(words: Partial<Record<TaskKind, string>>): ReadonlyMap<string, TaskKind> {
  return new Map(TASK_KINDS.flatMap((kind) => stemsOf(words[kind] ?? "").map((word) => [word, kind])));
}

/** What a goal orders, or names. An underscore joins the words of a phrase. */
export const ORDERS = kindsOf({
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
export const LOOKS = kindsOf({
  exploration: `investigate investigation look find figure understand analyse analyze analysis examine inspect read
    search trace profile discover`,
  review: "check",
});

/** Orders that are things as well: "Build the index" orders, "Build fails" does not. */
export const THINGS = new Set(
  stemsOf("build review update upgrade deploy release install support patch audit move split write"),
);

/** What is wrong. */
export const TROUBLE = new Set(
  stemsOf(`break fail failure crash error exception bug regression flaky hang freeze leak deadlock panic segfault
    stacktrace traceback wrong incorrect unable unresponsive problem throw defect outage incident corrupt`),
);

/** Behind a word of trouble these make it a thing to work on: error handling, a crash report. */
export const DEALING = new Set(
  stemsOf(`handling handler message page code type class boundary format response report reporting reporter tracking
    tracker log logging budget screen state status toast banner recovery monitoring mode template dialog`),
);

/** What is made when a failure is worked on. */
export const FIXES = new Set(stemsOf("fix bugfix hotfix patch workaround"));

/** What is written at the end of looking into something. */
export const REPORTS = new Set(
  stemsOf("summary report note finding answer recommendation overview document doc"),
);

export const PHASES = kindsOf({
  exploration: `planning research discovery exploration explore analysis investigation design requirements ideation
    spike learning architecture`,
  implementation: `development develop implementation implement build coding construction integration deployment deploy
    delivery setup bootstrap infrastructure migration release`,
  debugging: "debugging testing test qa fix bugfix hotfix stabilisation stabilization incident",
  review: "review audit verification validation acceptance",
  refactoring: "refactoring refactor cleanup restructuring simplification optimisation optimization",
});

/** Edits and deletions are of every kind, so they are of none. */
export const ACTIONS = kindsOf({
  exploration: "read search list grep glob find view browse query fetch open explore research",
  implementation: "write create add insert generate scaffold implement build deploy install",
  debugging: "test debug reproduce fix trace",
  review: "review diff approve comment audit",
  refactoring: "refactor rename move extract",
});
