// Compaction: the segments of the text indexes drop the words of erased rows.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sweep } from "../../../src/operations/administration/sweep";
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
