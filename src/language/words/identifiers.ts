// Splits identifiers into words: camelCase, HTTPServer2, snake_case and kebab-case. Pure.

const IDENTIFIER = /[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu;

/** The seams within an identifier: a separator, aB and ABc. "APIs" has none. */
const SEAM = /[_-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

/** Few words have a seam, and this is faster than splitting them. */
const HAS_SEAM = /[_-]|[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}/u;

/** Longer ones are keys and hashes: their parts are no words. */
const MAX_IDENTIFIER_CHARS = 64;
const MAX_PARTS = 8;

/** Returns the parts of each identifier in a text that has more than one, in lower case. */
function splitIdentifiers(text: string): string[][] {
  return (text.match(IDENTIFIER) ?? []).flatMap((identifier) => {
    if (identifier.length > MAX_IDENTIFIER_CHARS || !HAS_SEAM.test(identifier)) return [];
    if (!/\p{L}/u.test(identifier)) return [];
    const parts = identifier.split(SEAM).filter((part) => part !== "");
    return parts.length < 2 || parts.length > MAX_PARTS ? [] : [parts.map((part) => part.toLowerCase())];
  });
}

/** Returns the distinct parts of the identifiers in a text: getUserById → get, user, by, id. */
export function listIdentifierParts(text: string): string[] {
  return [...new Set(splitIdentifiers(text).flat())].filter(isWord);
}

/**
 * Returns the parts of the identifiers in a text, and what each identifier reads like from any of its parts on:
 * getUserById → get, user, by, id, getuserbyid, userbyid, byid. So the beginning of a word finds "userby".
 */
export function listIdentifierWords(text: string): string[] {
  const identifiers = splitIdentifiers(text);
  const joined = identifiers.flatMap((parts) => parts.map((_, i) => parts.slice(i).join("")));
  return [...new Set([...identifiers.flat(), ...joined])].filter(isWord);
}

/** A single character is no word that anyone searches for. */
function isWord(part: string): boolean {
  return part.length > 1;
}
