// Replaces phrases by a canonical form. Phrases without a one-word synonym, such as "no longer", map to a made-up
// word that the tables of synonyms.ts list.
import type { Word } from "./tokenise-statement";

export const PHRASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "pull request": "pr",
    "pull requests": "pr",
    "merge request": "mergerequest",
    "merge requests": "mergerequest",
    "continuous integration": "ci",
    "user interface": "ui",
    "vs code": "vscode",
    "visual studio code": "vscode",
    "new york city": "nyc",
    "united states": "usa",
    "united kingdom": "uk",
    "instead of": "insteadof",
    "rather than": "insteadof",
    "in place of": "insteadof",
    "no longer": "nolonger",
    "not anymore": "nolonger",
    "at least": "atleast",
    "no less than": "atleast",
    "no fewer than": "atleast",
    "a minimum of": "atleast",
    "at most": "atmost",
    "no more than": "atmost",
    "a maximum of": "atmost",
    "up to": "atmost",
    "more than": "morethan",
    "greater than": "morethan",
    "less than": "lessthan",
    "fewer than": "lessthan",
    "every other": "everyother",
    "every second": "everyother",
    "prior to": "before",
    "due to": "caused by",
    "because of": "caused by",
    "owing to": "caused by",
    "in case": "if",
    "as long as": "while",
    "as soon as": "once",
    "in order to": "to",
    "as well as": "and",
    "as well": "also",
    "at the moment": "now",
    "right now": "now",
    "these days": "now",
    "for now": "fornow",
    "in general": "generally",
    "by default": "bydefault",
    "have to": "must",
    "has to": "must",
    "had to": "must was",
    "need to": "must",
    "needs to": "must",
    "need not": "not must",
    "required to": "must",
    "is required to": "must",
    "are required to": "must",
    "ought to": "should",
    "able to": "can",
    "is able to": "can",
    "are able to": "can",
    "used to": "usedto",
    "is used to": "is used to",
    "are used to": "are used to",
    "be used to": "be used to",
    "was used to": "was used to",
    "plan to": "plansto",
    "plans to": "plansto",
    "planning to": "plansto",
    "planned to": "plansto",
    "intend to": "plansto",
    "intends to": "plansto",
    "aim to": "plansto",
    "aims to": "plansto",
    "want to": "wantsto",
    "wants to": "wantsto",
    "would like to": "wantsto",
    "wish to": "wantsto",
    "wishes to": "wantsto",
    "hope to": "hopesto",
    "hopes to": "hopesto",
    "going to": "will",
    "let us": "",
    "go with": "choose",
    "goes with": "choose",
    "going with": "choosing",
    "went with": "chose",
    "decided on": "chose",
    "settled on": "chose",
    "opted for": "chose",
    "take place": "happen",
    "takes place": "happens",
    "took place": "happened",
    "talk to": "communicate with",
    "talks to": "communicates with",
    "talk with": "communicate with",
    "talks with": "communicates with",
    "close to": "near",
    "find out": "discover",
    "turn on": "enable",
    "turned on": "enabled",
    "switched on": "enabled",
    "turn off": "disable",
    "turned off": "disabled",
    "switched off": "disabled",
    "make sure": "ensure",
    "each day": "daily",
    "every day": "daily",
    "once a day": "daily",
    "each night": "nightly",
    "every night": "nightly",
    "each week": "weekly",
    "every week": "weekly",
    "once a week": "weekly",
    "each month": "monthly",
    "every month": "monthly",
    "once a month": "monthly",
    "each year": "yearly",
    "every year": "yearly",
    "once a year": "yearly",
    annually: "yearly",
    "each hour": "hourly",
    "every hour": "hourly",
    "each morning": "every morning",
    "each evening": "every evening",
    twice: "two times",
    "&": "and",
    cannot: "can not",
    nobody: "not anybody",
    "no one": "not anybody",
    anyone: "anybody",
    nothing: "not anything",
    nowhere: "not anywhere",
    none: "not any",
  }),
);

const LONGEST_PHRASE = 4;
const PHRASE_STARTS = new Set([...PHRASES.keys()].map((phrase) => phrase.split(" ")[0]));

/** Returns the words with every phrase replaced. */
export function replacePhrases(words: readonly Word[]): Word[] {
  const replaced: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at];
    if (word === undefined) break;
    const phrase = PHRASE_STARTS.has(word.text) ? matchPhrase(words, at) : null;
    if (phrase === null) replaced.push(word);
    else for (const text of phrase.replacement) replaced.push({ ...word, text, name: false, owner: false });
    at += phrase?.length ?? 1;
  }
  return replaced;
}

/** Finds the longest phrase that begins at a word; no phrase spans a pause. */
function matchPhrase(words: readonly Word[], at: number): { replacement: string[]; length: number } | null {
  for (let length = LONGEST_PHRASE; length > 0; length -= 1) {
    const phrase = words.slice(at, at + length);
    const replacement = PHRASES.get(phrase.map(({ text }) => text).join(" "));
    const isBroken = phrase.some(({ verbatim, pause }, index) => verbatim || (index > 0 && pause));
    if (replacement !== undefined && !isBroken)
      return { replacement: replacement.split(" ").filter(Boolean), length: phrase.length };
  }
  return null;
}
