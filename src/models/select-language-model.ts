// Selects the language model by the environment's settings: none by default, since a model costs money and reads the
// conversation. A missing setting, or one without effect, is an error with its fix.

import type { Bindings } from "../kernel/env";
import { FailureError, failure } from "../kernel/errors";
import type { LanguageModel } from "./language-model";
import {
  createOpenAiLanguageModel,
  createWorkersAiLanguageModel,
  DEFAULT_LANGUAGE_MODEL,
} from "./remote-language-model";

type LanguageModelKind = "none" | "workers-ai" | "openai";

type Setting = "LLM_MODEL" | "LLM_URL" | "LLM_API_KEY";

type ModelBindings = Pick<Bindings, "AI" | "LANGUAGE_MODEL" | Setting>;

const SETTINGS: readonly Setting[] = ["LLM_MODEL", "LLM_URL", "LLM_API_KEY"];

/** Returns the language model of an environment, null when it has none. */
export function selectLanguageModel(env: ModelBindings): LanguageModel | null {
  const kind = selectKind(env);
  switch (kind) {
    case "none":
      // An explicit "none" turns the model off, whichever settings remain.
      if (!env.LANGUAGE_MODEL)
        rejectIneffective(
          env,
          [],
          "without a language model: remove it, or choose one with LANGUAGE_MODEL or LLM_URL",
        );
      return null;
    case "workers-ai":
      rejectIneffective(
        env,
        ["LLM_MODEL"],
        'on the language model "workers-ai": remove it, or set LANGUAGE_MODEL to "openai"',
      );
      if (!env.AI)
        throw failure(
          "not_configured",
          'LANGUAGE_MODEL is "workers-ai", but there is no AI binding: add [ai] binding = "AI"',
        );
      return createWorkersAiLanguageModel(env.AI, env.LLM_MODEL || DEFAULT_LANGUAGE_MODEL);
    case "openai":
      return createOpenAiLanguageModel({
        url: requireSetting(env, "LLM_URL", "the URL of the service, such as https://api.openai.com/v1"),
        model: requireSetting(env, "LLM_MODEL", "the name of the service's model"),
        key: env.LLM_API_KEY || null,
      });
  }
}

/** Returns whether an environment has a language model. One whose settings are wrong counts: calling it reports them. */
export function hasLanguageModel(env: ModelBindings): boolean {
  try {
    return selectLanguageModel(env) !== null;
  } catch (error) {
    if (error instanceof FailureError) return true;
    throw error;
  }
}

function selectKind({ LANGUAGE_MODEL: kind, LLM_URL: url }: ModelBindings): LanguageModelKind {
  if (!kind) return url ? "openai" : "none";
  if (kind === "none" || kind === "workers-ai" || kind === "openai") return kind;
  throw failure("not_configured", `LANGUAGE_MODEL must be "none", "workers-ai" or "openai", is "${kind}"`);
}

function rejectIneffective(env: ModelBindings, effective: readonly Setting[], reason: string): void {
  for (const name of SETTINGS)
    if (env[name] && !effective.includes(name))
      throw failure("not_configured", `${name} has no effect ${reason}`);
}

function requireSetting(env: ModelBindings, name: Setting, description: string): string {
  const value = env[name];
  if (!value)
    throw failure("not_configured", `The language model "openai" needs ${name}: set it to ${description}`);
  return value;
}
