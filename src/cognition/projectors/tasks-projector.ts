// Projects tasks to do and completed tasks into the space `tasks`: labelled items, reminders, and statements of need or
// of next steps. A request to the assistant is not a task. Entries are processed one by one, so that the batch size
// does not matter.
import { extractSentences, isStatement } from "../../facts/extraction/extract-candidates";
import type { Speaker } from "../../facts/extraction/typed-rules";
import { sha256Hex } from "../../kernel/hash";
import type { JsonObject } from "../../kernel/json";
import { LIMITS } from "../../kernel/limits";
import { clip, normaliseContent } from "../../language/normalise-text";
import { capitalise, type Sentence, stripCodeFences } from "../../language/sentences";
import { hasSecret } from "../../trust/privacy/mask-values";
import { PROJECTOR_SOURCE } from "../spaces/space-data";
import type { SpaceOp } from "../spaces/space-schemas";
import { ANY_SIGNAL, type Projector } from "./projector";
import {
  asText,
  MAX_ITEM_CHARS,
  MAX_ITEMS_PER_ENTRY,
  toUtterances,
  truncateAtSentence,
  type Utterance,
} from "./utterances";

/** Open tasks that the projector retains. */
export const MAX_OPEN_TASKS = 200;

export const tasksProjector: Projector = {
  name: "tasks",
  reads: ["message", "note"],
  trigger: { tick: true, after: 50, signals: [ANY_SIGNAL] },
  async project(entries) {
    const actions = (await Promise.all(toUtterances(entries).map(planActions))).flat();
    return {
      edits: ({ list }) => {
        const ops = computeOps(list("tasks"), actions);
        return ops.length === 0 ? [] : [{ space: "tasks", ops }];
      },
    };
  },
};

type PlannedAction = TaskAction & { id: string; seq: number };

async function planActions({ seq, role, text }: Utterance): Promise<PlannedAction[]> {
  if (role !== "user" && role !== "assistant") return [];
  return Promise.all(
    extractActions(truncateAtSentence(text), role).map(async (action) => {
      const hash = await sha256Hex(normaliseContent(action.text));
      return { ...action, id: `t-${hash.slice(0, 12)}`, seq };
    }),
  );
}

/** `projected` marks tasks of this projector; those of others are never changed. */
type KnownTask = { id: string | number | null; clause: string | null; open: boolean; projected: boolean };

function computeOps(tasks: readonly JsonObject[], actions: readonly PlannedAction[]): SpaceOp[] {
  const agenda = tasks.map(toKnownTask);
  let room = MAX_OPEN_TASKS - agenda.filter((task) => task.projected && task.open).length;
  const ops: SpaceOp[] = [];
  for (const { id, text, status, seq } of actions) {
    const clause = normaliseClause(text);
    if (status === "done") {
      const task = agenda.find(
        (item) => item.projected && item.open && item.clause === clause && item.id !== null,
      );
      if (task === undefined || task.id === null) continue;
      task.open = false;
      room += 1;
      ops.push({ op: "update", id: task.id, changes: { status } });
    } else if (room > 0 && !agenda.some((item) => item.id === id || item.clause === clause)) {
      room -= 1;
      agenda.push({ id, clause, open: true, projected: true });
      ops.push({ op: "append", item: { id, text, status, source: PROJECTOR_SOURCE, seq } });
    }
  }
  return ops;
}

function toKnownTask({ id, text, status, source }: JsonObject): KnownTask {
  const taskText = asText(text);
  return {
    id: typeof id === "string" || typeof id === "number" ? id : null,
    clause: taskText === null ? null : normaliseClause(taskText),
    open: status === "open",
    projected: source === PROJECTOR_SOURCE,
  };
}

/** Returns the form in which a task entered by hand equals one from a message. */
function normaliseClause(text: string): string {
  return normaliseContent(formatTaskText(text));
}

type Status = "open" | "done";
type TaskAction = { text: string; status: Status };

function extractActions(content: string, speaker: Speaker): TaskAction[] {
  return splitBlocks(content, speaker)
    .flatMap(({ text, status }) =>
      status === null
        ? extractSentences(text).flatMap((sentence) => parseSentence(sentence, speaker))
        : parseListItem(text, status),
    )
    .slice(0, MAX_ITEMS_PER_ENTRY);
}

const LABELS = "to-?dos?|action items?|next steps?|next actions?";
const HEADING = new RegExp(
  `^\\s*(?:#{1,6}\\s+)?[*_]{0,2}(?:(?:our|my|the|remaining|open) )?(?:${LABELS})[*_]{0,2}:?[*_]{0,2}\\s*$`,
  "i",
);
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;

type Block = { text: string; status: Status | null };

/**
 * Splits a message into the items of task lists and the text between them. A heading marks a task list, and so do a
 * user's checkboxes; an assistant uses open checkboxes for other lists too.
 */
function splitBlocks(content: string, speaker: Speaker): Block[] {
  const blocks: Block[] = [];
  let prose: string[] = [];
  let isTaskList = false;
  for (const line of stripCodeFences(content).split(/\r\n|[\n\r]/)) {
    const [, box, item] = BULLET.exec(line) ?? [];
    const status = box === "x" || box === "X" ? "done" : "open";
    const isCheckbox = box !== undefined && (speaker === "user" || status === "done");
    if (item !== undefined && (isTaskList || isCheckbox)) {
      blocks.push({ text: prose.join("\n"), status: null }, { text: item, status });
      prose = [];
    } else {
      prose.push(line);
      isTaskList = HEADING.test(line) || (isTaskList && line.trim() === "");
    }
  }
  return [...blocks, { text: prose.join("\n"), status: null }];
}

function parseListItem(item: string, status: Status): TaskAction[] {
  const [first] = extractSentences(item);
  return first === undefined ? [] : (parseLabel(first) ?? toActions(first.text, status));
}

function parseSentence(sentence: Sentence, speaker: Speaker): TaskAction[] {
  const labelled = parseLabel(sentence);
  if (labelled !== null) return labelled;
  const reminder = speaker === "user" ? POLITE_REMINDER.exec(sentence.prose) : null;
  if (reminder !== null)
    return toActions(sentence.text.slice(reminder[0].length).replace(/\?+$/, ""), "open");
  if (!isStatement(sentence)) return [];
  for (const { by, lead, tail = /$/, except } of RULES) {
    const match = by === undefined || by === speaker ? lead.exec(sentence.prose) : null;
    if (match === null || !tail.test(sentence.prose)) continue;
    const clause = extractClause(sentence.text.slice(match[0].length).replace(tail, ""));
    return except?.test(clause) ? [] : toActions(`${clause}${match[1] ?? ""}`, "open");
  }
  return [];
}

const LABEL = new RegExp(
  `^(?:(${LABELS})|done|completed|finished)(?: ?\\([^)]{1,40}\\))?(?:\\s?[:—–]\\s?| - )(?=\\S)`,
  "i",
);

function parseLabel({ text, prose }: Sentence): TaskAction[] | null {
  const label = LABEL.exec(prose);
  if (label === null) return null;
  return toActions(text.slice(label[0].length), label[1] === undefined ? "done" : "open");
}

/** A request for a reminder in the form of a question. */
const POLITE_REMINDER = /^(?:can|could|would|will) you (?:please )?remind me to (?=.+\?$)/i;

/** Verbs after "need to" that name no piece of work, and the steps of an explanation. */
const NOT_WORK =
  "(?!(?:be|know|understand|think|talk|go(?! live)|leave|say|see|hear|have|admit|ask you|tell you|remember|mention|point" +
  "|stress|emphasi[sz]e|confess|learn|wait|believe|feel|sleep|rest|worry|care|look(?! into)|get used|keep in mind|consider" +
  "|assume|note|reali[sz]e|accept|recall|explain|clarify|vent|eat|pee|focus|keep|grow|stay|catch up" +
  "|double down|get (?:back|some|going|moving|started|serious|ready)|move (?:fast|on|forward|quickly)" +
  "|find a (?:better |good )?way|fully|multiply|divide|subtract|calculate|compute|solve)\\b)";
const WHEN = "( tomorrow| later| tonight| (?:on|in|at|next|this) [\\w:]+(?: [\\w:]+)?)?";

type Rule = {
  by?: Speaker;
  /** Matches the words before the clause; a time among them moves to the end of the clause. */
  lead: RegExp;
  /** Matches the words after the clause. */
  tail?: RegExp;
  /** Clauses that are not tasks. */
  except?: RegExp;
};

/** Pronouns that refer to an earlier sentence. */
const DANGLING_REFERENCE =
  /\b(?:it|it's|this(?! (?:week|month|year|quarter|sprint|morning|afternoon|evening|weekend)\b)|that(?!'s| \w+ing\b)|these|those|them|things?|stuff|something|anything|everything)\b/i;

const RULES: readonly Rule[] = [
  { by: "user", lead: startingWith(`remind (?:me|us)${WHEN} to `) },
  { by: "user", lead: startingWith("remember to ") },
  { lead: startingWith("(?:don't(?: let me)?|do not) forget to ") },
  {
    lead: startingWith(`(?:i|we)(?:'ll)?(?: still| also| really)? need to ${NOT_WORK}`),
    except: DANGLING_REFERENCE,
  },
  { lead: startingWith("(?:the|our|my) next (?:step|task|action)(?: here)? is to ") },
  {
    by: "assistant",
    lead: startingWith(`next,? (?:i|we)(?:'ll| will|'m going to|'re going to) ${NOT_WORK}`),
  },
  { by: "assistant", lead: startingWith(`i(?:'ll| will|'m going to) ${NOT_WORK}`), tail: / next[.!]*$/i },
];

function startingWith(words: string): RegExp {
  return new RegExp(`^(?:(?:please|so|and|but|also|then|now|finally),? )?${words}`, "i");
}

function toActions(clause: string, status: Status): TaskAction[] {
  if (clause.length > LIMITS.contentChars || hasSecret(clause)) return [];
  const text = formatTaskText(clause);
  return NO_TASK.some((pattern) => pattern.test(text)) ? [] : [{ text, status }];
}

/** Returns the text of a task: its main clause, capitalised and limited in length. */
function formatTaskText(text: string): string {
  return clip(capitalise(extractClause(text)), MAX_ITEM_CHARS);
}

const LEADING_WORDS =
  /^(?:(?:please|also|and|then|to|let's|(?:i|we)(?:'ll)?(?: still| also)? (?:need|have) to|remember to|don't forget to) )+/i;
/** A reason, a condition or a remark after the main clause. */
const TRAILING_CLAUSE =
  /(?:;| [—–-] | \(?(?:because|so that|otherwise)\b|, (?:but|so|because|since|otherwise|as|which|or else|no|not|even|let's|ok|okay|thanks|please|right)\b| (?:please|thanks)[.!]*$).*$/i;

function extractClause(text: string): string {
  const plain = text.replace(/[‘’]/g, "'").replace(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, "$1");
  const whole = plain.replace(/\s+/g, " ").trim().replace(LEADING_WORDS, "");
  const short = whole.replace(TRAILING_CLAUSE, "");
  return (short.includes(" ") ? short : whole).replace(/[\s.,;:!…]+$/, "");
}

const NO_TASK: readonly RegExp[] = [
  /^\S*$/,
  /\?$/,
  /^[^\p{L}\p{N}`"“]/u,
  /^(?:none|nothing|n\/a|tbd|no|not|see|as above)\b/i,
  // The object is a pronoun that refers to an earlier sentence.
  /^(?:[\w'-]+ ){1,3}(?:it|this|that|them|these|those|something|anything|stuff|things|him|her|you|so|more|better)(?: (?:now|soon|again|today|later|first|asap|together|too|up|out|down|off|done))?$/i,
];
