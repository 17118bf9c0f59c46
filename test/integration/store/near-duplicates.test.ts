// Near-duplicates at promotion: what says again, in other words, what the session remembers takes its place.
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  breakBatches,
  COMMIT,
  failuresOfD1,
  HOUR,
  kill,
  memoriesOf,
  mendD1,
  objectsOf,
  offer,
  setClock,
  stickBatches,
} from "../../faults/support";
import { breakEmbedder, indexerStub, mendEmbedders, setIndexerClock, settled } from "../indexing/support";
import { freshId, sessionStub } from "../support";
import { newTenant, rebuild, type Tenant } from "./long-term-support";

const ACTIVE = "We store backups in S3.";
const PASSIVE = "Backups are stored in S3.";

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
  // No alarm goes off by itself.
  await setIndexerClock(indexerStub(t.tenant), Date.now() + HOUR);
  await setClock(sessionStub(t.tenant, t.session), Date.now() + HOUR);
});
afterEach(() => {
  mendD1();
  mendEmbedders();
});

const propose = (content: string, more: object = {}, session = t.session) =>
  offer({ ...t }, session, content, more);
const promote = async (session = t.session) => {
  const { status, body } = await t.call("POST", `/v1/sessions/${session}/promote`);
  expect(status).toBe(200);
  return body as { promoted: { memory_id: string }[]; remaining: number };
};
/** Promotes what waits, all in one run, and gives the id of the first. */
const promoted = async () => (await promote()).promoted[0]?.memory_id ?? "";
const live = async () =>
  (await memoriesOf(t.tenant)).filter((memory) => memory.live === 1).map(({ content }) => content);
const recalled = async (query: string) => {
  const { body } = await t.call("POST", `/v1/sessions/${t.session}/recall`, { query });
  return body.memories.map(({ id }: { id: string }) => id) as string[];
};

describe("a candidate that the embedder cannot read", () => {
  it("is promoted beside another statement of its language, and compared by its wording alone", async () => {
    await t.remember({ content: "猫の名前はモカです" });
    await settled(indexerStub(t.tenant), t.tenant);
    await propose("会議は毎週月曜日です");
    await promoted();
    expect((await live()).toSorted()).toEqual(["会議は毎週月曜日です", "猫の名前はモカです"]);
  });
});

describe("a candidate that rewords a memory of its session", () => {
  it.each([
    "is in the index",
    "waits for it",
  ])("takes its place when it %s, with all that supported it", async (where) => {
    const old = await t.remember({
      content: ACTIVE,
      confidence: 0.9,
      evidence: ["doc:1", "doc:2"],
      rationale: "Asked by the auditors",
    });
    if (where === "is in the index") await settled(indexerStub(t.tenant), t.tenant);
    await propose(PASSIVE, { confidence: 0.7, evidence: ["doc:3", "doc:1"] });
    const id = await promoted();
    expect(id).not.toBe(old);
    expect(await t.memory(old)).toMatchObject({ status: "superseded", superseded_by: id, content: ACTIVE });
    expect(await t.memory(id)).toMatchObject({
      status: "live",
      content: PASSIVE,
      confidence: 0.9,
      evidence: ["doc:3", "doc:1", "doc:2"],
      rationale: "Asked by the auditors",
      supersedes: [old],
    });
    expect(await t.history(id)).toEqual([old, id]);
    expect(await live()).toEqual([PASSIVE]);
    expect(await recalled("where are the backups?")).toEqual([id]);
    // The triples say the same as the rows.
    const contents = await t.contents();
    await rebuild(t.tenant);
    expect((await t.contents()).memories).toEqual(contents.memories);
  });

  it("keeps what it says itself: its own rationale, and its confidence where that is higher", async () => {
    await t.remember({ content: ACTIVE, confidence: 0.6, rationale: "The old reason" });
    await propose(PASSIVE, { confidence: 0.95, rationale: "The new reason" });
    expect(await t.memory(await promoted())).toMatchObject({ confidence: 0.95, rationale: "The new reason" });
  });

  it("takes the place of all that say the same", async () => {
    const said = [
      await t.remember({ content: ACTIVE, evidence: ["doc:1"] }),
      await t.remember({ content: "Note that backups are stored in S3", evidence: ["doc:2"] }),
    ];
    expect(await live()).toHaveLength(2);
    await propose(PASSIVE);
    const id = await promoted();
    expect(await live()).toEqual([PASSIVE]);
    const { evidence, supersedes } = await t.memory(id);
    expect(evidence.toSorted()).toEqual(["doc:1", "doc:2"]);
    expect(supersedes.toSorted()).toEqual(said.toSorted());
  });

  it("is the same memory, not another life of it, when the wording is the same too", async () => {
    const old = await t.remember({ content: ACTIVE, evidence: ["doc:1"] });
    await propose("we store backups in S3", { evidence: ["doc:2"] });
    expect(await promoted()).toBe(old);
    expect(await t.memory(old)).toMatchObject({ status: "live", evidence: ["doc:1", "doc:2"] });
  });

  it("may be reworded back: the chain grows, and one is live", async () => {
    const first = await t.remember({ content: ACTIVE, evidence: ["doc:1"] });
    await propose(PASSIVE, { evidence: ["doc:2"] });
    const second = await promoted();
    await propose(ACTIVE, { evidence: ["doc:3"] });
    const third = await promoted();
    expect(third).not.toBe(first);
    expect(await t.history(third)).toEqual([first, second, third]);
    expect((await t.memory(third)).evidence.toSorted()).toEqual(["doc:1", "doc:2", "doc:3"]);
    expect(await live()).toEqual([ACTIVE]);
  });
});

describe("a candidate stays apart from", () => {
  it.each([
    ["another number", "We tested the build on Android 13.", "We tested the build on Android 14."],
    ["another name", "The invoice goes to Alice.", "The invoice goes to Bob."],
    ["its negation", "The user drinks coffee.", "The user does not drink coffee."],
    ["a statement with more in it", "The API supports paging.", "The API supports paging and sorting."],
  ])("%s", async (_what, known, candidate) => {
    await t.remember({ content: known });
    await propose(candidate);
    await promote();
    expect(await live()).toEqual([known, candidate].toSorted());
  });

  it("the same in another type", async () => {
    await t.remember({ content: ACTIVE, type: "decision" });
    await propose(PASSIVE);
    await promote();
    expect((await live()).toSorted()).toEqual([ACTIVE, PASSIVE].toSorted());
  });

  it("the same in another session", async () => {
    const other = freshId("session");
    await t.remember({ content: ACTIVE, session_id: other });
    await settled(indexerStub(t.tenant), t.tenant);
    await propose(PASSIVE);
    await promote();
    expect((await live()).toSorted()).toEqual([ACTIVE, PASSIVE].toSorted());
  });

  it("what was forgotten: that does not come back as its history", async () => {
    const old = await t.remember({ content: ACTIVE, evidence: ["doc:1"] });
    await settled(indexerStub(t.tenant), t.tenant);
    await t.forget({ memory_id: old });
    await propose(PASSIVE, { evidence: ["doc:2"] });
    const id = await promoted();
    expect(await t.memory(id)).toMatchObject({ evidence: ["doc:2"], supersedes: [] });
    expect(await t.memory(old)).toMatchObject({ status: "forgotten", superseded_by: null });
  });
});

describe("candidates of one run that say the same", () => {
  it.each([
    ["in the same words", "We store backups in S3.", "Note that we store backups in S3"],
    ["in other words", ACTIVE, PASSIVE],
  ])("%s are promoted one after the other, the later in the place of the earlier", async (_how, one, other) => {
    await propose(one, { importance_score: 0.9, evidence: ["doc:1"] });
    await propose(other, { importance_score: 0.8, evidence: ["doc:2"] });
    expect(await promote()).toMatchObject({ promoted: [{}], remaining: 1 });
    expect(await live()).toEqual([one]);
    const id = await promoted();
    expect(await live()).toEqual([other]);
    expect((await t.memory(id)).evidence.toSorted()).toEqual(["doc:1", "doc:2"]);
    expect(await promote()).toEqual({ promoted: [], remaining: 0 });
  });

  it("are all promoted when the session closes, and one is live", async () => {
    await propose(ACTIVE);
    await propose(PASSIVE);
    await propose("Note that we store backups in S3");
    const { body } = await t.call("POST", `/v1/sessions/${t.session}/close`);
    expect(body.promoted).toBe(3);
    expect(await live()).toHaveLength(1);
  });

  it("are nothing to those that say something else", async () => {
    await propose(ACTIVE);
    await propose("The user drinks coffee.");
    expect(await promote()).toMatchObject({ promoted: [{}, {}], remaining: 0 });
  });

  it("and repeat two memories that reword each other leave one of them live", async () => {
    const first = await t.remember({ content: ACTIVE });
    const second = await t.remember({ content: PASSIVE });
    await propose(ACTIVE, { importance_score: 0.9 });
    await propose(PASSIVE, { importance_score: 0.8 });
    for (let left = 1; left > 0; ) left = (await promote()).remaining;
    expect(await live()).toHaveLength(1);
    const chain = await t.history(first);
    expect(chain).toEqual(expect.arrayContaining([first, second]));
  });
});

describe("writes of one batch that replace others", () => {
  /** Everything the triples say of who replaced a memory. */
  const replacers = (id: string) => objectsOf(t.tenant, `jido:memory_${id}`, "jido:supersededBy");

  it("replace a memory once, though two of them mean to", async () => {
    const old = await t.remember({ content: ACTIVE });
    await t.store().memories.commit(
      ["Backups go to S3.", "Backups live in S3."].map((content) => ({
        ...t.write({ content }),
        supersedes: [old],
      })),
    );
    const { superseded_by } = await t.memory(old);
    expect(await replacers(old)).toEqual([`jido:memory_${superseded_by}`]);
    expect(await live()).toHaveLength(2);
  });

  it("do not replace each other", async () => {
    const first = await t.remember({ content: ACTIVE });
    const second = await t.remember({ content: PASSIVE });
    await t.store().memories.commit([
      { ...t.write({ content: ACTIVE }), supersedes: [second] },
      { ...t.write({ content: PASSIVE }), supersedes: [first] },
    ]);
    expect(await live()).toEqual([PASSIVE]);
    const [last] = await t.liveIds();
    expect(await t.history(first)).toEqual([second, first, last]);
  });

  it("do not take along what is said again after them", async () => {
    const old = await t.remember({ content: ACTIVE });
    const [, again] = await t
      .store()
      .memories.commit([
        { ...t.write({ content: PASSIVE }), supersedes: [old] },
        t.write({ content: ACTIVE }),
      ]);
    expect(await live()).toEqual([PASSIVE, ACTIVE]);
    expect(again).toMatchObject({ value: { deduplicated: false } });
  });
});

describe("remember", () => {
  it("never merges what is only nearly the same: whoever says it explicitly means it", async () => {
    const first = await t.remember({ content: ACTIVE });
    const second = await t.remember({ content: PASSIVE });
    const third = await t.remember({ content: "Note that we store backups in S3" });
    expect((await t.liveIds()).toSorted()).toEqual([first, second, third].toSorted());
  });
});

describe("without an embedder that answers", () => {
  it("everything is promoted, and only equal wording is merged", async () => {
    await t.remember({ content: ACTIVE });
    await breakEmbedder(sessionStub(t.tenant, t.session));
    await propose(PASSIVE);
    expect(await promote()).toMatchObject({ promoted: [{}], remaining: 0 });
    expect((await live()).toSorted()).toEqual([ACTIVE, PASSIVE].toSorted());
    await propose("Note that we store backups in S3");
    await promote();
    expect((await live()).toSorted()).toEqual([PASSIVE, "Note that we store backups in S3"].toSorted());
  });
});

describe("a promotion that was interrupted", () => {
  /** One memory replaced another, once, with the evidence of both. */
  async function expectMergedOnce(old: string): Promise<void> {
    const stored = await memoriesOf(t.tenant);
    expect(stored.map(({ content, live: is }) => ({ content, live: is }))).toEqual([
      { content: PASSIVE, live: 1 },
      { content: ACTIVE, live: 0 },
    ]);
    const next = stored.find(({ content }) => content === PASSIVE);
    expect(JSON.parse(next?.evidence ?? "[]").toSorted()).toEqual(["doc:1", "doc:2"]);
    expect(next?.access_count).toBe(0);
    expect(await objectsOf(t.tenant, `jido:memory_${old}`, "jido:supersededBy")).toEqual([
      `jido:memory_${next?.id}`,
    ]);
    expect((await t.call("GET", `/v1/sessions/${t.session}/pending`)).body.data).toEqual([]);
  }

  it.each(["before", "during", "after"] as const)("by D1, %s it wrote, repeats nothing", async (moment) => {
    const old = await t.remember({ content: ACTIVE, evidence: ["doc:1"] });
    await propose(PASSIVE, { evidence: ["doc:2"] });
    breakBatches({ moment, matching: COMMIT });
    expect((await t.call("POST", `/v1/sessions/${t.session}/promote`)).status).toBe(503);
    expect(failuresOfD1()).toBeGreaterThan(0);
    mendD1();
    expect(await promote()).toMatchObject({ promoted: [{}], remaining: 0 });
    await expectMergedOnce(old);
    expect(await promote()).toEqual({ promoted: [], remaining: 0 });
  });

  it("by the end of its object is finished by the alarm", async () => {
    const old = await t.remember({ content: ACTIVE, evidence: ["doc:1"] });
    await propose(PASSIVE, { evidence: ["doc:2"] });
    stickBatches(COMMIT);
    const sent = t.call("POST", `/v1/sessions/${t.session}/promote`).catch(() => null);
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    await kill(sessionStub(t.tenant, t.session));
    await sent;
    mendD1();
    expect(await runDurableObjectAlarm(sessionStub(t.tenant, t.session))).toBe(true);
    await expectMergedOnce(old);
  });
});
