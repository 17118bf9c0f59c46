import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { AiBinding, Bindings } from "../../src/kernel/env";
import {
  COMPLETION_RETRY_POLICY,
  type CompletionRetryOptions,
  createOpenAiLanguageModel,
  createWorkersAiLanguageModel,
  DEFAULT_LANGUAGE_MODEL,
  type OpenAiLanguageModelOptions,
  REASONING_TOKEN_FACTOR,
} from "../../src/models/remote-language-model";
import { selectLanguageModel } from "../../src/models/select-language-model";
import { messageOf, noWaiting } from "./embedding/remote-support";

const SECRET = "The launch code is 4711";
const KEY = "sk-very-secret";
const PROMPT = { system: "Be brief.", user: SECRET, maxTokens: 50 };

const SCHEMA = { name: "memories", schema: { type: "object" } };

/** What either service is asked. */
const QUESTION = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: SECRET },
  ],
  max_tokens: 50,
  temperature: 0,
};

function completion(content: unknown, finish_reason = "stop") {
  return { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason }] };
}

/** A service, and the requests it gets. */
function fakeChat(answer: (nth: number) => Response | Promise<Response>) {
  const requests: Request[] = [];
  const send: typeof fetch = async (input, init) => {
    requests.push(new Request(input as string, init as RequestInit));
    return answer(requests.length);
  };
  const model = (
    options: Partial<OpenAiLanguageModelOptions> = {},
    waiting: CompletionRetryOptions = noWaiting(),
  ) =>
    createOpenAiLanguageModel(
      { url: "https://ai.test/v1", key: KEY, model: "m", fetch: send, ...options },
      waiting,
    );
  return { requests, model };
}

/** Workers AI, and the calls it gets. */
function fakeAi(answer: (nth: number) => unknown) {
  const calls: { model: string; input: unknown; signal: AbortSignal }[] = [];
  const ai: AiBinding = {
    async run(model, input, { signal }) {
      calls.push({ model, input, signal });
      return answer(calls.length);
    },
  };
  return {
    ai,
    calls,
    model: (waiting: CompletionRetryOptions = noWaiting()) =>
      createWorkersAiLanguageModel(ai, "@cf/m", waiting),
  };
}

/** Both, giving the same answer. */
const SERVICES = [
  ["an OpenAI-compatible service", (answer: unknown) => fakeChat(() => Response.json(answer)).model()],
  ["Workers AI", (answer: unknown) => fakeAi(() => answer).model()],
] as const;

describe.each(SERVICES)("the answer of %s", (_, modelAnswering) => {
  it.each([
    ["is its text, trimmed", completion(" They met.\n"), "They met."],
    ["is kept when it was cut off", completion("They met and", "length"), "They met and"],
    [
      "comes without the thoughts before it",
      completion("\n<think>Who\nmet?</think>\n\nThey met."),
      "They met.",
    ],
    ["may speak of thoughts", completion("Use <think>…</think>."), "Use <think>…</think>."],
    ["is the first of several", { choices: [...completion("One").choices, {}] }, "One"],
  ])("%s", async (_title, answer, text) => {
    expect(await modelAnswering(answer).complete(PROMPT)).toBe(text);
  });

  it("comes without the thoughts, whatever they are and whatever it is", async () => {
    const thoughts = fc.string({ unit: "binary" }).filter((text) => !text.includes("</think>"));
    const texts = fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.trim() !== "");
    await fc.assert(
      fc.asyncProperty(thoughts, texts, async (thought, text) => {
        const answer = completion(`<think>${thought}</think>${text}`);
        expect(await modelAnswering(answer).complete(PROMPT)).toBe(text.trim());
      }),
    );
  });

  it.each([
    ["is empty", completion(" \n"), "the response has no text"],
    ["is no text", completion(null), "the response has no text"],
    ["has no choices", { choices: [] }, "the response has no text"],
    ["is something else", { error: SECRET }, "the response has no text"],
    ["is nothing", null, "the response has no text"],
    ["was cut off before its text", completion("", "length"), "choose an LLM_MODEL that does not reason"],
    ["was cut off in thought", completion(`<think>${SECRET}`), "choose an LLM_MODEL that does not reason"],
    [
      "is thoughts alone",
      completion(`<think>${SECRET}</think> `),
      "choose an LLM_MODEL that does not reason",
    ],
  ])("is an error that quotes nothing when it %s", async (_title, answer, reason) => {
    const { name, message } = await messageOf(modelAnswering(answer).complete(PROMPT));
    expect(name).toBe("LanguageModelError");
    expect(message).toContain(reason);
    expect(message).not.toContain(SECRET);
  });
});

describe("an OpenAI-compatible language model", () => {
  const answering = () => fakeChat(() => Response.json(completion("Yes.")));

  it("is asked in its own terms, and named", async () => {
    const { requests, model } = answering();
    expect(model().name).toBe("openai:m");
    await model().complete(PROMPT);
    const [request] = requests;
    expect(request?.method).toBe("POST");
    expect(request?.redirect).toBe("manual");
    expect(request?.headers.get("Content-Type")).toBe("application/json");
    expect(request?.headers.get("Authorization")).toBe(`Bearer ${KEY}`);
    expect(await request?.json()).toEqual({ model: "m", ...QUESTION });
  });

  it("is asked without a key when there is none", async () => {
    const { requests, model } = answering();
    await model({ key: null }).complete(PROMPT);
    expect(requests[0]?.headers.has("Authorization")).toBe(false);
  });

  it.each([
    ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
    ["https://a.test/v1/chat/completions/", "https://a.test/v1/chat/completions"],
    ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"],
    ["https://a.test/gate/openai?api-version=2", "https://a.test/gate/openai/chat/completions?api-version=2"],
  ])("is found at %s", async (url, found) => {
    const { requests, model } = answering();
    await model({ url }).complete(PROMPT);
    expect(requests[0]?.url).toBe(found);
  });

  it("is given the schema of its answer, and asked without it when it rejects that", async () => {
    const { requests, model } = fakeChat((nth) =>
      nth === 1 ? new Response(SECRET, { status: 400 }) : Response.json(completion("{}")),
    );
    expect(await model().complete({ ...PROMPT, schema: SCHEMA })).toBe("{}");
    const response_format = { type: "json_schema", json_schema: { strict: true, ...SCHEMA } };
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([
      { model: "m", ...QUESTION, response_format },
      { model: "m", ...QUESTION },
    ]);
  });

  it("is asked again, patiently, when the reason may pass", async () => {
    const { requests, model } = fakeChat((nth) =>
      nth === 1 ? new Response(SECRET, { status: 429 }) : Response.json(completion("Yes.")),
    );
    const { waits, sleep } = noWaiting();
    expect(await model({}, { sleep }).complete(PROMPT)).toBe("Yes.");
    expect(waits).toEqual([COMPLETION_RETRY_POLICY.baseDelayMs]);
    expect(requests).toHaveLength(2);
  });

  it.each([
    [503, COMPLETION_RETRY_POLICY.attempts, "status 503"],
    [400, 1, "status 400: choose an LLM_MODEL that takes max_tokens, temperature 0"],
    [403, 1, "status 403: check LLM_API_KEY"],
    [404, 1, "status 404: check LLM_URL and LLM_MODEL"],
    [302, 1, "status 302"],
  ])("is given up after status %i and %i calls, for a reason that quotes nothing", async (status, calls, reason) => {
    const { requests, model } = fakeChat(() => new Response(SECRET, { status }));
    const { name, message } = await messageOf(model().complete(PROMPT));
    expect(name).toBe("LanguageModelError");
    expect(message).toContain(`Language model openai:m failed: ${reason}`);
    expect(message).not.toMatch(new RegExp(`${SECRET}|${KEY}`));
    expect(requests).toHaveLength(calls);
  });

  it("is given up at once when it asks for a longer wait than the policy allows", async () => {
    const headers = { "Retry-After": "60" };
    const { requests, model } = fakeChat(() => new Response(null, { status: 429, headers }));
    const { message } = await messageOf(model().complete(PROMPT));
    expect(message).toContain("status 429, retry after 60 s");
    expect(requests).toHaveLength(1);
  });
});

describe("a language model on Workers AI", () => {
  it("is given the schema of its answer in the binding's terms, and may give JSON as a value", async () => {
    const { calls, model } = fakeAi(() => ({ response: { memories: [] } }));
    expect(await model().complete({ ...PROMPT, schema: SCHEMA })).toBe('{"memories":[]}');
    const response_format = { type: "json_schema", json_schema: SCHEMA.schema };
    expect(calls.map(({ input }) => input)).toEqual([{ ...QUESTION, response_format }]);
  });

  it("takes the platform's own binding", () => {
    expectTypeOf<Ai>().toExtend<AiBinding>();
  });

  it("is asked in its own terms, and named", async () => {
    const { calls, model } = fakeAi(() => ({ response: " Yes. ", usage: {} }));
    expect(model().name).toBe("workers-ai:@cf/m");
    expect(await model().complete(PROMPT)).toBe("Yes.");
    expect(calls).toMatchObject([{ model: "@cf/m", input: QUESTION }]);
  });

  it("gives an error when its own kind of answer is empty", async () => {
    const { message } = await messageOf(
      fakeAi(() => ({ response: "" }))
        .model()
        .complete(PROMPT),
    );
    expect(message).toBe("Language model workers-ai:@cf/m failed: the response has no text");
  });

  it("is asked again when it was out of capacity", async () => {
    const { calls, model } = fakeAi((nth) => {
      if (nth === 1) throw new Error("3040: No more data centers to forward the request to");
      return { response: "Yes." };
    });
    expect(await model().complete(PROMPT)).toBe("Yes.");
    expect(calls).toHaveLength(2);
  });

  it.each([
    ["5007: No such model", 1, "code 5007: choose another LLM_MODEL"],
    ["3036: You have used up your daily free allocation", 1, "code 3036"],
    ["3043: Internal server error", COMPLETION_RETRY_POLICY.attempts, "code 3043"],
    ["Network connection lost", COMPLETION_RETRY_POLICY.attempts, "error without a code"],
  ])("is given up after %s, and quotes nothing", async (failed, tries, reason) => {
    const { calls, model } = fakeAi(() => {
      throw new Error(`${failed} ${SECRET}`);
    });
    const { name, message } = await messageOf(model().complete(PROMPT));
    expect(name).toBe("LanguageModelError");
    expect(message).toBe(`Language model workers-ai:@cf/m failed: ${reason}`);
    expect(calls).toHaveLength(tries);
  });

  it("is not waited for beyond the time-out, even if it ignores the signal", async () => {
    const { calls, model } = fakeAi(() => new Promise(() => {}));
    const policy = { ...COMPLETION_RETRY_POLICY, timeoutMs: 20 };
    const { message } = await messageOf(model({ policy, sleep: async () => {} }).complete(PROMPT));
    expect(message).toContain("no response within 0.02 s");
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });
});

describe("the choice of a language model", () => {
  const { ai: AI } = fakeAi(() => null);
  const LLM_URL = "https://ai.test/v1";
  const OPENAI = { LLM_URL, LLM_MODEL: "gpt" };

  it.each<[string, Partial<Bindings>, string | null]>([
    ["nothing is set", {}, null],
    ["settings are empty", { LANGUAGE_MODEL: "", LLM_URL: "", LLM_MODEL: "", LLM_API_KEY: "" }, null],
    ["Workers AI is bound, which alone costs nothing", { AI }, null],
    ["an address is set", OPENAI, "openai:gpt"],
    ["an address and a key are set, and Workers AI bound", { ...OPENAI, LLM_API_KEY: KEY, AI }, "openai:gpt"],
    ["the service is named", { LANGUAGE_MODEL: "openai", ...OPENAI }, "openai:gpt"],
    ["Workers AI is named", { LANGUAGE_MODEL: "workers-ai", AI }, `workers-ai:${DEFAULT_LANGUAGE_MODEL}`],
    [
      "Workers AI and a model are named",
      { LANGUAGE_MODEL: "workers-ai", AI, LLM_MODEL: "@cf/m" },
      "workers-ai:@cf/m",
    ],
    ["none is asked for, whatever else is set", { LANGUAGE_MODEL: "none", ...OPENAI, AI }, null],
  ])("when %s", (_, settings, name) => {
    expect(selectLanguageModel(settings)?.name ?? null).toBe(name);
  });

  it.each<[string, Partial<Bindings>, RegExp]>([
    ["an unknown kind", { LANGUAGE_MODEL: "gpt" }, /^LANGUAGE_MODEL must be "none", .* is "gpt"$/],
    ["Workers AI that is not bound", { LANGUAGE_MODEL: "workers-ai" }, /no AI binding: add/],
    ["a service without an address", { LANGUAGE_MODEL: "openai", LLM_MODEL: "m" }, /needs LLM_URL: set it/],
    ["a service without a model", { LLM_URL }, /needs LLM_MODEL: set it/],
    ["an address that is none", { ...OPENAI, LLM_URL: "ai.test" }, /^LLM_URL must be an http or https/],
    [
      "a model of nothing",
      { LLM_MODEL: "m", AI },
      /^LLM_MODEL has no effect without .* LANGUAGE_MODEL or LLM_URL$/,
    ],
    ["a key of nothing", { LLM_API_KEY: KEY }, /^LLM_API_KEY has no effect (?!.*sk-very-secret)/],
    [
      "an address for Workers AI",
      { LANGUAGE_MODEL: "workers-ai", AI, ...OPENAI },
      /^LLM_URL has no effect on the language model "workers-ai"/,
    ],
    [
      "a key for Workers AI",
      { LANGUAGE_MODEL: "workers-ai", AI, LLM_API_KEY: KEY },
      /^LLM_API_KEY has no effect on the language model "workers-ai"/,
    ],
  ])("is an error with %s", (_, settings, message) => {
    expect(() => selectLanguageModel(settings)).toThrow(
      expect.objectContaining({
        failure: { code: "not_configured", detail: expect.stringMatching(message) },
      }),
    );
  });
});

describe("a model of OpenAI's that thinks first", () => {
  it.each(["gpt-5-mini", "openai/gpt-5.1", "o4-mini"])("%s is asked in the words it takes", async (name) => {
    const { requests, model } = fakeChat(() => Response.json(completion("Fine.")));
    expect(await model({ model: name }).complete(PROMPT)).toBe("Fine.");
    expect(await requests[0]?.json()).toEqual({
      model: name,
      messages: QUESTION.messages,
      max_completion_tokens: 50 * REASONING_TOKEN_FACTOR,
    });
  });
});
