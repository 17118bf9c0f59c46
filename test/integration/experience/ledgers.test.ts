// Ledgers: the newest checkpoint is where an agent stands, and every change of it is kept.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { EXPERIENCE } from "../../../src/kernel/limits";
import { breakBatches, failuresOfD1, mendD1 } from "../../faults/support";
import { scaleCases } from "../../patience";
import { type Client, freshId, newClient } from "../support";

const TOLD = {
  tasks_completed: 12,
  current_task: "task-042",
  state: {
    files_modified: ["src/routes/todos.ts"],
    uncommitted_changes: true,
    last_git_commit: "abc123",
  },
  context: { tech_stack: ["express", "sqlite"], current_goal: "Implement CRUD for todos" },
};

type Agent = {
  client: Client;
  id: string;
  put: (body: unknown) => ReturnType<Client["call"]>;
  get: (rest?: string) => ReturnType<Client["call"]>;
};

async function newAgent(client?: Client, id = freshId("agent")): Promise<Agent> {
  const own = client ?? (await newClient());
  const path = `/v1/ledgers/${id}`;
  return {
    client: own,
    id,
    put: (body) => own.call("PUT", path, body),
    get: (rest = "") => own.call("GET", `${path}${rest}`),
  };
}

async function versionsOf(agent: Agent): Promise<number[]> {
  const { body } = await agent.get("/history?limit=100");
  return body.data.map(({ version }: { version: number }) => version);
}

afterEach(mendD1);

describe("a checkpoint", () => {
  it("is read back as it was told", async () => {
    const agent = await newAgent();
    const put = await agent.put({
      agent_id: agent.id,
      last_checkpoint: "2026-01-06T12:00:00+02:00",
      ...TOLD,
    });
    const ledger = { agent_id: agent.id, version: 1, last_checkpoint: "2026-01-06T10:00:00.000Z", ...TOLD };
    expect([put.status, put.body]).toEqual([200, ledger]);
    const got = await agent.get();
    expect([got.status, got.body]).toEqual([200, ledger]);
  });

  it("keeps the members of state and context in the order they were given in", async () => {
    const agent = await newAgent();
    await agent.put({ state: { z: 1, a: { y: 2, b: 3 } } });
    expect(JSON.stringify((await agent.get()).body.state)).toBe('{"z":1,"a":{"y":2,"b":3}}');
  });

  it("that leaves things out has nothing done, no task and nothing noted", async () => {
    const agent = await newAgent();
    expect((await agent.put({})).body).toEqual({
      agent_id: agent.id,
      version: 1,
      last_checkpoint: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      tasks_completed: 0,
      current_task: null,
      state: {},
      context: {},
    });
  });

  it("replaces the one before it whole, which stays in the history", async () => {
    const agent = await newAgent();
    await agent.put(TOLD);
    const second = await agent.put({ tasks_completed: 13 });
    expect(second.body).toMatchObject({ version: 2, tasks_completed: 13, current_task: null, state: {} });
    const { body } = await agent.get("/history");
    expect(body.next_cursor).toBeNull();
    expect(body.data).toMatchObject([
      { version: 2, tasks_completed: 13, current_task: null },
      { version: 1, ...TOLD },
    ]);
  });

  it("that says what the newest says adds no version, in whatever order it says so", async () => {
    const agent = await newAgent();
    const first = await agent.put(TOLD);
    const { last_git_commit, ...others } = TOLD.state;
    const again = await agent.put({ ...TOLD, state: { last_git_commit, ...others } });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await agent.put({ ...TOLD, last_checkpoint: first.body.last_checkpoint })).body.version).toBe(1);
    expect(await versionsOf(agent)).toEqual([1]);
  });

  it("of another time is another checkpoint, if the time is given", async () => {
    const agent = await newAgent();
    await agent.put({ ...TOLD, last_checkpoint: "2026-01-06T10:00:00Z" });
    const later = await agent.put({ ...TOLD, last_checkpoint: "2026-01-06T11:00:00Z" });
    expect(later.body).toMatchObject({ version: 2, last_checkpoint: "2026-01-06T11:00:00.000Z" });
    // Not given, it is no difference to the newest.
    expect((await agent.put(TOLD)).body).toEqual(later.body);
  });

  it("adds a version exactly when it says something else than the one before", async () => {
    const client = await newClient();
    const told = fc.record({
      tasks_completed: fc.constantFrom(0, 1),
      current_task: fc.constantFrom(null, "a task"),
      state: fc.constantFrom({}, { a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, { a: 1, b: [2, 1] }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(told, { minLength: 1, maxLength: 8 }), async (checkpoints) => {
        const agent = await newAgent(client);
        let [version, before] = [0, ""];
        for (const checkpoint of checkpoints) {
          const { tasks_completed, current_task, state } = checkpoint;
          const says = JSON.stringify([
            tasks_completed,
            current_task,
            "a" in state ? [state.a, state.b] : [],
          ]);
          if (says !== before) version += 1;
          before = says;
          expect((await agent.put(checkpoint)).body).toMatchObject({ version, ...checkpoint });
        }
        expect(await versionsOf(agent)).toEqual(Array.from({ length: version }, (_, n) => version - n));
      }),
      { numRuns: scaleCases(15) },
    );
  });

  it("is one of many that are made at once, and each has a version", async () => {
    const agent = await newAgent();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => agent.put({ tasks_completed: n, current_task: `task ${n}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(await versionsOf(agent)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const { body } = await agent.get("/history");
    for (const answer of answers) expect(body.data).toContainEqual(answer.body);
  });

  it("made by several at once in the same words is one", async () => {
    const agent = await newAgent();
    const answers = await Promise.all(Array.from({ length: 5 }, () => agent.put(TOLD)));
    for (const { body } of answers) expect(body.version).toBe(1);
    expect(await versionsOf(agent)).toEqual([1]);
  });

  it("whose answer was lost is sent again, and is one", async () => {
    const agent = await newAgent();
    breakBatches({ moment: "after", matching: /INSERT INTO ledgers/ });
    expect((await agent.put(TOLD)).status).toBe(503);
    expect(failuresOfD1()).toBe(1);
    mendD1();
    expect((await agent.put(TOLD)).body).toMatchObject({ version: 1, ...TOLD });
    expect(await versionsOf(agent)).toEqual([1]);
  });

  it("that could not be written leaves everything as it was", async () => {
    const agent = await newAgent();
    const first = await agent.put(TOLD);
    breakBatches({ moment: "during", matching: /INSERT INTO ledgers/ });
    expect((await agent.put({ tasks_completed: 13 })).status).toBe(503);
    mendD1();
    expect((await agent.get()).body).toEqual(first.body);
  });
});

describe("the history", () => {
  it("is walked page by page, newest first", async () => {
    const agent = await newAgent();
    for (const tasks_completed of [1, 2, 3, 4, 5]) await agent.put({ tasks_completed });
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { data: { version: number }[]; next_cursor: string | null } } = await agent.get(
        `/history?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...body.data.map(({ version }) => version));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  it("keeps the newest checkpoints, and versions count on", async () => {
    const agent = await newAgent();
    await env.DB.prepare(
      `WITH RECURSIVE made (version) AS (SELECT 1 UNION ALL SELECT version + 1 FROM made WHERE version < ?1)
       INSERT INTO ledgers (tenant, agent_id, version, ledger, last_checkpoint)
       SELECT ?2, ?3, version, '{"digest":""}', '2026-01-06T10:00:00.000Z' FROM made`,
    )
      .bind(EXPERIENCE.checkpointsPerAgent, agent.client.tenant, agent.id)
      .run();
    const bystander = await newAgent(agent.client);
    await bystander.put(TOLD);
    expect((await agent.put(TOLD)).body.version).toBe(EXPERIENCE.checkpointsPerAgent + 1);
    const kept = await env.DB.prepare(
      "SELECT count(*) AS n, min(version) AS oldest FROM ledgers WHERE tenant = ? AND agent_id = ?",
    )
      .bind(agent.client.tenant, agent.id)
      .first();
    expect(kept).toEqual({ n: EXPERIENCE.checkpointsPerAgent, oldest: 2 });
    expect(await versionsOf(bystander)).toEqual([1]);
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=nonsense", "cursor"],
    ["cursor=e30", "cursor"],
  ])("refuses %s", async (query, path) => {
    const agent = await newAgent();
    await agent.put(TOLD);
    const { status, body } = await agent.get(`/history?${query}`);
    expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path });
  });
});

describe("an agent without a ledger", () => {
  it("is not found, nor is its history", async () => {
    const agent = await newAgent();
    for (const rest of ["", "/history"])
      expect(await agent.get(rest)).toMatchObject({
        status: 404,
        body: { code: "not_found", detail: expect.stringContaining(agent.id) },
      });
  });

  it("is what another tenant's agent is", async () => {
    const owner = await newAgent();
    await owner.put(TOLD);
    const stranger = await newAgent(await newClient(), owner.id);
    for (const rest of ["", "/history"]) expect((await stranger.get(rest)).status).toBe(404);
    expect((await stranger.put({ tasks_completed: 1 })).body.version).toBe(1);
    expect((await owner.get()).body).toMatchObject({ version: 1, ...TOLD });
    expect(await versionsOf(owner)).toEqual([1]);
  });
});

describe("a bad checkpoint", () => {
  const half = "x".repeat(EXPERIENCE.checkpointBytes / 2);
  const rows: [string, unknown][] = [
    ["tasks_completed", { tasks_completed: -1 }],
    ["tasks_completed", { tasks_completed: 1.5 }],
    ["tasks_completed", { tasks_completed: "12" }],
    ["tasks_completed", { tasks_completed: null }],
    ["current_task", { current_task: 42 }],
    ["current_task", { current_task: "  " }],
    ["current_task", { current_task: "a\u0000b" }],
    ["current_task", { current_task: "x".repeat(2_001) }],
    ["state", { state: "done" }],
    ["state", { state: ["done"] }],
    ["state", { state: null }],
    ["state", { state: { note: "a\u0000b" } }],
    ["state", { state: { half, and: half } }],
    ["context", { context: 7 }],
    ["context", { context: [] }],
    ["context", { context: { "a\ud83d": 1 } }],
    ["context", { state: { a: 1 }, context: { half, and: half } }],
    ["context", { state: { half: half.slice(1) }, context: { half } }],
    ["last_checkpoint", { last_checkpoint: "yesterday" }],
    ["last_checkpoint", { last_checkpoint: 1767693600 }],
    ["agent_id", { agent_id: "somebody-else" }],
    ["agent_id", { agent_id: "a b" }],
    ["version", { version: 7 }],
    ["curent_task", { curent_task: "task-042" }],
  ];
  it.each(rows)("is refused by its %s, and changes nothing (%#)", async (path, body) => {
    const agent = await newAgent();
    const first = await agent.put(TOLD);
    const refused = await agent.put(body);
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ path }] } });
    expect((await agent.get()).body).toEqual(first.body);
    expect(await versionsOf(agent)).toEqual([1]);
  });

  it.each([undefined, "", "[]", "null", "{"])("is refused as a body: %j", async (body) => {
    const agent = await newAgent();
    expect((await agent.put(body)).status).toBe(400);
    expect((await agent.get()).status).toBe(404);
  });

  it("is refused by the id in its path", async () => {
    const client = await newClient();
    for (const [method, rest] of [
      ["PUT", ""],
      ["GET", ""],
      ["GET", "/history"],
    ] as const) {
      const { status, body } = await client.call(
        method,
        `/v1/ledgers/a.b${rest}`,
        method === "PUT" ? {} : undefined,
      );
      expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path: "agent_id" });
    }
  });

  it("is refused for a key that may only read", async () => {
    const owner = await newAgent();
    const first = await owner.put(TOLD);
    const reader = await newAgent(await newClient(["read"], owner.client.tenant), owner.id);
    expect((await reader.put({})).status).toBe(403);
    expect((await reader.get()).body).toEqual(first.body);
  });
});

describe("a checkpoint of the largest size", () => {
  it("is kept whole", async () => {
    const agent = await newAgent();
    const state = { note: "é".repeat(EXPERIENCE.checkpointBytes / 2 - 8) };
    const { status } = await agent.put({ state });
    expect(status).toBe(200);
    expect((await agent.get()).body.state).toEqual(state);
  });
});
