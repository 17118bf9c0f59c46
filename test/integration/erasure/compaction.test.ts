// Compaction: the segments of the text indexes drop the words of erased rows, and nothing runs into a file that is being
// compacted. The files themselves are those of test/conformance/http/erased-files.test.ts.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { sweep } from "../../../src/administration/sweep";
import { readCompaction } from "../../../src/kernel/databases/compaction";
import { openDatabase, runWhilePaused, sanitiseErrors } from "../../../src/kernel/databases/d1";
import {
  compactDatabaseFile,
  compactObjectFile,
  type FileCompactor,
} from "../../../src/kernel/file-compactor";
import { compact } from "../../../src/owners/compact";
import { ADMIN_KEY, callWith, freshId, sessionStub } from "../support";
import { newTenantOfUsers } from "../users/support";
import { send } from "./support";

/**
 * Whether a word is in any segment of the index of memories, deleted or not. A segment leaves out what a word has in
 * common with the one before it, which may be its first characters.
 */
async function isInSegments(word: string): Promise<boolean> {
  const { results } = await env.DB.prepare("SELECT hex(block) AS block FROM memories_fts_data").all<{
    block: string;
  }>();
  const hex = [...word.slice(4)].map((char) => char.charCodeAt(0).toString(16).toUpperCase()).join("");
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

/** A compactor of files that takes its time, and notes when it has finished. */
function createSlowCompactor(events: string[], status = 204) {
  return {
    async fetch(): Promise<Response> {
      events.push("compaction begins");
      await scheduler.wait(100);
      events.push("compaction ends");
      return new Response(null, { status });
    },
  };
}

it("calls to the database wait while its file is compacted", async () => {
  const db = openDatabase(env.DB);
  const events: string[] = [];
  const compactor = createSlowCompactor(events);
  const compaction = runWhilePaused(() => compactDatabaseFile(compactor, { atOnce: false }));
  await vi.waitFor(() => expect(events).toEqual(["compaction begins"]), { interval: 1 });
  await readCompaction(db).then(() => events.push("read"));
  expect(await compaction).toBe(true);
  expect(events).toEqual(["compaction begins", "compaction ends", "read"]);
});

it("the file is compacted when the database has answered every call", async () => {
  const events: string[] = [];
  const call = sanitiseErrors(async () => {
    await scheduler.wait(100);
    events.push("call ends");
  });
  await runWhilePaused(() => compactDatabaseFile(createSlowCompactor(events), { atOnce: false }));
  expect(events).toEqual(["call ends", "compaction begins", "compaction ends"]);
  await call;
});

it("calls to an object wait while its file is compacted, and work afterwards even if that failed", async () => {
  const { client } = await newTenantOfUsers();
  const session = freshId("session");
  await send(client, "POST", "/v1/sessions", { id: session });
  for (const [status, compacted] of [
    [204, true],
    [409, false],
    [500, false],
  ] as const) {
    const events: string[] = [];
    const compactor = createSlowCompactor(events, status);
    const compaction = runInDurableObject(sessionStub(client.tenant, session), (_instance, state) =>
      compactObjectFile(state, compactor, "SessionObject"),
    );
    await vi.waitFor(() => expect(events).toEqual(["compaction begins"]), { interval: 1 });
    await client.call("GET", `/v1/sessions/${session}`).then(({ status }) => events.push(`read ${status}`));
    expect(await compaction).toBe(compacted);
    expect(events).toEqual(["compaction begins", "compaction ends", "read 200"]);
  }
});

it("files count as compacted only when all of them are", async () => {
  const { client } = await newTenantOfUsers();
  const { memory_id } = await send(client, "POST", "/v1/remember", { content: "Goes away" });
  await client.call("DELETE", `/v1/memories/${memory_id}`);
  const answers = { objects: [{ class_name: "NoSuchObject", id: "00" }], database: 409 };
  const compactor = {
    async fetch(url: string): Promise<Response> {
      if (url.endsWith("/objects")) return Response.json(answers.objects);
      return new Response(null, { status: answers.database });
    },
  };
  const run = () => compact({ ...env, FILE_COMPACTOR: compactor as FileCompactor });
  expect(await run()).toEqual({ requested: true, finished: false });
  answers.objects = [];
  expect(await run()).toEqual({ requested: true, finished: false });
  answers.database = 204;
  expect(await run()).toEqual({ requested: true, finished: true });
  expect(await run()).toEqual({ requested: false, finished: true });
});
