// Puts a question about a user into the user's own words: "Where does Alex live?" as "Where does I live?". People say of
// themselves "I moved to Porto", and their name is in none of these texts.

import { isLabel } from "./speaker-name";
import { isEnglishStopWord } from "./words/stop-words";

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
