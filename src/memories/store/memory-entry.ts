// The entry of a memory in the text index: its own words, and around them its rationale, its date and its context.
import { type SQL, sql } from "drizzle-orm";
import { MAX_NEIGHBOUR_WORDS, MAX_OWN_WORDS } from "../../language/message-neighbourhood";
import { findSpeakerName } from "../../language/questions";
import { extractWords, toIndexText } from "../../language/words/query-terms";
import type { Memory } from "../memory-schemas";
import { getMemoryScope, listScopeTokens } from "./memory-id";
import { getTopicText } from "./memory-topics";

// The day of a text in words, as the text index has it.

/** By number, as Date has them: Intl takes some microseconds for each. */
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** Returns a day as people write it: weekday, month, year, day. */
export function toDateWords(timestamp: string): [weekday: string, month: string, year: string, day: string] {
  const date = new Date(timestamp);
  const [weekday, month] = [WEEKDAYS[date.getUTCDay()], MONTHS[date.getUTCMonth()]];
  if (weekday === undefined || month === undefined) throw new RangeError("A text has no valid time");
  return [weekday, month, `${date.getUTCFullYear()}`, `${date.getUTCDate()}`];
}

// The context of a memory in both indexes. A short memory says little alone, so it is also found by the message that it
// rests on, or else by the memories before it in its session. The context is read in the statement that writes the
// entry, and is not updated when later memories arrive. An erasure indexes again what has an erased text as its context.

/** The live memories before a memory whose words it is found by. */
const CONTEXT_MEMORIES = 2;

/** Begins the evidence that names a message of the memory's session. */
export const MESSAGE_EVIDENCE = "message:";

/** Builds an expression for the words around the memory `m`. */
export function selectContextText(tenant: string): SQL {
  return sql`iif(${hasMoreWords(sql`m.content`, MAX_OWN_WORDS)}, '', coalesce(${selectRestedOn(tenant)},
    (SELECT group_concat(content, ' ') FROM (${selectPrevious(tenant, CONTEXT_MEMORIES)}) WHERE NOT ${hasMoreWords(sql`content`, MAX_NEIGHBOUR_WORDS)}), ''))`;
}

/** Builds an expression for the one text that the vector of the memory `m` leans on; NULL if there is none. */
export function selectContextOfVector(tenant: string): SQL {
  return sql`iif(${hasMoreWords(sql`m.content`, MAX_OWN_WORDS)}, NULL, coalesce(${selectRestedOn(tenant)},
    (SELECT content FROM (${selectPrevious(tenant, 1)}) WHERE NOT ${hasMoreWords(sql`content`, MAX_NEIGHBOUR_WORDS)})))`;
}

/** The message that `m` rests on, empty if it is too long; NULL if there is none. */
function selectRestedOn(tenant: string): SQL {
  const evidence = sql`m.evidence ->> '$[0]'`;
  return sql`(SELECT iif(${hasMoreWords(sql`s.content`, MAX_NEIGHBOUR_WORDS)}, '', s.content) FROM messages s
    WHERE s.tenant = ${tenant} AND s.id = substr(${evidence}, ${MESSAGE_EVIDENCE.length + 1}) AND s.session_id = m.session_id
      AND substr(${evidence}, 1, ${MESSAGE_EVIDENCE.length}) = ${MESSAGE_EVIDENCE} LIMIT 1)`;
}

/** The live memories before `m` in its session that have the same owner, newest first. */
function selectPrevious(tenant: string, limit: number): SQL {
  return sql`SELECT p.content FROM memories p WHERE p.tenant = ${tenant} AND p.session_id = m.session_id AND p.live = 1
      AND (p.timestamp, p.seq) < (m.timestamp, m.seq) AND p.scope = m.scope AND p.user_id IS m.user_id
    ORDER BY p.timestamp DESC, p.seq DESC LIMIT ${limit}`;
}

function hasMoreWords(text: SQL, words: number): SQL {
  return sql`length(trim(${text})) - length(replace(trim(${text}), ' ', '')) >= ${words}`;
}

/**
 * Builds a SELECT of the ids of other memories that may have one of the memories `which` (a SELECT of ids) as their
 * context. Whatever a memory was indexed with is no older than the second of the memories before it that are live now and
 * were written earlier: these were live then, too.
 */
export function selectFollowers(tenant: string, which: SQL): SQL {
  const sessions = sql`SELECT session_id FROM memories WHERE tenant = ${tenant} AND id IN (${which}) AND session_id IS NOT NULL`;
  return sql`SELECT f.id FROM memories f
    WHERE f.tenant = ${tenant} AND f.session_id IN (${sessions}) AND f.id NOT IN (${which}) AND EXISTS (
      SELECT 1 FROM memories a WHERE a.tenant = ${tenant} AND a.session_id = f.session_id AND a.live IN (0, 1)
        AND a.timestamp <= f.timestamp AND a.timestamp >= coalesce((SELECT l.timestamp FROM memories l
          WHERE l.tenant = ${tenant} AND l.session_id = f.session_id AND l.live = 1 AND l.seq < f.seq
            AND (l.timestamp, l.seq) < (f.timestamp, f.seq) AND l.scope = f.scope AND l.user_id IS f.user_id
          ORDER BY l.timestamp DESC, l.seq DESC LIMIT 1 OFFSET ${CONTEXT_MEMORIES - 1}), '')
        AND a.scope = f.scope AND a.user_id IS f.user_id AND a.id IN (${which}))`;
}

/** Builds a SELECT of the ids of a session's memories that rest on a message. */
export function selectBasedOnMessages(tenant: string, sessionId: string): SQL {
  return sql`SELECT id FROM memories WHERE tenant = ${tenant} AND session_id = ${sessionId}
    AND substr(evidence ->> '$[0]', 1, ${MESSAGE_EVIDENCE.length}) = ${MESSAGE_EVIDENCE}`;
}

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
