// Tool calls in every format in which models and programs write them, one by one and as whole answers.
import { describe, expect, it } from "vitest";
import { memoriesOf, newSession } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { AnthropicResult, OpenAiResult, Recalled, Remembered } from "../support/contract";
import { bodyOf, expectNoInternals, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

type NamedResult = { id?: string; name: string; content: string; is_error: boolean };
type ResponsesResult = { type: string; call_id: string; output: string };
type ThreadEntry = { kind: string; payload: Record<string, unknown> };

async function execute<T>(session_id: string, call: unknown, api: Client = kioku.api): Promise<T> {
  const answer = await api.post<T>("/v1/tools/execute", { session_id, call });
  expectNoInternals(answer.text);
  return bodyOf(answer, 200);
}

async function readThread(session: string): Promise<ThreadEntry[]> {
  const page = await kioku.api.get<{ data: ThreadEntry[] }>(`/v1/sessions/${session}/thread`);
  return bodyOf(page, 200).data;
}

const parse = <T>(content: unknown) => JSON.parse(content as string) as T;

describe("a call by name", () => {
  it("remembers, recalls and forgets", async () => {
    const { id } = await newSession(kioku.api);
    const stored = await execute<NamedResult>(id, {
      name: "remember",
      arguments: { content: "Zephyr is staging", type: "discovery", confidence: 0.9 },
    });
    expect(stored).toEqual({ name: "remember", content: expect.any(String), is_error: false });
    const { memory_id } = parse<Remembered>(stored.content);
    const found = await execute<NamedResult>(id, { name: "recall", arguments: { query: "zephyr" } });
    expect(parse<Recalled>(found.content)).toMatchObject({ count: 1, memories: [{ id: memory_id }] });
    const gone = await execute<NamedResult>(id, { id: "c9", name: "forget", arguments: { memory_id } });
    expect(gone).toMatchObject({ id: "c9", name: "forget", is_error: false });
  });

  it("takes its arguments as a JSON string, or none", async () => {
    const { id } = await newSession(kioku.api);
    const text = JSON.stringify({ content: "Zephyr is staging" });
    expect((await execute<NamedResult>(id, { name: "remember", arguments: text })).is_error).toBe(false);
    expect(parse<Recalled>((await execute<NamedResult>(id, { name: "recall" })).content).count).toBe(1);
  });

  it("that fails is a result that says what to change", async () => {
    const { id } = await newSession(kioku.api);
    const failed = await execute<NamedResult>(id, { name: "remember", arguments: {} });
    expect(failed).toMatchObject({ name: "remember", is_error: true });
    expect(parse(failed.content)).toMatchObject({ code: "invalid_request", error: /content/ });
  });

  it("is recorded in the thread each time, also without an id", async () => {
    const { id } = await newSession(kioku.api);
    for (let i = 0; i < 2; i += 1) await execute(id, { name: "recall", arguments: {} });
    expect((await readThread(id)).map(({ kind }) => kind)).toEqual([
      "tool_call",
      "tool_result",
      "tool_call",
      "tool_result",
    ]);
  });
});

describe("a function call of OpenAI's Responses", () => {
  it("is answered by its output item", async () => {
    const { id } = await newSession(kioku.api);
    const call = {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "remember",
      arguments: '{"content":"Zephyr is staging"}',
      status: "completed",
    };
    const result = await execute<ResponsesResult>(id, call);
    expect(result).toEqual({
      type: "function_call_output",
      call_id: "call_1",
      output: expect.stringContaining('"remembered":true'),
    });
    expect((await readThread(id)).map(({ payload }) => payload)).toEqual([call, result]);
  });
});

const REMEMBER = { content: "The build machine is called Otto" };
const RECALL = { query: "Otto" };

const toolCall = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});
const MESSAGE = {
  role: "assistant",
  content: null,
  refusal: null,
  tool_calls: [toolCall("call_1", "remember", REMEMBER), toolCall("call_2", "recall", RECALL)],
};
const OUTPUT = [
  { type: "reasoning", id: "rs_1", summary: [] },
  { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Noted." }] },
  { type: "function_call", call_id: "call_1", name: "remember", arguments: JSON.stringify(REMEMBER) },
  { type: "function_call", call_id: "call_2", name: "recall", arguments: JSON.stringify(RECALL) },
];
const CONTENT = [
  { type: "thinking", thinking: "…", signature: "s" },
  { type: "text", text: "Let me note that." },
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  { type: "tool_use", id: "call_1", name: "remember", input: REMEMBER },
  { type: "tool_use", id: "call_2", name: "recall", input: RECALL },
];

const OPENAI = [
  { role: "tool", tool_call_id: "call_1", content: expect.stringContaining('"remembered":true') },
  { role: "tool", tool_call_id: "call_2", content: expect.stringContaining("called Otto") },
];
const RESPONSES = [
  { type: "function_call_output", call_id: "call_1", output: expect.stringContaining('"remembered":true') },
  { type: "function_call_output", call_id: "call_2", output: expect.stringContaining("called Otto") },
];
const ANTHROPIC = OPENAI.map(({ tool_call_id, content }) => ({
  type: "tool_result",
  tool_use_id: tool_call_id,
  content,
  is_error: false,
}));
const NAMED = OPENAI.map(({ content }, i) => ({
  name: ["remember", "recall"][i],
  content,
  is_error: false,
}));

describe("a whole answer", () => {
  it.each([
    ["an OpenAI message", MESSAGE, OPENAI],
    [
      "an OpenAI chat completion",
      { id: "chatcmpl-1", choices: [{ index: 0, finish_reason: "tool_calls", message: MESSAGE }] },
      OPENAI,
    ],
    ["the tool calls of an OpenAI message", MESSAGE.tool_calls, OPENAI],
    ["an OpenAI response", { id: "resp_1", object: "response", output: OUTPUT }, RESPONSES],
    ["the output of an OpenAI response", OUTPUT, RESPONSES],
    [
      "an Anthropic message",
      { id: "msg_1", type: "message", role: "assistant", content: CONTENT, stop_reason: "tool_use" },
      ANTHROPIC,
    ],
    ["the content of an Anthropic message", CONTENT, ANTHROPIC],
    [
      "a list of calls by name",
      [
        { name: "remember", arguments: REMEMBER },
        { name: "recall", arguments: RECALL },
      ],
      NAMED,
    ],
  ])("as %s is answered in order, each call after the one before", async (_name, answer, results) => {
    const { id } = await newSession(kioku.api);
    expect(await execute(id, answer)).toEqual(results);
    expect(await memoriesOf(kioku.api, id)).toHaveLength(1);
    expect((await readThread(id)).map(({ kind }) => kind)).toEqual([
      "tool_call",
      "tool_result",
      "tool_call",
      "tool_result",
    ]);
  });

  it.each([
    ["a text of OpenAI", { role: "assistant", content: "Hello" }],
    ["a text of OpenAI, with an empty list", { role: "assistant", content: "Hello", tool_calls: null }],
    ["a completion without choices", { choices: [] }],
    ["a text of Anthropic", { role: "assistant", content: [{ type: "text", text: "Hello" }] }],
    ["a response without calls", { output: [{ type: "message", role: "assistant", content: [] }] }],
    ["an empty list", []],
  ])("without calls, as %s, gives an empty list", async (_name, answer) => {
    const { id } = await newSession(kioku.api);
    expect(await execute(id, answer)).toEqual([]);
    expect(await readThread(id)).toEqual([]);
  });

  it("goes on after a call that fails, and after one of another tool", async () => {
    const { id } = await newSession(kioku.api);
    const results = await execute<AnthropicResult[]>(id, {
      role: "assistant",
      content: [
        { type: "tool_use", id: "a", name: "get_weather", input: { city: "Lisbon" } },
        { type: "tool_use", id: "b", name: "forget", input: { memory_id: "nobody" } },
        { type: "tool_use", id: "c", name: "remember", input: { content: "" } },
        { type: "tool_use", id: "d", name: "remember", input: REMEMBER },
      ],
    });
    expect(results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error])).toEqual([
      ["a", true],
      ["b", true],
      ["c", true],
      ["d", false],
    ]);
    expect(results[0]?.content).toMatch(/Unknown tool: get_weather.*remember, recall, forget/);
    expect(results[1]?.content).toMatch(/Memory not found: nobody/);
    expect(await memoriesOf(kioku.api, id)).toHaveLength(1);
  });

  it("stays within the reach of its session", async () => {
    const [mine, theirs] = [fresh("user"), fresh("user")];
    const { id } = await newSession(kioku.api, { user_id: mine });
    bodyOf(await kioku.api.post("/v1/remember", { content: "A secret of theirs", user_id: theirs }), 201);
    const [own, wide] = await execute<OpenAiResult[]>(id, [
      toolCall("c1", "recall", { query: "secret" }),
      toolCall("c2", "recall", { query: "secret", scope: "tenant" }),
    ]);
    expect(parse(own?.content)).toMatchObject({ count: 0 });
    expect(parse(wide?.content)).toMatchObject({ code: "forbidden", error: /reach/ });
  });

  it("runs with a read key what only reads, and nothing else", async () => {
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name });
    const reader = await kioku.tenant({ name, scopes: ["read"] });
    const { id } = await newSession(owner);
    const [written, read] = await execute<OpenAiResult[]>(id, MESSAGE, reader);
    expect(parse(written?.content)).toMatchObject({ code: "forbidden", error: /"write"/ });
    expect(parse(read?.content)).toMatchObject({ count: 0 });
    expect(await memoriesOf(owner, id)).toEqual([]);
    const thread = await owner.get<{ data: ThreadEntry[] }>(`/v1/sessions/${id}/thread`);
    expect(bodyOf(thread, 200).data).toEqual([]);
  });

  it("has at most 64 calls", async () => {
    const { id } = await newSession(kioku.api);
    const calls = Array.from({ length: 65 }, (_, i) => ({
      name: "remember",
      arguments: { content: `Number ${i}` },
    }));
    const refused = await kioku.api.post("/v1/tools/execute", { session_id: id, call: calls });
    expect(expectProblem(refused, "invalid_request", "call").detail).toMatch(/65.*64/);
    expect(await memoriesOf(kioku.api, id)).toEqual([]);
    const results = await execute<NamedResult[]>(id, calls.slice(1));
    expect(results.map(({ is_error }) => is_error)).toEqual(Array.from({ length: 64 }, () => false));
  });

  it("is executed once under one key, each of its calls for itself", async () => {
    const { id } = await newSession(kioku.api, { agent_id: fresh("agent") });
    const episode = (goal: string) => ({
      name: "record_episode",
      arguments: { context: { goal }, outcome: "success", action_log: [{ action: "try" }] },
    });
    const handoff = {
      name: "hand_off",
      arguments: { to_agent: "ben", context: { what_was_done: "Half of it" } },
    };
    const call = [
      episode("First"),
      episode("Second"),
      handoff,
      handoff,
      { name: "remember", arguments: REMEMBER },
    ];
    const headers = { "Idempotency-Key": fresh("key") };
    const send = () => kioku.api.post<NamedResult[]>("/v1/tools/execute", { session_id: id, call }, headers);
    const first = bodyOf(await send(), 200);
    expect(first.map(({ is_error }) => is_error)).toEqual(call.map(() => false));
    const ids = first.slice(0, 4).map(({ content }) => parse<{ id: string }>(content).id);
    expect(new Set(ids).size).toBe(4);
    for (const again of await Promise.all([send(), send()])) expect(bodyOf(again, 200)).toEqual(first);
    expect(await memoriesOf(kioku.api, id)).toHaveLength(1);
    expect(await readThread(id)).toHaveLength(2 * call.length);
  });
});

describe("an output that cannot be read", () => {
  it.each([
    ["nothing", undefined, "call"],
    ["a text", "remember this", "call"],
    ["an object of another shape", { hello: 1 }, "call"],
    ["an unknown type", { type: "dance", name: "remember" }, "call"],
    ["an OpenAI call without a function", { type: "function", id: "c1" }, "call.function"],
    ["an Anthropic call without an id", { type: "tool_use", name: "recall" }, "call.id"],
    ["a Responses call without a call_id", { type: "function_call", name: "recall" }, "call.call_id"],
    ["a name that is no text", { name: 7 }, "call.name"],
    ["a message of a user", { role: "user", content: "Hello" }, "call.role"],
    ["a list with a text", [{ name: "recall" }, "recall"], "call.1"],
    ["a list with an object of another shape", [{ hello: 1 }], "call.0"],
    [
      "a broken call in a message",
      { role: "assistant", tool_calls: [{ type: "function" }] },
      "call.tool_calls.0.id",
    ],
    ["a broken call in a completion", { choices: [{ delta: {} }] }, "call.choices.0.message"],
    ["an output that is no list", { output: "text" }, "call.output"],
  ])("is refused: %s", async (_name, call, path) => {
    const { id } = await newSession(kioku.api);
    const refused = await kioku.api.post("/v1/tools/execute", { session_id: id, call });
    const { errors } = expectProblem(refused, "invalid_request");
    expect(errors?.[0]).toEqual({ path, message: expect.stringMatching(/is required|must be/) });
  });
});
