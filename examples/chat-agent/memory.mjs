// Memory through Kioku: one call before the model, one after it. Failures go to `warn` and never stop the
// conversation.
import { requestJson } from "./http.mjs";

/** The longest that a user waits for memory that does not respond. */
const TIMEOUT_MS = 5_000;

export function createMemory({ url, key, agentId, userId, sessionId, policy, warn }) {
  /** Whose memory it is: the user's, if there is one, and otherwise the agent's. */
  const owner = { agent_id: agentId, ...(userId && { user_id: userId }) };
  const session = `/v1/sessions/${encodeURIComponent(sessionId)}`;
  let toolDefinitions = null;

  const call = (method, path, body) =>
    requestJson(method, `${url.replace(/\/$/, "")}${path}`, { key, body, timeoutMs: TIMEOUT_MS });

  /** Runs until it succeeds once, so that memory that was down at first is used as soon as it is back. */
  async function open() {
    if (toolDefinitions !== null) return;
    await call("PUT", `/v1/agents/${encodeURIComponent(agentId)}/policy`, policy);
    await call("POST", "/v1/sessions", { id: sessionId, ...owner }).catch((error) => {
      // A continued conversation uses an existing session.
      if (error.status !== 409) throw error;
    });
    // The recall tool can search beyond the session, which a session policy must not allow.
    toolDefinitions = policy.scope === "session" ? [] : await call("GET", "/v1/tools?format=openai");
  }

  async function tryOrElse(fallback, work) {
    try {
      return await work();
    } catch (error) {
      warn(`memory: ${error.message}`);
      return fallback;
    }
  }

  return {
    /** Returns the messages to send: the instructions with the relevant memories, then the user's input. */
    preflight({ instructions, input }) {
      const withoutMemory = [
        { role: "system", content: instructions },
        { role: "user", content: input },
      ];
      return tryOrElse(withoutMemory, async () => {
        await open();
        const body = { input, instructions, ...owner };
        return (await call("POST", `${session}/preflight`, body)).messages;
      });
    },

    /** Sends a finished turn. The request id makes it safe to retry: the turn is captured once. */
    turn({ input, output, requestId }) {
      const send = async () => {
        await open();
        const body = { input, output, request_id: requestId, ...owner };
        const { captured, reason } = await call("POST", `${session}/turns`, body);
        if (!captured) warn(`memory: the turn was not kept: ${reason}`);
      };
      const retry = (error) => (error.isTransient ? send() : Promise.reject(error));
      return tryOrElse(undefined, () => send().catch(retry));
    },

    /** Returns the definitions of remember, recall and forget; none while memory is down. */
    tools: () => toolDefinitions ?? [],

    /** Runs the model's call of a memory tool and returns its result message. */
    execute(toolCall) {
      const content = "Memory is not available now. Go on without it.";
      return tryOrElse({ role: "tool", tool_call_id: toolCall.id, content }, () =>
        call("POST", "/v1/tools/execute", { session_id: sessionId, call: toolCall }),
      );
    },
  };
}
