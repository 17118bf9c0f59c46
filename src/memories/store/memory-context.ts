// The context of a memory in both indexes. A short memory says little alone, so it is also found by the message that it
// rests on, or else by the memories before it in its session. The context is read in the statement that writes the
// entry, and is not updated when later memories arrive. An erasure indexes again what has an erased text as its context.
import { type SQL, sql } from "drizzle-orm";
import { MAX_NEIGHBOUR_WORDS, MAX_OWN_WORDS } from "../../language/message-neighbourhood";

/** The live memories before a memory whose words it is found by. */
export const CONTEXT_MEMORIES = 2;

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
