// The language model over real HTTP: a small server that speaks the protocol, on a port of its own.
import { afterEach, describe, expect, it } from "vitest";
import {
  COMPLETION_RETRY_POLICY,
  type CompletionRetryOptions,
  createOpenAiLanguageModel,
} from "../../src/models/remote-language-model";
import {
  CHAT_KEY,
  CHAT_MODEL,
  type ChatCompletions,
  type ChatRequest,
  type Reply,
  startChatCompletions,
} from "../conformance/support/chat-completions";

const SECRET = "The launch code is 4711";
const PROMPT = { system: "Be brief.", user: SECRET, maxTokens: 50 };

let server: ChatCompletions | undefined;

async function serve(answer: (request: ChatRequest) => Reply | Promise<Reply>): Promise<ChatCompletions> {
  server = await startChatCompletions(answer);
  return server;
}

function modelAt({ url }: ChatCompletions, waiting: CompletionRetryOptions = {}) {
  return createOpenAiLanguageModel({ url, key: CHAT_KEY, model: CHAT_MODEL }, waiting);
}

afterEach(() => server?.close());

describe("a language model of OpenAI's protocol, over HTTP", () => {
  it("gives its answer, after a moment of being busy", async () => {
    const chat = await serve(({ messages }) => ` ${messages.map(({ role }) => role).join(", ")}\n`);
    chat.fail(1, 503, { "Retry-After": "2" });
    const waits: number[] = [];
    const sleep = async (ms: number) => {
      waits.push(ms);
    };
    expect(await modelAt(chat, { sleep }).complete(PROMPT)).toBe("system, user");
    expect(waits).toEqual([2_000]);
    const sent = {
      path: "/v1/chat/completions",
      authorization: `Bearer ${CHAT_KEY}`,
      request: {
        model: CHAT_MODEL,
        messages: [
          { role: "system", content: PROMPT.system },
          { role: "user", content: PROMPT.user },
        ],
        max_tokens: 50,
        temperature: 0,
      },
    };
    expect(chat.asked).toEqual([sent, sent]);
  });

  it("is not asked again when it refuses, and the refusal quotes nothing", async () => {
    const chat = await serve(() => ({ status: 401, body: `Wrong key for: ${SECRET}` }));
    await expect(modelAt(chat).complete(PROMPT)).rejects.toMatchObject({
      name: "LanguageModelError",
      message: "Language model openai:echo failed: status 401: check LLM_API_KEY",
    });
    expect(chat.asked).toHaveLength(1);
  });

  it("is not waited for beyond the time-out, and asked once more", async () => {
    const chat = await serve(() => new Promise(() => {}));
    const policy = { ...COMPLETION_RETRY_POLICY, timeoutMs: 100, baseDelayMs: 1 };
    await expect(modelAt(chat, { policy }).complete(PROMPT)).rejects.toMatchObject({
      name: "LanguageModelError",
      message: "Language model openai:echo failed: no response within 0.1 s",
    });
    expect(chat.asked).toHaveLength(2);
  });

  it("is refused when its answer is no JSON", async () => {
    const chat = await serve(() => ({ status: 200, body: `<html>${SECRET}</html>` }));
    await expect(modelAt(chat).complete(PROMPT)).rejects.toMatchObject({
      name: "LanguageModelError",
      message: "Language model openai:echo failed: the response is not JSON: check LLM_URL",
    });
    expect(chat.asked).toHaveLength(1);
  });

  it("cannot send the prompt and the key elsewhere", async () => {
    const chat = await serve(() => ({ status: 307, headers: { Location: "/elsewhere" }, body: "" }));
    await expect(modelAt(chat).complete(PROMPT)).rejects.toThrow("status 307");
    expect(chat.asked.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
  });

  it("is named unreachable when it is not there", async () => {
    const chat = await serve(() => "gone");
    await chat.close();
    const model = modelAt(chat, { sleep: async () => {} });
    await expect(model.complete(PROMPT)).rejects.toThrow("the service could not be reached");
  });
});
