// Faults during the erasure of a user: it is not acknowledged before it is complete, and a repeated call completes it.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { VectorShard } from "../../src/recall/vectors/vector-shard";
import { indexerStub, setIndexerClock, settled } from "../integration/indexing/support";
import { type Client, newClient, sessionStub, untilIndexed } from "../integration/support";
import {
  fillUser,
  findInD1,
  findInTextIndexes,
  newTenantOfUsers,
  userPath,
} from "../integration/users/support";
import {
  breakBatches,
  breakStatements,
  failuresOfD1,
  HOUR,
  kill,
  MOMENTS,
  mendD1,
  stickBatches,
} from "./support";

const ANNA = "anna+test@example.com";
const BEN = "auth0|123";

const STEPS = {
  "the vectors of a session are queued": /INSERT INTO vector_queue \(/,
  "a session is erased": /DELETE FROM sessions WHERE/,
  "the memories outside of sessions are erased": /DELETE FROM memories WHERE[\s\S]*json_each/,
  "the episodes are erased": /DELETE FROM episodes WHERE/,
};

let client: Client;
let word: string;
let sessions: string[];
let before: unknown;

const erase = () => client.call("DELETE", userPath(ANNA));
const readBen = async () => {
  const user = `user_id=${encodeURIComponent(BEN)}`;
  const lists = ["memories", "sessions", "episodes"].map((list) => client.call("GET", `/v1/${list}?${user}`));
  return (await Promise.all([client.call("GET", userPath(BEN)), ...lists])).map(({ body }) => body);
};

beforeEach(async () => {
  ({ client, word } = await newTenantOfUsers());
  ({ sessions } = await fillUser(client, ANNA, word));
  await fillUser(client, BEN, "something else");
  await untilIndexed(client.tenant);
  before = await readBen();
});
afterEach(() => {
  mendD1();
  vi.restoreAllMocks();
});

/** Nothing is left of Anna, and everything of Ben. An object whose erasure was interrupted completes it by itself. */
async function expectErased(): Promise<void> {
  await vi.waitFor(async () =>
    expect(await findInD1(client.tenant, word, ANNA, encodeURIComponent(ANNA))).toEqual([]),
  );
  expect(await findInTextIndexes(word)).toEqual([]);
  expect((await client.call("GET", userPath(ANNA))).status).toBe(404);
  for (const id of sessions) expect((await client.call("GET", `/v1/sessions/${id}`)).status).toBe(404);
  // Before the recall, which counts its hits as accesses.
  expect(await readBen()).toEqual(before);
  await untilIndexed(client.tenant);
  const { body } = await client.call("POST", "/v1/recall", {
    query: word,
    scope: "tenant",
    mode: "semantic",
    sources: ["memories", "messages", "episodes"],
    limit: 50,
  });
  for (const { content } of body.memories) expect(content).not.toContain(word);
}

async function expectUnfinished(answer: Awaited<ReturnType<typeof erase>>): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get("Retry-After")).toBe("1");
  expect(answer.body.detail).toContain("Send the same call again");
}

describe.each(Object.entries(STEPS))("when D1 fails while %s", (_step, matching) => {
  it.each(MOMENTS)("%s it is done, a repeated call completes the erasure", async (moment) => {
    breakBatches({ moment, matching, times: 1 });
    await expectUnfinished(await erase());
    expect(failuresOfD1()).toBe(1);
    mendD1();
    // The answer of the last step may be what was lost: then nothing is left for the second call.
    expect([200, 404]).toContain((await erase()).status);
    await expectErased();
  });
});

it("a call that cannot list what is left is not acknowledged", async () => {
  breakStatements({ moment: "before", matching: /SELECT id FROM episodes/ });
  await expectUnfinished(await erase());
  mendD1();
  expect(await erase()).toMatchObject({
    status: 200,
    body: { deleted: { sessions: 0, messages: 0, memories: 0, episodes: 1 } },
  });
  await expectErased();
});

/** Each removal from the vector index in turn: of the sessions' messages and memories, of the others, of the episode. */
it.each([
  0, 1, 2, 3, 4, 5,
])("the vector index that refuses removal %i stops the erasure, and a repeated call completes it", async (refused) => {
  // The indexer removes vectors as well, and its failure stops nobody: its alarm waits for the end of the erasure.
  const indexer = indexerStub(client.tenant);
  await setIndexerClock(indexer, Date.now() + HOUR);
  await settled(indexer, client.tenant);
  const { remove } = VectorShard.prototype;
  let removals = 0;
  vi.spyOn(VectorShard.prototype, "remove").mockImplementation(function (this: VectorShard, ...args) {
    removals += 1;
    if (removals - 1 === refused) throw new Error("broken by the test");
    return remove.apply(this, args);
  });
  await expectUnfinished(await erase());
  expect(removals).toBeGreaterThan(refused);
  vi.restoreAllMocks();
  expect([200, 404]).toContain((await erase()).status);
  await settled(indexer, client.tenant);
  await expectErased();
});

it("a session's object that is killed during the erasure is erased by a repeated call", async () => {
  stickBatches(STEPS["a session is erased"]);
  const sent = erase().catch(() => null);
  await vi.waitFor(() => expect(failuresOfD1()).toBe(2));
  for (const id of sessions) await kill(sessionStub(client.tenant, id));
  await sent;
  mendD1();
  expect(await erase()).toMatchObject({ status: 200, body: { deleted: { episodes: 1 } } });
  await expectErased();
});

it("two erasures at the same time leave nothing, and neither is acknowledged too early", async () => {
  const answers = await Promise.all([erase(), erase()]);
  expect(answers.map(({ status }) => status).toSorted()[0]).toBe(200);
  for (const { status } of answers) expect([200, 404, 503]).toContain(status);
  await expectErased();
});

it("a session without an object is erased from D1, with its messages counted", async () => {
  const other = await newClient(["read", "write"], client.tenant);
  const [id = ""] = sessions;
  await runInDurableObject(sessionStub(client.tenant, id), async (_instance, state) => {
    await state.storage.deleteAll();
  });
  await kill(sessionStub(client.tenant, id));
  const { status, body } = await other.call("DELETE", userPath(ANNA));
  expect(status).toBe(200);
  expect(body.deleted).toMatchObject({ sessions: 2, messages: 4, memories: 5 });
  await expectErased();
});
