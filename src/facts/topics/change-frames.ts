// Frames: statements with one open slot and no form of their own. "I park in bay 12" and "I park in bay 30 now" share the
// frame "user park in _". A frame may hold several values at once, so only a statement that says it is a change ("now",
// "from now on") replaces an older one of its frame.
import { stem } from "../../language/words/stem";
import { isDate, NUMBER_WORDS } from "./fact-values";
import type { Fact } from "./sentence-rule";

const FRAME = "frame_";
const CHANGE_MARKER =
  /\b(?:now|now(?:adays)|these days|from now on|going forward|from here on|instead|any ?more|as of (?:today|now|this|last|monday|tuesday|wednesday|thursday|friday))\b/i;

/** Verbs of which a subject has many objects, also after "now". */
const MANY_VALUED: ReadonlySet<string> = new Set(
  `like love hate enjoy know speak want need own have has got see visit learn read watch play collect believe understand
  include depend integrate subscribe follow sell offer support mention contain feature meet help try take practise
  practice friend export import deliver connect accept serve check show teach study remember think feel hope wish find ask tell say call grow cook bake buy make build create write fix test
  listen go come is are am be do does was were been work working use using prefer look talk`
    .split(/\s+/)
    .map(stem),
);
/** Of these verbs, an object after a preposition is single-valued enough for a marked change. */
const WITH_PREPOSITION: ReadonlySet<string> = new Set(
  "go come is are do does work build talk listen take write test buy play call".split(" ").map(stem),
);
const NO_FRAME =
  /^(?:an?|he|she|it|they|you|this|that|these|those|there|here|some|many|most|all|every|each|no|one of|what|who|his|her|their|its|people|please)\b/i;
const PREPOSITION = "in|on|at|with|from|for|to|by|over|via|under|against|through|every|into|out of";
/** After "to", a verb often has many objects: "we deliver to Ghent". */
const NO_OBJECT_TO = /^(?!.* (?:go|goes|set|belongs?|pinned|mapped|wired)$)/i;
const PREPOSITIONAL = new RegExp(
  `^(?<before>\\S+(?: \\S+){1,7}?) (?<link>${PREPOSITION}) (?<v>(?!(?:${PREPOSITION})\\b)[^\\s,]+(?: (?!(?:${PREPOSITION})\\b)[^\\s,]+){0,2})$`,
  "iu",
);
const TRANSITIVE =
  /^(?<before>(?:i|I|we|We|user|User|[Tt]he user|(?!My |Our |The )\p{Lu}[\p{L}-]+) \p{Ll}+)(?<link>) (?<v>\p{L}[\p{L}-]*(?: \p{L}[\p{L}-]*)?)$/u;
/** "My daughter's teacher is Mr Ng": a name after a noun. */
const COPULA =
  /^(?<before>(?:[Mm]y|[Oo]ur|[Tt]he|\p{Lu}\p{L}+'s) [\p{L}' -]{2,40}?) (?<link>is|are) (?<v>\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2})$/u;
const NUMERAL = new RegExp(
  `(?<![\\p{L}\\d-])(?:[$€£]?\\d[\\d.,]*[km]?%?|${NUMBER_WORDS})(?![\\p{L}\\d-])`,
  "giu",
);

/** Returns the frame and the value in its slot; null if the clause has none, or a verb with many objects. */
export function matchFrame(clause: string): Fact | null {
  if (NO_FRAME.test(clause) || /[;:"()]| (?:and|or|but) /i.test(clause)) return null;
  return matchNumberFrame(clause) ?? matchObjectFrame(clause);
}

export function isFrame({ attribute }: Fact): boolean {
  return attribute.startsWith(FRAME);
}

/** Returns true if a statement says that it replaces an older one. */
export function marksChange(content: string): boolean {
  return CHANGE_MARKER.test(content);
}

/** "Six people report to me": the number is the value. */
function matchNumberFrame(clause: string): Fact | null {
  const numbers = [...clause.matchAll(NUMERAL)];
  const [number] = numbers;
  if (number === undefined || numbers.length > 1 || /\b\p{L}{3,6}days?\b|:\d/iu.test(clause)) return null;
  const before = normaliseFrame(clause.slice(0, number.index).replace(/ (?:up|down) to $/i, " "));
  const after = normaliseFrame(clause.slice(number.index + number[0].length));
  if (before.length + after.length < 2 || !hasSingleValue(before, true)) return null;
  return toFrame(before, after, number[0]);
}

function matchObjectFrame(clause: string): Fact | null {
  const {
    before = "",
    link = "",
    v = "",
  } = (COPULA.exec(clause) ?? PREPOSITIONAL.exec(clause) ?? TRANSITIVE.exec(clause))?.groups ?? {};
  const words = normaliseFrame(before);
  if (v === "" || isDate(v) || /\b(?:me|us|him|them|it|there|here|myself|home|work|least|all)\b/i.test(v))
    return null;
  if (/^to$/i.test(link) && NO_OBJECT_TO.test(before)) return null;
  return words.length >= 2 && hasSingleValue(words, link !== "")
    ? toFrame([...words, link].filter(Boolean), [], v)
    : null;
}

function hasSingleValue(words: readonly string[], isLinked: boolean): boolean {
  return words.every((word) => !MANY_VALUED.has(word) || (isLinked && WITH_PREPOSITION.has(word)));
}

function normaliseFrame(text: string): string[] {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:the user|user|i)(?:'s)?(?= |$)/, "user")
    .replace(/^(?:my|the user's) /, "user ")
    .split(/\s+/)
    .filter((word) => word !== "" && !/^(?:the|our|an?|my)$/.test(word))
    .map(stem);
}

function toFrame(before: readonly string[], after: readonly string[], value: string): Fact {
  return { subject: before.join(" ") || "_", attribute: `${FRAME}${after.join("_")}`, value };
}

/** Values of a frame are of one shape: a name does not replace a common noun. */
export function haveSameShape(a: string, b: string): boolean {
  return toShape(a) === toShape(b);
}

function toShape(value: string): string {
  if (/\d/.test(value)) return "number";
  return /^(?:the )?\p{Lu}/u.test(value) ? "name" : "word";
}
