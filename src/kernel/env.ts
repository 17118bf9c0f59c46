// The bindings and variables of the Worker, and the settings parsed from them.

import { failure } from "./errors";
import type { FileCompactor } from "./file-compactor";
import {
  ABANDON_AFTER_MS,
  ADDRESS_LIMIT,
  AUDIT_RETENTION_DAYS,
  LIMITS,
  QUOTAS,
  RATE_LIMIT,
  SEARCH_LIMITS,
} from "./limits";

/** The part of the Workers AI binding that is used. */
export type AiBinding = {
  run(model: string, input: Record<string, unknown>, options: { signal: AbortSignal }): Promise<unknown>;
};

/** The part of Cloudflare's rate limit binding that is used. */
export type RateLimiter = { limit(options: { key: string }): Promise<{ success: boolean }> };

export type Bindings = {
  /** Further databases, and their vector indexes: see src/kernel/databases/shard-bindings.ts. */
  [shard: `DB_${number}`]: D1Database | undefined;
  [index: `VECTORIZE_${number}`]: Vectorize | undefined;
  DB: D1Database;
  SESSIONS: DurableObjectNamespace;
  VECTOR_INDEX: DurableObjectNamespace;
  INDEXER: DurableObjectNamespace;
  PROJECTS: DurableObjectNamespace;
  WEBHOOKS: DurableObjectNamespace;
  USAGE: DurableObjectNamespace;
  /** The embedded embedder's model and the files of the API reference. */
  ASSETS: Fetcher;
  /** Workers AI and Vectorize are used when bound; a language model must be configured explicitly. */
  AI?: AiBinding;
  VECTORIZE?: Vectorize;
  /** The embedder and its settings: see src/models/embedders/select-embedder.ts. */
  EMBEDDER?: string;
  EMBEDDING_MODEL?: string;
  EMBEDDING_DIMENSIONS?: string;
  EMBEDDINGS_URL?: string;
  EMBEDDINGS_API_KEY?: string;
  /** The reranker, if any, and its settings: see src/models/select-reranker.ts. */
  RERANKER?: string;
  RERANKER_URL?: string;
  RERANKER_MODEL?: string;
  RERANKER_KEY?: string;
  RERANKER_TIMEOUT_MS?: string;
  /** The language model, if any, and its settings: see src/models/select-language-model.ts. */
  LANGUAGE_MODEL?: string;
  LLM_URL?: string;
  LLM_API_KEY?: string;
  LLM_MODEL?: string;
  /** The store of policy entries: see src/policy/select-entry-store.ts. */
  POLICY_STORE?: string;
  /** The secret that authorises key management. Without it every call but /health is refused. */
  ADMIN_KEY?: string;
  /** Stores clients and token hashes. OAuth for MCP clients is on when it is bound: docs/oauth.md. */
  OAUTH_KV?: KVNamespace;
  /** Receives telemetry events when bound. */
  TELEMETRY?: AnalyticsEngineDataset;
  /** The ranks of sources: see src/trust/source-rank.ts. */
  SOURCE_RANKS?: string;
  /** Compacts SQLite files from outside, on a service of `npm start` alone: see src/kernel/file-compactor.ts. */
  FILE_COMPACTOR?: FileCompactor;
  MAX_MEMORIES_PER_SESSION?: string;
  ABANDON_AFTER_MS?: string;
  /** Cloudflare's rate limits, by client address and by key: they count across isolates when bound. */
  ADDRESS_LIMITER?: RateLimiter;
  KEY_LIMITER?: RateLimiter;
  QUOTA_MEMORIES?: string;
  QUOTA_MESSAGES?: string;
  QUOTA_SESSIONS?: string;
  QUOTA_EPISODES?: string;
  QUOTA_BYTES?: string;
  RATE_LIMIT_ADDRESS?: string;
  RATE_LIMIT_REFUSED?: string;
  /** The longest life of a key, in days; without it, keys need not end. */
  KEY_MAX_LIFETIME_DAYS?: string;
  AUDIT_RETENTION_DAYS?: string;
  /** "true" also sends webhooks over http and to private addresses: for development. */
  WEBHOOK_ALLOW_PRIVATE?: string;
  RATE_LIMIT_READ?: string;
  RATE_LIMIT_WRITE?: string;
  SEARCH_POSTINGS?: string;
  READ_MS_IN_FLIGHT?: string;
  READ_MS_PER_MINUTE?: string;
  /** Comma-separated: the origins whose pages may call /v1 and the MCP servers. */
  ALLOWED_ORIGINS?: string;
  /** For the MCP servers, comma-separated: more allowed origins, and authorisation servers. */
  MCP_ALLOWED_ORIGINS?: string;
  MCP_AUTHORIZATION_SERVERS?: string;
};

export type Settings = {
  memoriesPerSession: number;
  abandonAfterMs: number;
  /** 0 for no maximum. */
  keyMaxLifetimeDays: number;
  /** 0 keeps audit records for ever. */
  auditRetentionDays: number;
  webhookAllowPrivate: boolean;
  rateLimit: { read: number; write: number };
  /** Calls per minute and client address, and those of them that authentication refuses. */
  addressLimit: { calls: number; refused: number };
  /** The most that one tenant may store; 0 is no limit. */
  quotas: Record<keyof typeof QUOTAS, number>;
  search: SearchSettings;
  /** Origins whose pages may call. */
  allowedOrigins: string[];
  mcp: { allowedOrigins: string[]; authorizationServers: string[] };
};

export type SearchSettings = {
  /** Postings of the text index that select rows in one search. */
  postings: number;
  /** The limits on the searches of a tenant in one isolate: see src/recall/search/read-limits.ts. */
  msInFlight: number;
  waiting: number;
  waitMs: number;
  msPerMinute: number;
};

export function readSettings(env: Bindings): Settings {
  const allowedOrigins = readOrigins("ALLOWED_ORIGINS", env.ALLOWED_ORIGINS);
  return {
    allowedOrigins,
    memoriesPerSession: readCount(
      "MAX_MEMORIES_PER_SESSION",
      env.MAX_MEMORIES_PER_SESSION,
      LIMITS.memoriesPerSession,
    ),
    abandonAfterMs: readCount("ABANDON_AFTER_MS", env.ABANDON_AFTER_MS, ABANDON_AFTER_MS),
    keyMaxLifetimeDays: readCount("KEY_MAX_LIFETIME_DAYS", env.KEY_MAX_LIFETIME_DAYS, 0),
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE === "true",
    auditRetentionDays: readCount("AUDIT_RETENTION_DAYS", env.AUDIT_RETENTION_DAYS, AUDIT_RETENTION_DAYS),
    rateLimit: {
      read: readCount("RATE_LIMIT_READ", env.RATE_LIMIT_READ, RATE_LIMIT.read),
      write: readCount("RATE_LIMIT_WRITE", env.RATE_LIMIT_WRITE, RATE_LIMIT.write),
    },
    addressLimit: {
      calls: readCount("RATE_LIMIT_ADDRESS", env.RATE_LIMIT_ADDRESS, ADDRESS_LIMIT.calls),
      refused: readCount("RATE_LIMIT_REFUSED", env.RATE_LIMIT_REFUSED, ADDRESS_LIMIT.refused),
    },
    quotas: {
      memories: readCount("QUOTA_MEMORIES", env.QUOTA_MEMORIES, QUOTAS.memories),
      messages: readCount("QUOTA_MESSAGES", env.QUOTA_MESSAGES, QUOTAS.messages),
      sessions: readCount("QUOTA_SESSIONS", env.QUOTA_SESSIONS, QUOTAS.sessions),
      episodes: readCount("QUOTA_EPISODES", env.QUOTA_EPISODES, QUOTAS.episodes),
      bytes: readCount("QUOTA_BYTES", env.QUOTA_BYTES, QUOTAS.bytes),
    },
    search: {
      ...SEARCH_LIMITS,
      postings: readCount("SEARCH_POSTINGS", env.SEARCH_POSTINGS, SEARCH_LIMITS.postings) || UNLIMITED,
      msInFlight: readCount("READ_MS_IN_FLIGHT", env.READ_MS_IN_FLIGHT, SEARCH_LIMITS.msInFlight),
      msPerMinute: readCount("READ_MS_PER_MINUTE", env.READ_MS_PER_MINUTE, SEARCH_LIMITS.msPerMinute),
    },
    mcp: {
      allowedOrigins: [...allowedOrigins, ...readOrigins("MCP_ALLOWED_ORIGINS", env.MCP_ALLOWED_ORIGINS)],
      authorizationServers: readUrls("MCP_AUTHORIZATION_SERVERS", env.MCP_AUTHORIZATION_SERVERS).map(
        // Unchanged, because issuers are compared as strings.
        ({ text }) => text,
      ),
    },
  };
}

/** More than any index holds, and small enough to be multiplied. */
const UNLIMITED = 1_000_000_000;

function readOrigins(name: string, value: string | undefined): string[] {
  return readUrls(name, value).map(({ origin }) => origin);
}

function readUrls(name: string, value = ""): { text: string; origin: string }[] {
  return value.split(/[\s,]+/).flatMap((text) => {
    if (text === "") return [];
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw failure("not_configured", `${name} must be URLs with commas between, has "${text}"`);
    return [{ text, origin: url.origin }];
  });
}

function readCount(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined || value === "") return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw failure("not_configured", `${name} must be a whole number of at least 0, is "${value}"`);
  return number;
}
