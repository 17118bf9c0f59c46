// Which embedder the service uses, by its settings. A setting that is missing or that would have no effect is an
// error with its fix: vectors of the wrong embedder would have to be made again.

import { EMBEDDING } from "../../limits";
import type { Bindings } from "../../platform/env";
import { failure } from "../../platform/errors";
import type { Embedder } from "./embedder";
import { createOpenAiEmbedder } from "./openai-embedder";
import { withQueryCache } from "./query-cache";
import { useLiteFromAssets } from "./use-lite/load-embedder";
import { createWorkersAiEmbedder, DEFAULT_MODEL } from "./workers-ai-embedder";

type Kind = "embedded" | "workers-ai" | "openai" | "none";

type EmbedderBindings = Pick<Bindings, "ASSETS" | "AI" | "EMBEDDER" | Setting>;

type Setting = "EMBEDDING_MODEL" | "EMBEDDING_DIMENSIONS" | "EMBEDDINGS_URL" | "EMBEDDINGS_API_KEY";

/** The settings that have an effect, by embedder. None is off, whatever else is set. */
const USED: Record<Kind, readonly Setting[]> = {
  embedded: [],
  "workers-ai": ["EMBEDDING_MODEL"],
  openai: ["EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "EMBEDDINGS_URL", "EMBEDDINGS_API_KEY"],
  none: ["EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "EMBEDDINGS_URL", "EMBEDDINGS_API_KEY"],
};

// One for all requests and objects of an isolate, so that they share what it remembers.
const selected = new WeakMap<EmbedderBindings, Embedder | null>();

/** The embedder of this environment, null when it has none. */
export function embedderOf(env: EmbedderBindings): Embedder | null {
  const known = selected.get(env);
  if (known !== undefined) return known;
  const embedder = createEmbedder(env);
  const remembering = embedder && withQueryCache(embedder, EMBEDDING.queries);
  selected.set(env, remembering);
  return remembering;
}

function createEmbedder(env: EmbedderBindings): Embedder | null {
  const kind = kindOf(env);
  for (const name of USED.openai)
    if (env[name] && !USED[kind].includes(name))
      throw failure(
        "not_configured",
        `${name} has no effect on the embedder "${kind}": remove it, or choose another with EMBEDDER` +
          (kind === "embedded" ? ", EMBEDDINGS_URL or the AI binding" : ""),
      );
  switch (kind) {
    case "none":
      return null;
    case "embedded":
      return useLiteFromAssets(env.ASSETS);
    case "workers-ai":
      if (!env.AI)
        throw failure(
          "not_configured",
          'EMBEDDER is "workers-ai", but there is no AI binding: add [ai] binding = "AI"',
        );
      return createWorkersAiEmbedder(env.AI, env.EMBEDDING_MODEL || DEFAULT_MODEL);
    case "openai":
      return createOpenAiEmbedder({
        url: required(env, "EMBEDDINGS_URL", "the address of the service, such as https://api.openai.com/v1"),
        model: required(env, "EMBEDDING_MODEL", "the name of the service's model"),
        key: env.EMBEDDINGS_API_KEY || null,
        dimensions: dimensionsOf(env.EMBEDDING_DIMENSIONS),
      });
  }
}

function kindOf(env: EmbedderBindings): Kind {
  const asked = env.EMBEDDER;
  if (!asked) return env.EMBEDDINGS_URL ? "openai" : env.AI ? "workers-ai" : "embedded";
  if (asked === "embedded" || asked === "workers-ai" || asked === "openai" || asked === "none") return asked;
  throw failure(
    "not_configured",
    `EMBEDDER must be "embedded", "workers-ai", "openai" or "none", is "${asked}"`,
  );
}

function required(env: EmbedderBindings, name: Setting, what: string): string {
  const value = env[name];
  if (!value) throw failure("not_configured", `The embedder "openai" needs ${name}: set it to ${what}`);
  return value;
}

function dimensionsOf(value: string | undefined): number | null {
  if (!value) return null;
  const dimensions = Number(value);
  if (!Number.isInteger(dimensions) || dimensions < 1)
    throw failure(
      "not_configured",
      `EMBEDDING_DIMENSIONS must be a whole number of at least 1, is "${value}"`,
    );
  return dimensions;
}
