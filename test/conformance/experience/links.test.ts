// Links between memories, found from both ends; and contradictions, which are open until somebody answers them.
import { describe, expect, it } from "vitest";
import { allPages, ids, newSession, readMemory, recall, remember } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { ISO_MS, type Page } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

type Link = {
  id: string;
  from: string;
  to: string;
  relation: string;
  strength: number;
  direction?: "out" | "in";
  created_at: string | null;
};
type Contradiction = {
  id: string;
  status: "open" | "resolved";
  strength: number;
  created_at: string;
  memories: { id: string; content: string; confidence: number; timestamp: string; status: string }[];
  resolution: { action: string; kept: string | null; reason: string | null; resolved_at: string } | null;
};

/** So many memories of one session. */
async function stocked(
  count: number,
  api: Client = kioku.api,
): Promise<{ session: string; memories: string[] }> {
  const session = (await newSession(api)).id;
  const memories: string[] = [];
  for (let n = 0; n < count; n += 1)
    memories.push((await remember(api, session, `Gate ${n} stands open`)).memory_id);
  return { session, memories };
}

async function link(from: string, relation: string, to: string, more: object = {}): Promise<Link> {
  return bodyOf(await kioku.api.post<Link>("/v1/links", { from, to, relation, ...more }), 201);
}

function linksOf(id: string, limit?: number): Promise<Link[]> {
  return allPages<Link>(kioku.api, `/v1/links?of=${id}`, limit);
}

function contradictions(query = ""): Promise<Contradiction[]> {
  return allPages<Contradiction>(kioku.api, `/v1/contradictions?${query}`);
}

describe("a link", () => {
  it.each([
    "derived_from",
    "related_to",
    "contradicts",
    "elaborates",
    "example_of",
    "supports",
  ])("%s: is made, found from both ends, made stronger and taken back", async (relation) => {
    const [from = "", to = ""] = (await stocked(2)).memories;
    const made = await link(from, relation, to, { strength: 0.4 });
    expect(made).toMatchObject({ from, to, relation, strength: 0.4 });
    expect(made.created_at).toMatch(ISO_MS);
    expect(await linksOf(from)).toEqual([{ ...made, direction: "out" }]);
    expect(await linksOf(to)).toEqual([{ ...made, direction: "in" }]);
    const stronger = await kioku.api.post<Link>("/v1/links", { from, to, relation });
    expect(bodyOf(stronger, 200)).toEqual({ ...made, strength: 1 });
    expect(await linksOf(from)).toHaveLength(1);
    bodyOf(await kioku.api.delete(`/v1/links/${made.id}`), 204);
    expect(await linksOf(from)).toEqual([]);
    expectProblem(await kioku.api.delete(`/v1/links/${made.id}`), "not_found");
  });

  it.each(["supersedes", "superseded_by"])("%s: takes the place of a memory for good", async (relation) => {
    const { session, memories } = await stocked(2);
    const [old = "", by = ""] = memories;
    const ends = relation === "supersedes" ? [by, old] : [old, by];
    const made = await link(ends[0] ?? "", relation, ends[1] ?? "");
    expect(await linksOf(by)).toEqual([
      { ...made, from: old, to: by, relation: "superseded_by", direction: "in" },
    ]);
    expect((await readMemory(kioku.api, old)).superseded_by).toBe(by);
    expect(ids(await recall(kioku.api, session, { query: "gate" }))).toEqual([by]);
    expectProblem(await kioku.api.delete(`/v1/links/${made.id}`), "conflict");
    expectProblem(
      await kioku.api.post("/v1/links", { from: by, to: old, relation: "superseded_by" }),
      "conflict",
    );
  });

  it("needs two different things that are there, and are the caller's", async () => {
    const [from = "", to = ""] = (await stocked(2)).memories;
    const [theirs = ""] = (await stocked(1, await kioku.tenant())).memories;
    const send = (body: object) => kioku.api.post("/v1/links", { from, to, relation: "supports", ...body });
    for (const id of [fresh("nothing"), theirs]) {
      expectProblem(await send({ from: id }), "not_found", "from");
      expectProblem(await send({ to: id }), "not_found", "to");
      expectProblem(await kioku.api.get(`/v1/links?of=${id}`), "not_found");
    }
    expectProblem(await send({ to: from }), "conflict");
    expectProblem(await send({ relation: "likes" }), "invalid_request", "relation");
    expectProblem(await send({ strength: 2 }), "invalid_request", "strength");
    expect(await linksOf(from)).toEqual([]);
  });

  it("is one of many that are walked page by page", async () => {
    const [first = "", ...others] = (await stocked(6)).memories;
    for (const other of others) await link(first, "elaborates", other);
    const whole = await linksOf(first);
    expect(new Set(whole.map(({ to }) => to))).toEqual(new Set(others));
    for (const limit of [1, 2]) expect(await linksOf(first, limit)).toEqual(whole);
  });
});

describe("a contradiction", () => {
  it("is open until it is settled, once, and then says how", async () => {
    const { session, memories } = await stocked(2);
    const [right = "", wrong = ""] = memories;
    const { id } = await link(right, "contradicts", wrong, { strength: 0.7 });
    const [open] = (await contradictions()).filter((one) => one.id === id);
    expect(open).toMatchObject({ status: "open", strength: 0.7, resolution: null });
    expect(ids(open?.memories ?? [])).toEqual([right, wrong]);

    const path = `/v1/contradictions/${id}/resolve`;
    expectProblem(await kioku.api.post(path, { action: "supersede" }), "invalid_request", "keep");
    expectProblem(
      await kioku.api.post(path, { action: "supersede", keep: session }),
      "invalid_request",
      "keep",
    );
    expectProblem(await kioku.api.post(path, { action: "keep_both" }), "invalid_request", "reason");
    const body = { action: "invalidate", keep: right, reason: "Somebody looked" };
    const key = { "Idempotency-Key": fresh("key") };
    const settled = bodyOf(await kioku.api.post<Contradiction>(path, body, key), 200);
    expect(settled).toMatchObject({
      status: "resolved",
      resolution: { action: "invalidate", kept: right, reason: "Somebody looked" },
    });
    expect(bodyOf(await kioku.api.post<Contradiction>(path, body, key), 200)).toEqual(settled);
    expect(expectProblem(await kioku.api.post(path, body), "conflict").detail).toContain(right);

    expect(ids(await contradictions())).not.toContain(id);
    expect(await contradictions("status=resolved")).toContainEqual(settled);
    expect(ids(await recall(kioku.api, session, { query: "gate" }))).toEqual([right]);
    expect((await readMemory(kioku.api, wrong)).invalidated_by).toBe(right);
  });

  it("shows to its tenant alone", async () => {
    const [one = "", two = ""] = (await stocked(2)).memories;
    const { id } = await link(one, "contradicts", two);
    const stranger = await kioku.tenant();
    expect(bodyOf(await stranger.get<Page<Contradiction>>("/v1/contradictions"), 200).data).toEqual([]);
    const body = { action: "supersede", keep: one };
    expectProblem(await stranger.post(`/v1/contradictions/${id}/resolve`, body), "not_found");
    expectProblem(await stranger.delete(`/v1/links/${id}`), "not_found");
    expect(ids(await contradictions())).toContain(id);
  });
});
