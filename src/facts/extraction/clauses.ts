// Parses a sentence as far as the rules need it: its clauses, and the subject, auxiliaries and verb of a clause in the
// first person. One pass over the words, so that hostile input takes linear time.

/** A clause in the first person: `have never been to Asia` has the auxiliaries have, the verb been, and is negated. */
export type VerbPhrase = {
  auxiliaries: string[];
  negated: boolean;
  hedged: boolean;
  adverbs: string[];
  /** The main verb, or the word after a form of be; empty at the end of a clause. */
  verb: string;
  /** The words after the verb, in lower case. */
  rest: string;
};

/** A comma, dash, semicolon or conjunction before a new subject in the first person starts a clause. */
const CLAUSE_BREAK =
  /(?: ?[,;:—–]| -) (?:(?:and|but|so|because|since|although|though|while|yet|or|plus|however|also|btw|by the way|actually|really),? )*(?=(?:i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|we'd|we'll|my|our)\b)| (?!and (?:i|me) (?:are|were|both|aren't|weren't|met|share|got (?:married|engaged|divorced)|have been (?:together|married))\b)(?<!^(?:me|myself))(?:and|but|so|because|although|though|plus|btw|by the way),? (?:(?:actually|really|in fact|honestly),? )?(?=(?:i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|we'll|my|our)\b)/gi;

/** Phrases before the subject, which say when, where or how a statement holds. */
const LEAD =
  /^(?:since|in|on|at|for|by|until|from|every|each|next|last|this|after|before|during|as|when|while|usually|currently|sometimes|often|most|these|nowadays|lately|recently|normally|generally|typically|unfortunately|luckily|sadly|honestly|personally|basically|technically|apparently|finally|soon|eventually|outside|besides|due|because|thanks|with|without|not|back|once|over|between|years|about|around|professionally|originally|traditionally|historically|unlike|like|growing|tbh|ngl|truth|two|three|four|five|ten|one|several|some|early|late|all|starting|beginning|as of|right|just|too|overall|weekends|weekdays|mornings|evenings|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b/i;
const FIRST_PERSON_AHEAD =
  /[,:]? (?=(?:\p{Lu}[\p{L}']{1,20} and i|(?:my|our) [\w-]+ and i|i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|we'd|we'll)\b)|[,:] (?=(?:my|our)\b)/iu;
/** A longer phrase before the subject holds a clause of its own. */
const MAX_LEAD_CHARS = 90;

/** Splits a sentence where a new subject in the first person begins. */
export function splitClauses(prose: string): string[] {
  const clauses: string[] = [];
  let start = 0;
  for (const gap of prose.matchAll(CLAUSE_BREAK)) {
    if (gap.index > start) clauses.push(prose.slice(start, gap.index));
    start = gap.index + gap[0].length;
  }
  return [...clauses, prose.slice(start)];
}

/** Returns a clause without the phrase before its subject, if the subject is in the first person. */
export function stripLead(clause: string): string {
  if (!LEAD.test(clause)) return clause;
  const ahead = FIRST_PERSON_AHEAD.exec(clause.slice(0, MAX_LEAD_CHARS));
  return ahead === null ? clause : clause.slice(ahead.index + ahead[0].length);
}

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bcan't\b|\bcannot\b|\bcant\b/g, "can not"],
  [/\bwon't\b|\bwont\b/g, "will not"],
  [/\bain't\b/g, "am not"],
  [/\b(do|does|did|have|has|had|is|are|was|were|would|could|should)n'?t\b/g, "$1 not"],
  [/\b(i|we)'m\b|\bim\b/g, "i am"],
  [/\bwe're\b/g, "we are"],
  [/\b(i|we)'ve\b/g, "$1 have"],
  [/\bive\b/g, "i have"],
  [/\b(i|we)'ll\b/g, "$1 will"],
  [/\b(i|we)'d\b(?= (?:never )?been\b)/g, "$1 had"],
  [/\b(i|we)'d\b/g, "$1 would"],
];

export function expandContractions(clause: string): string {
  return CONTRACTIONS.reduce((text, [pattern, full]) => text.replace(pattern, full), clause.toLowerCase());
}

const SUBJECT =
  /^(?:i|we|both of us|all of us|neither of us|none of us|most of us|(?:me|myself) and [\w ]{1,30}?|(?:my|our) (?:\w+ ){1,3}and (?:i|me)|[\w']{1,20} and i)(?= )/;
const AUXILIARIES: ReadonlySet<string> = new Set(
  "am are is was were be been do does did will would shall can could may might must should".split(" "),
);
const HAVE: ReadonlySet<string> = new Set(["have", "had", "has"]);
const HEDGES: ReadonlySet<string> = new Set(
  "probably maybe perhaps possibly might may could presumably supposedly".split(" "),
);
const ADVERBS: ReadonlySet<string> = new Set(
  "also only still just always often now sometimes even both all ever then soon almost too quite very rather pretty so kind sort of much absolutely once again no longer already yet typically".split(
    " ",
  ),
);
/** Verbs and nouns that end like adverbs. */
const NOT_ADVERBS: ReadonlySet<string> = new Set(
  "apply rely reply supply comply fly multiply family early bully belly italy july ally imply daily weekly monthly likely elderly friendly".split(
    " ",
  ),
);
const PARTICIPLE =
  /^(?:been|got|gotten|had|made|done|gone|seen|known|taken|given|written|run|come|become|begun|lost|bought|sold|built|taught|thought|found|left|met|kept|read|told|said|heard|felt|grown|spent|put|set|cut|quit|broken|driven|eaten|drunk|flown|spoken|chosen|won|worn|led|held|paid|sent|slept|sung|swum|thrown|understood|forgotten|hidden|hit|hurt|let|shut|stuck|struck|tried|\w{2,}ed)$/;

/** Parses the verb phrase of a clause whose subject is I or we; null for any other clause. */
export function parseVerbPhrase(clause: string): VerbPhrase | null {
  const plain = expandContractions(clause);
  const subject = SUBJECT.exec(plain)?.[0];
  if (subject === undefined) return null;
  const words = plain.slice(subject.length + 1).match(/[\p{L}\p{N}$€£][^\s,;:!?()]*|[,;:()]/gu) ?? [];
  const phrase: VerbPhrase = {
    auxiliaries: [],
    negated: false,
    hedged: false,
    adverbs: [],
    verb: "",
    rest: "",
  };
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = (words[at] ?? "").replace(/[.…]+$/, "");
    const isNever = word === "not" || word === "never" || (word === "no" && words[at + 1] === "longer");
    if (isNever) phrase.negated = true;
    if (HEDGES.has(word)) phrase.hedged = true;
    // "We should do this": after a modal verb, do is the main verb.
    if (word === "do" && phrase.auxiliaries.length > 0) break;
    if (AUXILIARIES.has(word) || (HAVE.has(word) && isPerfect(words, at))) phrase.auxiliaries.push(word);
    else if (isNever || HEDGES.has(word) || isAdverb(word)) phrase.adverbs.push(word);
    else if (!/^[,;:()]$/.test(word)) break;
  }
  phrase.verb = (words[at] ?? "").replace(/[.…"']+$/, "");
  phrase.rest = words
    .slice(at + 1)
    .join(" ")
    .replace(/[.…]+$/, "");
  return phrase;
}

function isAdverb(word: string): boolean {
  return ADVERBS.has(word) || (word.length > 4 && word.endsWith("ly") && !NOT_ADVERBS.has(word));
}

/** Whether a participle follows a form of have: "have two cats" is the main verb, "have moved" is not. */
function isPerfect(words: readonly string[], at: number): boolean {
  const next = words
    .slice(at + 1, at + 5)
    .map((word) => word.replace(/[.…]+$/, ""))
    .find((word) => word !== "not" && word !== "never" && !isAdverb(word) && word !== "ever");
  return next !== undefined && PARTICIPLE.test(next);
}
