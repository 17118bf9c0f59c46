// The copy of messages that recall searches, with the words of their neighbours in the text index. The session's object
// is the only writer; it sends messages in order and repeats them until they are stored.
import { type SQL, sql } from "drizzle-orm";
import { readAll, runBatch, splitIntoChunks } from "../kernel/databases/d1";
import { ensureTenant, fromJson, nextSeq } from "../kernel/databases/statements";
import { declareMethods } from "../kernel/declare-methods";
import { sha256Hex } from "../kernel/hash";
import type { StoreContext } from "../kernel/store-context";
import { listInsertColumns, messages } from "../kernel/tables";
import {
  findNeighbour,
  indexByPosition,
  listDistances,
  type Positioned,
  TEXT_REACH,
  VECTOR_REACH,
} from "../language/message-neighbourhood";
import { isQuestion } from "../language/questions";
import { toIndexText } from "../language/words/query-terms";
import type { Message } from "../memories/message-schemas";
import { FILLERS, toDateWords } from "../memories/store/memory-entry";
import { listScopeTokens } from "../memories/store/memory-id";
import { queueVectors, selectIds } from "../memories/store/vector-queue";

export type MessageRow = typeof messages.$inferSelect;

export type Conversation = {
  session_id: string;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
};

/** Returns the id of a message in the vector index. */
export async function computeMessageVectorId(
  tenant: string,
  sessionId: string,
  messageId: string,
): Promise<string> {
  return (await sha256Hex(`message\n${tenant}\n${sessionId}\n${messageId}`)).slice(0, 32);
}

/** Earlier messages that a write needs: the neighbours of the first new message, with their own neighbours. */
export const CONTEXT_BEFORE = 2 * TEXT_REACH;

export function createMessageRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, writes } = declareMethods(context);

  return {
    /** Writes the messages from a position on. Earlier ones are neighbours, whose text-index entries are rewritten. */
    write: writes(
      async (
        conversation: Conversation,
        written: readonly (Message & { position: number })[],
        from: number,
      ): Promise<void> => {
        const byPosition = indexByPosition(written);
        const rows = await Promise.all(
          written
            .filter(({ position }) => position >= from - TEXT_REACH)
            .map(async (message) => ({
              ...conversation,
              position: message.position,
              id: message.id,
              vector_id: await computeMessageVectorId(tenant, conversation.session_id, message.id),
              role: message.role,
              name: message.name,
              content: message.content,
              timestamp: message.timestamp,
              outdated: 0,
              fts: buildTextEntry(tenant, conversation, byPosition, message),
            })),
        );
        for (const chunk of splitIntoChunks(rows)) {
          const json = JSON.stringify(chunk);
          const outdated = chunk
            .filter(({ position }) => position >= from - VECTOR_REACH)
            .map(({ vector_id }) => vector_id);
          await runBatch(db, [
            ensureTenant(tenant),
            countNew(tenant, conversation.session_id, json),
            // An existing message keeps its row: only its neighbours changed.
            sql`INSERT INTO messages (seq, tenant, ${sql.raw(COLUMNS.join(", "))})
            SELECT ${nextSeq(tenant, "messages")} + key, ${tenant}, ${fromJson(COLUMNS)}
            FROM json_each(${json}) WHERE true ON CONFLICT (tenant, session_id, position) DO NOTHING`,
            insertTextEntries(tenant, conversation.session_id, json),
            queueVectors(tenant, "message", selectIds(outdated)),
          ]);
        }
      },
    ),

    count: reads(async (sessionId: string): Promise<number> => {
      const [row] = await readAll<{ n: number }>(
        db,
        sql`SELECT count(*) AS n FROM messages WHERE tenant = ${tenant} AND session_id = ${sessionId}`,
      );
      return row?.n ?? 0;
    }),
  };
}

const COLUMNS = listInsertColumns(messages);

const FTS_COLUMNS = ["scope", "content", "who", "date", "before", "after", "near", "far"] as const;

/** Counts the messages that are not stored yet, `json` being a list of `{position, content}`. */
function countNew(tenant: string, sessionId: string, json: string): SQL {
  return sql`INSERT INTO tenant_usage (tenant, messages, bytes)
    SELECT ${tenant}, count(*), sum(length(CAST(value ->> '$.content' AS BLOB))) FROM json_each(${json})
    WHERE NOT EXISTS (SELECT 1 FROM messages m
      WHERE m.tenant = ${tenant} AND m.session_id = ${sessionId} AND m.position = value ->> '$.position')
    HAVING count(*) > 0
    ON CONFLICT (tenant) DO UPDATE SET messages = messages + excluded.messages, bytes = bytes + excluded.bytes`;
}

/** Writes the text-index entries of a session's messages, `json` being a list of `{position, fts}`; replaces earlier ones. */
export function insertTextEntries(tenant: string, sessionId: string, json: string): SQL {
  return sql`INSERT OR REPLACE INTO messages_fts (rowid, ${sql.raw(FTS_COLUMNS.join(", "))})
    SELECT m.seq, ${fromJson(FTS_COLUMNS.map((column) => `fts.${column}`))}
    FROM json_each(${json}) CROSS JOIN messages m
      ON m.tenant = ${tenant} AND m.session_id = ${sessionId} AND m.position = value ->> '$.position'`;
}

/** What the text index has of a message. */
type IndexedMessage = Positioned & Pick<Message, "content" | "name" | "timestamp">;

type MessageTextEntry = Record<(typeof FTS_COLUMNS)[number], string>;

export function buildTextEntry(
  tenant: string,
  conversation: Conversation,
  byPosition: ReadonlyMap<number, IndexedMessage>,
  message: IndexedMessage,
): MessageTextEntry {
  const readAt = (distance: number) => findNeighbour(byPosition, message, distance)?.content ?? "";
  const [before = "", after, ...farther] = listDistances(TEXT_REACH).map(readAt);
  // An answer is found by the words of its question as by its own.
  const question = isQuestion(before) ? before : "";
  return {
    scope: listScopeTokens(tenant, conversation).join(" ") + FILLERS,
    content: toIndexText(question === "" ? message.content : `${message.content}\n${question}`),
    who: toIndexText(message.name ?? ""),
    date: toDateWords(message.timestamp).join(" "),
    before: toIndexText(question === "" ? before : ""),
    after: toIndexText(after ?? ""),
    near: toIndexText(farther.slice(0, 2).join(" ")),
    far: toIndexText(farther.slice(2).join(" ")),
  };
}

/** Deletes a session's messages everywhere but in the vector index. */
export function deleteMessages(tenant: string, sessionId: string): SQL[] {
  const which = sql`FROM messages WHERE tenant = ${tenant} AND session_id = ${sessionId}`;
  return [
    sql`DELETE FROM messages_fts WHERE rowid IN (SELECT seq ${which})`,
    // A vector that was written again meanwhile has no message any more: the indexer removes it.
    queueVectors(tenant, "message", sql`SELECT vector_id AS id ${which}`),
    sql`DELETE ${which}`,
  ];
}
