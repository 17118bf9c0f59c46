// What language models that are services have in common: the messages, patience, and a text that is checked before
// anyone keeps it.
import { LANGUAGE } from "../../limits";
import { fieldOf, refusal } from "../transport/response-values";
import { attempt, CallFailure, type Patience } from "../transport/retry";
import { type LanguageModel, LanguageModelError, type Prompt } from "./language-model";

export type RemoteModel = {
  name: string;
  /** One call. Fails with a CallFailure. */
  call: (question: Question, signal: AbortSignal) => Promise<Answer>;
};

/** The part of a request that every service takes. */
export type Question = ReturnType<typeof questionOf>;

export type Answer = {
  /** Not yet checked. */
  text: unknown;
  /** Whether the answer was to be longer. */
  cutOff: boolean;
};

/** How calls wait; the tests have less time. */
export type Waiting = { patience?: Patience; sleep?: (ms: number) => Promise<void> };

export function createRemoteModel(
  { name, call }: RemoteModel,
  { patience = LANGUAGE.patience, sleep }: Waiting = {},
): LanguageModel {
  return {
    name,
    async complete(prompt) {
      const question = questionOf(prompt);
      try {
        return checked(await attempt((signal) => call(question, signal), patience, sleep));
      } catch (error) {
        if (error instanceof CallFailure)
          throw new LanguageModelError(`Language model ${name} failed: ${error.message}`);
        throw error;
      }
    },
  };
}

function questionOf({ system, user, maxTokens }: Prompt) {
  return {
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    max_tokens: maxTokens,
    // The same conversation should give the same summary.
    temperature: 0,
  };
}

/** What OpenAI's protocol answers. */
export function answerOf(completion: unknown): Answer {
  const choices = fieldOf(completion, "choices");
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return {
    text: fieldOf(fieldOf(choice, "message"), "content"),
    cutOff: fieldOf(choice, "finish_reason") === "length",
  };
}

/** Thoughts before the answer; without an end where the answer was cut off within them. */
const THOUGHTS = /^\s*<think>.*?(?:<\/think>|$)/s;

function checked({ text, cutOff }: Answer): string {
  const given = typeof text === "string" ? text : "";
  const answer = given.replace(THOUGHTS, "").trim();
  if (answer !== "") return answer;
  // A model that thinks may use up its tokens, and has none left for the answer.
  if (cutOff || THOUGHTS.test(given))
    throw refusal("no text beside its thoughts: choose an LLM_MODEL that does not think first");
  throw refusal("an answer without a text");
}
