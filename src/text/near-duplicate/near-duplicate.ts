// Whether two memories of one type say the same thing, so that the newer may supersede the older. A wrong merge
// hides a fact and a missed one costs a line, so every word must be accounted for, and likeness never suffices.
import { typesUnder } from "../../ontology/classes";
import type { MemoryType } from "../../schemas/session";
import { type Form, type Reading, readTogether, type Token } from "./parse-statement";
import { aliasOf } from "./synonyms";
import { type Placed, sameOrder } from "./word-order";

export { type Reading, readStatement, type Statement } from "./parse-statement";

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
  | "too long to compare"
  | "too far apart"
  | "no vectors to compare";

export type Verdict =
  | { duplicate: true; why: "same wording" | "same meaning" }
  | { duplicate: false; why: Difference };

/** Commitments are worded with care: what is merged there must be nearer than an observation. */
const STRICT: ReadonlySet<MemoryType> = new Set([
  ...typesUnder("decision"),
  ...typesUnder("convention"),
  ...typesUnder("lesson_learned"),
]);
/** The least cosine of two statements whose words all agree; a word that only one of them has asks for more. */
const NEAR = { strict: { same: 0.5, more: 0.6 }, usual: { same: 0.4, more: 0.5 } } as const;

/** Content words. In a longer statement one of them hides too well, and comparing the order of all takes time. */
const LONGEST = 60;

/**
 * `cosine` is that of their document vectors, null when there are none: then only equal wording counts. What costs
 * least is asked first, as most pairs of a comparison of many have nothing to do with each other.
 */
export function isNearDuplicate(a: Reading, b: Reading, cosine: number | null): Verdict {
  if (a.type !== b.type) return { duplicate: false, why: "types differ" };
  // In one order, so that no step can tell which of the two came first.
  const [first, second] = a.content <= b.content ? [a, b] : [b, a];
  if (sameWording(first, second)) return { duplicate: true, why: "same wording" };
  const difference = distanceOf(first, second, cosine) ?? differenceOf(first, second);
  return difference === null
    ? { duplicate: true, why: "same meaning" }
    : { duplicate: false, why: difference };
}

function sameWording(a: Reading, b: Reading): boolean {
  if (a.question !== b.question) return false;
  if (a.wording === b.wording) return true;
  if (a.letters !== b.letters || isLong(a) || isLong(b)) return false;
  const [x, y] = readTogether(a, b);
  return x.wording === y.wording;
}

function distanceOf(a: Reading, b: Reading, cosine: number | null): Difference | null {
  if (cosine === null) return "no vectors to compare";
  const near = NEAR[STRICT.has(a.type) ? "strict" : "usual"];
  const isNear = cosine >= near.more || (cosine >= near.same && !weakOnly(a, b) && !weakOnly(b, a));
  return isNear ? null : "too far apart";
}

function differenceOf(a: Reading, b: Reading): Difference | null {
  if (a.question !== b.question) return "a question and a statement";
  if (isLong(a) || isLong(b)) return "too long to compare";
  const odd = oddOf(a, b);
  if (odd.length === 0) return differenceInUse(a, b);
  // A compound and the two words it is made of are three.
  const compounds = odd.filter(({ text }) => a.compounds.has(text) || b.compounds.has(text));
  if (odd.length > 3 * compounds.length) return differenceIn(odd);
  const [x, y] = readTogether(a, b);
  return differenceIn(oddOf(x, y)) ?? differenceInUse(x, y);
}

const isLong = ({ strong }: Reading): boolean => strong.length > LONGEST;

/** The content words that one of them has more often than the other. */
function oddOf(a: Reading, b: Reading): Token[] {
  const more = (one: Reading, other: Reading) =>
    one.strong.filter(({ root }) => (one.counts.get(root) ?? 0) > (other.counts.get(root) ?? 0));
  return [...more(a, b), ...more(b, a)];
}

function differenceIn(odd: readonly Token[]): Difference | null {
  if (odd.some(({ kind }) => kind === "quantity")) return "numbers differ";
  if (odd.some(({ kind }) => kind === "name")) return "names differ";
  return odd.length > 0 ? "words differ" : null;
}

/** Of two statements of the same words: whether these are the same names, and said in the same way. */
function differenceInUse(a: Reading, b: Reading): Difference | null {
  const [x, y] = placed(a.strong, b.strong);
  const others = new Map(y.map(({ token, id }) => [id, token]));
  const same = x.flatMap(({ token, id }): [Token, Token][] => {
    const other = others.get(id);
    return other === undefined ? [] : [[token, other]];
  });
  if (same.length < x.length || same.length < y.length)
    return differenceIn([...unmatched(x, y), ...unmatched(y, x)]);
  if (x.length === 0 || (weakOnly(a, b) && weakOnly(b, a))) return "words differ";
  if (a.marks !== b.marks) return "negations or bounds differ";
  if (same.some(([one, other]) => relatesOtherwise(one, other))) return "relations differ";
  if (!equal(a.modes, b.modes)) return "modality differs";
  if (personsDiffer(a.persons, b.persons)) return "persons differ";
  if (tenseDiffers(a, b, same)) return "tense differs";
  if (a.done !== b.done) return "state differs";
  if (a.has !== b.has && !(a.has ? b : a).possessive) return "owning is not being";
  return sameOrder(x, y) ? null : "roles differ";
}

function weakOnly(a: Reading, b: Reading): boolean {
  return a.weak.some((key) => !b.keys.has(key));
}

/** Gives each token of `b` the id of its counterpart in `a`, or one of its own. */
function placed(a: readonly Token[], b: readonly Token[]): [Placed[], Placed[]] {
  const first = a.map((token, id) => ({ token, id }));
  const free = [...first];
  const second = b.map((token, at) => {
    const found = free.findIndex((other) => isSame(other.token, token));
    const [taken] = found < 0 ? [] : free.splice(found, 1);
    return { token, id: taken?.id ?? a.length + at };
  });
  return [first, second];
}

/** A name is itself or an alias of it; only plain words have inflections and synonyms. */
function isSame(a: Token, b: Token): boolean {
  if (a.root !== b.root) return false;
  if (a.text === b.text) return true;
  // "`temp`" is not "`temperature`".
  if (a.verbatim || b.verbatim) return false;
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

function relatesOtherwise(a: Token, b: Token): boolean {
  const [relation, other] = [RELATION.get(a.link), RELATION.get(b.link)];
  return relation !== undefined && other !== undefined && relation !== other;
}

function unmatched(tokens: readonly Placed[], others: readonly Placed[]): Token[] {
  return tokens.flatMap(({ token, id }) => (others.some((other) => other.id === id) ? [] : [token]));
}

/** A passive has no "we" and an order no "you"; "he" and "she" are somebody. */
function personsDiffer(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (["he", "she"].some((person) => a.has(person) !== b.has(person))) return true;
  return a.size > 0 && b.size > 0 && !equal(a, b);
}

function tenseDiffers(a: Reading, b: Reading, same: readonly [Token, Token][]): boolean {
  const before = (one: Reading, other: Reading) =>
    one.past && !other.past && (other.present || !other.strong.some(({ form }) => form === "past"));
  return before(a, b) || before(b, a) || same.some(([one, other]) => clash(one.form, other.form));
}

/** "lived" and "lives", "is blocked" and "is blocking", "is built" and "is being built". */
function clash(a: Form, b: Form): boolean {
  const pair = [a, b];
  if (a === b) return false;
  if (pair.includes("undergoing")) return !pair.includes("progressive");
  if (pair.includes("past")) return !pair.includes("passive");
  return pair.includes("passive") && pair.includes("progressive");
}

function equal(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}
