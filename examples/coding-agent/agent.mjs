// The agent: a briefing before the task, the model with its tools, and an episode after it.

const INSTRUCTIONS =
  "You fix code in a small workspace. Read before you write, run the tests, and call finish when you are done or stuck. " +
  "In finish, name each error that you met and what resolved it: it is remembered for the next task.";

/** Maximum number of model calls for one task. */
const MAX_STEPS = 20;

export function createAgent({ model, memory, tools, print }) {
  return {
    /** Works on a task and returns how it ended. */
    async run(goal) {
      const started = Date.now();
      const briefing = await memory.prime(goal);
      print(briefing === "" ? "Briefing: nothing is known of such a task yet." : `Briefing:\n${briefing}`);
      const actions = [];
      const ended = await work(goal, briefing, actions);
      const { outcome, errors = [] } = ended;
      print(`${outcome} after ${actions.length} steps`);
      await memory.recordEpisode({
        context: { goal },
        outcome,
        action_log: actions,
        errors_encountered: errors,
        files_modified: [...new Set(actions.filter(isWrite).map(({ target }) => target))],
        duration_seconds: Math.round((Date.now() - started) / 1000),
      });
      return ended;
    },
  };

  async function work(goal, briefing, actions) {
    const system = briefing === "" ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${briefing}`;
    const messages = [
      { role: "system", content: system },
      { role: "user", content: goal },
    ];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const reply = await model.complete(messages, tools.definitions);
      messages.push(reply);
      // A model that only talks has given up.
      if (!reply.tool_calls) return { outcome: "partial" };
      for (const call of reply.tool_calls) {
        const { content, action, finished } = await tools.run(call);
        if (finished) return finished;
        actions.push(action);
        print(`${action.action} ${action.target ?? ""}: ${action.result}`);
        messages.push({ role: "tool", tool_call_id: call.id, content });
      }
    }
    return { outcome: "failure" };
  }
}

function isWrite({ action, result }) {
  return action === "write_file" && result === "ok";
}
