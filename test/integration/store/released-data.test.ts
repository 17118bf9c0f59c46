// Data that the released schema holds, upgraded by all later migrations: test/data/released-data.json has the rows of a
// tenant and the answers about them.
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import released from "../../data/released-data.json";
import { newClient } from "../support";
import { rebuild } from "./long-term-support";
import { readAnswers } from "./stored-subjects";

it("is read as before, rebuilt to the same answers, found and added to", async () => {
  await reset();
  const first = env.TEST_MIGRATIONS.filter(({ name }) => name in released.migrations);
  await applyD1Migrations(env.DB, first);
  await env.DB.batch(
    Object.entries(released.rows).flatMap(([table, rows]: [string, object[]]) =>
      rows.map((row) => {
        const columns = Object.keys(row);
        return env.DB.prepare(
          `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
        ).bind(...Object.values(row));
      }),
    ),
  );
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

  const client = await newClient(["read", "write"], "acme");
  expect(await readAnswers(client, released.ids)).toEqual(released.answers);
  await rebuild("acme");
  expect(await readAnswers(client, released.ids)).toEqual(released.answers);
  const { body: found } = await client.call("POST", "/v1/recall", { query: "Postgres", mode: "text" });
  expect(found.memories.map(({ id }: { id: string }) => id)).toEqual([released.ids.decision]);
  const { body: written } = await client.call("POST", "/v1/remember", {
    content: "Use Postgres 18",
    type: "architectural_decision",
    session_id: "second",
    project_id: "shop",
  });
  expect((await client.call("GET", `/v1/memories/${written.memory_id}`)).status).toBe(200);
});
