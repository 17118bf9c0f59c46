// Nothing that quotes an erased memory survives: threads, stored answers, pending and context items, spaces.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sweep } from "../../../src/administration/sweep";
import { breakStatements, mendD1 } from "../../faults/support";
import { freshId, newClient, sessionStub } from "../support";
import { readObject, send } from "./support";

const TEXT = 'The "vault" code is 4711\nand nobody else knows it';

const callTool = (name: string, input: object) => ({ type: "tool_use", id: freshId("call"), name, input });

async function quoteEverywhere() {
  const client = await newClient();
  const [own, other] = [freshId("session"), freshId("session")];
  for (const id of [own, other]) await send(client, "POST", "/v1/sessions", { id, agent_id: "ada" });
  const execute = (session_id: string, call: object) =>
    client.call("POST", "/v1/tools/execute", { session_id, call }, { "Idempotency-Key": freshId("key") });
  const { body } = await execute(own, callTool("remember", { content: TEXT, type: "fact" }));
  const { memory_id } = JSON.parse(body.content);
  await execute(other, callTool("recall", { query: "vault code" }));
  const pending = { content: TEXT, memory_type: "fact", importance_score: 0.1 };
  await client.call("POST", `/v1/sessions/${own}/pending`, pending, { "Idempotency-Key": freshId("key") });
  await send(client, "PUT", `/v1/sessions/${own}/spaces/notes`, { data: { seen: `It says: ${TEXT}` } });
  for (const id of [own, other]) expect(await readObject(client.tenant, id)).toContain("4711");
  return { client, own, other, memory_id };
}

it("an erased memory leaves no quotation, and the thread keeps its sequence numbers", async () => {
  const { client, own, other, memory_id } = await quoteEverywhere();
  const before = (await client.call("GET", `/v1/sessions/${own}/thread`)).body.data;
  expect((await client.call("DELETE", `/v1/memories/${memory_id}`)).status).toBe(200);
  for (const id of [own, other]) expect(await readObject(client.tenant, id)).not.toContain("4711");
  const after = (await client.call("GET", `/v1/sessions/${own}/thread`)).body.data;
  expect(after.map(({ seq }: { seq: number }) => seq)).toEqual(before.map(({ seq }: { seq: number }) => seq));
  expect(JSON.stringify(after)).toContain("[erased]");
  expect((await client.call("GET", `/v1/sessions/${own}/pending`)).body.data).toEqual([]);
  const { results } = await env.DB.prepare("SELECT response FROM operations WHERE tenant = ?")
    .bind(client.tenant)
    .all();
  expect(JSON.stringify(results)).not.toContain("4711");
  expect(
    (await env.DB.prepare("SELECT 1 FROM redactions WHERE tenant = ?").bind(client.tenant).all()).results,
  ).toEqual([]);
});

it("a call that dies after the erasure leaves the quotations to the cron job", async () => {
  const { client, own, other, memory_id } = await quoteEverywhere();
  breakStatements({ moment: "before", matching: /FROM redactions/ });
  expect((await client.call("DELETE", `/v1/memories/${memory_id}`)).status).toBe(200);
  mendD1();
  expect(await readObject(client.tenant, own)).toContain("4711");
  await sweep(env, Date.now());
  for (const id of [own, other]) expect(await readObject(client.tenant, id)).not.toContain("4711");
});

it("a sealed thread segment is rewritten", async () => {
  const { client, own, memory_id } = await quoteEverywhere();
  const entries = Array.from({ length: 500 }, (_, n) => ({ kind: "note", payload: `Filler ${n}` }));
  for (let n = 0; n < 4; n += 1) await send(client, "POST", `/v1/sessions/${own}/thread`, { entries });
  const countSegments = () =>
    runInDurableObject(sessionStub(client.tenant, own), (_instance, state) =>
      state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM thread_segments").one(),
    );
  await expect.poll(async () => (await countSegments()).n).toBeGreaterThan(0);
  const first = `/v1/sessions/${own}/thread?from=1&to=5`;
  expect(JSON.stringify((await client.call("GET", first)).body)).toContain("4711");
  await client.call("DELETE", `/v1/memories/${memory_id}`);
  const { data } = (await client.call("GET", first)).body;
  expect(JSON.stringify(data)).not.toContain("4711");
  expect(data).toHaveLength(5);
});
