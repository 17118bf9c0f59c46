// Selects the embedder by the environment's settings. A missing setting, or one without effect, is an error with its
// fix: switching away from a wrong embedder later means embedding everything again.
import type { Bindings } from "../../kernel/env";
import { failure } from "../../kernel/errors";
import { getSharedUseLiteEmbedder } from "../use-lite/use-lite-embedder";
import type { Embedder } from "./embedder";
import { createOpenAiEmbedder } from "./openai-embedder";
import { withQueryCache } from "./query-cache";
import { createWorkersAiEmbedder, DEFAULT_EMBEDDING_MODEL } from "./workers-ai-embedder";

type EmbedderKind = "embedded" | "workers-ai" | "openai" | "none";

type EmbedderBindings = Pick<Bindings, "ASSETS" | "AI" | "EMBEDDER" | Setting>;

type Setting = "EMBEDDING_MODEL" | "EMBEDDING_DIMENSIONS" | "EMBEDDINGS_URL" | "EMBEDDINGS_API_KEY";

/** The settings that have an effect, by embedder. EMBEDDER=none turns embedding off, whichever settings remain. */
const EFFECTIVE_SETTINGS: Record<EmbedderKind, readonly Setting[]> = {
  embedded: [],
  "workers-ai": ["EMBEDDING_MODEL"],
  openai: ["EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "EMBEDDINGS_URL", "EMBEDDINGS_API_KEY"],
  none: ["EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "EMBEDDINGS_URL", "EMBEDDINGS_API_KEY"],
};

/** Query vectors cached per isolate: 1 MB at 1,024 dimensions. */
const CACHED_QUERIES = 256;

// One embedder for all requests and Durable Objects of an isolate, so that they share its query cache.
const embedders = new WeakMap<EmbedderBindings, Embedder | null>();

/** Returns the embedder of an environment, null when embedding is turned off. */
export function selectEmbedder(env: EmbedderBindings): Embedder | null {
  const existing = embedders.get(env);
  if (existing !== undefined) return existing;
  const embedder = createEmbedder(env);
  const cached = embedder && withQueryCache(embedder, CACHED_QUERIES);
  embedders.set(env, cached);
  return cached;
}

function createEmbedder(env: EmbedderBindings): Embedder | null {
  const kind = selectKind(env);
  for (const name of EFFECTIVE_SETTINGS.openai)
    if (env[name] && !EFFECTIVE_SETTINGS[kind].includes(name))
      throw failure(
        "not_configured",
        `${name} has no effect on the embedder "${kind}": remove it, or choose another with EMBEDDER` +
          (kind === "embedded" ? ", EMBEDDINGS_URL or the AI binding" : ""),
      );
  switch (kind) {
    case "none":
      return null;
    case "embedded":
      return getSharedUseLiteEmbedder(env.ASSETS);
    case "workers-ai":
      if (!env.AI)
        throw failure(
          "not_configured",
          'EMBEDDER is "workers-ai", but there is no AI binding: add [ai] binding = "AI"',
        );
      return createWorkersAiEmbedder(env.AI, env.EMBEDDING_MODEL || DEFAULT_EMBEDDING_MODEL);
    case "openai":
      return createOpenAiEmbedder({
        url: requireSetting(
          env,
          "EMBEDDINGS_URL",
          "the URL of the service, such as https://api.openai.com/v1",
        ),
        model: requireSetting(env, "EMBEDDING_MODEL", "the name of the service's model"),
        key: env.EMBEDDINGS_API_KEY || null,
        dimensions: parseDimensions(env.EMBEDDING_DIMENSIONS),
      });
  }
}

function selectKind({ EMBEDDER: kind, EMBEDDINGS_URL: url, AI: ai }: EmbedderBindings): EmbedderKind {
  if (!kind) return url ? "openai" : ai ? "workers-ai" : "embedded";
  if (kind === "embedded" || kind === "workers-ai" || kind === "openai" || kind === "none") return kind;
  throw failure(
    "not_configured",
    `EMBEDDER must be "embedded", "workers-ai", "openai" or "none", is "${kind}"`,
  );
}

function requireSetting(env: EmbedderBindings, name: Setting, description: string): string {
  const value = env[name];
  if (!value)
    throw failure("not_configured", `The embedder "openai" needs ${name}: set it to ${description}`);
  return value;
}

function parseDimensions(value: string | undefined): number | null {
  if (!value) return null;
  const dimensions = Number(value);
  if (!Number.isInteger(dimensions) || dimensions < 1)
    throw failure(
      "not_configured",
      `EMBEDDING_DIMENSIONS must be a whole number of at least 1, is "${value}"`,
    );
  return dimensions;
}
