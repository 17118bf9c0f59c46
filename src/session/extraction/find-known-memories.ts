// Finds the memories that a session's owner has on the subjects of its new messages.

import { getDefaultScope, isWiderScope, type Owner, UNBOUND } from "../../domain/access";
import {
  type ConversationMessage,
  type KnownMemory,
  MAX_KNOWN_MEMORIES,
} from "../../domain/promotion/llm-extraction";
import { LIMITS } from "../../limits";
import { type RecallScope, resolveSessionScope } from "../../search/corpus";
import { PROMPT_RECALL, type Search } from "../../search/search";
import { fromMemoryRow, type MemoryRow } from "../../store/memories/memory-mapping";
import { clip } from "../../text/normalise-text";
import { getReach, type SessionRecord } from "../session-record";

/** Searches per call, and the memories of each. */
const MAX_SEARCHES = 5;
const MEMORIES_PER_SEARCH = 10;

/** Returns live memories that the new messages may repeat or contradict, the most related first. */
export async function findKnownMemories(
  search: Search,
  record: SessionRecord,
  messages: readonly ConversationMessage[],
): Promise<KnownMemory[]> {
  const scope = resolveKnownScope(record);
  const { within = UNBOUND } = record;
  const results = await Promise.all(
    composeQueries(messages).map((query) =>
      search.recall(scope, {
        ...PROMPT_RECALL,
        query,
        limit: MEMORIES_PER_SEARCH,
        min_confidence: 0,
        // What a message contradicts may share little with it.
        keepsIrrelevant: true,
        inBackground: true,
        within,
      }),
    ),
  );
  const found = results.flatMap(({ hits, rows }) =>
    hits.flatMap((hit, i) =>
      hit.kind === "memory" ? [{ score: hit.score, row: rows[i] as MemoryRow }] : [],
    ),
  );
  const known = found
    .toSorted((a, b) => b.score - a.score)
    .map(({ row }) => fromMemoryRow(row))
    // Entries, patterns, skills and graphs have properties, and are changed by their own calls only.
    .filter(({ properties }) => Object.keys(properties).length === 0)
    .filter((memory) => hasSameOwner(memory, record))
    .map(({ id, type, content }) => ({ id, type, content }));
  return [...new Map(known.map((memory) => [memory.id, memory])).values()].slice(0, MAX_KNOWN_MEMORIES);
}

/** The owner's memories, even if the session reaches those of others: extraction may supersede them. */
function resolveKnownScope(record: SessionRecord): RecallScope {
  const [owner, reach] = [getDefaultScope(record), getReach(record)];
  return resolveSessionScope(record, isWiderScope(reach, owner) ? owner : reach);
}

/** A project has memories of several agents, an agent those of several people: none of them changes another's. */
function hasSameOwner(memory: Owner, record: Owner): boolean {
  const owner = getDefaultScope(record);
  if (getDefaultScope(memory) !== owner) return false;
  return owner === "session" || memory[`${owner}_id`] === record[`${owner}_id`];
}

/** Joins short messages, so that a call takes few searches; the newest messages come first. */
function composeQueries(messages: readonly ConversationMessage[]): string[] {
  const queries: string[] = [];
  for (const { content } of messages.toReversed()) {
    const text = clip(content, LIMITS.queryChars);
    const last = queries.at(-1);
    if (last === undefined || last.length + 1 + text.length > LIMITS.queryChars) queries.push(text);
    else queries.splice(-1, 1, `${last}\n${text}`);
  }
  return queries.slice(0, MAX_SEARCHES);
}
