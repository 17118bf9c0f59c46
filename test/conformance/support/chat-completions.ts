// A language model as a service of OpenAI's protocol, for tests that say what it answers or have it fail.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

export type ChatMessage = {
  role: string;
  content: string | null;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
};

export type ChatRequest = {
  model: string;
  messages: ChatMessage[];
  max_tokens?: number;
  temperature?: number;
  tools?: { type: "function"; function: { name: string } }[];
  tool_choice?: string;
};

export type Asked = { path: string; authorization: string | null; request: ChatRequest };

type RawReply = { status: number; headers?: Record<string, string>; body: string };

/** The answer's text, tools to call, or a whole response where it is not to be one of the protocol. */
export type Reply = string | { tool_calls: ToolCall[] } | RawReply;

export type ChatCompletions = {
  /** The base address. */
  url: string;
  /** What a server is set to that uses it. */
  settings: Record<string, string>;
  /** Everything it was asked, in order, the calls that failed included. */
  asked: readonly Asked[];
  /** Refuses the next calls with this status. */
  fail(times: number, status?: number, headers?: Record<string, string>): void;
  /** Ends it, and the calls that it has not answered. */
  close(): Promise<void>;
};

export const CHAT_MODEL = "echo";
export const CHAT_KEY = "chat-key";

/** Starts one on a port of its own. */
export async function startChatCompletions(
  answer: (request: ChatRequest) => Reply | Promise<Reply>,
): Promise<ChatCompletions> {
  const asked: Asked[] = [];
  const failures: RawReply[] = [];
  const server = createServer(async (incoming, response) => {
    const request = (await json(incoming)) as ChatRequest;
    asked.push({
      path: incoming.url ?? "",
      authorization: incoming.headers.authorization ?? null,
      request,
    });
    const { status, headers = {}, body } = failures.shift() ?? responseOf(await answer(request));
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    url,
    settings: { LLM_URL: url, LLM_MODEL: CHAT_MODEL, LLM_API_KEY: CHAT_KEY },
    asked,
    fail(times, status = 500, headers = {}) {
      const body = JSON.stringify({ error: { message: "out of order" } });
      for (let n = 0; n < times; n += 1) failures.push({ status, headers, body });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function responseOf(reply: Reply): RawReply {
  if (typeof reply === "string") return completion({ content: reply }, "stop");
  if ("tool_calls" in reply) return completion({ content: null, ...reply }, "tool_calls");
  return reply;
}

function completion(message: { content: string | null; tool_calls?: ToolCall[] }, reason: string): RawReply {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: reason }];
  return { status: 200, body: JSON.stringify({ object: "chat.completion", choices }) };
}
