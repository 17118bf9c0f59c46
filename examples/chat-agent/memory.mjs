// Memory through Kioku: one call before the model, one after it. What goes wrong here is told through `warn` and done
// without, because a conversation must not stop when its memory does.
import { requestJson } from "./http.mjs";

/** As long as a user may wait for memory that does not answer. */
const TIMEOUT_MS = 5_000;

export function createMemory({ url, key, agentId, sessionId, policy, warn }) {
  const session = `/v1/sessions/${encodeURIComponent(sessionId)}`;
  let toolDefinitions = null;

  const call = (method, path, body) =>
    requestJson(method, `${url.replace(/\/$/, "")}${path}`, { key, body, timeoutMs: TIMEOUT_MS });

  /** Once, and again as long as it fails: so memory that was down at first is used as soon as it is back. */
  async function open() {
    if (toolDefinitions !== null) return;
    await call("PUT", `/v1/agents/${encodeURIComponent(agentId)}/policy`, policy);
    await call("POST", "/v1/sessions", { id: sessionId, agent_id: agentId }).catch((error) => {
      // A conversation that goes on is in a session that is there already.
      if (error.status !== 409) throw error;
    });
    // The model's own recall may look beyond its session, which a policy for one session must not allow.
    toolDefinitions = policy.scope === "session" ? [] : await call("GET", "/v1/tools?format=openai");
  }

  async function orElse(otherwise, work) {
    try {
      return await work();
    } catch (error) {
      warn(`memory: ${error.message}`);
      return otherwise;
    }
  }

  return {
    /** The messages to send: the instructions with what is remembered in them, then the user's input. */
    preflight({ instructions, input }) {
      const withoutMemory = [
        { role: "system", content: instructions },
        { role: "user", content: input },
      ];
      return orElse(withoutMemory, async () => {
        await open();
        const body = { input, instructions, agent_id: agentId };
        return (await call("POST", `${session}/preflight`, body)).messages;
      });
    },

    /** Hands over a finished turn. The request id makes it safe to send twice: it is captured once. */
    turn({ input, output, requestId }) {
      const send = async () => {
        await open();
        const body = { input, output, request_id: requestId, agent_id: agentId };
        const { captured, reason } = await call("POST", `${session}/turns`, body);
        if (!captured) warn(`memory: the turn was not kept: ${reason}`);
      };
      const again = (error) => (error.mayPass ? send() : Promise.reject(error));
      return orElse(undefined, () => send().catch(again));
    },

    /** remember, recall and forget, as the model is told of them; none while memory is down. */
    tools: () => toolDefinitions ?? [],

    /** Runs the model's call of one of them, and gives the message that answers it. */
    execute(toolCall) {
      const content = "Memory is not available now. Go on without it.";
      return orElse({ role: "tool", tool_call_id: toolCall.id, content }, () =>
        call("POST", "/v1/tools/execute", { session_id: sessionId, call: toolCall }),
      );
    },
  };
}
