// `npm run eval`: its arithmetic on cases worked out by hand, and the command itself on the example's conversations.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QuestionResult } from "../../bench/lib/ask-questions";
import { type ConversationData, checkConversation } from "../../bench/lib/data/conversations";
import { readEvalOptions } from "../../bench/lib/eval-options";
import { computeInterval } from "../../bench/lib/report/bootstrap";
import { renderEvaluation } from "../../bench/lib/report/evaluation-report";
import { sharedServer } from "../conformance/support/http-service";
import { FakeRerankService } from "../fakes/rerankers";
import { type Outcome, root, runToEnd } from "./kioku-command";

const EXAMPLE = join(root, "examples/evaluation/conversations.json");

describe("a confidence interval", () => {
  const bootstrap = { samples: 2_000, seed: 1 };

  it("of equal values has no width", () => {
    expect(computeInterval([0.4, 0.4, 0.4], bootstrap)).toEqual({
      mean: expect.closeTo(0.4, 12),
      low: expect.closeTo(0.4, 12),
      high: expect.closeTo(0.4, 12),
    });
  });

  it("of many values is about two standard errors on each side of the mean", () => {
    // 400 answers, half of them right: the standard error is sqrt(0.25 / 400) = 0.025.
    const { mean, low, high } = computeInterval(
      Array.from({ length: 400 }, (_, i) => i % 2),
      bootstrap,
    );
    expect(mean).toBe(0.5);
    expect(Math.abs(low - (0.5 - 1.96 * 0.025))).toBeLessThan(0.01);
    expect(Math.abs(high - (0.5 + 1.96 * 0.025))).toBeLessThan(0.01);
  });

  it("is the same for the same seed, and another for another", () => {
    const values = Array.from({ length: 50 }, (_, i) => (i * 37) % 11);
    expect(computeInterval(values, bootstrap)).toEqual(computeInterval(values, bootstrap));
    expect(computeInterval(values, bootstrap)).not.toEqual(
      computeInterval(values, { ...bootstrap, seed: 2 }),
    );
  });
});

describe("the report", () => {
  const result = (first: number | null, second: number | null, more = {}): QuestionResult => ({
    ...{ conversation: "c", number: 0, category: "4 single-hop", level: "turn", late: 0 },
    variants: {
      a: { ranks: [first], ms: 1, fallback: null },
      b: { ranks: [second], ms: 2, fallback: null },
    },
    ...more,
  });
  const options = { variants: ["a", "b"], byCategory: false, samples: 200, seed: 1 };

  it("compares question by question: a constant gain is certain, however much the questions differ", () => {
    // The reciprocal rank rises by 0.5 for every question.
    const report = renderEvaluation([result(2, 1), result(2, 1), result(2, 1)], options);
    expect(report).toMatch(/\| a +\| +3 \| 100\.0 \[100\.0, 100\.0\].*50\.0 \[50\.0, 50\.0\] \| +1\.0 \|/);
    expect(report).toMatch(
      /difference to a[\s\S]*\| b +\| +3 \| 0\.0 \[0\.0, 0\.0\].*\+50\.0 \[\+50\.0, \+50\.0\] \* \|/,
    );
  });

  it("does not call a difference certain that half of the questions contradict", () => {
    const report = renderEvaluation([result(1, 2), result(2, 1), result(1, 2), result(2, 1)], options);
    const [, differences = ""] = report.split("difference to a");
    expect(differences.split("95 %")[0]).not.toContain("*");
  });

  it("says if the service searched otherwise than asked", () => {
    const variants = {
      a: { ranks: [1], ms: 1, fallback: null },
      b: { ranks: [1], ms: 1, fallback: "The reranker failed." },
    };
    expect(renderEvaluation([result(1, 1), result(1, 1, { variants })], options)).toContain(
      "NOT as asked: b, 1 of 2 answers. The reranker failed.",
    );
  });

  it("has a table for each category if asked, without the adversarial one in the headline", () => {
    const results = [result(1, 1), result(null, null, { category: "5 adversarial" })];
    expect(renderEvaluation(results, options)).toMatch(/\| 1 to 4 +\|[\s\S]*\| a +\| +1 \| 100\.0/);
    const report = renderEvaluation(results, { ...options, byCategory: true });
    for (const name of ["4 single-hop", "5 adversarial", "1 to 4", "all"])
      expect(report).toContain(`| ${name} `);
  });
});

describe("the options", () => {
  const read = (...args: string[]) => readEvalOptions(["--data", "x.json", ...args], {});

  it("name a variant, or take its JSON as its name", () => {
    expect(read()?.variants).toEqual([{ name: "defaults", options: {} }]);
    expect(
      read("--variant", '{"mode":"text"}', "--variant", 'r={"ranking":{"rerank":false}}')?.variants,
    ).toEqual([
      { name: '{"mode":"text"}', options: { mode: "text" } },
      { name: "r", options: { ranking: { rerank: false } } },
    ]);
  });

  it("take the service and its key from the environment, as the command line does", () => {
    const env = { KIOKU_URL: "https://kioku.test/", KIOKU_API_KEY: "k" };
    expect(readEvalOptions(["--data", "x"], env)?.running).toEqual({ url: "https://kioku.test", key: "k" });
    expect(read()?.running).toBeNull();
  });

  it.each([
    [["--variant", "text"], "--variant takes a JSON object"],
    [["--variant", "[1]"], "--variant takes a JSON object"],
    [["--variant", "{}", "--variant", "{}"], "Two variants are named {}"],
    [["--url", "http://x"], "--url needs --key"],
    [
      ["--url", "http://x", "--key", "k", "--setting", "A=b"],
      "--setting is for a service that is started here",
    ],
    [["--setting", "secret"], "--setting takes NAME=VALUE"],
    [["--store", "files"], "--store is one of messages, memories"],
    [["--limit-questions", "0"], "--limit-questions takes a whole number"],
    [["--wrong"], "--wrong"],
  ])("that are wrong are refused with the fix: %j", (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });
});

describe("the data", () => {
  const [good] = JSON.parse(readFileSync(EXAMPLE, "utf8")) as [ConversationData];
  it.each<[string, Partial<ConversationData>, string]>([
    ["no turns", { id: "c", questions: [] }, "conversation c needs id, turns and questions"],
    [
      "a turn without a text",
      { ...good, turns: [{ ...good.turns[0], text: undefined } as never] },
      "turn D1:1 of garden needs",
    ],
    [
      "a question without evidence",
      { ...good, questions: [{ question: "Who?", category: 1 }] },
      "needs question, and evidence",
    ],
    [
      "evidence that is not there",
      { ...good, questions: [{ question: "Who?", category: 1, evidence: ["D9:9"] }] },
      "rests on D9:9",
    ],
    [
      "a session that is not there",
      { ...good, questions: [{ question: "Who?", category: 1, evidence_sessions: [9] }] },
      "rests on 9",
    ],
  ])("is refused with its place: %s", (_, data, message) => {
    expect(() => checkConversation(data, 0)).toThrow(message);
    expect(() => checkConversation(good, 0)).not.toThrow();
  });
});

describe("npm run eval", () => {
  const service = sharedServer();
  const run = (args: string[], env: Record<string, string> = {}): Promise<Outcome> =>
    runToEnd(process.execPath, [join(root, "bench/eval.ts"), "--data", EXAMPLE, ...args], { env });

  it.each([
    "messages",
    "memories",
  ])("measures a running service with turns as %s, and leaves nothing there", async (store) => {
    const api = await service.tenant();
    const { code, out, err } = await run(
      ["--store", store, "--variant", 'text={"mode":"text"}', "--variant", "hybrid={}", "--samples", "200"],
      { KIOKU_URL: service.api.url(""), KIOKU_API_KEY: api.key ?? "" },
    );
    expect(code, err).toBe(0);
    expect(out).toContain(`## conversations: turns that answer, in ${store}`);
    expect(out).toMatch(/\| text +\| 15 \| +[1-9]\d\.\d \[/);
    expect(out).toMatch(/\| all: difference to text +\|[\s\S]*\| hybrid +\| 15 \|/);
    expect(out).not.toContain("NOT as asked");
    const left = await api.get<{ data: unknown[] }>("/v1/sessions");
    expect(left.body.data).toEqual([]);
    const found = await api.post<{ count: number }>("/v1/recall", { scope: "tenant", query: "allotment" });
    expect(found.body.count).toBe(0);
  });

  it("removes what it stored when a question is refused, and says why", async () => {
    const api = await service.tenant();
    const { code, err } = await run(["--variant", '{"mode":"fuzzy"}'], {
      KIOKU_URL: service.api.url(""),
      KIOKU_API_KEY: api.key ?? "",
    });
    expect(code).toBe(1);
    expect(err).toContain("eval: POST /v1/recall answered 400");
    expect(err).toContain("mode: must be one of");
    expect((await api.get<{ data: unknown[] }>("/v1/sessions")).body.data).toEqual([]);
  });

  describe("with a service of its own", () => {
    // A reranker that knows the answers: it shows in the figures that its order decides.
    const reranker = new FakeRerankService({ api: "jina", key: "k" });
    const data = JSON.parse(readFileSync(EXAMPLE, "utf8")) as ConversationData[];
    const answers = new Map(
      data.flatMap(({ turns, questions }) =>
        questions.map(({ question, evidence = [] }) => [
          question,
          turns.filter(({ id }) => evidence.includes(id)).map(({ speaker, text }) => `${speaker}: ${text}`),
        ]),
      ),
    );
    reranker.score = (query, text) => (answers.get(query)?.includes(text) ? 0.9 : 0.1);
    let server: Server;
    beforeAll(async () => {
      server = createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        const url = `http://127.0.0.1${request.url}`;
        const answer = await reranker.respond(url, request.headers.authorization ?? null, body);
        response.writeHead(answer.status, { "Content-Type": "application/json" });
        response.end(await answer.text());
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    it("starts it with the given settings, and compares a recall that is reranked with one that is not", async () => {
      const { code, out, err } = await run([
        ...["--setting", `RERANKER_URL=http://127.0.0.1:${(server.address() as AddressInfo).port}`],
        ...["--setting", "RERANKER_MODEL=oracle", "--setting", "RERANKER_KEY=k"],
        ...["--setting", "RERANKER_TIMEOUT_MS=20000"],
        ...[
          "--variant",
          'plain={"ranking":{"rerank":false}}',
          "--variant",
          "reranked={}",
          "--limit-questions",
          "15",
        ],
      ]);
      expect(code, err).toBe(0);
      expect(out).not.toContain("NOT as asked");
      const [, mrr = ""] = /\| reranked +\| +15 \|.*\| +([\d.]+) \[[^|]*\| +[\d.]+ \|/.exec(out) ?? [];
      const [, plain = ""] = /\| plain +\| +15 \|.*\| +([\d.]+) \[[^|]*\| +[\d.]+ \|/.exec(out) ?? [];
      expect(Number(plain)).toBeGreaterThan(0);
      expect(Number(mrr)).toBeGreaterThan(Number(plain));
      expect(reranker.calls.length).toBeGreaterThanOrEqual(14);
    });
  });
});
