// Contradictions: open until they are answered or one side is gone, and answered once, with all that follows.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { breakBatches, failuresOfD1, MOMENTS, mendD1 } from "../../faults/support";
import { freshId, untilIndexed } from "../support";
import { type Linked, newKey, newLinkTenant, type Tenant } from "./links-support";

let kioku: Tenant;
beforeEach(async () => {
  kioku = await newLinkTenant();
});
afterEach(mendD1);

const ISO = expect.stringMatching(/^\d{4}-.*Z$/);
const ids = (items: { id: string }[]) => items.map(({ id }) => id);

/** Two memories that contradict each other. The later one would supersede the other unless it is asked to keep both. */
async function dispute(): Promise<{ id: string; one: string; two: string }> {
  const [open, shut] = [freshId("The gate is open"), freshId("The gate is shut")];
  const one = await kioku.memory({ content: open, confidence: 0.9, supersede: false });
  const two = await kioku.memory({ content: shut, confidence: 0.4, supersede: false });
  const { id } = await kioku.linked(one, "contradicts", two, 0.8);
  return { id, one, two };
}

async function recalled(query: string): Promise<string[]> {
  const { body } = await kioku.call("POST", "/v1/recall", { query, project_id: "p-1", min_confidence: 0 });
  return ids(body.memories);
}

describe("an open contradiction", () => {
  it("shows both sides, and how far they can be relied on", async () => {
    const { id, one, two } = await dispute();
    const side = async (memory: string, confidence: number) => {
      const { content, timestamp } = await kioku.read(memory);
      return { id: memory, kind: "memory", content, confidence, timestamp, status: "live" };
    };
    expect(await kioku.contradictions()).toEqual([
      {
        id,
        status: "open",
        strength: 0.8,
        created_at: ISO,
        memories: [await side(one, 0.9), await side(two, 0.4)],
        proposal: { action: "supersede", keep: one, reason: "It is more confident: 0.9 against 0.4." },
        resolution: null,
      },
    ]);
    expect(await kioku.contradictions("&status=resolved")).toEqual([]);
  });

  it("may have an episode for a side, until that is archived", async () => {
    const memory = await kioku.memory();
    const fresh = await kioku.episode();
    const archived = await kioku.episode({ archived: true, archived_at: "2026-03-02T12:00:00.000Z" });
    const [open, closed] = [
      await kioku.linked(fresh, "contradicts", memory),
      await kioku.linked(memory, "contradicts", archived),
    ];
    const [shown, ...others] = await kioku.contradictions();
    expect(others).toEqual([]);
    expect(shown.id).toBe(open.id);
    expect(shown.memories[0]).toMatchObject({
      id: fresh,
      kind: "episode",
      content: "Open the gate",
      confidence: null,
      status: "live",
    });
    const [gone] = await kioku.contradictions("&status=resolved");
    expect(gone).toMatchObject({ id: closed.id, resolution: null });
    expect(gone.memories[1]).toMatchObject({ id: archived, status: "archived" });
  });

  it("needs no answer any more once a side is forgotten, superseded or erased", async () => {
    const [first, second, third] = [await dispute(), await dispute(), await dispute()];
    await kioku.forget({ memory_id: first.one });
    await kioku.linked(second.two, "superseded_by", third.one);
    expect((await kioku.call("DELETE", `/v1/memories/${third.two}`)).status).toBe(200);
    expect(await kioku.contradictions()).toEqual([]);
    const settled = await kioku.contradictions("&status=resolved");
    expect(new Set(ids(settled))).toEqual(new Set([first.id, second.id]));
    for (const { status, resolution } of settled) expect([status, resolution]).toEqual(["resolved", null]);
    const { status, body } = await kioku.resolve(first.id, { action: "supersede", keep: first.two });
    expect([status, body.detail]).toEqual([409, expect.stringContaining(`${first.one} is forgotten`)]);
    expect((await kioku.resolve(third.id, { action: "keep_both", reason: "Why not" })).status).toBe(404);
  });

  it("is one of a project when a side is", async () => {
    const [mine, theirs] = [freshId("project"), freshId("project")];
    const [one, two, three] = [
      await kioku.memory({ project_id: mine }),
      await kioku.memory({ project_id: theirs }),
      await kioku.memory({ project_id: theirs }),
    ];
    const within = await kioku.linked(two, "contradicts", three);
    const between = await kioku.linked(one, "contradicts", two);
    const told = await kioku.linked(await kioku.episode({ project_id: mine }), "contradicts", three);
    const of = async (project: string) => new Set(ids(await kioku.contradictions(`&project_id=${project}`)));
    expect(await of(mine)).toEqual(new Set([between.id, told.id]));
    expect(await of(theirs)).toEqual(new Set([within.id, between.id, told.id]));
    expect(await of(freshId("project"))).toEqual(new Set());
  });

  it("is another tenant's as little as any other thing", async () => {
    const stranger = await newLinkTenant();
    const { id, one } = await dispute();
    expect(await stranger.contradictions()).toEqual([]);
    expect((await stranger.resolve(id, { action: "supersede", keep: one })).status).toBe(404);
    expect(await kioku.contradictions()).toHaveLength(1);
  });
});

describe("listing contradictions", () => {
  it.each([1, 2, 5])("newest first, page by page, gives each once, %i at a time", async (limit) => {
    const memory = await kioku.memory();
    const made: Linked[] = [];
    for (let n = 0; n < 5; n += 1) made.push(await kioku.linked(await kioku.memory(), "contradicts", memory));
    const walked: string[] = [];
    let cursor = "";
    do {
      const { status, body } = await kioku.call("GET", `/v1/contradictions?limit=${limit}${cursor}`);
      expect(status).toBe(200);
      walked.push(...ids(body.data));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    const newestFirst = made.toSorted((a, b) =>
      `${b.created_at} ${b.id}` < `${a.created_at} ${a.id}` ? -1 : 1,
    );
    expect(walked).toEqual(ids(newestFirst));
  });

  it.each([
    "status=closed",
    "status=",
    "project_id=a%20b",
    "cursor=nonsense",
    "limit=0",
  ])("refuses %s", async (query) => {
    const { status, body } = await kioku.call("GET", `/v1/contradictions?${query}`);
    expect([status, body.errors[0].path]).toEqual([400, query.split("=")[0]]);
  });
});

describe("settling a contradiction", () => {
  it.each([
    ["supersede", "superseded", "superseded_by"],
    ["invalidate", "invalidated", "invalidated_by"],
  ])("by %s: the other one gives way, everywhere", async (action, status, field) => {
    const { id, one, two } = await dispute();
    await untilIndexed(kioku.tenant);
    const { status: answered, body } = await kioku.resolve(id, { action, keep: two, reason: "I went there" });
    expect(answered).toBe(200);
    expect(body).toMatchObject({
      id,
      status: "resolved",
      resolution: { action, kept: two, reason: "I went there", resolved_at: ISO },
    });
    expect(body.memories.map((side: { status: string }) => side.status)).toEqual([status, "live"]);
    expect(await kioku.contradictions()).toEqual([]);
    expect(await kioku.contradictions("&status=resolved")).toEqual([body]);
    expect(await kioku.read(one)).toMatchObject({
      status,
      superseded_by: null,
      invalidated_by: null,
      [field]: two,
      valid_until: body.resolution.resolved_at,
    });
    expect(await kioku.liveIds()).toEqual([two]);
    expect(await recalled("gate")).toEqual([two]);
    await untilIndexed(kioku.tenant);
    expect(await recalled("gate")).toEqual([two]);
    await kioku.expectRebuilt();
  });

  it("needs no reason where one gives way", async () => {
    const { id, one } = await dispute();
    const { body } = await kioku.resolve(id, { action: "invalidate", keep: one });
    expect(body.resolution).toMatchObject({ kept: one, reason: null });
  });

  it("by keeping both: nothing changes but that it is answered", async () => {
    const { id, one, two } = await dispute();
    const before = await kioku.contents();
    const { status, body } = await kioku.resolve(id, { action: "keep_both", reason: "Two gates" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "resolved",
      resolution: { action: "keep_both", kept: null, reason: "Two gates" },
    });
    expect((await kioku.contents()).memories).toEqual(before.memories);
    expect(new Set(await kioku.liveIds())).toEqual(new Set([one, two]));
    await kioku.expectRebuilt();
  });

  it("a second time is a conflict that says how it was settled", async () => {
    const { id, one, two } = await dispute();
    await kioku.resolve(id, { action: "supersede", keep: one, reason: "A private reason" });
    const before = await kioku.contents();
    for (const again of [
      { action: "supersede", keep: two },
      { action: "supersede", keep: one },
      { action: "keep_both", reason: "Peace" },
    ]) {
      const { status, body } = await kioku.resolve(id, again);
      expect(status).toBe(409);
      expect(body.detail).toMatch(new RegExp(`supersede.*${one} was kept`));
      expect(body.detail).not.toContain("private");
    }
    expect(await kioku.contents()).toEqual(before);
  });

  it("linked again stays settled", async () => {
    const { id, one, two } = await dispute();
    await kioku.resolve(id, { action: "keep_both", reason: "Two gates" });
    const again = await kioku.link({ from: two, to: one, relation: "contradicts", strength: 0.1 });
    expect([again.status, again.body.id]).toEqual([200, id]);
    expect(await kioku.contradictions("&status=resolved")).toMatchObject([
      { id, strength: 0.1, resolution: { reason: "Two gates" } },
    ]);
  });

  it("with an episode keeps both: an episode is a record, and takes no place", async () => {
    const [memory, episode] = [await kioku.memory(), await kioku.episode()];
    const { id } = await kioku.linked(memory, "contradicts", episode);
    const before = await kioku.contents();
    for (const keep of [memory, episode]) {
      const { status, body } = await kioku.resolve(id, { action: "supersede", keep });
      expect([status, body.errors[0].path]).toEqual([400, "action"]);
    }
    expect(await kioku.contents()).toEqual(before);
    expect((await kioku.resolve(id, { action: "keep_both", reason: "A rare case" })).status).toBe(200);
  });

  it.each<[string, object]>([
    ["keep", { action: "supersede" }],
    ["keep", { action: "invalidate", reason: "Wrong" }],
    ["keep", { action: "supersede", keep: "somebody-else" }],
    ["keep", { action: "keep_both", reason: "Peace", keep: "somebody-else" }],
    ["reason", { action: "keep_both" }],
    ["reason", { action: "keep_both", reason: "" }],
    ["reason", { action: "keep_both", reason: "x".repeat(1_001) }],
    ["action", { action: "toss" }],
    ["action", {}],
    ["kept", { action: "keep_both", reason: "Peace", kept: "both" }],
  ])("is refused by its %s: %j", async (field, input) => {
    const { id } = await dispute();
    const before = await kioku.contents();
    const { status, body } = await kioku.resolve(id, input);
    expect([status, body.errors[0].path]).toEqual([400, field]);
    expect(await kioku.contents()).toEqual(before);
  });

  it("is for contradictions: of another link or of nothing it is a 404", async () => {
    const [from, to] = [await kioku.memory(), await kioku.memory()];
    const { id } = await kioku.linked(from, "supports", to);
    for (const other of [id, freshId("link")])
      expect((await kioku.resolve(other, { action: "supersede", keep: from })).status).toBe(404);
  });

  it("is won by one of many at once, and has one outcome", async () => {
    const { id, one, two } = await dispute();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        kioku.resolve(id, {
          action: n % 3 === 0 ? "invalidate" : "supersede",
          keep: n % 2 === 0 ? one : two,
        }),
      ),
    );
    const [won, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(await kioku.liveIds()).toEqual([won?.body.resolution.kept]);
    await kioku.expectRebuilt();
  });

  it("leaves a memory that can be remembered and forgotten like any other", async () => {
    const content = freshId("The gate is grey");
    const one = await kioku.memory({ content });
    const two = await kioku.memory();
    const { id } = await kioku.linked(one, "contradicts", two);
    await kioku.resolve(id, { action: "invalidate", keep: two });
    const { status, body } = await kioku.call("POST", "/v1/forget", { memory_id: one });
    expect([status, body.message]).toEqual([200, expect.stringContaining("already")]);
    expect(await kioku.memory({ content })).not.toBe(one);
    await kioku.expectRebuilt();
  });
});

describe("erasing the one that was kept", () => {
  it.each(["supersede", "invalidate"])("does not revive the other: %s", async (action) => {
    const { id, one, two } = await dispute();
    await kioku.resolve(id, { action, keep: two, reason: "A private reason" });
    expect((await kioku.call("DELETE", `/v1/memories/${two}`)).body.deleted.links).toBe(2);
    expect(await kioku.read(one)).toMatchObject({
      status: "forgotten",
      superseded_by: null,
      invalidated_by: null,
    });
    const { triples } = await kioku.contents();
    expect(JSON.stringify(triples)).not.toMatch(new RegExp(`${id}|${two}|private`));
    expect(await kioku.contradictions("&status=resolved")).toEqual([]);
    await kioku.expectRebuilt();
    expect(await kioku.liveIds()).toEqual([]);
  });
});

describe("an Idempotency-Key", () => {
  it("settles once and gives the first answer again, until what it quotes is erased", async () => {
    const { id, one, two } = await dispute();
    const headers = newKey();
    const body = { action: "supersede", keep: one };
    const first = await kioku.resolve(id, body, headers);
    const again = await kioku.resolve(id, body, headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await kioku.resolve(id, { action: "supersede", keep: two }, headers)).status).toBe(409);
    await kioku.call("DELETE", `/v1/memories/${two}`);
    expect((await kioku.resolve(id, body, headers)).status).toBe(404);
  });

  it("gives callers at once one answer", async () => {
    const { id, two } = await dispute();
    const headers = newKey();
    const body = { action: "invalidate", keep: two };
    const answers = await Promise.all(Array.from({ length: 6 }, () => kioku.resolve(id, body, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
  });

  it.each(MOMENTS)("survives D1 failing %s the write: the same call again does it, once", async (moment) => {
    const { id, one, two } = await dispute();
    const before = await kioku.contents();
    const headers = newKey();
    const body = { action: "invalidate", keep: two };
    breakBatches({ moment, matching: /INSERT INTO triples/, times: 1 });
    expect((await kioku.resolve(id, body, headers)).status).toBe(503);
    expect(failuresOfD1()).toBeGreaterThan(0);
    mendD1();
    if (moment !== "after") expect(await kioku.contents()).toEqual(before);
    const { status, body: answer } = await kioku.resolve(id, body, headers);
    expect([status, answer.resolution.kept]).toEqual([200, two]);
    expect(await kioku.read(one)).toMatchObject({ invalidated_by: two });
    await kioku.expectRebuilt();
  });
});
