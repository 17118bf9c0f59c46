// A statement as words: what it opens with cut off, contractions written out, names and code told from prose.
import { typesUnder } from "../../ontology/classes";
import type { MemoryType } from "../../schemas/session";

export type Word = {
  /** In lower case, but for paths, addresses and flags. */
  text: string;
  /** A proper noun, an identifier, a path: it equals nothing but itself. */
  name: boolean;
  /** In code or in quotes: a name in which every character counts. */
  verbatim: boolean;
  /** The first of a sentence: its capital says nothing. */
  initial: boolean;
  /** A comma, colon or dash stands before it. */
  pause: boolean;
  colon: boolean;
  /** "Anna's". */
  owner: boolean;
};

const RULE_TYPES: readonly MemoryType[] = [...typesUnder("convention"), ...typesUnder("lesson_learned")];
const DECISION_TYPES = typesUnder("decision");

export type Family = "statement" | "rule" | "decision" | "guess" | "risk" | "unknown" | "intent";

/** Types that share how they are worded: a rule is a rule with or without "must". */
export function familyOf(type: MemoryType): Family {
  if (RULE_TYPES.includes(type)) return "rule";
  if (DECISION_TYPES.includes(type)) return "decision";
  if (type === "assumption" || type === "hypothesis") return "guess";
  if (type === "risk" || type === "unknown") return type;
  return type === "task" || type === "plan" || type === "milestone" ? "intent" : "statement";
}

/** What a statement of any type opens with. */
const OPENINGS = [
  /^(?:(?:actually|basically|fyi|btw|by the way|also),?|(?:so|well|ok(?:ay)?),) /i,
  /^(?:(?:please )?(?:note|remember|keep in mind)|for the record)(?: that\b,?|,|:) /i,
  /^(?:it turns out|it turned out|it seems clear|the fact is|as mentioned,?)(?: that)? /i,
  /^we(?:'ve| have)? (?:found out|found|noticed|discovered|learned|learnt|observed|realised|realized) that /i,
  /^(?:found out|found|noticed|discovered|learned|learnt|observed) that /i,
];

/** What the type says already. */
const BY_FAMILY: Readonly<Record<Family, readonly RegExp[]>> = {
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

/** "User notes are kept" says nothing of what a user noted: it takes a "that" or a pronoun. */
const USER_SAID =
  /^(?:the )?user (?:(?:said|says|told (?:me|us)|mentioned|mentions|noted|notes|stated|states|reported|reports|confirmed|confirms|explained|explains) that|(?:said|says|told (?:me|us)|mentioned)(?= (?:he|she|they|i|his|her|their|my)\b)) (?:(?:(he|she|they|i)|(his|her|their|my)) )?/i;

/** The statement on one line, without the stops that end it. */
export function plain(text: string): string {
  const line = text.normalize("NFKC").replace(/[‘’]/g, "'").replace(/\s+/g, " ").trim();
  let end = line.length;
  while (end > 0 && " .".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

/** The same without its opening. */
export function opened(line: string, family: Family): string {
  let rest = line;
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(USER_SAID, (_, subject, possessive) =>
      subject !== undefined ? "the user " : possessive !== undefined ? "the user's " : "",
    );
    for (const opening of [...OPENINGS, ...BY_FAMILY[family]]) {
      const cut = rest.replace(opening, "");
      // An opening that is all there is opens nothing.
      if (cut !== "") rest = cut;
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
/** Tried once per run of stops: a line of dots must not be searched from each of them. */
const TRAILING = /(?<!["'“”»)\]}*`.,;:!?…])["'“”»)\]}*`.,;:!?…]+$/;
/** What ends a word of letters and digits: "hunter2!" may be a password, and is not "hunter2". */
const TRAILING_MIXED = /(?<!["'“”»)\]}`.,;:])["'“”»)\]}`.,;:]+$/;
const isMixed = (chunk: string): boolean => /\p{L}/u.test(chunk) && /\p{N}/u.test(chunk);
/** "x > 5" is not "x < 5", nor "a -> b" "a <- b". */
const OPERATOR = /[\p{S}/%@&]/u;
const PATH = /^https?:|[\\/]/;
/** "-v" is not "--v", nor "-V". */
const FLAG = /^[-–—]+[\p{L}\p{N}]/u;
/** Digits among letters, capitals inside, underscores, dots: code, versions, acronyms. */
const CODE = /\p{L}\d|\d\p{L}|_|\p{L}\.\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2,}s?$|^[.@#]\p{L}|[+#]$/u;

type Place = { begins: boolean; pause: boolean; colon: boolean };

export function split(text: string): Word[] {
  const words: Word[] = [];
  const place: Place = { begins: true, pause: false, colon: false };
  const add = (word: (place: Place) => Word) => {
    words.push(word(place));
    Object.assign(place, { begins: false, pause: false, colon: false });
  };
  for (const { piece, verbatim } of pieces(text)) {
    for (const chunk of piece.split(" ").filter(Boolean)) {
      if (verbatim) {
        add((at) => verbatimWord(chunk, at));
        continue;
      }
      const trailing = isMixed(chunk) ? TRAILING_MIXED : TRAILING;
      const inner = chunk.replace(LEADING, "").replace(trailing, "");
      if (/[\p{L}\p{N}]/u.test(inner)) {
        for (const part of parts(inner)) add((at) => wordOf(part, at));
      } else if (OPERATOR.test(inner)) add((at) => ({ ...verbatimWord(inner, at), verbatim: false }));
      const ends = trailing.exec(chunk)?.[0] ?? "";
      if (/[,;:]/.test(ends) || /^[–—-]+$/.test(inner)) place.pause = true;
      if (ends.includes(":")) place.colon = true;
      if (/[.:!?]/.test(ends)) place.begins = true;
    }
    if (verbatim && /[.!?]$/.test(piece)) place.begins = true;
  }
  return words;
}

/** The prose, with contractions written out, and what is verbatim. */
function pieces(text: string): { piece: string; verbatim: boolean }[] {
  const found: { piece: string; verbatim: boolean }[] = [];
  const prose = (piece: string) =>
    found.push({
      piece: CONTRACTIONS.reduce((rest, [short, long]) => rest.replace(short, long), piece),
      verbatim: false,
    });
  let from = 0;
  for (const match of text.matchAll(VERBATIM)) {
    prose(text.slice(from, match.index));
    found.push({ piece: match.slice(1).find((inside) => inside !== undefined) ?? "", verbatim: true });
    from = match.index + match[0].length;
  }
  prose(text.slice(from));
  return found;
}

/** "check-up" is two words, and so is "30-second"; a date is one. */
function parts(inner: string): string[] {
  if (PATH.test(inner) || FLAG.test(inner)) return [inner];
  if (/^\d/.test(inner)) return /^\d+-[a-z]+$/i.test(inner) ? inner.split("-") : [inner];
  return inner.split(/[-–—]/).filter(Boolean);
}

function verbatimWord(chunk: string, { pause, colon }: Place): Word {
  return { text: cased(chunk), name: true, verbatim: true, initial: false, pause, colon, owner: false };
}

function wordOf(part: string, { begins, pause, colon }: Place): Word {
  const owner = /['’]s?$/.test(part);
  const whole = part.replace(/['’]s?$/, "");
  // "APIs" is more than one API; "getUsers" is another function.
  const text = /^\p{Lu}{2,}s$/u.test(whole) ? whole.slice(0, -1) : whole;
  const name =
    PATH.test(whole) ||
    FLAG.test(whole) ||
    CODE.test(whole) ||
    (!begins && /^\p{Lu}/u.test(whole) && whole !== "I");
  return { text: cased(text), name, verbatim: false, initial: begins, pause, colon, owner };
}

function cased(text: string): string {
  return PATH.test(text) || FLAG.test(text) ? text : text.toLowerCase();
}
