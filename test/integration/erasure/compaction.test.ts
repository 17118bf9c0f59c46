// Compaction: the segments of the text indexes drop the words of erased rows, and rewritten tables stay as they were.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sweep } from "../../../src/operations/administration/sweep";
import { compact } from "../../../src/operations/erasure/compact";
import { ADMIN_KEY, callWith } from "../support";
import { newTenantOfUsers } from "../users/support";
import { send } from "./support";

/** Whether a word is in any segment of the index of memories, deleted or not. */
async function isInSegments(word: string): Promise<boolean> {
  const { results } = await env.DB.prepare("SELECT hex(block) AS block FROM memories_fts_data").all<{
    block: string;
  }>();
  const hex = [...word.slice(1)].map((char) => char.charCodeAt(0).toString(16).toUpperCase()).join("");
  return results.some(({ block }) => block.includes(hex));
}

it("the cron job removes the words of an erased memory from the segments", async () => {
  const { client, word } = await newTenantOfUsers();
  const { memory_id } = await send(client, "POST", "/v1/remember", {
    project_id: "shop",
    content: `Likes ${word}`,
  });
  await client.call("DELETE", `/v1/memories/${memory_id}`);
  expect(await isInSegments(word)).toBe(true);
  await sweep(env, Date.now());
  expect(await isInSegments(word)).toBe(false);
  expect((await callWith(ADMIN_KEY, "POST", "/v1/admin/compact", {})).body.finished).toBe(true);
  expect((await client.call("POST", "/v1/admin/compact", {})).status).toBe(403);
});

it("rewritten tables keep their rows, indexes and triggers", async () => {
  const { client, word } = await newTenantOfUsers();
  await send(client, "POST", "/v1/remember", { project_id: "shop", content: `Keeps ${word}` });
  const { memory_id } = await send(client, "POST", "/v1/remember", {
    project_id: "shop",
    content: "Goes away",
  });
  await client.call("DELETE", `/v1/memories/${memory_id}`);
  const read = async () => [
    (await env.DB.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all()).results,
    (await env.DB.prepare("SELECT * FROM triples WHERE tenant = ? ORDER BY id").bind(client.tenant).all())
      .results,
    (await env.DB.prepare("SELECT * FROM tenant_usage WHERE tenant = ?").bind(client.tenant).all()).results,
  ];
  const before = await read();
  expect(await compact({ ...env, OVERWRITE_PAGES: "true" }, { rewritesPages: true })).toEqual({
    requested: true,
    finished: true,
  });
  expect(await read()).toEqual(before);
  const { body } = await client.call("POST", "/v1/recall", { query: word, scope: "tenant" });
  expect(body.count).toBe(1);
});
