// Requests a chat completion from any OpenAI-compatible service.

const TIMEOUT_MS = 120_000;

export function createModel({ url, key, model }) {
  return {
    /** Returns the model's message: its tool calls, or a text. */
    async complete(messages, tools) {
      const response = await fetch(`${url.replace(/\/$/, "")}/chat/completions`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, messages, tools }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      const { content, tool_calls } = (await response.json()).choices?.[0]?.message ?? {};
      return { role: "assistant", content: content ?? "", ...(tool_calls?.length > 0 && { tool_calls }) };
    },
  };
}
