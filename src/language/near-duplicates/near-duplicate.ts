// Decides whether two memories of one type are near-duplicates, so that the newer may supersede the older. A wrong
// merge hides a fact and a missed one costs a line: every content word must match, and similarity alone never suffices.
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { type ParsedStatement, parseTogether } from "./parse-statement";
import type { Token, VerbForm } from "./scan-words";
import { resolveAlias } from "./synonyms";
import { type AlignedToken, hasSameOrder } from "./word-order";

export { type ParsedStatement, parseStatement, type TypedStatement } from "./parse-statement";

type Difference =
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

/** Commitments are worded with care, so they need a higher similarity than observations. */
const STRICT_TYPES: ReadonlySet<MemoryType> = new Set([
  ...listSubtypes("decision"),
  ...listSubtypes("convention"),
  ...listSubtypes("lesson_learned"),
]);
/** Minimum cosine similarity: when all words match, and when only one statement has some optional word. */
const MIN_COSINE = {
  strict: { allWordsShared: 0.5, optionalWordUnshared: 0.6 },
  usual: { allWordsShared: 0.4, optionalWordUnshared: 0.5 },
} as const;

/** In longer statements a single different word carries too little weight, and comparing the word order is slow. */
const MAX_CONTENT_WORDS = 60;

/**
 * Compares two statements. `cosine` is the similarity of their document vectors; with null, only equal wording counts.
 * The cheapest checks run first, since most pairs of a batch are unrelated.
 */
export function isNearDuplicate(a: ParsedStatement, b: ParsedStatement, cosine: number | null): Verdict {
  if (a.type !== b.type) return { duplicate: false, why: "types differ" };
  // A fixed order makes the comparison symmetric.
  const [first, second] = a.content <= b.content ? [a, b] : [b, a];
  if (hasSameWording(first, second)) return { duplicate: true, why: "same wording" };
  const difference = compareVectors(first, second, cosine) ?? compareStatements(first, second);
  return difference === null
    ? { duplicate: true, why: "same meaning" }
    : { duplicate: false, why: difference };
}

function hasSameWording(a: ParsedStatement, b: ParsedStatement): boolean {
  if (a.question !== b.question) return false;
  if (a.wording === b.wording) return true;
  if (a.letters !== b.letters || isLong(a) || isLong(b)) return false;
  const [x, y] = parseTogether(a, b);
  return x.wording === y.wording;
}

function compareVectors(a: ParsedStatement, b: ParsedStatement, cosine: number | null): Difference | null {
  if (cosine === null) return "no vectors to compare";
  const min = MIN_COSINE[STRICT_TYPES.has(a.type) ? "strict" : "usual"];
  if (cosine >= min.optionalWordUnshared) return null;
  if (cosine < min.allWordsShared) return "too far apart";
  return hasUnsharedOptional(a, b) || hasUnsharedOptional(b, a) ? "too far apart" : null;
}

function compareStatements(a: ParsedStatement, b: ParsedStatement): Difference | null {
  if (a.question !== b.question) return "a question and a statement";
  if (isLong(a) || isLong(b)) return "too long to compare";
  const unshared = findUnsharedWords(a, b);
  if (unshared.length === 0) return compareUsage(a, b);
  // A compound leaves at most three words unshared: itself and its two parts.
  const compounds = unshared.filter(({ text }) => a.compounds.has(text) || b.compounds.has(text));
  if (unshared.length > 3 * compounds.length) return classifyDifference(unshared);
  const [x, y] = parseTogether(a, b);
  return classifyDifference(findUnsharedWords(x, y)) ?? compareUsage(x, y);
}

const isLong = ({ contentWords }: ParsedStatement): boolean => contentWords.length > MAX_CONTENT_WORDS;

/** Returns the content words that occur more often in one statement than in the other. */
function findUnsharedWords(a: ParsedStatement, b: ParsedStatement): Token[] {
  const more = (one: ParsedStatement, other: ParsedStatement) =>
    one.contentWords.filter(
      ({ root }) => (one.rootCounts.get(root) ?? 0) > (other.rootCounts.get(root) ?? 0),
    );
  return [...more(a, b), ...more(b, a)];
}

function classifyDifference(unshared: readonly Token[]): Difference | null {
  if (unshared.some(({ kind }) => kind === "quantity")) return "numbers differ";
  if (unshared.some(({ kind }) => kind === "name")) return "names differ";
  return unshared.length > 0 ? "words differ" : null;
}

/** Compares how two statements of the same words use them: names, negation, modality, tense, word order. */
function compareUsage(a: ParsedStatement, b: ParsedStatement): Difference | null {
  const [x, y] = alignTokens(a.contentWords, b.contentWords);
  const others = new Map(y.map(({ token, id }) => [id, token]));
  const pairs = x.flatMap(({ token, id }): [Token, Token][] => {
    const other = others.get(id);
    return other === undefined ? [] : [[token, other]];
  });
  if (pairs.length < x.length || pairs.length < y.length)
    return classifyDifference([...listUnmatchedTokens(x, y), ...listUnmatchedTokens(y, x)]);
  if (x.length === 0 || (hasUnsharedOptional(a, b) && hasUnsharedOptional(b, a))) return "words differ";
  if (a.qualifiers !== b.qualifiers) return "negations or bounds differ";
  if (pairs.some(([one, other]) => relationsConflict(one, other))) return "relations differ";
  if (!equalSets(a.modalities, b.modalities)) return "modality differs";
  if (personsDiffer(a.persons, b.persons)) return "persons differ";
  if (tenseDiffers(a, b, pairs)) return "tense differs";
  if (a.completed !== b.completed) return "state differs";
  if (a.possession !== b.possession && !(a.possession ? b : a).possessive) return "owning is not being";
  return hasSameOrder(x, y) ? null : "roles differ";
}

function hasUnsharedOptional(a: ParsedStatement, b: ParsedStatement): boolean {
  return a.optionalKeys.some((key) => !b.keys.has(key));
}

/** Gives each token of `b` the id of its counterpart in `a`, or a new id. */
function alignTokens(a: readonly Token[], b: readonly Token[]): [AlignedToken[], AlignedToken[]] {
  const first = a.map((token, id) => ({ token, id }));
  const free = [...first];
  const second = b.map((token, at) => {
    const found = free.findIndex((other) => isSameToken(other.token, token));
    const [taken] = found < 0 ? [] : free.splice(found, 1);
    return { token, id: taken?.id ?? a.length + at };
  });
  return [first, second];
}

/** Matches names by text or alias; only plain words have inflections and synonyms. */
function isSameToken(a: Token, b: Token): boolean {
  if (a.root !== b.root) return false;
  if (a.text === b.text) return true;
  // "`temp`" is not "`temperature`".
  if (a.verbatim || b.verbatim) return false;
  if (resolveAlias(a.text) === resolveAlias(b.text)) return true;
  // At the start of a sentence, "Adam" and "Adams" may be two people.
  const plural = a.initial && b.initial && (a.text === `${b.text}s` || b.text === `${a.text}s`);
  return a.kind === "word" && b.kind === "word" && a.key === b.key && !plural;
}

/** Prepositions that express a relation: to work for, with, as, at someone. */
const RELATIONS = new Map([
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

function relationsConflict(a: Token, b: Token): boolean {
  const [relation, other] = [RELATIONS.get(a.link), RELATIONS.get(b.link)];
  return relation !== undefined && other !== undefined && relation !== other;
}

function listUnmatchedTokens(tokens: readonly AlignedToken[], others: readonly AlignedToken[]): Token[] {
  return tokens.flatMap(({ token, id }) => (others.some((other) => other.id === id) ? [] : [token]));
}

/** A passive has no "we" and an imperative no "you", so only "he" and "she" must occur in both. */
function personsDiffer(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (["he", "she"].some((person) => a.has(person) !== b.has(person))) return true;
  return a.size > 0 && b.size > 0 && !equalSets(a, b);
}

function tenseDiffers(a: ParsedStatement, b: ParsedStatement, pairs: readonly [Token, Token][]): boolean {
  const onlyPast = (one: ParsedStatement, other: ParsedStatement) =>
    one.past && !other.past && (other.present || !other.contentWords.some(({ form }) => form === "past"));
  return (
    onlyPast(a, b) || onlyPast(b, a) || pairs.some(([one, other]) => formsConflict(one.form, other.form))
  );
}

/** Detects "lived" against "lives", "is blocked" against "is blocking", "is built" against "is being built". */
function formsConflict(a: VerbForm, b: VerbForm): boolean {
  const pair = [a, b];
  if (a === b) return false;
  if (pair.includes("undergoing")) return !pair.includes("progressive");
  if (pair.includes("past")) return !pair.includes("passive");
  return pair.includes("passive") && pair.includes("progressive");
}

function equalSets(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}
