// Creates the keys of a document's memories. The service accepts 128 characters: a longer key is truncated and made
// unique by a hash. Addresses contain no line break, so none can be confused with a part of another document.
import { computeShortHash } from "./hash";

const MAX_KEY_CHARS = 100;
const PREFIX_CHARS = 80;

export type Keys = {
  head: string;
  /** Returns the key prefix of the other parts of a version, which a number follows; for "", that of all versions. */
  part(version: string): string;
  /** Key prefix of all documents whose full key begins with this key; it may match other documents, too. */
  prefix: string;
};

export async function createKeys(key: string): Promise<Keys> {
  const points = [...key];
  const prefix = points.slice(0, PREFIX_CHARS).join("");
  const head = points.length <= MAX_KEY_CHARS ? key : `${prefix}\n#${await computeShortHash(key)}`;
  return { head, prefix, part: (version) => `${head}\n${version === "" ? "" : `${version}.`}` };
}

/** Escapes a text for use in a key: the result has no line breaks or control characters. */
export function escapeKeyPart(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
