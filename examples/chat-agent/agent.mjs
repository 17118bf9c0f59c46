// The agent loop: preflight, then the model and its tools until there is an answer, then the turn.
import { randomUUID } from "node:crypto";

const INSTRUCTIONS =
  "You are a friendly assistant. Answer in a sentence or two. Use what you remember of the user where it helps, and " +
  "the tools where you would have to guess.";

/** Maximum number of model calls for one answer; the last one may not call tools. */
const MAX_STEPS = 6;
/** Turns of this conversation that are sent to the model. Memory covers earlier ones. */
const KEPT_TURNS = 20;

export function createAgent({ model, memory, tools }) {
  /** Messages by turn, so that tool calls stay together with their results. */
  const history = [];

  return {
    /** Prints the answer as soon as it is complete: the user does not wait for memory. */
    async turn(input, print) {
      const requestId = randomUUID();
      const prompt = await memory.preflight({ instructions: INSTRUCTIONS, input });
      const system = prompt.slice(0, -1);
      const turn = await converse([...system, ...history.slice(-KEPT_TURNS).flat()], prompt.at(-1));
      history.push(turn);
      const output = turn.at(-1).content;
      print(output);
      await memory.turn({ input, output, requestId });
    },
  };

  /** Returns the messages of this turn, from the user's input to the answer. */
  async function converse(before, user) {
    const turn = [user];
    for (let step = 1; ; step += 1) {
      const mayCall = step < MAX_STEPS;
      const reply = await model.complete([...before, ...turn], tools.definitions(), { mayCall });
      turn.push(reply);
      if (!reply.tool_calls) return turn;
      for (const call of reply.tool_calls) turn.push(await tools.run(call));
    }
  }
}
