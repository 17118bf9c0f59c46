// The erasure of a user: everything of one person in every store, and nothing of anybody else.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { type Client, freshId, newClient, sessionStub, untilIndexed } from "../support";
import { fillUser, findInD1, findInTextIndexes, newTenantOfUsers, userPath } from "./support";

const ANNA = "anna+test@example.com";
const BEN = "auth0|123";
/** How the id stands in IRIs. */
const ANNA_IRI = encodeURIComponent(ANNA);

/** Everything a user's calls can still find of a word. */
async function recallAll(client: Client, word: string): Promise<string[]> {
  const { body } = await client.call("POST", "/v1/recall", {
    query: word,
    scope: "tenant",
    sources: ["memories", "messages"],
    limit: 50,
  });
  return body.memories
    .map(({ content }: { content: string }) => content)
    .filter((text: string) => text.includes(word));
}

describe("the erasure of a user", () => {
  it("answers a receipt of true counts and leaves no trace in D1, text index and vectors", async () => {
    const { client, word } = await newTenantOfUsers();
    const { sessions } = await fillUser(client, ANNA, word);
    const triples = await countTriples(client, ANNA);
    await untilIndexed(client.tenant);
    expect(await findInD1(client.tenant, word)).not.toEqual([]);
    expect(await findInTextIndexes(word)).toEqual(["memories_fts", "messages_fts", "episodes_fts"]);

    const { status, body } = await client.call("DELETE", userPath(ANNA));
    expect(status).toBe(200);
    const { triples: erasedTriples, ...counts } = body.deleted;
    expect(counts).toEqual({ sessions: 2, messages: 4, memories: 5, episodes: 1, vectors: 10 });
    expect(erasedTriples).toBeGreaterThan(triples);

    expect(await findInD1(client.tenant, word, ANNA, ANNA_IRI)).toEqual([]);
    expect(await findInTextIndexes(word)).toEqual([]);
    expect(await recallAll(client, word)).toEqual([]);
    for (const id of sessions) {
      expect((await client.call("GET", `/v1/sessions/${id}`)).status).toBe(404);
      const left = await runInDurableObject(sessionStub(client.tenant, id), (_instance, state) =>
        state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'session'").toArray(),
      );
      expect(left).toEqual([]);
    }
  });

  it("is a 404 the second time, and the user is gone from the list", async () => {
    const { client, word } = await newTenantOfUsers();
    await fillUser(client, ANNA, word);
    expect((await client.call("DELETE", userPath(ANNA))).status).toBe(200);
    expect((await client.call("DELETE", userPath(ANNA))).status).toBe(404);
    expect((await client.call("GET", userPath(ANNA))).status).toBe(404);
    expect((await client.call("GET", "/v1/users")).body.data).toEqual([]);
  });

  it("leaves everything of other users as it was", async () => {
    const { client, word } = await newTenantOfUsers();
    await fillUser(client, ANNA, word);
    await fillUser(client, BEN, word);
    await untilIndexed(client.tenant);
    const read = async () => ({
      profile: (await client.call("GET", userPath(BEN))).body,
      memories: (await client.call("GET", `/v1/memories?user_id=${encodeURIComponent(BEN)}`)).body,
      sessions: (await client.call("GET", `/v1/sessions?user_id=${encodeURIComponent(BEN)}`)).body,
      episodes: (await client.call("GET", `/v1/episodes?user_id=${encodeURIComponent(BEN)}`)).body,
    });
    const before = await read();
    expect((await client.call("DELETE", userPath(ANNA))).status).toBe(200);
    expect(await read()).toEqual(before);
    expect(await recallAll(client, word)).toHaveLength(9);
  });

  it("erases memories of the user in a session of nobody, and leaves the session", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session });
    const remember = (body: object) => client.call("POST", "/v1/remember", { session_id: session, ...body });
    await remember({ user_id: ANNA, content: "Anna brings cake" });
    await remember({ content: "The meeting is at noon" });
    const { body } = await client.call("DELETE", userPath(ANNA));
    expect(body.deleted).toMatchObject({ sessions: 0, memories: 1 });
    const { body: left } = await client.call("GET", "/v1/memories");
    expect(left.data.map(({ content }: { content: string }) => content)).toEqual(["The meeting is at noon"]);
    expect((await client.call("GET", `/v1/sessions/${session}`)).status).toBe(200);
  });

  it("marks a memory of someone else that an erased one superseded as forgotten", async () => {
    const client = await newClient();
    const { body: old } = await client.call("POST", "/v1/remember", {
      agent_id: "ada",
      content: "The key is under the mat",
    });
    const { body: replacement } = await client.call("POST", "/v1/remember", {
      user_id: ANNA,
      agent_id: "ada",
      content: "Anna has the key",
    });
    await client.call("POST", "/v1/forget", {
      memory_id: old.memory_id,
      replacement_id: replacement.memory_id,
      agent_id: "ada",
    });
    expect((await client.call("DELETE", userPath(ANNA))).status).toBe(200);
    const { body } = await client.call("GET", `/v1/memories/${old.memory_id}`);
    expect(body).toMatchObject({ status: "forgotten", superseded_by: null });
  });

  it("covers messages that have not reached the long-term store, and writes during it bring nothing back", async () => {
    const { client, word } = await newTenantOfUsers();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session, user_id: ANNA });
    const say = (n: number) =>
      client.call("POST", `/v1/sessions/${session}/messages`, {
        messages: [{ role: "user", content: `${word} ${n}` }],
      });
    await say(0);
    const [erased] = await Promise.all([client.call("DELETE", userPath(ANNA)), say(1), say(2)]);
    expect(erased.status).toBe(200);
    // A message after the erasure may have begun a new session of that id, which belongs to nobody.
    await client.call("DELETE", `/v1/sessions/${session}?memories=true`);
    await vi.waitFor(async () => expect(await findInD1(client.tenant, word, ANNA)).toEqual([]));
    expect((await client.call("GET", userPath(ANNA))).status).toBe(404);
  });

  it("erases more sessions than run at the same time, and continues with a second call beyond its limit", async () => {
    const client = await newClient();
    for (let n = 0; n < 210; n += 1) {
      const { status } = await client.call("POST", "/v1/sessions", { user_id: ANNA });
      expect(status).toBe(201);
    }
    const first = await client.call("DELETE", userPath(ANNA));
    expect(first.status).toBe(503);
    expect(first.headers.get("Retry-After")).toBe("1");
    expect(first.body.detail).toContain("Send the same call again");
    const second = await client.call("DELETE", userPath(ANNA));
    expect(second).toMatchObject({ status: 200, body: { deleted: { sessions: 10 } } });
  });

  it("needs the scope write", async () => {
    const { client, word } = await newTenantOfUsers();
    await fillUser(client, ANNA, word);
    const reader = await newClient(["read"], client.tenant);
    expect((await reader.call("DELETE", userPath(ANNA))).status).toBe(403);
    expect((await reader.call("GET", userPath(ANNA))).status).toBe(200);
  });
});

/** The number of triples of a user's memories, as the API shows them. */
/** Triples that follow from others, or from the uses of a memory, are not stored. */
const DERIVED = /#(?:hasConfidence|accessCount|lastAccessed)$/;
const isStored = ({ predicate }: { predicate: string }) => !DERIVED.test(predicate);

async function countTriples(client: Client, user: string): Promise<number> {
  const { body } = await client.call("GET", `/v1/memories?user_id=${encodeURIComponent(user)}`);
  let count = 0;
  for (const { id } of body.data)
    count += (await client.call("GET", `/v1/memories/${id}/triples`)).body.data.filter(isStored).length;
  return count;
}
