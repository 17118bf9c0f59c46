// What is derived from a lower-ranked source has its rank, through every step.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { MAX_LOWERED } from "../../../src/memories/store/lower-derived";
import { SEND_DELAY_MS } from "../../../src/sessions/short-term/message-progress";
import { readSql } from "../../faults/support";
import { newTenant } from "../store/long-term-support";
import { type Client, freshId, newClient, skipWaits } from "../support";

let kioku: Client;
beforeAll(async () => {
  kioku = await newClient();
});

type Owner = { session_id?: string; user_id?: string };

async function remember(body: object) {
  const { status, body: answer } = await kioku.call("POST", "/v1/remember", body);
  expect([200, 201]).toContain(status);
  return answer;
}

async function read(id: string) {
  return (await kioku.call("GET", `/v1/memories/${id}`)).body;
}

function rememberPage(content: string): Promise<{ memory_id: string }> {
  return remember({ user_id: "web", source_type: "external_document", content });
}

function link(from: string, to: string) {
  return kioku.call("POST", "/v1/links", { from, to, relation: "derived_from" });
}

/** The two ways to write: directly, and through the object of a session. */
const WAYS: [string, () => Owner][] = [
  ["without a session", () => ({ user_id: freshId("user") })],
  ["in a session", () => ({ session_id: freshId("session") })],
];

/** Runs a change before a batch that commits memories: the next one, or a repeated attempt. */
function changeBeforeCommit(change: () => Promise<unknown>, attempt = 1): void {
  let commits = 0;
  const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
  const { batch } = database;
  vi.spyOn(database, "batch").mockImplementation(async function (this: D1Database, statements) {
    if (statements.some((one) => /INSERT INTO (operations|memories) \(/.test(readSql(one)))) commits += 1;
    if (commits === attempt) {
      vi.restoreAllMocks();
      await change();
    }
    return batch.call(this, statements);
  });
}

describe.each(
  WAYS,
)("a statement whose evidence loses its rank before it is stored, %s", (_way, createOwner) => {
  it.each(["new", "stored already", "of a topic"])("does not outrank it: %s", async (state) => {
    const owner = createOwner();
    const { memory_id: page } = await rememberPage("A page about tides");
    const { memory_id: note } = await remember({
      user_id: "web",
      source_type: "user",
      content: freshId("A note"),
    });
    const fact = {
      ...owner,
      source_type: "agent",
      content: `High water is at ${freshId()}`,
      evidence: [note],
    };
    if (state === "stored already") await remember({ ...fact, source_type: "tool", evidence: [] });
    const topic = state === "of a topic" ? { key: "tide" } : {};
    if (state === "of a topic")
      await remember({ ...owner, ...topic, source_type: "external_document", content: "Low" });
    // A topic that is known makes the first attempt fail. Content that was just written is read first.
    changeBeforeCommit(() => link(note, page), state === "of a topic" ? 2 : 1);
    const { memory_id } = await remember({ ...fact, ...topic });
    expect((await read(note)).source_type).toBe("external_document");
    expect((await read(memory_id)).source_type).toBe(
      state === "stored already" ? "tool" : "external_document",
    );
  });
});

describe("a statement whose evidence is said before it is stored", () => {
  it("does not outrank the message", async () => {
    const session_id = freshId("session");
    changeBeforeCommit(async () => {
      const { mockRestore } = skipWaits(SEND_DELAY_MS);
      const messages = [{ id: "found", role: "tool", content: "High water is at noon" }];
      await kioku.call("POST", `/v1/sessions/${session_id}/messages`, { messages });
      await vi.waitFor(async () => expect((await kioku.call("GET", "/v1/usage")).body.messages).toBe(1));
      mockRestore();
    });
    const { memory_id } = await remember({
      ...{ user_id: freshId("user"), source_type: "user", content: "Noon has high water" },
      evidence: [`message:found`],
    });
    expect((await read(memory_id)).source_type).toBe("tool");
  });
});

describe.each(WAYS)("the text of a higher source, repeated with links, %s", (_way, createOwner) => {
  it.each([
    ["by a document", { source_type: "external_document" }],
    ["by an agent who derives it from a document", { source_type: "agent" }],
    ["with evidence of a lower rank", { source_type: "user", evidence: ["page"] }],
  ])("does not lower the memory: %s", async (_who, { evidence = [], ...claim }: Record<string, unknown>) => {
    const owner = createOwner();
    const { memory_id: page } = await rememberPage("A page about accounts");
    const fact = { ...owner, key: "bank", content: "The bank is the harbour bank" };
    const { memory_id: id } = await remember({ ...fact, source_type: "user", confidence: 0.4 });
    const before = await read(id);
    const again = await remember({
      ...{ ...fact, ...claim, confidence: 1 },
      evidence: (evidence as string[]).map(() => page),
      properties: { derived_from: [page] },
    });
    expect(again).toMatchObject({ memory_id: id, deduplicated: true, superseded: [] });
    expect(again.warnings).toEqual([
      expect.stringMatching(
        /^properties\.derived_from: not linked, .*"user", which outranks "external_document"/,
      ),
    ]);
    expect(await read(id)).toEqual(before);
    const next = { ...owner, key: "bank", source_type: "external_document", content: "The bank is XX99" };
    expect(await remember(next)).toMatchObject({ superseded: [], contradicts: [id] });
  });

  it("neither supersedes another memory nor is superseded", async () => {
    const owner = createOwner();
    const { memory_id: page } = await rememberPage("A page about food");
    const told = { ...owner, source_type: "user" };
    const { memory_id: one } = await remember({ ...told, content: "Eats no meat" });
    const { memory_id: two } = await remember({ ...told, content: "Owns a bicycle" });
    const repeat = { content: "Owns a bicycle", source_type: "external_document" };
    const call = { name: "remember", arguments: { ...repeat, properties: { supersedes: [one] } } };
    const { body } = await kioku.call("POST", "/v1/tools/execute", { ...owner, call });
    expect(JSON.parse(body.content)).toMatchObject({ memory_id: two, superseded: [] });
    const memories = [{ ...owner, ...repeat, properties: { superseded_by: [page] } }];
    const batch = await kioku.call("POST", "/v1/memories/batch", { memories });
    expect(batch.body.results).toMatchObject([
      { memory_id: two, superseded: [], warnings: [expect.stringContaining("properties.superseded_by")] },
    ]);
    for (const id of [one, two]) expect(await read(id)).toMatchObject({ status: "live" });
  });
});

describe("links that are set for a source", () => {
  it("are refused from a memory that outranks it, and those that exist stay", async () => {
    const tenant = await newTenant();
    const { memories, links } = tenant.store();
    const write = (content: string) => tenant.write({ content, source_type: "user" });
    const [one = "", two = ""] = (await memories.commit([write("One"), write("Two")])).flatMap((result) =>
      result.ok ? [result.value.memory_id] : [],
    );
    const set = (relation: "related_to" | "supersedes", to: string[], actor: "user" | "tool") =>
      links.set({ from: one, relation, to, actor });
    expect(await set("related_to", [two], "user")).toMatchObject({ ok: true });
    const refused = { ok: false, failure: { code: "conflict" } };
    expect(await set("supersedes", [two], "tool")).toMatchObject(refused);
    expect(await set("related_to", [], "tool")).toMatchObject(refused);
    expect(await links.listFrom([one])).toEqual(
      new Map([[one, [{ to: two, relation: "related_to", strength: 1 }]]]),
    );
    expect(await memories.find(two)).toMatchObject({ superseded_by: null });
  });
});

describe("a pattern of a higher rank", () => {
  it("gets no links from one of a lower rank with its text", async () => {
    const project_id = freshId("project");
    const { memory_id: page } = await rememberPage("A page about tests");
    const pattern = { project_id, pattern: "Test as a guest", id: freshId("pattern") };
    const { body: own } = await kioku.call("POST", "/v1/patterns", pattern);
    const before = await read(own.id);
    expect(before).toMatchObject({ source_type: "agent" });
    const links = [{ to: page, relation: "derived_from" }];
    expect((await kioku.call("POST", "/v1/patterns", { ...pattern, links })).status).toBeLessThan(300);
    expect(await read(own.id)).toEqual(before);
  });
});

describe("a candidate that rests on a document", () => {
  const fact = { memory_type: "fact", importance_score: 0.9, suggested_by: "agent", source_type: "user" };
  const offerIn = (session: string, body: object) =>
    kioku.call("POST", `/v1/sessions/${session}/pending`, { ...fact, ...body });
  const listRatings = async (session: string) => {
    const { body } = await kioku.call("GET", `/v1/memories?session_id=${session}`);
    return body.data
      .map((one: { source_type: string; confidence: number }) => [one.source_type, one.confidence])
      .toSorted();
  };

  it("takes over nothing of a near-duplicate of the user when it is promoted", async () => {
    const session = freshId("session");
    const { memory_id: page } = await rememberPage("A page about packages");
    const content = "The team uses pnpm for packages";
    await remember({ session_id: session, source_type: "user", content, confidence: 1 });
    const claim = { content: "The team uses pnpm for its packages", evidence: [`memory:${page}`] };
    await offerIn(session, { ...claim, confidence: 0.3 });
    await kioku.call("POST", `/v1/sessions/${session}/promote`);
    expect(await listRatings(session)).toEqual([
      ["external_document", 0.3],
      ["user", 1],
    ]);
  });

  it("does not lower an equal one of the user that waits", async () => {
    const session = freshId("session");
    const { memory_id: page } = await rememberPage("A page about tea");
    await offerIn(session, { content: "Drinks tea", confidence: 1 });
    const { body } = await offerIn(session, { content: "Drinks tea", confidence: 0.3, evidence: [page] });
    expect(body).toMatchObject({ source_type: "user", confidence: 1, evidence: [] });
  });
});

describe("a source that is lowered", () => {
  it("lowers what rests on it through links and evidence, and nothing else", async () => {
    const user_id = freshId("user");
    const tell = async (content: string, evidence: string[] = []) =>
      (await remember({ user_id, source_type: "user", content, evidence })).memory_id as string;
    const first = await tell("The meeting is on Monday");
    const named = await tell("The report is due on Monday", [`memory:${first}`]);
    const bare = await tell("The draft is due on Friday", [named]);
    const linked = await tell("The draft is nearly done");
    const other = await tell("The office has a garden", ["https://example.com"]);
    expect((await link(linked, bare)).status).toBe(201);
    // A circle of derivations ends.
    expect((await link(first, linked)).status).toBe(201);
    const { memory_id: page } = await rememberPage("A page about meetings");
    expect((await link(first, page)).status).toBe(201);
    for (const id of [first, named, bare, linked])
      expect(await read(id)).toMatchObject({ source_type: "external_document", status: "live" });
    expect(await read(other)).toMatchObject({ source_type: "user" });
    const { results } = await env.DB.prepare(
      "SELECT object FROM triples WHERE tenant = ? AND predicate = 'jido:hasSourceType' AND subject IN (?, ?, ?, ?)",
    )
      .bind(kioku.tenant, ...[first, named, bare, linked].map((id) => `jido:memory_${id}`))
      .all();
    expect(results).toEqual(Array.from({ length: 4 }, () => ({ object: "jido:ExternalDocumentSource" })));
  });

  it("is refused where too many memories rest on it, and changes none", async () => {
    const user_id = freshId("user");
    const base = await remember({ user_id, source_type: "user", content: "The base of all" });
    const half = Array.from({ length: MAX_LOWERED / 2 }, (_, i) => i);
    for (const part of ["one", "two"])
      await kioku.call("POST", "/v1/memories/batch", {
        memories: half.map((i) => ({
          ...{ user_id, source_type: "user", supersede: false },
          content: `Number ${i} of part ${part}`,
          evidence: [base.memory_id],
        })),
      });
    const { memory_id: page } = await rememberPage("A page about all");
    const refused = await link(base.memory_id, page);
    expect(refused).toMatchObject({ status: 429, body: { code: "limit_exceeded" } });
    expect(await read(base.memory_id)).toMatchObject({ source_type: "user" });
  });
});
