// Middleware for models of the AI SDK: adds memories to the prompt before a call and captures the turn after it, as the
// agent's policy configures. Memory failures go to `onError` and never fail the call.
import type { LanguageModelMiddleware } from "ai";
import type { Kioku } from "../../client/kioku";
import type { PreflightInput, TurnAnswer } from "../../client/schema.generated";
import {
  asksForTool,
  type Prompt,
  readAnswer,
  readLastInput,
  type StreamPart,
  wasCutOff,
  withMemory,
} from "./ai-prompt";

export type KiokuMiddlewareOptions = {
  session_id: string;
  /** User of the session if it has to be created: only this person's memories are added to the prompt. */
  user_id?: string | undefined;
  /** Agent of the session if it has to be created. */
  agent_id?: string | undefined;
  /** Project of the session if it has to be created. */
  project_id?: string | undefined;
  /** Values from which the policy may derive the namespace. */
  context?: PreflightInput["context"] | undefined;
  /** Adds the patterns, mistakes and skills that apply to the input; by default the policy decides. */
  experience?: boolean | undefined;
  /** Default: prints a warning on the console. */
  onError?: ((error: unknown) => void) | undefined;
  /** Called with the result of each turn; the policy may skip a turn. */
  onTurn?: ((answer: TurnAnswer) => void) | undefined;
};

/** Returns the middleware for `wrapLanguageModel({ model, middleware })`. */
export function kiokuMiddleware(
  kioku: Pick<Kioku, "session">,
  options: KiokuMiddlewareOptions,
): LanguageModelMiddleware {
  const { session_id, user_id, agent_id, project_id, context, experience } = options;
  const { onError = warn, onTurn } = options;
  const session = kioku.session(session_id);
  const common = {
    ...(user_id !== undefined && { user_id }),
    ...(agent_id !== undefined && { agent_id }),
    ...(project_id !== undefined && { project_id }),
    ...(context !== undefined && { context }),
  };

  async function addMemory(prompt: Prompt): Promise<Prompt> {
    const input = readLastInput(prompt);
    if (input === "") return prompt;
    try {
      const { messages, memory } = await session.preflight({
        input,
        ...common,
        ...(experience !== undefined && { experience }),
      });
      const sections = messages.filter(({ role }) => role === "system").map(({ content }) => content);
      return withMemory(prompt, sections, memory.inject);
    } catch (error) {
      onError(error);
      return prompt;
    }
  }

  async function capture(prompt: Prompt, output: string): Promise<void> {
    const input = readLastInput(prompt);
    if (input === "" || output === "") return;
    try {
      const answer = await session.turn({ input, output, ...common });
      onTurn?.(answer);
    } catch (error) {
      onError(error);
    }
  }

  return {
    specificationVersion: "v4",

    transformParams: async ({ params }) => ({ ...params, prompt: await addMemory(params.prompt) }),

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      await capture(params.prompt, readAnswer(result));
      return result;
    },

    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      let output = "";
      let finished = false;
      let pending = false;
      const captured = stream.pipeThrough(
        new TransformStream<StreamPart>({
          transform(part, controller) {
            if (part.type === "text-delta") output += part.delta;
            if (asksForTool(part)) pending = true;
            if (part.type === "finish") finished = !wasCutOff(part.finishReason);
            controller.enqueue(part);
          },
          flush: () => (finished && !pending ? capture(params.prompt, output) : undefined),
        }),
      );
      return { stream: captured, ...rest };
    },
  };
}

function warn(error: unknown): void {
  console.warn(`Kioku: ${error instanceof Error ? error.message : String(error)}`);
}
