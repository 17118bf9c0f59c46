// One chat completion of any service that speaks OpenAI's protocol.
import { requestJson } from "./http.mjs";

const TIMEOUT_MS = 120_000;

export function createModel({ url, key, model }) {
  return {
    /** The model's message: its answer, or the tools it wants to call. */
    async complete(messages, tools, { mayCall }) {
      const answer = await requestJson("POST", `${url.replace(/\/$/, "")}/chat/completions`, {
        key,
        body: { model, messages, tools, tool_choice: mayCall ? "auto" : "none" },
        timeoutMs: TIMEOUT_MS,
      });
      const { content, tool_calls } = answer.choices?.[0]?.message ?? {};
      // Only what the protocol takes back: services add fields of their own that others refuse.
      if (mayCall && tool_calls?.length > 0)
        return { role: "assistant", content: content ?? null, tool_calls };
      if (content) return { role: "assistant", content };
      throw new Error(`${model} answered without a text`);
    },
  };
}
