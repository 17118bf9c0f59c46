// Which language model the service uses, by its settings: none unless one is asked for, since a model costs money and
// sees what was said. A setting that is missing or that would have no effect is an error with its fix.
import type { Bindings } from "../../platform/env";
import { failure } from "../../platform/errors";
import type { LanguageModel } from "./language-model";
import { createOpenAiModel } from "./openai-language-model";
import { createWorkersAiModel, DEFAULT_MODEL } from "./workers-ai-language-model";

type Kind = "none" | "workers-ai" | "openai";

type Setting = "LLM_MODEL" | "LLM_URL" | "LLM_API_KEY";

type ModelBindings = Pick<Bindings, "AI" | "LANGUAGE_MODEL" | Setting>;

const SETTINGS: readonly Setting[] = ["LLM_MODEL", "LLM_URL", "LLM_API_KEY"];

/** The language model of this environment, null when it has none. */
export function languageModelOf(env: ModelBindings): LanguageModel | null {
  const kind = kindOf(env);
  switch (kind) {
    case "none":
      // Asked for, it is off, whatever else is set.
      if (!env.LANGUAGE_MODEL)
        refuseUseless(
          env,
          [],
          "without a language model: remove it, or choose one with LANGUAGE_MODEL or LLM_URL",
        );
      return null;
    case "workers-ai":
      refuseUseless(
        env,
        ["LLM_MODEL"],
        'on the language model "workers-ai": remove it, or set LANGUAGE_MODEL to "openai"',
      );
      if (!env.AI)
        throw failure(
          "not_configured",
          'LANGUAGE_MODEL is "workers-ai", but there is no AI binding: add [ai] binding = "AI"',
        );
      return createWorkersAiModel(env.AI, env.LLM_MODEL || DEFAULT_MODEL);
    case "openai":
      return createOpenAiModel({
        url: required(env, "LLM_URL", "the address of the service, such as https://api.openai.com/v1"),
        model: required(env, "LLM_MODEL", "the name of the service's model"),
        key: env.LLM_API_KEY || null,
      });
  }
}

function kindOf({ LANGUAGE_MODEL: asked, LLM_URL: url }: ModelBindings): Kind {
  if (!asked) return url ? "openai" : "none";
  if (asked === "none" || asked === "workers-ai" || asked === "openai") return asked;
  throw failure("not_configured", `LANGUAGE_MODEL must be "none", "workers-ai" or "openai", is "${asked}"`);
}

function refuseUseless(env: ModelBindings, used: readonly Setting[], why: string): void {
  for (const name of SETTINGS)
    if (env[name] && !used.includes(name)) throw failure("not_configured", `${name} has no effect ${why}`);
}

function required(env: ModelBindings, name: Setting, what: string): string {
  const value = env[name];
  if (!value) throw failure("not_configured", `The language model "openai" needs ${name}: set it to ${what}`);
  return value;
}
