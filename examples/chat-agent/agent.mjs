// The agent: preflight, then the model and its tools until there is an answer, then the turn.
import { randomUUID } from "node:crypto";

const INSTRUCTIONS =
  "You are a friendly assistant. Answer in a sentence or two. Use what you remember of the user where it helps, and " +
  "the tools where you would have to guess.";

/** Calls of the model for one answer: one that keeps calling tools has to answer in the last. */
const MAX_STEPS = 6;
/** What the model is sent of this conversation, in turns. What was said before is for the memory. */
const KEPT_TURNS = 20;

export function createAgent({ model, memory, tools }) {
  /** The messages of each turn: whole turns are kept, so that tool calls stay with their results. */
  const history = [];

  return {
    /** Says the answer as soon as there is one: the user does not wait until it is remembered. */
    async turn(input, say) {
      const requestId = randomUUID();
      const prompt = await memory.preflight({ instructions: INSTRUCTIONS, input });
      const system = prompt.slice(0, -1);
      const turn = await converse([...system, ...history.slice(-KEPT_TURNS).flat()], prompt.at(-1));
      history.push(turn);
      const output = turn.at(-1).content;
      say(output);
      await memory.turn({ input, output, requestId });
    },
  };

  /** The messages of this turn, from the user's to the answer. */
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
