// A statement as words: what it opens with cut off, contractions written out, names and code told from prose.
import { typesUnder } from "../ontology/classes";
import type { MemoryType } from "../schemas/session";

export type Word = {
  /** In lower case, but for paths and addresses. */
  text: string;
  /** A proper noun, an identifier, a path: it equals nothing but itself. */
  name: boolean;
  /** The first of a sentence: its capital says nothing. */
  initial: boolean;
  /** A comma, colon or dash stands before it. */
  pause: boolean;
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

/** The statement without its opening. */
export function opened(text: string, family: Family): string {
  let rest = text.normalize("NFKC").replace(/[‘’]/g, "'").replace(/\s+/g, " ").trim();
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

const LEADING = /^["'“”«([{*`]+/;
/** Tried once per run of stops: a line of dots must not be searched from each of them. */
const TRAILING = /(?<!["'“”»)\]}*`.,;:!?…])["'“”»)\]}*`.,;:!?…]+$/;
/** "x > 5" is not "x < 5". */
const OPERATOR = /^[\p{S}/%@]+$/u;
const PATH = /^https?:|[\\/]/;
/** Digits among letters, capitals inside, underscores, dots: code, versions, acronyms. */
const CODE = /\p{L}\d|\d\p{L}|_|\p{L}\.\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2,}s?$|^[.@#]\p{L}|[+#]$/u;

export function split(text: string): Word[] {
  const spelled = CONTRACTIONS.reduce((rest, [short, long]) => rest.replace(short, long), text);
  const words: Word[] = [];
  let begins = true;
  let pause = false;
  for (const chunk of spelled.split(" ")) {
    const inner = chunk.replace(LEADING, "").replace(TRAILING, "");
    const ends = TRAILING.exec(chunk)?.[0] ?? "";
    if (/[\p{L}\p{N}]/u.test(inner)) {
      const parts = PATH.test(inner) || /^-?\d/.test(inner) ? [inner] : inner.split(/[-–—]/).filter(Boolean);
      for (const part of parts.flatMap(unglued)) {
        words.push(wordOf(part, begins, pause));
        begins = false;
        pause = false;
      }
    }
    if (OPERATOR.test(inner)) words.push({ text: inner, name: true, initial: false, pause, owner: false });
    if (/[.:!?]/.test(ends)) begins = true;
    if (/[,;:]/.test(ends) || /^[–—-]*$/.test(inner)) pause = true;
  }
  return words;
}

/** "30-second" is two words; a date is one. */
function unglued(part: string): string[] {
  return /^\d+-[a-z]+$/i.test(part) ? part.split("-") : [part];
}

function wordOf(part: string, begins: boolean, pause: boolean): Word {
  const owner = /['’]s?$/.test(part);
  const whole = part.replace(/['’]s?$/, "");
  if (PATH.test(whole)) return { text: whole, name: true, initial: begins, pause, owner };
  const name = CODE.test(whole) || (!begins && /^\p{Lu}/u.test(whole) && whole !== "I");
  // "APIs" is more than one API; "getUsers" is another function.
  const text = /^\p{Lu}{2,}s$/u.test(whole) ? whole.slice(0, -1) : whole;
  return { text: text.toLowerCase(), name, initial: begins, pause, owner };
}
