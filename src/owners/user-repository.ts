// Users, derived from the rows that name them: there is no table of users that could disagree with the rows. Each query
// reads index ranges of single users, whatever the size of the tenant.

import { type SQL, sql } from "drizzle-orm";
import type { SourceType } from "../kernel/common";
import { readAll } from "../kernel/databases/d1";
import { declareMethods } from "../kernel/declare-methods";
import type { StoreContext } from "../kernel/store-context";
import { selectUsage } from "../memories/usage/usage-counts";
import { nameForeignSource } from "../trust/source-rank";
import type { UserStatement, UserSummary } from "./entities/entity-schemas";

const USER_TABLES = ["sessions", "messages", "memories", "episodes"] as const;
/** The newest live memories of a user, from which the profile selects. */
const PROFILE_WINDOW = 500;
/** The length of a text that topics are read from. */
const TOPIC_TEXT_CHARS = 1_000;

export function createUserRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  return {
    /** Returns users after an id, in the order of ids. */
    list: reads(({ after, limit }: { after: string; limit: number }): Promise<UserSummary[]> => {
      return selectUsers(
        context,
        // A loose index scan: each step seeks the next user in four indexes, over all rows of the one before.
        sql`found (id) AS (
          SELECT ${selectNextUser(tenant, sql`${after}`)}
          UNION ALL SELECT ${selectNextUser(tenant, sql`found.id`)} FROM found WHERE found.id IS NOT NULL
          LIMIT ${limit})`,
      );
    }),

    /** Returns a user; null if no session, message, memory or episode names them. */
    find: reads(async (id: string): Promise<UserSummary | null> => {
      const [user] = await selectUsers(context, sql`found (id) AS (SELECT ${id})`);
      return user ?? null;
    }),

    /** Returns live memories of these types, the most important first, then the newest. */
    listStatements: reads(
      async (
        userId: string,
        { types, limit }: { types: readonly string[]; limit: number },
      ): Promise<UserStatement[]> => {
        const rows = await readAll<UserStatement & { source_type: SourceType }>(
          db,
          // A captured turn quotes both sides of a conversation: it states nothing by itself.
          sql`SELECT id, content, type, confidence, timestamp, source_type FROM (
            SELECT id, content, type, confidence, coalesce(${selectUsage("memory", "memories")} ->> 2, importance) AS importance,
              timestamp, source_type, properties FROM memories
            WHERE tenant = ${tenant} AND user_id = ${userId} AND live = 1
            ORDER BY timestamp DESC, id DESC LIMIT ${PROFILE_WINDOW})
          WHERE type IN (SELECT value FROM json_each(${JSON.stringify(types)}))
            AND properties ->> '$.entrySource[0]' IS NOT 'conversation'
          ORDER BY importance DESC, timestamp DESC, id DESC LIMIT ${limit}`,
        );
        return rows.map(({ source_type, ...statement }) => ({
          ...statement,
          ...nameForeignSource(source_type),
        }));
      },
    ),

    /** Returns texts of the user's newest messages and memories, the newest of each first. */
    listRecentTexts: reads(
      async (
        userId: string,
        { messages, memories }: { messages: number; memories: number },
      ): Promise<string[]> => {
        const owned = sql`tenant = ${tenant} AND user_id = ${userId}`;
        const rows = await readAll<{ text: string }>(
          db,
          sql`SELECT substr(content, 1, ${TOPIC_TEXT_CHARS}) AS text FROM (
            SELECT content, role, timestamp FROM messages WHERE ${owned} ORDER BY timestamp DESC LIMIT ${messages})
          WHERE role = 'user'
          UNION ALL SELECT substr(content, 1, ${TOPIC_TEXT_CHARS}) FROM (
            SELECT content FROM memories WHERE ${owned} AND live = 1 ORDER BY timestamp DESC, id DESC LIMIT ${memories})`,
        );
        return rows.map(({ text }) => text);
      },
    ),
  };
}

/** Returns an expression for the first user id after another, over all tables that name users; NULL after the last. */
function selectNextUser(tenant: string, after: SQL): SQL {
  const firsts = USER_TABLES.map(
    (table) =>
      sql`SELECT min(user_id) AS id FROM ${sql.raw(table)} WHERE tenant = ${tenant} AND user_id > ${after}`,
  );
  return sql`(SELECT min(id) FROM (${sql.join(firsts, sql` UNION ALL `)}))`;
}

type UserRow = Pick<UserSummary, "id" | "first_seen" | "last_seen"> & UserSummary["counts"];

/** Returns the users that the common table `found` lists. */
async function selectUsers({ db, tenant }: StoreContext, found: SQL): Promise<UserSummary[]> {
  const rows = (table: string, more = sql``) =>
    sql`FROM ${sql.raw(table)} WHERE tenant = ${tenant} AND user_id = found.id${more}`;
  const live = sql` AND live = 1`;
  // `live` stands before the time in the index of memories, so each of its values has its own range of times.
  const selectTime = (aggregate: "min" | "max") => {
    const over = (column: string, from: SQL) =>
      sql`SELECT ${sql.raw(`${aggregate}(${column})`)} AS at ${from}`;
    const times = [
      over("created_at", rows("sessions")),
      over("timestamp", rows("messages")),
      over("timestamp", rows("memories", live)),
      over("timestamp", rows("memories", sql` AND live = 0`)),
      over("timestamp", rows("episodes")),
    ];
    return sql`(SELECT ${sql.raw(aggregate)}(at) FROM (${sql.join(times, sql` UNION ALL `)}))`;
  };
  const users = await readAll<UserRow>(
    db,
    sql`WITH RECURSIVE ${found}
      SELECT id, ${selectTime("min")} AS first_seen, ${selectTime("max")} AS last_seen,
        (SELECT count(*) ${rows("sessions")}) AS sessions, (SELECT count(*) ${rows("messages")}) AS messages,
        (SELECT count(*) ${rows("memories", live)}) AS memories
      FROM found WHERE id IS NOT NULL AND first_seen IS NOT NULL ORDER BY id`,
  );
  return users.map(({ id, first_seen, last_seen, sessions, messages, memories }) => ({
    id,
    first_seen,
    last_seen,
    counts: { sessions, messages, memories },
  }));
}
