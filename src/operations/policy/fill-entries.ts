// What every store's recall comes to, once it knows what matches and what is new. Pure.

import type { Entry, RecalledEntry } from "../../schemas/policy";
import { normaliseContent } from "../../text/normalise-text";

/** How many times as much as is asked for a store looks at: some of it may say the same in two sessions. */
export const LOOK_AT = 2;

/** The matches, best first; then the newest, until there are enough. Nothing that was said before is said again. */
export function fillUp(
  matches: readonly RecalledEntry[],
  newest: readonly Entry[],
  limit: number,
): RecalledEntry[] {
  const filling = newest.map((entry) => ({ ...entry, score: null, signals: null }));
  const said = new Map<string, RecalledEntry>();
  for (const entry of [...matches, ...filling]) {
    const content = normaliseContent(entry.content);
    if (said.size < limit && !said.has(content)) said.set(content, entry);
  }
  return [...said.values()];
}
