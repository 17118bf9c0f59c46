import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../../src/app";
import type { Bindings } from "../../../src/kernel/env";
import { FakeRerankerAi, FakeRerankService } from "../../fakes/rerankers";
import { ADMIN_KEY, freshId, newClient, untilIndexed } from "../support";

const app = createApp();

afterEach(() => {
  vi.restoreAllMocks();
});

type Hit = { id: string; kind: string; content: string; score: number; signals: Record<string, number> };
type Recalled = { count: number; memories: Hit[]; not_reranked?: string; degraded?: string };

/** A tenant whose calls go to a service with these bindings. */
async function newRerankedTenant(bindings: Partial<Bindings>) {
  const { tenant, key } = await newClient();
  const session = freshId("session");
  const call = async (method: string, path: string, body: unknown, settings: Partial<Bindings> = {}) => {
    const context = createExecutionContext();
    const response = await app.fetch(
      new Request(`https://kioku.test${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
      { ...env, EMBEDDER: "embedded", ...bindings, ...settings } as Bindings,
      context,
    );
    await waitOnExecutionContext(context);
    return { status: response.status, body: (await response.json()) as Recalled & Record<string, unknown> };
  };
  return {
    tenant,
    session,
    call,
    remember: async (content: string, more: object = {}) => {
      const { body } = await call("POST", `/v1/sessions/${session}/remember`, { content, ...more });
      return String(body.memory_id);
    },
    say: (...messages: object[]) =>
      call("POST", `/v1/sessions/${session}/messages`, {
        messages: messages.map((message) => ({ role: "user", ...message })),
      }),
    recall: async (body: object, settings: Partial<Bindings> = {}) => {
      const answer = await call(
        "POST",
        "/v1/recall",
        { session_id: session, scope: "session", ...body },
        settings,
      );
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    },
  };
}

const contents = ({ memories }: Recalled) => memories.map(({ content }) => content);

/** Scores a text by the first of these that it has, from 1 downwards. */
const preferring =
  (...words: string[]) =>
  (_query: string, text: string) => {
    const place = words.findIndex((word) => text.includes(word));
    return place === -1 ? 0 : 1 - place / 10;
  };

function workersAi() {
  const ai = new FakeRerankerAi();
  return { ai, bindings: { AI: ai, RERANKER: "workers-ai" } };
}

const FACTS = [
  "The deploy happens on Friday",
  "The deploy needs two reviews",
  "The deploy script is in bash",
];

async function withFacts(bindings: Partial<Bindings>) {
  const tenant = await newRerankedTenant(bindings);
  for (const fact of FACTS) await tenant.remember(fact);
  await untilIndexed(tenant.tenant);
  return tenant;
}

describe("recall with a reranker", () => {
  it("has its order, with its scores", async () => {
    const { ai, bindings } = workersAi();
    const { recall } = await withFacts(bindings);
    ai.score = preferring("bash", "Friday", "reviews");
    const answer = await recall({ query: "deploy" });
    expect(contents(answer)).toEqual([FACTS[2], FACTS[0], FACTS[1]]);
    expect(answer.memories.map(({ score, signals }) => [score, signals.rerank])).toEqual([
      [1, 1],
      [0.9, 0.9],
      [0.8, 0.8],
    ]);
    expect(answer.not_reranked).toBeUndefined();
    expect(ai.calls).toHaveLength(1);
    expect(ai.calls[0]?.query).toBe("deploy");
  });

  it.each(["text", "semantic", "hybrid"])("has it in the mode %s", async (mode) => {
    const { ai, bindings } = workersAi();
    const { recall } = await withFacts(bindings);
    ai.score = preferring("reviews", "bash");
    expect(contents(await recall({ query: "the deploy", mode }))[0]).toBe(FACTS[1]);
  });

  it("over HTTP, with the key of the service", async () => {
    const service = new FakeRerankService({ api: "jina", key: "secret-key" });
    const settings = {
      RERANKER_URL: "https://rerank.test/v1",
      RERANKER_MODEL: "m",
      RERANKER_KEY: "secret-key",
    };
    const { recall } = await withFacts({});
    service.score = preferring("reviews", "bash");
    vi.spyOn(globalThis, "fetch").mockImplementation(service.fetch);
    expect(contents(await recall({ query: "deploy" }, settings))[0]).toBe(FACTS[1]);
    expect(service.calls).toHaveLength(1);
  });

  it("finds the best of the first 50 hits, beyond the limit", async () => {
    const { ai, bindings } = workersAi();
    const tenant = await newRerankedTenant(bindings);
    const messages = Array.from({ length: 60 }, (_, i) => ({
      content: i < 10 ? `deploy deploy deploy number ${i}` : `deploy, among other things, number ${i}`,
    }));
    await tenant.say(...messages);
    ai.score = preferring("number 31");
    const { memories } = await tenant.recall({
      query: "deploy",
      mode: "text",
      limit: 2,
      sources: ["messages"],
    });
    expect(memories.map(({ content }) => content)[0]).toContain("number 31");
    expect(memories).toHaveLength(2);
    expect(ai.calls[0]?.texts).toHaveLength(50);
    // A message is read with its speaker.
    expect(ai.calls[0]?.texts.every((text) => text.startsWith("user: deploy"))).toBe(true);
  });

  it("puts a message before the memories if the reranker does", async () => {
    const { ai, bindings } = workersAi();
    const tenant = await withFacts(bindings);
    await tenant.say({ name: "Anna", content: "The deploy of last week failed because of me" });
    await untilIndexed(tenant.tenant);
    ai.score = preferring("Anna: The deploy of last week", "bash");
    const { memories } = await tenant.recall({ query: "deploy", sources: ["memories", "messages"] });
    expect(memories.map(({ kind }) => kind)).toEqual(["message", "memory", "memory", "memory"]);
  });

  it("keeps a message that repeats a memory behind the other hits", async () => {
    const { ai, bindings } = workersAi();
    const tenant = await withFacts(bindings);
    await tenant.say({ content: FACTS[0] });
    // A recall in the session sends its messages to D1.
    await tenant.recall({ sources: ["messages"] });
    await untilIndexed(tenant.tenant);
    ai.score = preferring("Friday", "bash", "reviews");
    const other = freshId("other");
    const recalled = await tenant.call("POST", "/v1/recall", {
      session_id: other,
      scope: "tenant",
      query: "deploy",
    });
    const { memories } = recalled.body;
    expect(memories.map(({ kind, content }) => [kind, content])).toEqual([
      ["memory", FACTS[0]],
      ["memory", FACTS[2]],
      ["memory", FACTS[1]],
      ["message", FACTS[0]],
    ]);
    // Scores never rise from one hit to the next.
    expect(memories.map(({ score }) => score)).toEqual([1, 0.9, 0.8, 0.8]);
    expect(memories[3]?.signals.rerank).toBe(1);
  });

  it("brings back nothing that is not relevant, and returns a duplicate once", async () => {
    const { ai, bindings } = workersAi();
    const tenant = await withFacts(bindings);
    await tenant.call("POST", `/v1/sessions/${freshId("s")}/remember`, { content: FACTS[0] });
    await tenant.remember("Giraffes sleep standing up");
    await untilIndexed(tenant.tenant);
    ai.score = preferring("Giraffes", "Friday");
    const { body } = await tenant.call("POST", "/v1/recall", { scope: "tenant", query: "deploy" });
    expect(contents(body).filter((content) => content === FACTS[0])).toHaveLength(1);
    expect(contents(body)).not.toContain("Giraffes sleep standing up");
  });

  it("scores a single hit, so that min_score means the same for it", async () => {
    const { ai, bindings } = workersAi();
    const { recall } = await withFacts(bindings);
    ai.score = preferring("nothing");
    expect((await recall({ query: "reviews" })).memories.map(({ score }) => score)).toEqual([0]);
    expect((await recall({ query: "reviews", min_score: 0.5 })).count).toBe(0);
  });

  it("does not ask it without a query, without hits, or if the request does not want it", async () => {
    const { ai, bindings } = workersAi();
    const { recall } = await withFacts(bindings);
    const plain = await recall({ query: "deploy", ranking: { rerank: false } });
    await recall({});
    await recall({ query: "xylophone" });
    expect(ai.calls).toEqual([]);
    expect(plain.memories.every(({ signals }) => signals.rerank === undefined)).toBe(true);
    expect(plain.not_reranked).toBeUndefined();
  });

  it("orders what mem0's search finds, too, with its scores", async () => {
    const { ai, bindings } = workersAi();
    const tenant = await newRerankedTenant(bindings);
    for (const fact of FACTS)
      await tenant.call("POST", "/mem0/v3/memories/add", {
        messages: [{ role: "user", content: fact }],
        user_id: "u1",
        infer: false,
      });
    ai.score = preferring("bash", "reviews");
    const { body } = await tenant.call("POST", "/mem0/v3/memories/search", {
      query: "deploy",
      filters: { user_id: "u1" },
    });
    const found = body.results as { memory: string; score: number }[];
    expect(found.map(({ memory, score }) => [memory, score]).slice(0, 2)).toEqual([
      [FACTS[2], 1],
      [FACTS[1], 0.9],
    ]);
  });
});

describe("a reranker that fails", () => {
  const plainOrder = async (recall: Awaited<ReturnType<typeof withFacts>>["recall"]) =>
    contents(await recall({ query: "deploy", ranking: { rerank: false } }));

  it("leaves the order as it was, and says so without a detail of the service", async () => {
    const { ai, bindings } = workersAi();
    const { recall } = await withFacts(bindings);
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    ai.failure = "3040: No more data centers to forward the request to";
    const answer = await recall({ query: "deploy" });
    expect(contents(answer)).toEqual(await plainOrder(recall));
    expect(answer.memories.every(({ signals }) => signals.rerank === undefined)).toBe(true);
    expect(answer.not_reranked).toBe("The reranker failed. The hits have the order of the search.");
    const logged = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(logged).toContainEqual({
      event: "recall.not_reranked",
      error: "RerankerError",
      at: [],
      reason: "Reranker workers-ai:@cf/baai/bge-reranker-base failed: code 3040",
    });
  });

  it("by its time", async () => {
    const { ai, bindings } = workersAi();
    const { recall } = await withFacts({ ...bindings, RERANKER_TIMEOUT_MS: "50" });
    ai.hangs = true;
    const started = Date.now();
    const answer = await recall({ query: "deploy" });
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(contents(answer)).toEqual(await plainOrder(recall));
    expect(answer.memories.every(({ signals }) => signals.rerank === undefined)).toBe(true);
    expect(answer.not_reranked).toBe(
      "The reranker did not answer in time. The hits have the order of the search.",
    );
  });

  it.each<[string, unknown]>([
    ["no list", { response: "all of them" }],
    ["one score", { response: [{ id: 0, score: 1 }] }],
    ["a foreign index", { response: [7, 8, 9].map((id) => ({ id, score: 1 })) }],
  ])("by an answer with %s", async (_, malformed) => {
    const { ai, bindings } = workersAi();
    const { recall } = await withFacts(bindings);
    ai.answer = () => malformed;
    const answer = await recall({ query: "deploy" });
    expect(contents(answer)).toEqual(await plainOrder(recall));
    expect(answer.memories.every(({ signals }) => signals.rerank === undefined)).toBe(true);
    expect(answer.not_reranked).toContain("The reranker failed.");
  });

  it.each([429, 500, 401])("by the status %i, without showing its key", async (status) => {
    const service = new FakeRerankService({ key: "secret-key" });
    service.refusal = { status, headers: { "Retry-After": "60" } };
    const { recall } = await withFacts({});
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(globalThis, "fetch").mockImplementation(service.fetch);
    const settings = {
      RERANKER_URL: "https://rerank.test/v1",
      RERANKER_MODEL: "m",
      RERANKER_KEY: "secret-key",
    };
    const answer = await recall({ query: "deploy" }, settings);
    expect(answer.memories).toHaveLength(3);
    expect(answer.not_reranked).toContain("The reranker failed.");
    expect(JSON.stringify([answer, log.mock.calls])).not.toContain("secret-key");
    expect(service.calls).toHaveLength(1);
  });
});

describe("a slow reranker", () => {
  it("delays no other search of the tenant, although one at a time may read", async () => {
    const { ai, bindings } = workersAi();
    const settings = { ...bindings, READ_MS_IN_FLIGHT: "1", RERANKER_TIMEOUT_MS: "30000" };
    const { recall } = await withFacts(settings);
    const gate = Promise.withResolvers<void>();
    ai.answer = async ({ texts }) => {
      await gate.promise;
      return { response: texts.map((_, id) => ({ id, score: 0.5 })) };
    };
    const slow = recall({ query: "deploy" });
    await vi.waitFor(() => expect(ai.calls).toHaveLength(1));
    expect((await recall({ query: "deploy", ranking: { rerank: false } })).count).toBe(3);
    gate.resolve();
    expect((await slow).not_reranked).toBeUndefined();
  });
});

describe("a service without a reranker", () => {
  it("answers a request for one with the field and the fix", async () => {
    const { call } = await newRerankedTenant({});
    const { status, body } = await call("POST", "/v1/recall", { query: "deploy", ranking: { rerank: true } });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: "unprocessable",
      detail: expect.stringContaining("ranking.rerank: needs a reranker"),
      errors: [{ path: "ranking.rerank" }],
    });
  });

  it("names a wrong setting in every answer that needs it", async () => {
    const { call } = await newRerankedTenant({ RERANKER: "http" });
    const { status, body } = await call("POST", "/v1/recall", { query: "deploy" });
    expect([status, body.code]).toEqual([503, "not_configured"]);
    expect(body.detail).toContain("RERANKER_URL");
  });

  it("has no call of D1 more or less than one with a reranker, and loads no more rows than it returns", async () => {
    const { ai, bindings } = workersAi();
    const tenant = await newRerankedTenant({});
    await tenant.say(...Array.from({ length: 60 }, (_, i) => ({ content: `deploy number ${i}` })));
    await untilIndexed(tenant.tenant);
    const count = async (settings: Partial<Bindings>) => {
      const { DB, read } = countReads();
      await tenant.recall({ query: "deploy", limit: 3, sources: ["messages"] }, { ...settings, DB });
      return read;
    };
    const without = await count({});
    const withReranker = await count(bindings);
    expect(ai.calls).toHaveLength(1);
    expect(without.calls).toBe(withReranker.calls);
    expect(without.rows).toBeLessThan(withReranker.rows);
    expect(await count({ RERANKER: "none" })).toEqual(without);
  });
});

describe("what a reranker reads", () => {
  it("is of the asking tenant alone", async () => {
    const { ai, bindings } = workersAi();
    const mine = await withFacts(bindings);
    const theirs = await newRerankedTenant(bindings);
    for (const secret of ["The deploy password is otter", "The deploy host is walrus"])
      await theirs.remember(secret);
    await untilIndexed(theirs.tenant);
    await mine.call("POST", "/v1/recall", { scope: "tenant", query: "deploy" });
    expect(ai.calls).toHaveLength(1);
    expect(ai.calls[0]?.texts.toSorted()).toEqual(FACTS.toSorted());
  });
});

describe("the state of a service", () => {
  const read = async (path: string, bindings: Partial<Bindings>) => {
    const response = await app.fetch(
      new Request(`https://kioku.test${path}`, { headers: { Authorization: `Bearer ${ADMIN_KEY}` } }),
      { ...env, EMBEDDER: "embedded", ...bindings } as Bindings,
      createExecutionContext(),
    );
    return (await response.json()) as Record<string, unknown>;
  };

  it("names the reranker", async () => {
    const { bindings } = workersAi();
    expect((await read("/v1/admin/index", bindings)).reranker).toBe("workers-ai:@cf/baai/bge-reranker-base");
    expect((await read("/v1/admin/index", {})).reranker).toBeNull();
  });

  it("shows in the doctor's report whether it answers", async () => {
    const { ai, bindings } = workersAi();
    const check = async (settings: Partial<Bindings>) =>
      ((await read("/v1/admin/doctor", settings)).checks as { name: string }[]).find(
        ({ name }) => name === "reranker",
      );
    expect(await check({})).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("Not configured"),
    });
    expect(await check(bindings)).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("bge-reranker"),
    });
    ai.failure = "5007: No such model";
    expect(await check(bindings)).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("code 5007"),
    });
    expect(await check({ RERANKER: "http" })).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("RERANKER_URL"),
    });
  });
});

/** The database with a count of the calls that read it, and of the rows of messages in their answers. */
function countReads(): { DB: D1Database; read: { calls: number; rows: number } } {
  const read = { calls: 0, rows: 0 };
  const count = <T extends D1Database | D1DatabaseSession>(opened: T): T =>
    new Proxy(opened, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === "withSession") return (from: string) => count((target as D1Database).withSession(from));
        if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch<Record<string, unknown>>(statements);
          read.calls += 1;
          read.rows += results.flatMap(({ results: rows }) => rows).filter((row) => "content" in row).length;
          return results;
        };
      },
    });
  return { DB: count(env.DB), read };
}
