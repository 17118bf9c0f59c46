// The entry of a memory in the text index: its own words, and around them its rationale, its date and its context.
import { type SQL, sql } from "drizzle-orm";
import { findSpeakerName } from "../../language/speaker-name";
import { extractWords, toIndexText } from "../../language/words/query-terms";
import type { Memory } from "../memory-schemas";
import { toDateWords } from "./date-words";
import { selectContextText } from "./memory-context";
import { getMemoryScope, listScopeTokens } from "./memory-id";
import { getTopicText } from "./memory-topics";

/**
 * Fillers in the scope of every entry. BM25 lowers the rank of long rows; 64 tokens that all rows have bring the lengths
 * closer together, since conversations mix short and long texts.
 */
export const FILLERS = " 0".repeat(64);

/** The column `rationale` has all words around a memory: they weigh half of its own. */
export type MemoryTextEntry = { scope: string; content: string; rationale: string };

/** Returns what is indexed of a memory itself; `indexMemoryEntries` adds its context. */
export function buildMemoryEntry(tenant: string, memory: Memory): MemoryTextEntry {
  const { content, rationale, valid_from, timestamp, user_id } = memory;
  const speakers = extractWords([findSpeakerName(content) ?? "", user_id ?? ""].join(" "));
  return {
    scope: listScopeTokens(tenant, { ...memory, scope: getMemoryScope(memory) }).join(" ") + FILLERS,
    content: toIndexText(content),
    rationale: [
      toIndexText(rationale ?? ""),
      getTopicText(memory),
      ...toDateWords(valid_from ?? timestamp),
      ...speakers.map(toSpeakerToken),
    ].join(" "),
  };
}

const SPEAKER_PREFIX = "speaker0";

/** Returns the token of a word in the name of whoever a memory is by. A search tells names from other terms by it. */
function toSpeakerToken(word: string): string {
  return SPEAKER_PREFIX + word;
}

/** Builds the FTS5 phrase that matches the memories by the person whose name has the word in the column `term`. */
export const SPEAKER_PHRASE: SQL = sql`'rationale : "${sql.raw(SPEAKER_PREFIX)}' || term || '"'`;

/** Writes the entries of memories that exist, replacing earlier ones. */
export function indexMemoryEntries(
  tenant: string,
  entries: readonly (MemoryTextEntry & { id: string })[],
): SQL {
  return sql`INSERT OR REPLACE INTO memories_fts (rowid, scope, content, rationale)
    SELECT m.seq, value ->> '$.scope', value ->> '$.content', value ->> '$.rationale' || ' ' || ${selectContextText(tenant)}
    FROM json_each(${JSON.stringify(entries)}) CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = value ->> '$.id'`;
}
