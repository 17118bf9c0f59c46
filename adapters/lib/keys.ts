// The keys of a document's memories. The service takes 128 characters: a longer key is cut, and told from others by a
// hash. A line break stands in no key of a document, so nobody's address can look like another's part.
import { shortHash } from "./hash";

const LONGEST = 100;
const CUT = 80;

export type Keys = {
  head: string;
  /** What the keys of the other parts of a version begin with; a number follows. Of "", those of all versions. */
  part(version: string): string;
  /** What the keys of all documents begin with whose uncut key begins so, and perhaps those of others. */
  prefix: string;
};

export async function keysOf(key: string): Promise<Keys> {
  const points = [...key];
  const prefix = points.slice(0, CUT).join("");
  const head = points.length <= LONGEST ? key : `${prefix}\n#${await shortHash(key)}`;
  return { head, prefix, part: (version) => `${head}\n${version === "" ? "" : `${version}.`}` };
}

/** A text as a piece of a key: without line breaks, and as the service takes it. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
