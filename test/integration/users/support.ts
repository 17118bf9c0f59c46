// Helpers of the user tests: a tenant in which people have said things, and everything of it that D1 holds.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { type Client, freshId, newClient } from "../support";

/** The path of a user, whose id may contain reserved characters. */
export const userPath = (id: string) => `/v1/users/${encodeURIComponent(id)}`;

async function send(client: Client, path: string, body: object) {
  const answer = await client.call("POST", path, body);
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
  return answer.body;
}

/**
 * Gives a user something in every store: two sessions with messages, working context, items and memories, a memory
 * outside of sessions, an entry in a namespace, an episode, and a link. `word` is in every text.
 */
export async function fillUser(client: Client, user_id: string, word: string) {
  const sessions = [freshId("session"), freshId("session")];
  for (const id of sessions) {
    await client.call("POST", "/v1/sessions", { id, user_id, agent_id: "ada" }, { "Idempotency-Key": id });
    const path = `/v1/sessions/${id}`;
    await send(client, `${path}/messages`, {
      messages: [
        { role: "user", content: `I like ${word} very much` },
        { role: "assistant", content: `${word} is noted` },
      ],
    });
    await client.call("PUT", `${path}/context/topic`, { value: word });
    await send(client, `${path}/remember`, {
      content: `Prefers ${word} on session ${id}`,
      type: "preference",
    });
  }
  const [first = ""] = sessions;
  const { memory_id: outside } = await send(client, "/v1/remember", {
    user_id,
    agent_id: "ada",
    content: `Works with ${word}`,
  });
  const { memory_id: inside } = await send(client, `/v1/sessions/${first}/remember`, {
    content: `Owns ${word}`,
  });
  await send(client, "/v1/links", { from: outside, relation: "supports", to: inside });
  await send(client, "/v1/entries", { agent_id: "ada", user_id, content: `Asked about ${word}` });
  await send(client, "/v1/episodes", {
    user_id,
    project_id: "shop",
    context: { goal: `Explain ${word}` },
    outcome: "success",
  });
  return { sessions, outside, inside };
}

/** The columns of every table that has a tenant. */
async function readTenantTables(): Promise<Map<string, string[]>> {
  const { results } = await env.DB.prepare(
    `SELECT m.name AS "table", json_group_array(c.name) AS columns
     FROM sqlite_master m, pragma_table_xinfo(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE '%\\_fts%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite_%'
       AND m.name NOT LIKE '\\_cf%' ESCAPE '\\' AND m.name <> 'd1_migrations'
     GROUP BY m.name HAVING sum(c.name = 'tenant') > 0`,
  ).all<{ table: string; columns: string }>();
  return new Map(results.map(({ table, columns }) => [table, JSON.parse(columns)]));
}

/**
 * What D1 holds with one of these texts in any column of any table of the tenant, as `table.column`. One query per table
 * looks at all of its columns, and all queries are one batch: there are about two hundred columns.
 */
export async function findInD1(tenant: string, ...texts: string[]): Promise<string[]> {
  const tables = await readTenantTables();
  const contains = (column: string) =>
    texts.map((_, n) => `instr(lower(cast("${column}" AS TEXT)), lower(?${n + 2})) > 0`).join(" OR ");
  const queries = [...tables].map(([table, columns]) =>
    env.DB.prepare(
      `SELECT ${columns.map((column) => `max(${contains(column)}) AS "${column}"`)} FROM ${table} WHERE tenant = ?1`,
    ).bind(tenant, ...texts),
  );
  const answers = await env.DB.batch<Record<string, number | null>>(queries);
  return [...tables].flatMap(([table, columns], n) =>
    columns.filter((column) => answers[n]?.results[0]?.[column] === 1).map((column) => `${table}.${column}`),
  );
}

/** The entries of the text indexes with a word, over all tenants: words of tests are unique. */
export async function findInTextIndexes(word: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of ["memories_fts", "messages_fts", "episodes_fts", "items_fts"]) {
    const row = await env.DB.prepare(`SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT 1`)
      .bind(word)
      .first();
    if (row !== null) found.push(table);
  }
  return found;
}

export async function newTenantOfUsers() {
  const client = await newClient();
  return { client, word: `w${crypto.randomUUID().replaceAll("-", "")}` };
}
