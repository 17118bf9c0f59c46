// Learnings: a mistake is learnt from once, however often it is made.
import { describe, expect, it } from "vitest";
import { allPages, ids, newSession } from "../support/actions";
import { fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { LEARNED, type Learning, learn } from "./experience";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

describe("a learning", () => {
  it("is kept with its trigger, cause, fix and prevention", async () => {
    const api = await kioku.tenant();
    const learning = await learn(api, { evidence: ["ep-1"] });
    expect(learning).toMatchObject({ ...LEARNED, evidence: ["ep-1"], occurrences: 1, project_id: null });
    expect(await allPages<Learning>(api, "/v1/learnings")).toEqual([learning]);
  });

  it("made again is the same one, with one more occurrence and the newer fix", async () => {
    const api = await kioku.tenant();
    const first = await learn(api, { evidence: ["ep-1"] });
    const repeated = { ...LEARNED, fix: "Rolled forward", evidence: ["ep-2"] };
    const again = bodyOf(await api.post<Learning>("/v1/learnings", repeated), 200);
    expect(again).toMatchObject({ id: first.id, occurrences: 2, fix: "Rolled forward" });
    expect(again.evidence.toSorted()).toEqual(["ep-1", "ep-2"]);
    expect(bodyOf(await api.post<Learning>("/v1/learnings", repeated), 200).occurrences).toBe(3);
    expect(await allPages<Learning>(api, "/v1/learnings")).toMatchObject([
      { id: first.id, occurrences: 3, fix: "Rolled forward" },
    ]);
  });

  it("of another cause is another one", async () => {
    const api = await kioku.tenant();
    const one = await learn(api);
    const two = await learn(api, { root_cause: "The feature flag was still on" });
    expect(two).toMatchObject({ occurrences: 1 });
    expect(ids(await allPages<Learning>(api, "/v1/learnings")).sort()).toEqual([one.id, two.id].sort());
  });

  it("made by many at once is counted for each", async () => {
    const project_id = fresh("project");
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => kioku.api.post<Learning>("/v1/learnings", { ...LEARNED, project_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    const learned = await allPages<Learning>(kioku.api, "/v1/learnings");
    const own = learned.filter((learning) => learning.project_id === project_id);
    expect(own.map(({ occurrences }) => occurrences)).toEqual([6]);
  });

  it("of a model without a project stays with the user of its session", async () => {
    const api = await kioku.tenant();
    const learnFor = async (user_id: string) => {
      const { id: session_id } = await newSession(api, { user_id });
      const call = { type: "tool_use", id: fresh("call"), name: "learn", input: LEARNED };
      const { content } = bodyOf(
        await api.post<{ content: string }>("/v1/tools/execute", { session_id, call }),
        200,
      );
      return JSON.parse(content) as Learning;
    };
    const [ann, ben] = [await learnFor("ann"), await learnFor("ben")];
    expect([ann.occurrences, ben.occurrences]).toEqual([1, 1]);
    expect((await learnFor("ann")).id).toBe(ann.id);
    for (const [id, user_id] of [
      [ann.id, "ann"],
      [ben.id, "ben"],
    ])
      expect(bodyOf(await api.get(`/v1/memories/${id}`), 200)).toMatchObject({ user_id });
  });

  it.each<[string, Fields]>([
    ["trigger", { trigger: undefined }],
    ["root_cause", { root_cause: undefined }],
    ["fix", { fix: " " }],
    ["prevention", { prevention: 7 }],
    ["evidence", { evidence: "ep-1" }],
    ["project_id", { project_id: "a b" }],
  ])("is refused by the field %s: %j", async (field, wrong) => {
    const api = await kioku.tenant();
    expectProblem(await api.post("/v1/learnings", { ...LEARNED, ...wrong }), "invalid_request", field);
    expect(await allPages(api, "/v1/learnings")).toEqual([]);
  });
});
