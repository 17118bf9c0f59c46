import { describe, expect, it } from "vitest";
import { selectReranker } from "../../../src/models/select-reranker";
import { FakeRerankerAi } from "../../fakes/rerankers";

const AI = new FakeRerankerAi();
const SERVICE = { RERANKER_URL: "https://api.jina.ai/v1", RERANKER_MODEL: "jina-reranker-v2" };

describe("the reranker of an environment", () => {
  it("is none by default, also if Workers AI is bound", () => {
    expect(selectReranker({})).toBeNull();
    expect(selectReranker({ AI })).toBeNull();
    expect(selectReranker({ RERANKER: "" })).toBeNull();
  });

  it("is the one that is named, or the service at the URL", () => {
    expect(selectReranker({ AI, RERANKER: "workers-ai" })?.name).toBe(
      "workers-ai:@cf/baai/bge-reranker-base",
    );
    expect(selectReranker({ ...SERVICE, RERANKER: "http", RERANKER_KEY: "k" })?.name).toBe(
      "http:jina-reranker-v2",
    );
    expect(selectReranker(SERVICE)?.name).toBe("http:jina-reranker-v2");
  });

  it("is none if it is turned off, whichever settings remain", () => {
    expect(selectReranker({ ...SERVICE, RERANKER: "none", RERANKER_TIMEOUT_MS: "x" })).toBeNull();
  });

  it.each<[string, Parameters<typeof selectReranker>[0], string]>([
    [
      "an unknown one",
      { RERANKER: "cohere" },
      'RERANKER must be "none", "workers-ai" or "http", is "cohere"',
    ],
    ["no binding", { RERANKER: "workers-ai" }, "no AI binding"],
    ["no URL", { RERANKER: "http", RERANKER_MODEL: "m" }, 'The reranker "http" needs RERANKER_URL'],
    ["no model", { RERANKER_URL: "https://x.test" }, 'The reranker "http" needs RERANKER_MODEL'],
    [
      "no URL of the web",
      { ...SERVICE, RERANKER_URL: "ftp://x" },
      "RERANKER_URL must be an http or https URL",
    ],
    ["a model alone", { RERANKER_MODEL: "m" }, "RERANKER_MODEL has no effect without a reranker"],
    ["a time alone", { RERANKER_TIMEOUT_MS: "9" }, "RERANKER_TIMEOUT_MS has no effect without a reranker"],
    [
      "a key for Workers AI",
      { AI, RERANKER: "workers-ai", RERANKER_KEY: "k" },
      'RERANKER_KEY has no effect on the reranker "workers-ai"',
    ],
    ["no time", { ...SERVICE, RERANKER_TIMEOUT_MS: "0" }, "RERANKER_TIMEOUT_MS must be a whole number"],
    ["half a time", { ...SERVICE, RERANKER_TIMEOUT_MS: "1.5" }, 'is "1.5"'],
  ])("is an error with its fix: %s", (_, env, message) => {
    expect(() => selectReranker(env)).toThrow(message);
  });

  it("has the time limit that is set", async () => {
    const ai = new FakeRerankerAi();
    ai.hangs = true;
    const reranker = selectReranker({ AI: ai, RERANKER: "workers-ai", RERANKER_TIMEOUT_MS: "15" });
    await expect(reranker?.rerank("q", ["a"])).rejects.toThrow("no response within 0.015 s");
  });
});
