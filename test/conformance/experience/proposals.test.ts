// What the service notices by itself: contradictions, with a proposal that changes nothing until somebody decides; and
// what a briefing adds to the patterns that match: facts, decisions, and whatever is linked.
import { describe, expect, it } from "vitest";
import { allPages, ids } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { consolidate, maintain, prime, readPattern, statePattern } from "./experience";

const kioku = serviceUnderTest();

type Contradiction = {
  id: string;
  status: string;
  memories: { id: string }[];
  proposal: { action: string; keep: string | null; reason: string } | null;
};

function contradictionsOf(api: Client, query = ""): Promise<Contradiction[]> {
  return allPages<Contradiction>(api, `/v1/contradictions${query}`);
}

async function place() {
  return { api: await kioku.tenant(), project_id: fresh("project") };
}

describe("patterns that contradict each other", () => {
  it.each([
    ["Run the database migration before the deploy", "Run the database migration after the deploy"],
    ["Indent the source code with tabs", "Never indent the source code with tabs"],
  ])("are listed with a proposal: %j, %j", async (one, two) => {
    const { api, project_id } = await place();
    const strong = await statePattern(api, one, { project_id, confidence: 0.95 });
    const weak = await statePattern(api, two, { project_id, confidence: 0.85 });
    const { contradictions } = await consolidate(api, { project_id });
    const [found] = await contradictionsOf(api, `?project_id=${project_id}`);
    expect([found?.id]).toEqual(contradictions);
    expect(found).toMatchObject({ status: "open", proposal: { action: "supersede", keep: strong.id } });
    expect(ids(found?.memories ?? []).sort()).toEqual([strong.id, weak.id].sort());
    expect(await consolidate(api, { project_id })).toMatchObject({ contradictions: [] });
    expect(await maintain(api, { project_id })).toMatchObject({ contradictions: 0 });
    for (const { id } of [strong, weak]) expect((await readPattern(api, id)).status).toBe("live");

    const { proposal } = found ?? {};
    const resolved = bodyOf(
      await api.post<Contradiction>(`/v1/contradictions/${found?.id}/resolve`, proposal ?? {}),
      200,
    );
    expect(resolved).toMatchObject({ status: "resolved", proposal: null });
    expect((await readPattern(api, weak.id)).status).toBe("superseded");
  });

  it("stay apart once both are kept, and are not proposed again", async () => {
    const { api, project_id } = await place();
    await statePattern(api, "Indent the source code with tabs", { project_id });
    await statePattern(api, "Never indent the source code with tabs", { project_id });
    const { contradictions } = await consolidate(api, { project_id });
    const keep = { action: "keep_both", reason: "Go and YAML differ" };
    bodyOf(await api.post(`/v1/contradictions/${contradictions[0]}/resolve`, keep), 200);
    expect(await consolidate(api, { project_id })).toMatchObject({ contradictions: [], merged: [] });
    expect(await contradictionsOf(api)).toEqual([]);
  });

  it("of another project, or about something else, are none", async () => {
    const { api, project_id } = await place();
    await statePattern(api, "Indent the source code with tabs", { project_id });
    await statePattern(api, "Never deploy on a Friday afternoon", { project_id });
    await statePattern(api, "Never indent the source code with tabs", { project_id: fresh("project") });
    await consolidate(api, { project_id });
    expect(await contradictionsOf(api)).toEqual([]);
  });
});

describe("facts of a project that contradict each other", () => {
  it("are listed, too", async () => {
    const { api, project_id } = await place();
    for (const seconds of [30, 60])
      bodyOf(
        await api.post("/v1/remember", {
          ...{ project_id, supersede: false },
          content: `The request timeout of the gateway is ${seconds} seconds`,
        }),
        201,
      );
    expect((await maintain(api, { project_id })).contradictions).toBe(1);
    expect(await contradictionsOf(api, `?project_id=${project_id}`)).toHaveLength(1);
  });
});

describe("a briefing", () => {
  it("has facts and decisions of the project among the patterns, and nothing of a user or another project", async () => {
    const { api, project_id } = await place();
    const remember = async (content: string, more: object = {}) =>
      bodyOf(await api.post<{ memory_id: string }>("/v1/remember", { content, project_id, ...more }), 201)
        .memory_id;
    const fact = await remember("The checkout endpoint is served by the payment service");
    const decision = await remember("The checkout endpoint answers with 202", { type: "decision" });
    await remember("The checkout endpoint of Ann is slow", { user_id: "ann" });
    await remember("The checkout endpoint of the lab is fast", { project_id: fresh("project") });
    const goal = "Change the checkout endpoint";
    const { relevant_patterns, prompt } = await prime(api, goal, { project_id });
    expect(relevant_patterns.map(({ id, memory_type }) => [id, memory_type]).sort()).toEqual(
      [
        [fact, "fact"],
        [decision, "decision"],
      ].sort(),
    );
    expect(prompt).toContain("fact: The checkout endpoint is served by the payment service");
    const bens = await prime(api, goal, { project_id, user_id: "ben" });
    expect(ids(bens.relevant_patterns).sort()).toEqual([fact, decision].sort());
  });

  it.each([
    "related_to",
    "elaborates",
    "example_of",
    "supports",
  ])("follows links, ranked by their strength: %s", async (relation) => {
    const { api, project_id } = await place();
    const found = await statePattern(api, "Checkout endpoints validate their input", {
      ...{ id: "sem-001", project_id },
    });
    const strong = await statePattern(api, "Zebras graze at dusk", { id: "sem-005", project_id });
    const weak = await statePattern(api, "Rivers carry sand", { project_id });
    const far = await statePattern(api, "Owls turn their heads", { project_id: fresh("project") });
    for (const [to, strength] of [
      [strong.id, 0.9],
      [weak.id, 0.3],
      [far.id, 1],
    ])
      bodyOf(await api.post("/v1/links", { from: found.id, to, relation, strength }), 201);
    const { relevant_patterns, prompt } = await prime(api, "Implement the checkout endpoint", { project_id });
    expect(ids(relevant_patterns)).toEqual([found.id, strong.id, weak.id]);
    expect(relevant_patterns[0]?.via).toBeUndefined();
    expect(relevant_patterns[1]?.via).toEqual({ from: found.id, relation, strength: 0.9 });
    expect(relevant_patterns[1]?.name).toBe("sem-005");
    expect(prompt).toContain("- [sem-001] Checkout endpoints validate their input");
    // From the other end, too.
    const back = await prime(api, "Watch how zebras graze", { project_id });
    expect(ids(back.relevant_patterns)).toEqual([strong.id, found.id]);
  });

  it("follows a link to the successor of a superseded pattern", async () => {
    const { api, project_id } = await place();
    const found = await statePattern(api, "Checkout endpoints validate their input", { project_id });
    const old = await statePattern(api, "Zebras graze at dusk", { project_id });
    bodyOf(await api.post("/v1/links", { from: found.id, to: old.id, relation: "related_to" }), 201);
    const links = [{ to: old.id, relation: "supersedes" }];
    const successor = await statePattern(api, "Zebras graze at dawn", { project_id, links });
    const { relevant_patterns } = await prime(api, "Implement the checkout endpoint", { project_id });
    expect(ids(relevant_patterns)).toEqual([found.id, successor.id]);
  });
});
