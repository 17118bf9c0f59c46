// The container as a whole: replaced and changed in one call, and the spaces that a session starts with.
import { describe, expect, it } from "vitest";
import { newSession, quietSession } from "../support/actions";
import { fresh } from "../support/client";
import type { Container } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { makeSpace, outcome, readContainer } from "./cognition";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

const put = (id: string, body: Fields) => kioku.api.put<Container>(`/v1/sessions/${id}/memory`, body);
const patch = (id: string, body: Fields) => kioku.api.patch<Container>(`/v1/sessions/${id}/memory`, body);

/** Beliefs, desires and intentions. */
const BDI = {
  world: { data: { facts: { door: "open", temperature: 22 } } },
  tasks: { data: [{ id: "t1", text: "Navigate to exit 3", status: "open" }] },
  desires: { data: { goals: ["find_exit", "stay_warm"] } },
  plans: { data: { navigate_to: ["go to exit 3"] } },
};
const BLACKBOARD = { world: {}, tasks: [], hypothesis: {}, evidence: [], solution: {} };

function dataOf({ spaces }: Container): Fields {
  return Object.fromEntries(Object.entries(spaces).map(([name, { data }]) => [name, data]));
}

function revsOf({ rev, spaces }: Container): Record<string, number> {
  return { rev, ...Object.fromEntries(Object.entries(spaces).map(([name, space]) => [name, space.rev])) };
}

describe("a container", () => {
  it("is replaced by one call, under one new rev", async () => {
    const { id } = await quietSession(kioku.api);
    await makeSpace(kioku.api, id, "old", { a: 1 });
    const before = await readContainer(kioku.api, id);
    const after = bodyOf(await put(id, { spaces: BDI, metadata: { agent: "rover" } }), 200);
    expect(dataOf(after)).toEqual(
      Object.fromEntries(Object.entries(BDI).map(([name, { data }]) => [name, data])),
    );
    expect(after).toMatchObject({ rev: before.rev + 1, metadata: { agent: "rover" } });
    expect(after.spaces.world?.rev).toBe((before.spaces.world?.rev ?? 0) + 1);
    expect(await readContainer(kioku.api, id)).toEqual(after);
    const board = bodyOf(await put(id, { spaces: BLACKBOARD, expected_memory_rev: after.rev }), 200);
    expect(dataOf(board)).toEqual(BLACKBOARD);
    expect(board).toMatchObject({ rev: after.rev + 1, metadata: {} });
    expect(dataOf(bodyOf(await put(id, { spaces: {} }), 200))).toEqual({ world: {}, tasks: [] });
  });

  it("is changed in several spaces by one call: data, operations, deletion", async () => {
    const { id } = await quietSession(kioku.api, { spaces: BDI });
    const before = await readContainer(kioku.api, id);
    const after = bodyOf(
      await patch(id, {
        spaces: {
          world: { ops: [{ op: "put", key: "pointers", value: { semantic: { provider: "vector" } } }] },
          "rag:cache": { data: {}, metadata: { by: "rag" }, ensure: true },
          desires: { data: { goals: [] }, expected_rev: before.spaces.desires?.rev },
          plans: null,
        },
        expected_memory_rev: before.rev,
      }),
      200,
    );
    expect(revsOf(after)).toMatchObject({ rev: before.rev + 1, world: 2, tasks: 1, desires: 2 });
    expect(Object.keys(after.spaces).sort()).toEqual(["desires", "rag:cache", "tasks", "world"]);
    expect(after.spaces.world?.data).toMatchObject({ facts: { door: "open" }, pointers: {} });
  });

  it.each<[string, Fields, "conflict" | "not_found" | "invalid_request"]>([
    ["a stale rev of a space", { world: { data: {} }, desires: { data: {}, expected_rev: 0 } }, "conflict"],
    ["a space to delete that is built in", { desires: null, world: null }, "conflict"],
    ["a space to delete that is not there", { desires: null, gone: null }, "not_found"],
    [
      "an operation of the other kind",
      { desires: null, tasks: { ops: [{ op: "delete", key: "a" }] } },
      "conflict",
    ],
    ["an invalid task", { desires: null, tasks: { data: [{ id: "a" }] } }, "invalid_request"],
    ["another kind", { world: { data: { a: 1 } }, plans: { data: [] } }, "conflict"],
  ])("is not changed at all by %s", async (_what, spaces, code) => {
    const { id } = await quietSession(kioku.api, { spaces: BDI });
    const before = await readContainer(kioku.api, id);
    const { detail } = expectProblem(await patch(id, { spaces }), code);
    expect(detail, "names the space").toContain(Object.keys(spaces).at(-1));
    expect(await readContainer(kioku.api, id)).toEqual(before);
  });

  it("names the operation that is refused, and its space", async () => {
    const { id } = await quietSession(kioku.api);
    const spaces = { world: { ops: [{ op: "append", item: 1 }] } };
    expect(expectProblem(await patch(id, { spaces }), "conflict").detail).toMatch(/^spaces\.world\.ops\.0: /);
  });

  it("is written back as it was read, to any session, and so is a space; keys that expire still do", async () => {
    const { id } = await quietSession(kioku.api, { spaces: BDI });
    const op = { op: "put", key: "scratch", value: 1, ttl_ms: 60_000 };
    const path = (session: string) => `/v1/sessions/${session}/spaces/world`;
    bodyOf(await kioku.api.post(`${path(id)}/ops`, { ops: [op] }), 200);
    const read = await readContainer(kioku.api, id);
    expect(read.spaces.world).toMatchObject({ expires: { scratch: expect.any(String) } });
    const other = fresh("session");
    for (const session of [id, other]) {
      const written = bodyOf(await put(session, read), 200);
      expect(dataOf(written)).toEqual(dataOf(read));
      expect(written.spaces.world).toMatchObject({ expires: read.spaces.world?.expires });
    }
    const space = bodyOf(await kioku.api.get<Fields>(path(id)), 200);
    const again = bodyOf(await kioku.api.put<Fields>(path(other), space), 200);
    expect(again).toMatchObject({ data: space.data, expires: space.expires });
    const gone = { ...space, expires: { scratch: "2020-01-01T00:00:00.000Z", nothing: 7 } };
    expectProblem(await kioku.api.put(path(other), gone), "invalid_request", "nothing");
  });

  it("answers a stale rev with the current ones", async () => {
    const { id } = await quietSession(kioku.api, { spaces: BDI });
    for (const answer of [
      await put(id, { spaces: {}, expected_memory_rev: 0 }),
      await patch(id, { spaces: { world: { data: {}, expected_rev: 0 } } }),
      await put(id, { spaces: { world: { data: {}, expected_rev: 0 } } }),
    ])
      expect(expectProblem(answer, "conflict")).toMatchObject({ current_rev: 1, current_memory_rev: 1 });
  });

  it.each<[string, Fields, string | RegExp]>([
    ["an unknown field", { spaces: {}, revision: 1 }, "revision"],
    ["a name that is none", { spaces: { "a b": { data: {} } } }, /spaces/],
    ["neither data nor ops", { spaces: { world: {} } }, /spaces\.world/],
    [
      "an unknown operation",
      { spaces: { world: { ops: [{ op: "burn", key: "a" }] } } },
      /spaces\.world\.ops/,
    ],
  ])("is not changed by %s", async (_what, body, field) => {
    const id = fresh("session");
    expectProblem(await patch(id, body), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });

  it("is changed by one of many writers that expect the same rev", async () => {
    const { id } = await quietSession(kioku.api);
    const { rev } = await readContainer(kioku.api, id);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        patch(id, { spaces: { world: { data: { n } }, [`s${n}`]: { data: {} } }, expected_memory_rev: rev }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(Object.keys((await readContainer(kioku.api, id)).spaces)).toHaveLength(3);
  });
});

describe("a new session", () => {
  it("starts with the spaces it is given", async () => {
    const { id } = await quietSession(kioku.api, { spaces: BDI });
    const container = await readContainer(kioku.api, id);
    expect(revsOf(container)).toEqual({ rev: 1, world: 1, tasks: 1, desires: 1, plans: 1 });
    expect(container.spaces.plans?.data).toEqual(BDI.plans.data);
  });

  it("starts from the spaces of the session that it continues, and its own come first", async () => {
    const earlier = await quietSession(kioku.api, { spaces: BDI });
    bodyOf(await kioku.api.post(`/v1/sessions/${earlier.id}/close`), 200);
    const { id } = await quietSession(kioku.api, { continues: earlier.id });
    expect(dataOf(await readContainer(kioku.api, id))).toEqual(
      dataOf(await readContainer(kioku.api, earlier.id)),
    );
    const other = await quietSession(kioku.api, { continues: earlier.id, spaces: { plans: { mine: true } } });
    expect(dataOf(await readContainer(kioku.api, other.id))).toMatchObject({
      desires: BDI.desires.data,
      plans: { mine: true },
    });
  });

  it("starts from its agent's latest session, or from one by its id, if it asks for it", async () => {
    const agent_id = fresh("agent");
    const first = await quietSession(kioku.api, { agent_id, spaces: { world: { n: 1 } } });
    await quietSession(kioku.api, { agent_id, spaces: { world: { n: 2 } } });
    const worldOf = async (more: Fields) => {
      const { id } = await quietSession(kioku.api, more);
      return (await readContainer(kioku.api, id)).spaces.world?.data;
    };
    expect(await worldOf({ agent_id, inherit_spaces: true })).toEqual({ n: 2 });
    expect(await worldOf({ spaces_from: first.id })).toEqual({ n: 1 });
    expect(await worldOf({ agent_id })).toEqual({});
    const unknown = { id: fresh("session"), spaces_from: fresh("nobody") };
    expectProblem(await kioku.api.post("/v1/sessions", unknown), "not_found");
    expectProblem(
      await kioku.api.post("/v1/sessions", { inherit_spaces: true }),
      "invalid_request",
      "inherit_spaces",
    );
  });

  it("takes no spaces from another tenant", async () => {
    const { id } = await newSession(await kioku.tenant(), { spaces: BDI });
    expectProblem(await kioku.api.post("/v1/sessions", { spaces_from: id }), "not_found");
    const continued = await quietSession(kioku.api, { continues: id });
    expect(dataOf(await readContainer(kioku.api, continued.id))).toEqual({ world: {}, tasks: [] });
  });
});

describe("a plug-in for retrieval", () => {
  it("mounts its space and pointer in one call, and asks its provider by name", async () => {
    const { id } = await quietSession(kioku.api);
    bodyOf(
      await patch(id, {
        spaces: {
          "rag:cache": { data: {}, ensure: true },
          world: {
            ops: [{ op: "put", key: "pointers", value: { semantic: { provider: "vector", index: null } } }],
          },
        },
      }),
      200,
    );
    await outcome(kioku.api, id, {
      type: "upsert",
      provider: "semantic",
      opts: [],
      items: [{ key: "fact_1", value: "The door was left open by an occupant" }],
    });
    const query = {
      type: "query",
      provider: "semantic",
      opts: [],
      query: { text: "Who left the door open?", top_k: 5 },
    };
    expect(await outcome(kioku.api, id, query)).toMatchObject([{ key: "fact_1" }]);
  });
});
