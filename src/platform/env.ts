// What the Worker is given by its platform, and the settings read from it.

import { ABANDON_AFTER_MS, LIMITS, RATE_LIMIT } from "../limits";
import type { AiBinding } from "../models/transport/workers-ai-binding";
import { failure } from "./errors";

export type Bindings = {
  DB: D1Database;
  SESSIONS: DurableObjectNamespace;
  VECTOR_INDEX: DurableObjectNamespace;
  INDEXER: DurableObjectNamespace;
  PROJECTS: DurableObjectNamespace;
  /** The model of the embedded embedder, and the files of the API reference. */
  ASSETS: Fetcher;
  /** Workers AI, and Vectorize: used when bound, but for a language model, which must be asked for. */
  AI?: AiBinding;
  VECTORIZE?: Vectorize;
  /** Which embedder, and its settings: see src/models/embedders/select-embedder.ts. */
  EMBEDDER?: string;
  EMBEDDING_MODEL?: string;
  EMBEDDING_DIMENSIONS?: string;
  EMBEDDINGS_URL?: string;
  EMBEDDINGS_API_KEY?: string;
  /** Which language model, if any, and its settings: see src/models/language/select-language-model.ts. */
  LANGUAGE_MODEL?: string;
  LLM_URL?: string;
  LLM_API_KEY?: string;
  LLM_MODEL?: string;
  /** Which store keeps an agent's entries: see src/operations/policy/select-entry-store.ts. */
  POLICY_STORE?: string;
  /** The secret that makes keys. Without it every call but /health is refused. */
  ADMIN_KEY?: string;
  /** Telemetry goes here too, when bound. */
  TELEMETRY?: AnalyticsEngineDataset;
  MAX_MEMORIES_PER_SESSION?: string;
  ABANDON_AFTER_MS?: string;
  RATE_LIMIT_READ?: string;
  RATE_LIMIT_WRITE?: string;
  /** Of the Model Context Protocol server, each a list: pages that may call it, and who gives out its keys. */
  MCP_ALLOWED_ORIGINS?: string;
  MCP_AUTHORIZATION_SERVERS?: string;
};

export type Settings = {
  memoriesPerSession: number;
  abandonAfterMs: number;
  rateLimit: { read: number; write: number };
  mcp: { allowedOrigins: string[]; authorizationServers: string[] };
};

export function settingsOf(env: Bindings): Settings {
  return {
    memoriesPerSession: count(
      "MAX_MEMORIES_PER_SESSION",
      env.MAX_MEMORIES_PER_SESSION,
      LIMITS.memoriesPerSession,
    ),
    abandonAfterMs: count("ABANDON_AFTER_MS", env.ABANDON_AFTER_MS, ABANDON_AFTER_MS),
    rateLimit: {
      read: count("RATE_LIMIT_READ", env.RATE_LIMIT_READ, RATE_LIMIT.read),
      write: count("RATE_LIMIT_WRITE", env.RATE_LIMIT_WRITE, RATE_LIMIT.write),
    },
    mcp: {
      allowedOrigins: urls("MCP_ALLOWED_ORIGINS", env.MCP_ALLOWED_ORIGINS).map(({ origin }) => origin),
      authorizationServers: urls("MCP_AUTHORIZATION_SERVERS", env.MCP_AUTHORIZATION_SERVERS).map(
        // As it was written: an issuer is compared letter by letter.
        ({ text }) => text,
      ),
    },
  };
}

function urls(name: string, value = ""): { text: string; origin: string }[] {
  return value.split(/[\s,]+/).flatMap((text) => {
    if (text === "") return [];
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw failure("not_configured", `${name} must be URLs with commas between, has "${text}"`);
    return [{ text, origin: url.origin }];
  });
}

function count(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined || value === "") return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw failure("not_configured", `${name} must be a whole number of at least 0, is "${value}"`);
  return number;
}
