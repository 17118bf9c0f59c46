import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Bindings } from "../../../src/kernel/env";
import { selectEmbedder } from "../../../src/models/embedders/select-embedder";
import { fakeAi, textsOf } from "./remote-support";

const URL = "https://ai.test/v1";
const OPENAI = { EMBEDDINGS_URL: URL, EMBEDDING_MODEL: "text-embedding-3-small" };

function select(settings: Partial<Bindings>) {
  return selectEmbedder({ ASSETS: env.ASSETS, ...settings });
}

function withAi(): { AI: NonNullable<Bindings["AI"]> } {
  return { AI: fakeAi(1_024).ai };
}

describe("the selected embedder", () => {
  it.each<[string, Partial<Bindings>, string, number]>([
    ["nothing is set", {}, "use-lite-int8-1", 512],
    ["settings are empty", { EMBEDDER: "", EMBEDDING_MODEL: "", EMBEDDINGS_URL: "" }, "use-lite-int8-1", 512],
    ["Workers AI is bound", withAi(), "workers-ai-1:@cf/baai/bge-m3", 1_024],
    [
      "Workers AI is bound and a model named",
      { ...withAi(), EMBEDDING_MODEL: "@cf/google/embeddinggemma-300m" },
      "workers-ai-1:@cf/google/embeddinggemma-300m",
      768,
    ],
    ["an address is set", OPENAI, "openai-1:text-embedding-3-small:1536", 1_536],
    [
      "an address is set and Workers AI bound",
      { ...OPENAI, ...withAi() },
      "openai-1:text-embedding-3-small:1536",
      1_536,
    ],
    [
      "dimensions are set",
      { ...OPENAI, EMBEDDING_DIMENSIONS: "256", EMBEDDINGS_API_KEY: "k" },
      "openai-1:text-embedding-3-small:256",
      256,
    ],
    ["the embedded one is named", { EMBEDDER: "embedded", ...withAi() }, "use-lite-int8-1", 512],
    ["Workers AI is named", { EMBEDDER: "workers-ai", ...withAi() }, "workers-ai-1:@cf/baai/bge-m3", 1_024],
    [
      "the service is named",
      { EMBEDDER: "openai", ...OPENAI, ...withAi() },
      "openai-1:text-embedding-3-small:1536",
      1_536,
    ],
  ])("when %s", (_, settings, name, dimensions) => {
    expect(select(settings)).toMatchObject({ name, dimensions });
  });

  it("is null when EMBEDDER is none, whichever settings remain", () => {
    expect(select({ EMBEDDER: "none" })).toBeNull();
    expect(select({ EMBEDDER: "none", ...OPENAI, ...withAi() })).toBeNull();
  });

  it.each<[string, Partial<Bindings>, RegExp]>([
    ["an unknown embedder", { EMBEDDER: "local" }, /^EMBEDDER must be "embedded", .* is "local"$/],
    ["Workers AI that is not bound", { EMBEDDER: "workers-ai" }, /no AI binding: add/],
    ["an unknown model of Workers AI", { ...withAi(), EMBEDDING_MODEL: "bge" }, /^EMBEDDING_MODEL must be/],
    [
      "a service without an address",
      { EMBEDDER: "openai", EMBEDDING_MODEL: "m" },
      /needs EMBEDDINGS_URL: set it/,
    ],
    ["a service without a model", { EMBEDDINGS_URL: URL }, /needs EMBEDDING_MODEL: set it/],
    [
      "an unknown model without dimensions",
      { EMBEDDINGS_URL: URL, EMBEDDING_MODEL: "m" },
      /^EMBEDDING_DIMENSIONS is required/,
    ],
    ["an address that is none", { ...OPENAI, EMBEDDINGS_URL: "ai.test" }, /^EMBEDDINGS_URL must be/],
    [
      "dimensions that are no number",
      { ...OPENAI, EMBEDDING_DIMENSIONS: "many" },
      /^EMBEDDING_DIMENSIONS must be a whole/,
    ],
    [
      "no dimensions at all",
      { ...OPENAI, EMBEDDING_DIMENSIONS: "0" },
      /^EMBEDDING_DIMENSIONS must be a whole/,
    ],
    [
      "a model for the embedded one",
      { EMBEDDING_MODEL: "m" },
      /^EMBEDDING_MODEL has no effect on the embedder "embedded"/,
    ],
    [
      "a key without an address",
      { EMBEDDINGS_API_KEY: "k" },
      /^EMBEDDINGS_API_KEY has no effect on the embedder "embedded"/,
    ],
    [
      "an address for the embedded one",
      { EMBEDDER: "embedded", EMBEDDINGS_URL: URL },
      /^EMBEDDINGS_URL has no effect/,
    ],
    [
      "an address for Workers AI",
      { EMBEDDER: "workers-ai", ...withAi(), EMBEDDINGS_URL: URL },
      /^EMBEDDINGS_URL has no effect/,
    ],
    [
      "dimensions for Workers AI",
      { ...withAi(), EMBEDDING_DIMENSIONS: "768" },
      /^EMBEDDING_DIMENSIONS has no effect on the embedder "workers-ai"/,
    ],
  ])("is an error with %s", (_, settings, message) => {
    expect(() => select(settings)).toThrow(message);
  });

  it("never shows the key", () => {
    const key = "sk-very-secret";
    expect(() => select({ EMBEDDINGS_API_KEY: key })).toThrow(/^(?!.*sk-very-secret)/s);
  });

  it("is created once for an environment, with a shared query cache", async () => {
    const { ai, calls } = fakeAi(1_024);
    const bindings = { ASSETS: env.ASSETS, AI: ai };
    expect(selectEmbedder(bindings)).toBe(selectEmbedder(bindings));
    await selectEmbedder(bindings)?.embed(["who?"], "query");
    await selectEmbedder(bindings)?.embed(["who?"], "query");
    expect(calls.map(textsOf)).toEqual([["who?"]]);
  });

  it("is separate for each environment", async () => {
    const first = fakeAi(1_024);
    const second = fakeAi(1_024);
    await select({ AI: first.ai })?.embed(["who?"], "query");
    await select({ AI: second.ai })?.embed(["who?"], "query");
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
  });
});
