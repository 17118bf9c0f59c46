// Memory around a model of the AI SDK: before a call, what the agent remembers goes into the prompt; after it, the turn
// is captured. The agent's policy says what and where. Memory that fails is told to `onError` and never fails the call.
import type { LanguageModelMiddleware } from "ai";
import type { Kioku } from "../../client/kioku";
import type { PreflightInput, TurnAnswer } from "../../client/schema.generated";
import {
  answerOf,
  asksForTool,
  inputOf,
  type Prompt,
  type StreamPart,
  wasCutOff,
  withMemory,
} from "./ai-prompt";

export type KiokuMiddlewareOptions = {
  session_id: string;
  /** For a session that is not there yet. */
  agent_id?: string | undefined;
  /** What the policy may take the namespace from. */
  context?: PreflightInput["context"] | undefined;
  /** Default: a line on the console. */
  onError?: ((error: unknown) => void) | undefined;
  /** What became of a turn: the policy may not want it. */
  onTurn?: ((answer: TurnAnswer) => void) | undefined;
};

/** For `wrapLanguageModel({ model, middleware })`. */
export function kiokuMiddleware(
  kioku: Pick<Kioku, "session">,
  { session_id, agent_id, context, onError = warn, onTurn }: KiokuMiddlewareOptions,
): LanguageModelMiddleware {
  const session = kioku.session(session_id);
  const about = { ...(agent_id !== undefined && { agent_id }), ...(context !== undefined && { context }) };

  async function remembered(prompt: Prompt): Promise<Prompt> {
    const input = inputOf(prompt);
    if (input === "") return prompt;
    try {
      const { messages, memory } = await session.preflight({ input, ...about });
      const told = messages.filter(({ role }) => role === "system").map(({ content }) => content);
      return withMemory(prompt, told, memory.inject);
    } catch (error) {
      onError(error);
      return prompt;
    }
  }

  async function capture(prompt: Prompt, output: string): Promise<void> {
    const input = inputOf(prompt);
    if (input === "" || output === "") return;
    try {
      const answer = await session.turn({ input, output, ...about });
      onTurn?.(answer);
    } catch (error) {
      onError(error);
    }
  }

  return {
    specificationVersion: "v4",

    transformParams: async ({ params }) => ({ ...params, prompt: await remembered(params.prompt) }),

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      await capture(params.prompt, answerOf(result));
      return result;
    },

    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      let output = "";
      let over = false;
      let pending = false;
      const captured = stream.pipeThrough(
        new TransformStream<StreamPart>({
          transform(part, controller) {
            if (part.type === "text-delta") output += part.delta;
            if (asksForTool(part)) pending = true;
            if (part.type === "finish") over = !wasCutOff(part.finishReason);
            controller.enqueue(part);
          },
          flush: () => (over && !pending ? capture(params.prompt, output) : undefined),
        }),
      );
      return { stream: captured, ...rest };
    },
  };
}

function warn(error: unknown): void {
  console.warn(`Kioku: ${error instanceof Error ? error.message : String(error)}`);
}
