// Requests a chat completion from any OpenAI-compatible service.
import { requestJson } from "./http.mjs";

const TIMEOUT_MS = 120_000;

export function createModel({ url, key, model }) {
  return {
    /** Returns the model's message: its answer or its tool calls. */
    async complete(messages, tools, { mayCall }) {
      const answer = await requestJson("POST", `${url.replace(/\/$/, "")}/chat/completions`, {
        key,
        body: { model, messages, tools, tool_choice: mayCall ? "auto" : "none" },
        timeoutMs: TIMEOUT_MS,
      });
      const { content, tool_calls } = answer.choices?.[0]?.message ?? {};
      // Only the protocol's fields: some services add fields that others reject.
      if (mayCall && tool_calls?.length > 0)
        return { role: "assistant", content: content ?? null, tool_calls };
      if (content) return { role: "assistant", content };
      throw new Error(`${model} answered without a text`);
    },
  };
}
