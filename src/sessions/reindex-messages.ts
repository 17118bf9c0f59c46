// Writes the text-index entries of messages again, one page at a time, while the service runs: a release may
// change what the index has of a message.
import { sql } from "drizzle-orm";
import { type Database, readAll, retryConflicts, runBatch, splitIntoChunks } from "../kernel/databases/d1";
import { assertThat } from "../kernel/databases/statements";
import { indexByPosition, TEXT_REACH } from "../language/message-neighbourhood";
import { buildTextEntry, insertTextEntries, type MessageRow } from "./message-repository";

/** The last message of the page before. */
export type MessageCursor = { tenant: string; session_id: string; position: number };

type ReindexedPage = { messages: number; next: MessageCursor | null };

/** Indexes a page of the messages of a tenant, or of all tenants if it is null. */
export async function reindexMessagesPage(
  db: Database,
  { tenant, after, limit }: { tenant: string | null; after: MessageCursor | null; limit: number },
): Promise<ReindexedPage> {
  const start = after ?? { tenant: tenant ?? "", session_id: "", position: 0 };
  const page = await readAll<MessageCursor>(
    db,
    sql`SELECT tenant, session_id, position FROM messages
      WHERE (tenant, session_id, position) > (${start.tenant}, ${start.session_id}, ${start.position})
        ${tenant === null ? sql`` : sql`AND tenant = ${tenant}`}
      ORDER BY tenant, session_id, position LIMIT ${limit}`,
  );
  const sessions = Map.groupBy(page, (message) => `${message.tenant} ${message.session_id}`);
  for (const messages of sessions.values()) await reindexSession(db, messages);
  return { messages: page.length, next: page.length < limit ? null : (page.at(-1) ?? null) };
}

/** Indexes the messages of one session between two positions. Starts over if the session writes beside them meanwhile. */
export function reindexSession(db: Database, messages: readonly MessageCursor[]): Promise<void> {
  const [first, last] = [messages.at(0), messages.at(-1)];
  return retryConflicts(async () => {
    if (first === undefined || last === undefined) return;
    const { tenant, session_id } = first;
    const around = sql`FROM messages WHERE tenant = ${tenant} AND session_id = ${session_id}
      AND position BETWEEN ${first.position - TEXT_REACH} AND ${last.position + TEXT_REACH}`;
    const rows = await readAll<MessageRow>(db, sql`SELECT * ${around}`);
    const byPosition = indexByPosition(rows);
    const entries = rows
      .filter(({ position }) => position >= first.position && position <= last.position)
      .map((row) => ({ position: row.position, fts: buildTextEntry(tenant, row, byPosition, row) }));
    for (const chunk of splitIntoChunks(entries))
      await runBatch(db, [
        assertThat(sql`count(*) = ${rows.length} ${around}`),
        insertTextEntries(tenant, session_id, JSON.stringify(chunk)),
      ]);
  });
}
