// Lists: bounds, cursors, filters, and that walking the pages gives every item once.
import { beforeAll, describe, expect, it } from "vitest";
import { learn, statePattern, tellEpisode } from "../experience/experience";
import { checkpoint, handOff } from "../experience/handover";
import { note } from "../policy/policy";
import { allPages, ids, newSession, propose, quietSession, remember, say } from "../support/actions";
import { fresh } from "../support/client";
import type { Key, Page } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();
const COUNT = 7;
const agent = fresh("agent");
const session = fresh("session");
const project = fresh("project");
const hub = fresh("hub");
const numbers = Array.from({ length: COUNT }, (_, n) => n);

const LISTS: [string, string][] = [
  ["sessions", `/v1/sessions?agent_id=${agent}`],
  ["messages", `/v1/sessions/${session}/messages`],
  ["pending memories", `/v1/sessions/${session}/pending`],
  ["memories", `/v1/memories?session_id=${session}`],
  ["entries", `/v1/entries?namespace=agent:${agent}`],
  ["episodes", `/v1/episodes?project_id=${project}`],
  ["patterns", `/v1/patterns?project_id=${project}`],
  ["learnings", `/v1/learnings?project_id=${project}`],
  ["handoffs", `/v1/handoffs?to_agent=${agent}`],
  ["links", `/v1/links?of=${hub}`],
];
const CONTEXT = `/v1/sessions/${session}/context`;
/** Lists of what has another name than an id. */
const NAMED: [string, string, string][] = [
  ["context", CONTEXT, "key"],
  ["skills", "/v1/skills", "slug"],
  ["checkpoints", `/v1/ledgers/${agent}/history`, "version"],
];

function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

beforeAll(async () => {
  await quietSession(kioku.api, { id: session });
  await statePattern(kioku.api, "What everything is linked to", { id: hub });
  await say(
    kioku.api,
    session,
    numbers.map((n) => ({ role: "user", content: `message ${n}` })),
  );
  for (const n of numbers) {
    await newSession(kioku.api, { agent_id: agent });
    await propose(kioku.api, session, `candidate ${n}`, { importance_score: 0.1 });
    await remember(kioku.api, session, `memory ${n}`);
    await note(kioku.api, agent, `entry ${n}`);
    const { id: to } = await tellEpisode(kioku.api, `Attempt ${n}`, { project_id: project });
    bodyOf(await kioku.api.post("/v1/links", { from: hub, to, relation: "supports" }), 201);
    await statePattern(kioku.api, `Rule ${n}`, { project_id: project });
    await learn(kioku.api, { trigger: `Trigger ${n}`, project_id: project });
    await handOff(kioku.api, agent);
    await checkpoint(kioku.api, agent, { tasks_completed: n });
    bodyOf(await kioku.api.put(`/v1/skills/skill-${n}`, { name: `Skill ${n}`, steps: ["Look"] }), 201);
    bodyOf(await kioku.api.put(`${CONTEXT}/key-${n}`, { value: n, memory_type: "fact" }), 200);
  }
});

describe.each([
  ...LISTS,
  ...NAMED.map(([name, path]) => [name, path]),
])("the list of %s", (_name, path = "") => {
  it("answers data and a cursor that is null on the last page", async () => {
    const page = bodyOf(await kioku.api.get<Page<unknown>>(path), 200);
    expect(page.data).toHaveLength(COUNT);
    expect(page.next_cursor).toBeNull();
  });

  it.each(["0", "101", "-1", "1.5", "many", ""])("refuses the limit %j", async (limit) => {
    expectProblem(await kioku.api.get(withQuery(path, `limit=${limit}`)), "invalid_request", "limit");
  });

  it.each(["1", "100"])("accepts the limit %s", async (limit) => {
    const page = bodyOf(await kioku.api.get<Page<unknown>>(withQuery(path, `limit=${limit}`)), 200);
    expect(page.data).toHaveLength(Math.min(Number(limit), COUNT));
    expect(page.next_cursor === null).toBe(Number(limit) >= COUNT);
  });

  it("refuses a cursor it did not give", async () => {
    for (const cursor of ["nonsense", "%22", "999999999", "e30", "bnVsbA=="]) {
      expectProblem(await kioku.api.get(withQuery(path, `cursor=${cursor}`)), "invalid_request", "cursor");
    }
  });
});

describe.each(LISTS)("walking the list of %s", (_name, path) => {
  it.each([1, 2, 3, 7])("gives every item once, in the same order, %i at a time", async (limit) => {
    const whole = bodyOf(await kioku.api.get<Page<{ id: string }>>(path), 200);
    const walked = await allPages<{ id: string }>(kioku.api, path, limit);
    expect(ids(walked)).toEqual(ids(whole.data));
    expect(new Set(ids(walked)).size).toBe(COUNT);
  });
});

describe.each(NAMED)("walking the list of %s", (_name, path, name) => {
  it.each([1, 2, 3, 7])("gives every item once, in the same order, %i at a time", async (limit) => {
    const whole = bodyOf(await kioku.api.get<Page<Record<string, unknown>>>(path), 200);
    const walked = await allPages<Record<string, unknown>>(kioku.api, path, limit);
    const names = walked.map((item) => item[name]);
    expect(names).toEqual(whole.data.map((item) => item[name]));
    expect(new Set(names).size).toBe(COUNT);
  });
});

describe("a list", () => {
  it("walks the keys, each once", async () => {
    const walked = await allPages<Key>(kioku.admin, "/v1/keys", 2);
    expect(new Set(ids(walked)).size).toBe(walked.length);
    expectProblem(await kioku.admin.get("/v1/keys?limit=0"), "invalid_request", "limit");
    expectProblem(await kioku.admin.get("/v1/keys?cursor=nonsense"), "invalid_request", "cursor");
  });

  it("holds 20 items when no limit is given", async () => {
    const many = fresh("session");
    await say(
      kioku.api,
      many,
      Array.from({ length: 25 }, (_, n) => ({ role: "user", content: `message ${n}` })),
    );
    const page = bodyOf(await kioku.api.get<Page<unknown>>(`/v1/sessions/${many}/messages`), 200);
    expect(page.data).toHaveLength(20);
    expect(page.next_cursor).toEqual(expect.any(String));
  });

  it("keeps its place when items are added while it is walked", async () => {
    const growing = fresh("session");
    const post = (n: number) => say(kioku.api, growing, [{ role: "user", content: `message ${n}` }]);
    for (const n of [0, 1, 2, 3]) await post(n);
    const path = `/v1/sessions/${growing}/messages?limit=2`;
    const first = bodyOf(await kioku.api.get<Page<{ content: string }>>(path), 200);
    await post(4);
    const cursor = encodeURIComponent(first.next_cursor ?? "");
    const second = bodyOf(await kioku.api.get<Page<{ content: string }>>(`${path}&cursor=${cursor}`), 200);
    expect([...first.data, ...second.data].map((message) => message.content)).toEqual(
      [0, 1, 2, 3].map((n) => `message ${n}`),
    );
  });

  it.each([
    ["/v1/sessions?status=sleeping", "status"],
    ["/v1/memories?type=poem", "type"],
    ["/v1/memories?include_superseded=maybe", "include_superseded"],
    ["/v1/episodes?outcome=great", "outcome"],
    ["/v1/patterns?include_superseded=maybe", "include_superseded"],
    ["/v1/handoffs?status=lost", "status"],
  ])("refuses an unknown filter value: %s", async (path, field) => {
    expectProblem(await kioku.api.get(path), "invalid_request", field);
  });
});
