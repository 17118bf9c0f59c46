// Whose experience a briefing has: the reach of the session that asks, and how many items.
import { beforeAll, describe, expect, it } from "vitest";
import { ids, newSession, remember } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { learn, type Preparation, prime, readEpisode, statePattern, tellEpisode } from "./experience";

const kioku = serviceUnderTest();

const GOAL = "Implement the checkout endpoint";

function everything(prepared: Preparation) {
  const { relevant_patterns, avoid_these, applicable_skills, similar_episodes } = prepared;
  return [...relevant_patterns, ...avoid_these, ...applicable_skills, ...similar_episodes];
}

/** A project with a pattern, in which two users and nobody in particular implemented endpoints. */
async function projectOfTwo() {
  const api = await kioku.tenant();
  const [project_id, ann, ben] = [fresh("project"), fresh("ann"), fresh("ben")];
  const tell = async (owner: string | null, words: string) =>
    (
      await tellEpisode(api, `${GOAL} ${words}`, {
        project_id,
        ...(owner === null ? {} : { user_id: owner }),
      })
    ).id;
  const episodes = {
    ann: await tell(ann, "for vouchers"),
    ben: await tell(ben, "for invoices"),
    nobody: await tell(null, "for guests"),
  };
  const pattern = await statePattern(api, "Checkout endpoints validate their input before anything else", {
    project_id,
    correct_approach: "Parse the body with a strict schema",
  });
  return { api, project_id, ann, ben, episodes, pattern: pattern.id };
}

describe("a briefing in a session", () => {
  let world: Awaited<ReturnType<typeof projectOfTwo>>;
  beforeAll(async () => {
    world = await projectOfTwo();
  });
  const ask = (more: object) => prime(world.api, GOAL, { limit: 40, token_budget: 8_000, ...more });

  it("with a user has that user's episodes first and nobody's next, never another user's", async () => {
    const { api, project_id, ann, ben, episodes, pattern } = world;
    for (const [user_id, own, other] of [
      [ann, episodes.ann, episodes.ben],
      [ben, episodes.ben, episodes.ann],
    ] as const) {
      const { id: session_id } = await newSession(api, { user_id, project_id, agent_id: "ada" });
      const prepared = await ask({ session_id });
      expect(ids(prepared.similar_episodes)).toEqual([own, episodes.nobody]);
      expect(ids(prepared.relevant_patterns)).toEqual([pattern]);
      expect(JSON.stringify(prepared)).not.toContain(other);
    }
  });

  it("with a user has no lesson that another user's session remembered", async () => {
    const { api, project_id, ann, ben } = world;
    const told: Record<string, string> = {};
    for (const user_id of [ann, ben]) {
      const { id } = await newSession(api, { user_id, project_id });
      const content = `The checkout endpoint of ${user_id} must not trust prices`;
      told[user_id] = (await remember(api, id, content, { type: "lesson_learned" })).memory_id;
    }
    const { id: session_id } = await newSession(api, { user_id: ann, project_id });
    const { avoid_these } = await ask({ session_id, kind: "debugging" });
    expect(ids(avoid_these)).toEqual([told[ann]]);
  });

  it("with a user and without a project has the user's own, wherever it was", async () => {
    const { api, ann, episodes } = world;
    const { id: session_id } = await newSession(api, { user_id: ann });
    const prepared = await ask({ session_id });
    expect(ids(prepared.similar_episodes)).toEqual([episodes.ann]);
    expect(prepared.relevant_patterns).toEqual([]);
  });

  it("of an agent or a project has the project's, and of nobody only what is shared by all", async () => {
    const { api, project_id, episodes } = world;
    for (const owner of [{ project_id }, { project_id, agent_id: "ada" }]) {
      const { id: session_id } = await newSession(api, owner);
      expect(ids((await ask({ session_id })).similar_episodes).sort()).toEqual(
        Object.values(episodes).sort(),
      );
    }
    const { id: session_id } = await newSession(api);
    expect(everything(await ask({ session_id }))).toEqual([]);
    const wide = await newSession(api, { reach: "tenant" });
    expect(ids((await ask({ session_id: wide.id })).similar_episodes)).toHaveLength(3);
  });

  it("that does not exist yet is for the owner in the call, and makes none", async () => {
    const { api, project_id, ann, episodes } = world;
    const session_id = fresh("new");
    const prepared = await ask({ session_id, user_id: ann, project_id });
    expect(ids(prepared.similar_episodes)).toEqual([episodes.ann, episodes.nobody]);
    expect(everything(await ask({ session_id }))).toEqual([]);
    expectProblem(await api.get(`/v1/sessions/${session_id}`), "not_found");
  });

  it("that a model asks for has the same reach", async () => {
    const { api, project_id, ann, episodes } = world;
    const { id: session_id } = await newSession(api, { user_id: ann, project_id });
    const call = { id: "c", type: "tool_use", name: "prime", input: { goal: GOAL } };
    const answer = bodyOf(await api.post("/v1/tools/execute", { session_id, call }), 200);
    expect(JSON.stringify(answer)).toContain(episodes.ann);
    expect(JSON.stringify(answer)).not.toContain(episodes.ben);
  });

  it("may be for a user without any session", async () => {
    const { project_id, ann, episodes } = world;
    const { similar_episodes } = await ask({ user_id: ann, project_id });
    expect(ids(similar_episodes)).toEqual([episodes.ann, episodes.nobody]);
  });
});

describe("an episode", () => {
  it("recorded in a session belongs to the session's user", async () => {
    const api = await kioku.tenant();
    const { id: session_id } = await newSession(api, { user_id: "ann", project_id: "shop", agent_id: "ada" });
    const input = { id: "ep-1", context: { goal: GOAL }, outcome: "success" };
    const call = { id: "c", type: "tool_use", name: "record_episode", input };
    bodyOf(await api.post("/v1/tools/execute", { session_id, call }), 200);
    expect(await readEpisode(api, "ep-1")).toMatchObject({
      user_id: "ann",
      project_id: "shop",
      agent: "ada",
    });
  });
});

describe("the number of items", () => {
  let api: Client;
  const project_id = fresh("project");
  beforeAll(async () => {
    api = await kioku.tenant();
    for (let n = 0; n < 7; n += 1) {
      await statePattern(api, `Checkout endpoint rule ${n}: check the input`, { project_id });
      await tellEpisode(api, `Implement checkout endpoint number ${n}`, { project_id });
    }
  });
  const ask = (more: object = {}) => prime(api, GOAL, { project_id, token_budget: 8_000, ...more });

  it("is five in all lists together, those with the best scores", async () => {
    const all = everything(await ask({ limit: 40 }));
    expect(all).toHaveLength(14);
    const scores = (items: typeof all) => items.map(({ score }) => score).toSorted((a, b) => b - a);
    const few = everything(await ask());
    expect(few).toHaveLength(5);
    // Every use raises the importance a little.
    const [worst = 0, best = 0] = [scores(few).at(-1), scores(all).at(5)];
    expect(worst).toBeGreaterThanOrEqual(best);
  });

  it("has a place for a known mistake, whatever it weighs", async () => {
    const { id } = await learn(api, { project_id, trigger: "Implementing the checkout endpoint" });
    const prepared = await ask({ kind: "implementation" });
    expect(ids(prepared.avoid_these)).toEqual([id]);
    expect(everything(prepared)).toHaveLength(5);
  });

  it.each([1, 3, 9])("is what limit says: %i", async (limit) => {
    const prepared = await ask({ limit });
    expect(everything(prepared)).toHaveLength(limit);
    for (const { text } of everything(prepared)) expect(prepared.prompt).toContain(text);
  });

  it.each([0, 41, 1.5, "many"])("is refused as %j", async (limit) => {
    expectProblem(await api.post("/v1/prime", { goal: GOAL, limit }), "invalid_request", "limit");
  });
});
