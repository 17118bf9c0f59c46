// Messages as recall searches them: a copy of what each session's object holds, with the words of their neighbours
// in the text index. The object is the only writer of its session and sends them in order, as often as it takes.
import { type SQL, sql } from "drizzle-orm";
import {
  findNeighbour,
  indexByPosition,
  listDistances,
  type Positioned,
  TEXT_REACH,
  VECTOR_REACH,
} from "../../domain/short-term/message-neighbourhood";
import { type Database, runBatch } from "../../platform/d1";
import { sha256Hex } from "../../platform/hash";
import { splitIntoChunks } from "../../platform/json-chunks";
import type { Message } from "../../schemas/message";
import { toIndexText } from "../../text/query-terms";
import { listScopeTokens } from "../memories/memory-id";
import { ensureTenant, nextSeq } from "../statements";
import type { StoreContext } from "../store-context";
import { queueVectors, selectIds } from "../vectors/vector-queue";

export type MessageRow = {
  seq: number;
  tenant: string;
  session_id: string;
  position: number;
  id: string;
  vector_id: string;
  role: string;
  name: string | null;
  content: string;
  timestamp: string;
  agent_id: string | null;
  project_id: string | null;
};

export type Conversation = { session_id: string; agent_id: string | null; project_id: string | null };

/** A message's id in the vector index. */
export async function computeMessageVectorId(
  tenant: string,
  sessionId: string,
  messageId: string,
): Promise<string> {
  return (await sha256Hex(`message\n${tenant}\n${sessionId}\n${messageId}`)).slice(0, 32);
}

/** How many messages before the first new one must be given: those it is a neighbour of, with their neighbours. */
export const CONTEXT_BEFORE = 2 * TEXT_REACH;

/** Writes the messages from a position on. Those before it are given as neighbours, and are indexed anew with theirs. */
export async function writeMessages(
  db: Database,
  tenant: string,
  conversation: Conversation,
  messages: readonly (Message & { position: number })[],
  from: number,
): Promise<void> {
  const around = indexByPosition(messages);
  const rows = await Promise.all(
    messages
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
        fts: ftsColumns(tenant, conversation, around, message),
      })),
  );
  for (const piece of splitIntoChunks(rows)) {
    const json = JSON.stringify(piece);
    const stale = piece
      .filter(({ position }) => position >= from - VECTOR_REACH)
      .map(({ vector_id }) => vector_id);
    await runBatch(db, [
      ensureTenant(tenant),
      // What was here before keeps its row: only its neighbours have changed.
      sql`INSERT INTO messages (seq, tenant, ${sql.raw(COLUMNS.join(", "))})
        SELECT ${nextSeq(tenant, "messages")} + key, ${tenant}, ${sql.raw(COLUMNS.map((c) => `value ->> '$.${c}'`).join(", "))}
        FROM json_each(${json}) WHERE true ON CONFLICT (tenant, session_id, position) DO NOTHING`,
      sql`INSERT OR REPLACE INTO messages_fts (rowid, ${sql.raw(FTS_COLUMNS.join(", "))})
        SELECT m.seq, ${sql.raw(FTS_COLUMNS.map((c) => `value ->> '$.fts.${c}'`).join(", "))}
        FROM json_each(${json}) CROSS JOIN messages m
          ON m.tenant = ${tenant} AND m.session_id = ${conversation.session_id} AND m.position = value ->> '$.position'`,
      queueVectors(tenant, "message", selectIds(stale)),
    ]);
  }
}

const COLUMNS = [
  "session_id",
  "position",
  "id",
  "vector_id",
  "role",
  "name",
  "content",
  "timestamp",
  "agent_id",
  "project_id",
] as const satisfies readonly (keyof MessageRow)[];

const FTS_COLUMNS = ["scope", "content", "who", "date", "before", "after", "near", "far"] as const;

/**
 * Fillers in every row's scope. BM25 marks a row down by its length against the average; sixty-four words that all
 * rows have bring the lengths closer together, which long and short messages side by side need.
 */
const FILLERS = " 0".repeat(64);

function ftsColumns(
  tenant: string,
  conversation: Conversation,
  around: ReadonlyMap<number, Message & Positioned>,
  message: Message & Positioned,
): Record<(typeof FTS_COLUMNS)[number], string> {
  const at = (distance: number) => findNeighbour(around, message, distance)?.content ?? "";
  const [before, after, ...farther] = listDistances(TEXT_REACH).map(at);
  return {
    scope: listScopeTokens(tenant, conversation).join(" ") + FILLERS,
    content: toIndexText(message.content),
    who: toIndexText(message.name ?? ""),
    date: toDateWords(message.timestamp).join(" "),
    before: toIndexText(before ?? ""),
    after: toIndexText(after ?? ""),
    near: toIndexText(farther.slice(0, 2).join(" ")),
    far: toIndexText(farther.slice(2).join(" ")),
  };
}

const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

/** A day as people write it: weekday, month, year, day. */
export function toDateWords(timestamp: string): [weekday: string, month: string, year: string, day: string] {
  const date = new Date(timestamp);
  return [WEEKDAY.format(date), MONTH.format(date), `${date.getUTCFullYear()}`, `${date.getUTCDate()}`];
}

/** The statements that take a session's messages out of everything but the vector index. */
export function deleteMessages(tenant: string, sessionId: string): SQL[] {
  const mine = sql`FROM messages WHERE tenant = ${tenant} AND session_id = ${sessionId}`;
  return [
    sql`DELETE FROM messages_fts WHERE rowid IN (SELECT seq ${mine})`,
    // As for memories: whatever vector came back in between is without its message, and goes.
    queueVectors(tenant, "message", sql`SELECT vector_id AS id ${mine}`),
    sql`DELETE ${mine}`,
  ];
}

export function createMessageRepository({ db, tenant }: StoreContext) {
  return {
    write: (
      conversation: Conversation,
      messages: readonly (Message & { position: number })[],
      from: number,
    ) => writeMessages(db, tenant, conversation, messages, from),
  };
}
