// Splits a statement into words: strips its opening, expands contractions, and marks names, code and quotations.
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/generated/terms.generated";

export type Word = {
  /** In lower case, except paths, URLs and flags. */
  text: string;
  /** A proper noun, an identifier or a path, which has no inflections. */
  name: boolean;
  /** In code or in quotes: a name in which every character counts. */
  verbatim: boolean;
  /** The first word of a sentence, where a capital letter does not mark a name. */
  initial: boolean;
  /** Preceded by a comma, colon or dash. */
  pause: boolean;
  colon: boolean;
  /** A possessive: "Anna's". */
  owner: boolean;
};

const RULE_TYPES: readonly MemoryType[] = [...listSubtypes("convention"), ...listSubtypes("lesson_learned")];
const DECISION_TYPES = listSubtypes("decision");

export type TypeFamily = "statement" | "rule" | "decision" | "guess" | "risk" | "unknown" | "intent";

/** Groups memory types by how they are worded: a rule is the same rule with or without "must". */
export function getTypeFamily(type: MemoryType): TypeFamily {
  if (RULE_TYPES.includes(type)) return "rule";
  if (DECISION_TYPES.includes(type)) return "decision";
  if (type === "assumption" || type === "hypothesis") return "guess";
  if (type === "risk" || type === "unknown") return type;
  return type === "task" || type === "plan" || type === "milestone" ? "intent" : "statement";
}

/** Openings without content, for statements of any type. */
const OPENINGS = [
  /^(?:(?:actually|basically|fyi|btw|by the way|also),?|(?:so|well|ok(?:ay)?),) /i,
  /^(?:(?:please )?(?:note|remember|keep in mind)|for the record)(?: that\b,?|,|:) /i,
  /^(?:it turns out|it turned out|it seems clear|the fact is|as mentioned,?)(?: that)? /i,
  /^we(?:'ve| have)? (?:found out|found|noticed|discovered|learned|learnt|observed|realised|realized) that /i,
  /^(?:found out|found|noticed|discovered|learned|learnt|observed) that /i,
];

/** Openings that only repeat the type. */
const OPENINGS_BY_FAMILY: Readonly<Record<TypeFamily, readonly RegExp[]>> = {
  statement: [/^(?:fact|discovery|finding|error|bug|incident|failure|root cause): /i],
  rule: [
    /^(?:convention|rule|lessons?(?: learned| learnt)?): /i,
    /^we(?:'ve| have)? (?:learned|learnt) (?:that|to) /i,
    /^please /i,
  ],
  decision: [
    /^(?:final )?decision: /i,
    /^(?:we|the team|it)(?:'ve| have| has| was| has been)? (?:decided|agreed)(?: that| to)? (?!on\b|against\b|with\b)/i,
    /^(?:we'll|we will|let's|let us) (?=\w)/i,
    /^the decision is (?:to|that) /i,
  ],
  guess: [
    /^(?:assumption|hypothesis): /i,
    /^(?:we(?:'re| are)?|i(?:'m| am)?|the user|the team) ?(?:assum(?:e|es|ing)|suspects?|thinks?|believes?|guess(?:es)?)(?: that)? /i,
    /^(?:assuming|presumably|supposedly|maybe|perhaps|probably|possibly),?(?: that)? /i,
    /^(?:the|our|my) (?:assumption|hypothesis) is(?: that)? /i,
  ],
  risk: [/^risk: /i, /^there(?:'s| is) (?:a|the|some) risk (?:that|of) /i, /^the risk is(?: that)? /i],
  unknown: [
    /^(?:unknown|(?:open )?question): /i,
    /^(?:we|i)(?: still)? (?:don't|do not|didn't) (?:yet )?know(?: yet)? (?:whether |if )?/i,
    /^it(?:'s| is)(?: still)? (?:unclear|unknown|not (?:yet )?(?:clear|known)) (?:whether |if )?/i,
    /^(?:unclear|not clear|unknown) (?:whether |if )?/i,
  ],
  intent: [
    /^(?:to-?do|task|action item|plan|milestone): /i,
    /^(?:the|our|my) plan is to /i,
    /^(?:please )?(?:remember|don't forget|do not forget|make sure) to /i,
    /^(?:please|need to|must|have to) /i,
  ],
};

/** Reported speech needs a "that" or a pronoun: "User notes are kept" reports nothing. */
const REPORTED_SPEECH =
  /^(?:the )?user (?:(?:said|says|told (?:me|us)|mentioned|mentions|noted|notes|stated|states|reported|reports|confirmed|confirms|explained|explains) that|(?:said|says|told (?:me|us)|mentioned)(?= (?:he|she|they|i|his|her|their|my)\b)) (?:(?:(he|she|they|i)|(his|her|their|my)) )?/i;

/** Returns the statement on one line, without trailing full stops. */
export function normaliseStatement(text: string): string {
  const line = text.normalize("NFKC").replace(/[‘’]/g, "'").replace(/\s+/g, " ").trim();
  let end = line.length;
  while (end > 0 && " .".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

/** Strips openings until none is left. */
export function stripOpening(line: string, family: TypeFamily): string {
  let rest = line;
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(REPORTED_SPEECH, (_, subject, possessive) =>
      subject !== undefined ? "the user " : possessive !== undefined ? "the user's " : "",
    );
    for (const opening of [...OPENINGS, ...OPENINGS_BY_FAMILY[family]]) {
      const stripped = rest.replace(opening, "");
      // A statement that consists of an opening alone keeps it.
      if (stripped !== "") rest = stripped;
    }
  }
  return rest;
}

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bcan't\b/gi, "can not"],
  [/\bwon't\b/gi, "will not"],
  [/n't\b/gi, " not"],
  [/'ll\b/gi, " will"],
  [/'re\b/gi, " are"],
  [/'ve\b/gi, " have"],
  [/'m\b/gi, " am"],
  [/\blet's\b/gi, "let us"],
  [/\b(it|that|there|what|who|where|how|he|she|here)'s\b/gi, "$1 is"],
];

/** Code spans and quotations; an apostrophe inside a word neither opens nor closes one. */
const VERBATIM =
  /(?<!`)`+([^`]+)`+|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|(?<![\p{L}\p{N}])(?:"([^"]+)"|'((?:[^']|(?<=\p{L})'(?=\p{L}))+)')(?![\p{L}\p{N}])/gu;
/** An asterisk before a word is emphasis; "*.ts" is not ".ts". */
const LEADING = /^(?:["'“”«([{`]|\*+(?=[\p{L}\p{N}"'“(`]))+/u;
/** The lookbehind matches once per run of punctuation; without it, a line of dots takes quadratic time. */
const TRAILING = /(?<!["'“”»)\]}*`.,;:!?…])["'“”»)\]}*`.,;:!?…]+$/;
/** For words of letters and digits: "hunter2!" may be a password, and is not "hunter2". */
const TRAILING_ALPHANUMERIC = /(?<!["'“”»)\]}`.,;:])["'“”»)\]}`.,;:]+$/;
const isAlphanumeric = (chunk: string): boolean => /\p{L}/u.test(chunk) && /\p{N}/u.test(chunk);
/** Operators are words: "x > 5" is not "x < 5", nor is "a -> b" "a <- b". */
const OPERATOR = /[\p{S}/%@&]/u;
const PATH = /^https?:|[\\/]/;
/** Flags keep their dashes and case: "-v" is neither "--v" nor "-V". */
const FLAG = /^[-–—]+[\p{L}\p{N}]/u;
/** Digits among letters, capitals inside, underscores, dots: code, versions, acronyms. */
const CODE = /\p{L}\d|\d\p{L}|_|\p{L}\.\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2,}s?$|^[.@#]\p{L}|[+#]$/u;

/** The context before a word: the start of a sentence, a pause, a colon. */
type WordPosition = { begins: boolean; pause: boolean; colon: boolean };

export function tokenise(text: string): Word[] {
  const words: Word[] = [];
  const position: WordPosition = { begins: true, pause: false, colon: false };
  const add = (toNextWord: (position: WordPosition) => Word) => {
    words.push(toNextWord(position));
    Object.assign(position, { begins: false, pause: false, colon: false });
  };
  for (const { piece, verbatim } of splitVerbatim(text)) {
    for (const chunk of piece.split(" ").filter(Boolean)) {
      if (verbatim) {
        add((at) => toVerbatimWord(chunk, at));
        continue;
      }
      const trailing = isAlphanumeric(chunk) ? TRAILING_ALPHANUMERIC : TRAILING;
      const inner = chunk.replace(LEADING, "").replace(trailing, "");
      if (/[\p{L}\p{N}]/u.test(inner)) {
        for (const part of splitHyphens(inner)) add((at) => toWord(part, at));
      } else if (OPERATOR.test(inner)) add((at) => ({ ...toVerbatimWord(inner, at), verbatim: false }));
      const ends = trailing.exec(chunk)?.[0] ?? "";
      if (/[,;:]/.test(ends) || /^[–—-]+$/.test(inner)) position.pause = true;
      if (ends.includes(":")) position.colon = true;
      if (/[.:!?]/.test(ends)) position.begins = true;
    }
    if (verbatim && /[.!?]$/.test(piece)) position.begins = true;
  }
  return words;
}

/** Splits off code and quotations, and expands the contractions of the prose between them. */
function splitVerbatim(text: string): { piece: string; verbatim: boolean }[] {
  const pieces: { piece: string; verbatim: boolean }[] = [];
  const addProse = (piece: string) =>
    pieces.push({
      piece: CONTRACTIONS.reduce((rest, [short, long]) => rest.replace(short, long), piece),
      verbatim: false,
    });
  let from = 0;
  for (const match of text.matchAll(VERBATIM)) {
    addProse(text.slice(from, match.index));
    pieces.push({ piece: match.slice(1).find((inside) => inside !== undefined) ?? "", verbatim: true });
    from = match.index + match[0].length;
  }
  addProse(text.slice(from));
  return pieces;
}

/** Splits "check-up" and "30-second" into two words; dates, paths and flags stay whole. */
function splitHyphens(inner: string): string[] {
  if (PATH.test(inner) || FLAG.test(inner)) return [inner];
  if (/^\d/.test(inner)) return /^\d+-[a-z]+$/i.test(inner) ? inner.split("-") : [inner];
  return inner.split(/[-–—]/).filter(Boolean);
}

function toVerbatimWord(chunk: string, { pause, colon }: WordPosition): Word {
  return {
    text: normaliseCase(chunk),
    name: true,
    verbatim: true,
    initial: false,
    pause,
    colon,
    owner: false,
  };
}

function toWord(part: string, { begins, pause, colon }: WordPosition): Word {
  const owner = /['’]s?$/.test(part);
  const whole = part.replace(/['’]s?$/, "");
  // "APIs" is the plural of an acronym; "getUsers" is an identifier.
  const text = /^\p{Lu}{2,}s$/u.test(whole) ? whole.slice(0, -1) : whole;
  const name =
    PATH.test(whole) ||
    FLAG.test(whole) ||
    CODE.test(whole) ||
    (!begins && /^\p{Lu}/u.test(whole) && whole !== "I");
  return { text: normaliseCase(text), name, verbatim: false, initial: begins, pause, colon, owner };
}

function normaliseCase(text: string): string {
  return PATH.test(text) || FLAG.test(text) ? text : text.toLowerCase();
}
