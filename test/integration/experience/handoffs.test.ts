// Handoffs: made once, taken by one agent, whoever races and whatever is lost on the way.
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { EXPERIENCE } from "../../../src/kernel/limits";
import { breakBatches, failuresOfD1, MOMENTS, mendD1 } from "../../faults/support";
import { scaleCases } from "../../patience";
import { type Answer, type Client, freshId, newClient } from "../support";

const CONTEXT = {
  what_was_done: "Implemented POST /api/todos endpoint",
  artifacts: ["src/routes/todos.ts"],
  git_state: "commit abc123",
  needs_testing: ["unit tests for validation", "contract tests"],
  known_issues: [],
  relevant_patterns: ["sem-001"],
};
const TOLD = { from_agent: "eng-001-backend", to_agent: "qa-001-testing", context: CONTEXT };
const PENDING = { status: "pending", acknowledged_by: null, acknowledged_at: null };

function newKey(): Record<string, string> {
  return { "Idempotency-Key": freshId("key") };
}

function make(client: Client, body: object = TOLD, headers = {}): Promise<Answer> {
  return client.call("POST", "/v1/handoffs", body, headers);
}

function take(client: Client, id: string, agent_id: string, headers = {}): Promise<Answer> {
  return client.call("POST", `/v1/handoffs/${id}/acknowledge`, { agent_id }, headers);
}

function read(client: Client, id: string): Promise<Answer> {
  return client.call("GET", `/v1/handoffs/${id}`);
}

async function idsOf(client: Client, query = ""): Promise<string[]> {
  const { status, body } = await client.call("GET", `/v1/handoffs?limit=100${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}

afterEach(mendD1);

describe("a handoff", () => {
  it("is read back as it was told, and waits for somebody", async () => {
    const client = await newClient();
    const id = freshId("handoff");
    const made = await make(client, { id, timestamp: "2026-01-06T11:00:00Z", project_id: "todos", ...TOLD });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id,
      timestamp: "2026-01-06T11:00:00.000Z",
      project_id: "todos",
      ...TOLD,
      ...PENDING,
    });
    expect((await read(client, id)).body).toEqual(made.body);
  });

  it("needs only two agents and what was done", async () => {
    const client = await newClient();
    const made = await make(client, { ...TOLD, context: { what_was_done: "  Read the code \n" } });
    expect(made.body).toEqual({
      ...TOLD,
      ...PENDING,
      id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      project_id: null,
      context: {
        what_was_done: "Read the code",
        artifacts: [],
        git_state: null,
        needs_testing: [],
        known_issues: [],
        relevant_patterns: [],
      },
    });
  });

  it("keeps whatever else its context says", async () => {
    const client = await newClient();
    const context = { ...CONTEXT, mood: { calm: [1, null, "two"] }, "": "é" };
    const { body } = await make(client, { ...TOLD, context });
    expect(body.context).toEqual(context);
    expect((await read(client, body.id)).body.context).toEqual(context);
  });

  it("of the largest size is kept whole", async () => {
    const client = await newClient();
    const room = EXPERIENCE.checkpointBytes - JSON.stringify({ ...CONTEXT, what_was_done: "" }).length;
    const largest = (bytes: number) => ({
      ...TOLD,
      context: { ...CONTEXT, what_was_done: "x".repeat(bytes) },
    });
    const { status, body } = await make(client, largest(room));
    expect(status).toBe(201);
    expect((await read(client, body.id)).body).toEqual(body);
    expect((await make(client, largest(room + 1))).status).toBe(400);
  });

  it("without an id is another one each time", async () => {
    const client = await newClient();
    const [one, two] = [await make(client), await make(client)];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(new Set(await idsOf(client))).toEqual(new Set([one.body.id, two.body.id]));
  });
});

describe("a handoff under an id that is known", () => {
  it("is the one that is there if it is the same, taken or not", async () => {
    const client = await newClient();
    const told = { id: freshId("handoff"), ...TOLD };
    const first = await make(client, told);
    const { what_was_done, ...rest } = CONTEXT;
    const again = await make(client, { ...told, context: { ...rest, what_was_done } });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await make(client, { ...told, timestamp: first.body.timestamp })).status).toBe(200);
    const taken = await take(client, told.id, "qa-001-testing");
    expect((await make(client, told)).body).toEqual(taken.body);
    expect(await idsOf(client)).toEqual([told.id]);
  });

  it.each<[string, object]>([
    ["sender", { from_agent: "eng-002" }],
    ["receiver", { to_agent: "qa-002" }],
    ["project", { project_id: "todos" }],
    ["time", { timestamp: "2026-01-06T11:00:00Z" }],
    ["work", { context: { ...CONTEXT, what_was_done: "Nothing yet" } }],
    ["order of a list", { context: { ...CONTEXT, needs_testing: CONTEXT.needs_testing.toReversed() } }],
    ["member of its own", { context: { ...CONTEXT, mood: "calm" } }],
  ])("is a conflict if it has another %s", async (_what, other) => {
    const client = await newClient();
    const told = { id: freshId("handoff"), ...TOLD };
    const first = await make(client, told);
    expect(await make(client, { ...told, ...other })).toMatchObject({
      status: 409,
      body: { code: "conflict", detail: expect.stringContaining(told.id) },
    });
    expect((await read(client, told.id)).body).toEqual(first.body);
  });

  it("is made once by many at once", async () => {
    const client = await newClient();
    const told = { id: freshId("handoff"), ...TOLD };
    const answers = await Promise.all(Array.from({ length: 8 }, () => make(client, told)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect(await idsOf(client)).toEqual([told.id]);
  });
});

describe("acknowledging", () => {
  it("gives the handoff to the agent, and it stays taken", async () => {
    const client = await newClient();
    const { body: made } = await make(client);
    const taken = await take(client, made.id, "qa-001-testing");
    expect(taken.status).toBe(200);
    expect(taken.body).toEqual({
      ...made,
      status: "acknowledged",
      acknowledged_by: "qa-001-testing",
      acknowledged_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await read(client, made.id)).body).toEqual(taken.body);
  });

  it("a second time is a conflict that names the first agent, for the first agent too", async () => {
    const client = await newClient();
    const { body: made } = await make(client);
    const taken = await take(client, made.id, "first-agent");
    for (const agent of ["second-agent", "first-agent"]) {
      const late = await take(client, made.id, agent, newKey());
      expect(late).toMatchObject({
        status: 409,
        body: { code: "conflict", detail: expect.stringContaining("first-agent") },
      });
    }
    expect((await read(client, made.id)).body).toEqual(taken.body);
  });

  it("is won by exactly one of ten agents that race", async () => {
    const client = await newClient();
    const { body: made } = await make(client);
    const agents = Array.from({ length: 10 }, (_, n) => `racer-${n}`);
    const answers = await Promise.all(
      // Some have a key and some have none.
      agents.map((agent, n) => take(client, made.id, agent, n % 2 === 0 ? newKey() : {})),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const winner: string = won[0]?.body.acknowledged_by;
    expect(agents[answers.findIndex(({ status }) => status === 200)]).toBe(winner);
    for (const { status, body } of answers.filter((answer) => answer !== won[0])) {
      expect(status).toBe(409);
      expect(body.detail).toContain(`by ${winner}.`);
    }
    expect((await read(client, made.id)).body).toEqual(won[0]?.body);
  });

  it("always has one winner, whoever comes how often", async () => {
    const client = await newClient();
    const callers = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(callers, async (agents) => {
        const { body: made } = await make(client);
        const answers = await Promise.all(agents.map((agent) => take(client, made.id, agent)));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(answers.filter(({ status }) => status === 409)).toHaveLength(agents.length - 1);
      }),
      { numRuns: scaleCases(15) },
    );
  });

  it("of a handoff that is not there is a 404", async () => {
    const client = await newClient();
    const id = freshId("handoff");
    for (const answer of [await take(client, id, "qa"), await read(client, id)])
      expect(answer).toMatchObject({
        status: 404,
        body: { code: "not_found", detail: expect.stringContaining(id) },
      });
  });
});

describe("the same Idempotency-Key", () => {
  it("makes one handoff, and answers the same after it was taken", async () => {
    const client = await newClient();
    const key = newKey();
    const first = await make(client, TOLD, key);
    await take(client, first.body.id, "qa-001-testing");
    const again = await make(client, TOLD, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await idsOf(client)).toEqual([first.body.id]);
  });

  it("gives a known handoff the answer it had at first", async () => {
    const client = await newClient();
    const told = { id: freshId("handoff"), ...TOLD };
    const made = await make(client, told);
    const key = newKey();
    expect((await make(client, told, key)).status).toBe(200);
    await take(client, told.id, "qa-001-testing");
    const again = await make(client, told, key);
    expect([again.status, again.body]).toEqual([200, made.body]);
  });

  it("takes a handoff once, and answers the same each time", async () => {
    const client = await newClient();
    const { body: made } = await make(client);
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 5 }, () => take(client, made.id, "qa", key)));
    answers.push(await take(client, made.id, "qa", key));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
  });

  it("with another body is a conflict, and does nothing", async () => {
    const client = await newClient();
    const [making, taking] = [newKey(), newKey()];
    const { body: made } = await make(client, TOLD, making);
    expect((await make(client, { ...TOLD, to_agent: "qa-002" }, making)).status).toBe(409);
    expect(await idsOf(client)).toEqual([made.id]);
    const taken = await take(client, made.id, "first-agent", taking);
    const other = await take(client, made.id, "second-agent", taking);
    expect(other).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("Idempotency-Key") },
    });
    expect((await read(client, made.id)).body).toEqual(taken.body);
  });

  it("of another tenant or another handoff is another key", async () => {
    const [client, stranger] = [await newClient(), await newClient()];
    const key = newKey();
    const [one, two] = [await make(client), await make(client)];
    const theirs = await make(stranger, TOLD, key);
    const ours = await make(client, TOLD, key);
    expect([theirs.status, ours.status]).toEqual([201, 201]);
    for (const { body } of [one, two]) expect((await take(client, body.id, "qa", key)).status).toBe(200);
  });

  it.each(MOMENTS)("makes one handoff when D1 failed %s it", async (moment) => {
    const client = await newClient();
    const key = newKey();
    breakBatches({ moment, matching: /INSERT INTO handoffs/ });
    expect((await make(client, TOLD, key)).status).toBe(503);
    expect(failuresOfD1()).toBe(1);
    expect(await idsOf(client)).toHaveLength(moment === "after" ? 1 : 0);
    mendD1();
    const again = await make(client, TOLD, key);
    expect(again).toMatchObject({ status: 201, body: { ...TOLD, ...PENDING } });
    expect((await make(client, TOLD, key)).body).toEqual(again.body);
    expect(await idsOf(client)).toEqual([again.body.id]);
  });

  it.each(MOMENTS)("takes a handoff when D1 failed %s it", async (moment) => {
    const client = await newClient();
    const { body: made } = await make(client);
    const key = newKey();
    breakBatches({ moment, matching: /UPDATE handoffs/ });
    expect((await take(client, made.id, "qa", key)).status).toBe(503);
    expect(failuresOfD1()).toBe(1);
    const status = moment === "after" ? "acknowledged" : "pending";
    expect((await read(client, made.id)).body.status).toBe(status);
    mendD1();
    const again = await take(client, made.id, "qa", key);
    expect(again).toMatchObject({ status: 200, body: { acknowledged_by: "qa" } });
    expect((await read(client, made.id)).body).toEqual(again.body);
  });

  it("tells a winner that lost its answer, and not the one who came in between, that it has won", async () => {
    const client = await newClient();
    const { body: made } = await make(client);
    const key = newKey();
    breakBatches({ moment: "after", matching: /UPDATE handoffs/, times: 1 });
    expect((await take(client, made.id, "first-agent", key)).status).toBe(503);
    expect((await take(client, made.id, "second-agent", newKey())).status).toBe(409);
    expect((await take(client, made.id, "first-agent", key)).status).toBe(200);
  });
});

describe("the list", () => {
  it("is newest first, by agents, project and status", async () => {
    const client = await newClient();
    const at = (hour: number) => `2026-01-06T0${hour}:00:00Z`;
    const rows: [string, object][] = [
      ["h2", { to_agent: "qa", from_agent: "dev", timestamp: at(2) }],
      ["h1", { to_agent: "qa", from_agent: "ops", timestamp: at(1), project_id: "todos" }],
      ["h3", { to_agent: "ops", from_agent: "dev", timestamp: at(3), project_id: "todos" }],
      ["h4", { to_agent: "qa", from_agent: "dev", timestamp: at(3) }],
    ];
    for (const [id, told] of rows) await make(client, { ...TOLD, id, ...told });
    await take(client, "h2", "qa");
    for (const [query, ids] of [
      ["", ["h4", "h3", "h2", "h1"]],
      ["&to_agent=qa", ["h4", "h2", "h1"]],
      ["&from_agent=dev", ["h4", "h3", "h2"]],
      ["&project_id=todos", ["h3", "h1"]],
      ["&status=pending", ["h4", "h3", "h1"]],
      ["&status=acknowledged", ["h2"]],
      ["&to_agent=qa&status=pending", ["h4", "h1"]],
      ["&to_agent=qa&from_agent=dev&status=acknowledged", ["h2"]],
      ["&to_agent=qa&from_agent=ops&project_id=todos&status=pending", ["h1"]],
      ["&to_agent=nobody", []],
    ] as const)
      expect([query, await idsOf(client, query)]).toEqual([query, ids]);
  });

  it.each([1, 2, 3])("is walked %i at a time, each once, also those of one moment", async (limit) => {
    const client = await newClient();
    const made = new Set<string>();
    for (const hour of [1, 1, 1, 2, 3]) {
      const { body } = await make(client, { ...TOLD, timestamp: `2026-01-06T0${hour}:00:00Z` });
      made.add(body.id);
    }
    const whole = await idsOf(client);
    expect(new Set(whole)).toEqual(made);
    const walked: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: Answer = await client.call(
        "GET",
        `/v1/handoffs?to_agent=${TOLD.to_agent}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      walked.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(walked).toEqual(whole);
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=nonsense", "cursor"],
    ["cursor=e30", "cursor"],
    ["status=open", "status"],
    ["to_agent=a%20b", "to_agent"],
    ["from_agent=", "from_agent"],
    ["project_id=a.b", "project_id"],
  ])("refuses %s", async (query, path) => {
    const client = await newClient();
    const { status, body } = await client.call("GET", `/v1/handoffs?${query}`);
    expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path });
  });
});

describe("another tenant's handoff", () => {
  it("is not there: not read, not listed, not taken, and its id is free", async () => {
    const [owner, stranger] = [await newClient(), await newClient()];
    const told = { id: freshId("handoff"), ...TOLD };
    const made = await make(owner, told);
    expect((await read(stranger, told.id)).status).toBe(404);
    expect((await take(stranger, told.id, "thief")).status).toBe(404);
    expect(await idsOf(stranger)).toEqual([]);
    expect(await idsOf(stranger, `&to_agent=${TOLD.to_agent}`)).toEqual([]);
    expect((await make(stranger, { ...told, to_agent: "thief" })).status).toBe(201);
    await take(stranger, told.id, "thief");
    expect((await read(owner, told.id)).body).toEqual(made.body);
  });
});

describe("a bad handoff", () => {
  const says = (context: object) => ({ ...TOLD, context: { ...CONTEXT, ...context } });
  const rows: [string, object][] = [
    ["from_agent", { ...TOLD, from_agent: undefined }],
    ["from_agent", { ...TOLD, from_agent: "a b" }],
    ["from_agent", { ...TOLD, from_agent: "x".repeat(129) }],
    ["to_agent", { ...TOLD, to_agent: undefined }],
    ["to_agent", { ...TOLD, to_agent: 7 }],
    ["id", { ...TOLD, id: "a/b" }],
    ["timestamp", { ...TOLD, timestamp: "soon" }],
    ["project_id", { ...TOLD, project_id: "" }],
    ["context", { ...TOLD, context: undefined }],
    ["context", { ...TOLD, context: "done" }],
    ["context", { ...TOLD, context: [] }],
    ["context.what_was_done", { ...TOLD, context: {} }],
    ["context.what_was_done", says({ what_was_done: "  " })],
    ["context.what_was_done", says({ what_was_done: ["this"] })],
    ["context.what_was_done", says({ what_was_done: "a\u0000b" })],
    ["context.artifacts", says({ artifacts: "src" })],
    ["context.artifacts.1", says({ artifacts: ["src", ""] })],
    ["context.git_state", says({ git_state: 7 })],
    ["context.needs_testing.0", says({ needs_testing: [{ test: "unit" }] })],
    ["context.known_issues", says({ known_issues: null })],
    ["context.relevant_patterns.0", says({ relevant_patterns: [null] })],
    ["context", says({ mood: "a\ud83d" })],
    ["context", says({ mood: "x".repeat(EXPERIENCE.checkpointBytes) })],
    ["status", { ...TOLD, status: "acknowledged" }],
    ["acknowledged_by", { ...TOLD, acknowledged_by: "qa" }],
    ["too_agent", { ...TOLD, too_agent: "qa" }],
  ];
  it.each(rows)("is refused by its %s, and is not made (%#)", async (path, body) => {
    const client = await newClient();
    const refused = await make(client, body);
    expect(refused.status).toBe(400);
    expect(refused.body.errors.map((error: { path: string }) => error.path)).toContain(path);
    expect(await idsOf(client)).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["agent_id", undefined],
    ["agent_id", {}],
    ["agent_id", { agent_id: "a b" }],
    ["agent_id", { agent_id: null }],
    ["agent", { agent_id: "qa", agent: "qa" }],
  ])("is not taken without a good %s: %j", async (path, body) => {
    const client = await newClient();
    const { body: made } = await make(client);
    const refused = await client.call("POST", `/v1/handoffs/${made.id}/acknowledge`, body);
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect((await read(client, made.id)).body).toEqual(made);
  });

  it("is refused by the id in its path", async () => {
    const client = await newClient();
    for (const answer of [await read(client, "a.b"), await take(client, "a.b", "qa")])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "id" }] } });
  });

  it("is refused for a key that may only read", async () => {
    const owner = await newClient();
    const { body: made } = await make(owner);
    const reader = await newClient(["read"], owner.tenant);
    for (const answer of [await make(reader), await take(reader, made.id, "qa")])
      expect(answer.status).toBe(403);
    expect((await read(reader, made.id)).body).toEqual(made);
    expect(await idsOf(reader)).toEqual([made.id]);
  });
});
