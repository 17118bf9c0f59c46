// Recognises texts that ask a question.
import { isEnglishStopWord } from "./words/stop-words";

/** The question marks of Latin, East Asian and Arabic texts, and a note in brackets after one: "Ready? [shares a photo]". */
const QUESTION_END = /[?？؟]["'”’)»]{0,2}\s*(?:\[[^\]]*\])?$/u;

/** The end of a text in which a question mark is looked for. */
const END_CHARS = 300;

/** Whether a text ends with a question. */
export function isQuestion(text: string): boolean {
  return QUESTION_END.test(text.slice(-END_CHARS).trimEnd());
}

// Recognises texts that only greet, thank, take leave or acknowledge: "Okay.", "Good morning!", "Thanks a lot". A text that
// may answer a question is none: "yes", "great", "see you tomorrow".

const COURTESY =
  "ok(?:ay)?|alright|all right|got it|noted|understood|hi|hello|hey|hiya|bye(?:[- ]bye)?|good ?bye|see (?:you|ya)|good (?:morning|afternoon|evening|night)|thanks|thank you|thx|cheers|you(?:'re| are) (?:very )?welcome|no problem|(?:ha)+|(?:he)+|lol";
const ADDITION = "there|again|then|a lot|so much|very much|everyone|all";
const ONLY_COURTESIES = new RegExp(
  `^[\\s\\p{P}\\p{S}]*(?:${COURTESY})(?:[\\s\\p{P}\\p{S}]+(?:${COURTESY}|${ADDITION}))*[\\s\\p{P}\\p{S}]*$`,
  "iu",
);

/** The longest text that is looked at. */
const MAX_CHARS = 80;

export function isCourtesy(text: string): boolean {
  return text.length <= MAX_CHARS && ONLY_COURTESIES.test(text.replaceAll("’", "'"));
}

// Finds the speaker that a transcript names before a statement: "Caroline: I went to Paris."

/** One to three capitalised words before a colon, as names are written in a transcript. */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: \p{Lu}[\p{L}\p{M}'’.-]{0,30}){0,2}): /u;

/** Words that label a note rather than name a person. */
const LABELS = new Set(
  `agent answer assistant bug context decision error fact fix goal human idea important info lesson note question
  reminder rule source summary system task tip todo tool update user warning`.split(/\s+/),
);

/** Returns the speaker of a statement, null if the text names none. */
export function findSpeakerName(text: string): string | null {
  const [, name = null] = SPEAKER.exec(text) ?? [];
  return name === null || isLabel(name) ? null : name;
}

/** Whether a word labels a note or a role, such as "Note" or "user", rather than naming a person. */
function isLabel(word: string): boolean {
  return LABELS.has(word.toLowerCase());
}

// Puts a question about a user into the user's own words: "Where does Alex live?" as "Where does I live?". People say of
// themselves "I moved to Porto", and their name is in none of these texts.

const NAME_WORD = /^\p{L}{2,}$/u;

/**
 * Returns the words of a user's id that may be a name: of "alex.meyer@example.com" alex and meyer. Numbers, labels such as
 * "user" and words that stand in any question are none.
 */
function listNameWords(userId: string): string[] {
  const [local = ""] = userId.toLowerCase().split("@");
  return local
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => NAME_WORD.test(word) && !isLabel(word) && !isEnglishStopWord(word));
}

/**
 * Returns a query with the user's name as "I" or "my"; null if it does not name the user. A name is written with a capital,
 * unless the query has none at all.
 */
export function toFirstPerson(query: string, userId: string): string | null {
  const words = listNameWords(userId);
  if (words.length === 0) return null;
  const name = `(?:${words.map(toCapital).join("|")})`;
  const flags = query === query.toLowerCase() ? "giu" : "gu";
  const named = new RegExp(`(?<![\\p{L}\\p{N}])${name}(?: ${name})*(['’]s)?(?![\\p{L}\\p{N}])`, flags);
  const asked = query.replace(named, (_, genitive?: string) => (genitive === undefined ? "I" : "my"));
  return asked === query ? null : asked;
}

function toCapital(word: string): string {
  const [first = "", ...rest] = word;
  return first.toUpperCase() + rest.join("");
}
