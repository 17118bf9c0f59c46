// Selects the reranker by the environment's settings: none by default, since a reranker costs money and time, and reads
// what was found. A missing setting, or one without effect, is an error with its fix.
import type { Bindings } from "../kernel/env";
import { failure } from "../kernel/errors";
import { createHttpReranker } from "./http-reranker";
import { RERANKER_TIMEOUT_MS } from "./remote-reranker";
import type { Reranker } from "./reranker";
import { createWorkersAiReranker, DEFAULT_RERANKER_MODEL } from "./workers-ai-reranker";

type RerankerKind = "none" | "workers-ai" | "http";

type Setting = "RERANKER_URL" | "RERANKER_MODEL" | "RERANKER_KEY" | "RERANKER_TIMEOUT_MS";

type RerankerBindings = Pick<Bindings, "AI" | "RERANKER" | Setting>;

const SETTINGS: readonly Setting[] = [
  "RERANKER_URL",
  "RERANKER_MODEL",
  "RERANKER_KEY",
  "RERANKER_TIMEOUT_MS",
];

/** Returns the reranker of an environment, null when it has none. */
export function selectReranker(env: RerankerBindings): Reranker | null {
  const kind = selectKind(env);
  switch (kind) {
    case "none":
      // An explicit "none" turns reranking off, whichever settings remain.
      if (!env.RERANKER)
        rejectIneffective(env, [], "without a reranker: remove it, or choose one with RERANKER");
      return null;
    case "workers-ai":
      rejectIneffective(
        env,
        ["RERANKER_MODEL", "RERANKER_TIMEOUT_MS"],
        'on the reranker "workers-ai": remove it, or set RERANKER to "http"',
      );
      if (!env.AI)
        throw failure(
          "not_configured",
          'RERANKER is "workers-ai", but there is no AI binding: add [ai] binding = "AI"',
        );
      return createWorkersAiReranker(env.AI, env.RERANKER_MODEL || DEFAULT_RERANKER_MODEL, parseTimeout(env));
    case "http":
      return createHttpReranker(
        {
          url: requireSetting(env, "RERANKER_URL", "the URL of the service, such as https://api.jina.ai/v1"),
          model: requireSetting(env, "RERANKER_MODEL", "the name of the service's model"),
          key: env.RERANKER_KEY || null,
        },
        parseTimeout(env),
      );
  }
}

function selectKind({ RERANKER: kind, RERANKER_URL: url }: RerankerBindings): RerankerKind {
  if (!kind) return url ? "http" : "none";
  if (kind === "none" || kind === "workers-ai" || kind === "http") return kind;
  throw failure("not_configured", `RERANKER must be "none", "workers-ai" or "http", is "${kind}"`);
}

function rejectIneffective(env: RerankerBindings, effective: readonly Setting[], reason: string): void {
  for (const name of SETTINGS)
    if (env[name] && !effective.includes(name))
      throw failure("not_configured", `${name} has no effect ${reason}`);
}

function requireSetting(env: RerankerBindings, name: Setting, description: string): string {
  const value = env[name];
  if (!value) throw failure("not_configured", `The reranker "http" needs ${name}: set it to ${description}`);
  return value;
}

function parseTimeout({ RERANKER_TIMEOUT_MS: value }: RerankerBindings): number {
  if (!value) return RERANKER_TIMEOUT_MS;
  const ms = Number(value);
  if (!Number.isInteger(ms) || ms < 1)
    throw failure(
      "not_configured",
      `RERANKER_TIMEOUT_MS must be a whole number of milliseconds, at least 1, is "${value}"`,
    );
  return ms;
}
