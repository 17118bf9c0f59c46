// Whether two memories of one type say the same thing, so that the newer may supersede the older. A wrong merge
// hides a fact and a missed one costs a line, so every word must be accounted for, and likeness never suffices.
import { normaliseContent } from "../memory-text";
import { typesUnder } from "../ontology/classes";
import type { MemoryType } from "../schemas/session";
import { type Placed, sameOrder } from "./near-duplicate-order";
import { type Reading, readBoth, type Token } from "./near-duplicate-reading";
import { aliasOf } from "./near-duplicate-words";

export type Statement = { type: MemoryType; content: string };

export type Difference =
  | "types differ"
  | "a question and a statement"
  | "numbers differ"
  | "names differ"
  | "words differ"
  | "negations or bounds differ"
  | "relations differ"
  | "modality differs"
  | "persons differ"
  | "tense differs"
  | "state differs"
  | "owning is not being"
  | "roles differ"
  | "too far apart"
  | "no vectors to compare";

export type Verdict =
  | { duplicate: true; why: "same wording" | "same meaning" }
  | { duplicate: false; why: Difference };

/** Commitments are worded with care: what is merged there must be nearer than an observation. */
const STRICT: readonly MemoryType[] = [
  ...typesUnder("decision"),
  ...typesUnder("convention"),
  ...typesUnder("lesson_learned"),
];
/** The least cosine of two statements whose words all agree; a word that only one of them has asks for more. */
const NEAR = { strict: { same: 0.5, more: 0.6 }, usual: { same: 0.4, more: 0.5 } } as const;

/** `cosine` is that of their document vectors, null when there are none: then only equal wording counts. */
export function isNearDuplicate(a: Statement, b: Statement, cosine: number | null): Verdict {
  if (a.type !== b.type) return { duplicate: false, why: "types differ" };
  // In one order, so that no step can tell which of the two came first.
  const [first, second] = a.content <= b.content ? [a.content, b.content] : [b.content, a.content];
  const [x, y] = readBoth(a.type, first, second);
  if (
    normaliseContent(first) === normaliseContent(second) ||
    (x.wording !== "" && x.wording === y.wording && x.question === y.question)
  ) {
    return { duplicate: true, why: "same wording" };
  }
  const difference = differenceOf(x, y) ?? distanceOf(a.type, x, y, cosine);
  return difference === null
    ? { duplicate: true, why: "same meaning" }
    : { duplicate: false, why: difference };
}

function differenceOf(a: Reading, b: Reading): Difference | null {
  if (a.question !== b.question) return "a question and a statement";
  const [x, y] = placed(strong(a), strong(b));
  const odd = [...only(x, y), ...only(y, x)];
  if (odd.some(({ kind }) => kind === "quantity")) return "numbers differ";
  if (odd.some(({ kind }) => kind === "name")) return "names differ";
  if (odd.length > 0 || x.length === 0 || (weakOnly(a, b) && weakOnly(b, a))) return "words differ";
  if (a.marks.join() !== b.marks.join()) return "negations or bounds differ";
  if (x.some((token) => relatesOtherwise(token, y))) return "relations differ";
  if (!equal(a.modes, b.modes)) return "modality differs";
  if (personsDiffer(a.persons, b.persons)) return "persons differ";
  if (tenseDiffers(a, b, x, y)) return "tense differs";
  if (a.family === "intent" && isDone(a) !== isDone(b)) return "state differs";
  if (a.has !== b.has && !(a.has ? b : a).possessive) return "owning is not being";
  return sameOrder(x, y) ? null : "roles differ";
}

function distanceOf(type: MemoryType, a: Reading, b: Reading, cosine: number | null): Difference | null {
  if (cosine === null) return "no vectors to compare";
  const near = NEAR[STRICT.includes(type) ? "strict" : "usual"];
  const least = weakOnly(a, b) || weakOnly(b, a) ? near.more : near.same;
  return cosine >= least ? null : "too far apart";
}

/** The content words; the user counts once, however often "I" and "my" are said. */
function strong({ tokens }: Reading): Token[] {
  const isFirst = (token: Token) => tokens.find(({ key }) => key === token.key) === token;
  return tokens.filter((token) => !token.weak && (!/^user(?:'s)?$/.test(token.key) || isFirst(token)));
}

function weakOnly(a: Reading, b: Reading): boolean {
  return a.tokens.some(({ weak, key }) => weak && !b.tokens.some((other) => other.key === key));
}

/** Gives each token of `b` the id of its counterpart in `a`, or one of its own. */
function placed(a: readonly Token[], b: readonly Token[]): [Placed[], Placed[]] {
  const first = a.map((token, id) => ({ ...token, id }));
  const free = [...first];
  const second = b.map((token, at) => {
    const found = free.findIndex((other) => isSame(other, token));
    const [taken] = found < 0 ? [] : free.splice(found, 1);
    return { ...token, id: taken?.id ?? a.length + at };
  });
  return [first, second];
}

/** A name is itself or an alias of it; only plain words have inflections and synonyms. */
function isSame(a: Token, b: Token): boolean {
  if (aliasOf(a.text) === aliasOf(b.text)) return true;
  // At the start of a sentence, "Adam" and "Adams" may be two people.
  const plural = a.initial && b.initial && (a.text === `${b.text}s` || b.text === `${a.text}s`);
  return a.kind === "word" && b.kind === "word" && a.key === b.key && !plural;
}

/** Prepositions that say what something is to another: to work for, with, as, at someone. */
const RELATION = new Map([
  ["in", "place"],
  ["at", "place"],
  ["on", "place"],
  ["into", "place"],
  ["to", "to"],
  ["for", "for"],
  ["with", "with"],
  ["using", "with"],
  ["as", "as"],
]);

function relatesOtherwise({ id, link }: Placed, others: readonly Placed[]): boolean {
  const relation = RELATION.get(link);
  const other = RELATION.get(others.find((token) => token.id === id)?.link ?? "");
  return relation !== undefined && other !== undefined && relation !== other;
}

function only(tokens: readonly Placed[], others: readonly Placed[]): Placed[] {
  return tokens.filter(({ id }) => !others.some((other) => other.id === id));
}

/** A passive has no "we" and an order no "you"; "he" and "she" are somebody. */
function personsDiffer(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (["he", "she"].some((person) => a.has(person) !== b.has(person))) return true;
  return a.size > 0 && b.size > 0 && !equal(a, b);
}

function tenseDiffers(a: Reading, b: Reading, x: readonly Placed[], y: readonly Placed[]): boolean {
  const before = (one: Reading, other: Reading, tokens: readonly Placed[]) =>
    one.was && !other.was && (other.is || !tokens.some(({ form }) => form === "past"));
  return before(a, b, y) || before(b, a, x) || x.some((token) => clashes(token, y));
}

/** "lived" and "lives", "is blocked" and "is blocking", "is built" and "is being built". */
function clashes({ id, form }: Placed, others: readonly Placed[]): boolean {
  const other = others.find((token) => token.id === id)?.form;
  const pair = [form, other];
  if (form === other) return false;
  if (pair.includes("undergoing")) return !pair.includes("progressive");
  if (pair.includes("past")) return !pair.includes("passive");
  return pair.includes("passive") && pair.includes("progressive");
}

/** Of a task or a plan: told as something that has happened. */
function isDone({ was, is, perfect, tokens }: Reading): boolean {
  return was || perfect || (is && tokens.some(({ form }) => form === "passive"));
}

function equal(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}
