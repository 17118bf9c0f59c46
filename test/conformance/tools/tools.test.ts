// Tools for models: the definitions in three formats, and calls executed as a model makes them.
import { describe, expect, it } from "vitest";
import { contents, memoriesOf, newSession, recall, remember } from "../support/actions";
import { fresh } from "../support/client";
import type { AnthropicResult, OpenAiResult, Recalled, Remembered } from "../support/contract";
import { bodyOf, expectNoInternals, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

type JsonSchema = { type: string; properties: Record<string, unknown>; required?: string[] };
type Definition = {
  type?: string;
  name?: string;
  description?: string;
  input_schema?: JsonSchema;
  inputSchema?: JsonSchema;
  function?: { name: string; description: string; parameters: JsonSchema };
};

async function definitions(format: string): Promise<Definition[]> {
  return bodyOf(await kioku.api.get<Definition[]>(`/v1/tools?format=${format}`), 200);
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** What the tool answered: a JSON text, or text blocks that hold one. */
function resultOf<T>(content: unknown): T {
  if (!Array.isArray(content)) return JSON.parse(textOf(content)) as T;
  const blocks = content as { text?: string }[];
  return JSON.parse(blocks.map((block) => block.text ?? "").join("")) as T;
}

async function openAi(
  session: string,
  name: string,
  args: unknown,
  id = fresh("call"),
): Promise<OpenAiResult> {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  const call = { id, type: "function", function: { name, arguments: text } };
  const answer = await kioku.api.post<OpenAiResult>("/v1/tools/execute", { session_id: session, call });
  expectNoInternals(answer.text);
  const result = bodyOf(answer, 200);
  expect(result).toMatchObject({ role: "tool", tool_call_id: id });
  return result;
}

async function anthropic(
  session: string,
  name: string,
  input: unknown,
  id = fresh("toolu"),
): Promise<AnthropicResult> {
  const call = { type: "tool_use", id, name, input };
  const answer = await kioku.api.post<AnthropicResult>("/v1/tools/execute", { session_id: session, call });
  expectNoInternals(answer.text);
  const result = bodyOf(answer, 200);
  expect(result).toMatchObject({ type: "tool_result", tool_use_id: id });
  return result;
}

describe("definitions", () => {
  const shapes: [
    string,
    (tool: Definition) => {
      name: string | undefined;
      description: string | undefined;
      schema: JsonSchema | undefined;
    },
  ][] = [
    [
      "openai",
      (tool) => ({
        name: tool.function?.name,
        description: tool.function?.description,
        schema: tool.function?.parameters,
      }),
    ],
    ["anthropic", (tool) => ({ name: tool.name, description: tool.description, schema: tool.input_schema })],
    ["mcp", (tool) => ({ name: tool.name, description: tool.description, schema: tool.inputSchema })],
  ];

  it.each(shapes)("for %s are remember, recall and forget, each with its schema", async (format, read) => {
    const tools = (await definitions(format)).map(read);
    expect(tools.map((tool) => tool.name).sort()).toEqual(["forget", "recall", "remember"]);
    for (const tool of tools) {
      expect(tool.description).toMatch(/\w+ \w+/);
      expect(tool.schema?.type).toBe("object");
    }
    const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.schema;
    expect(schemaOf("remember")?.required).toEqual(["content"]);
    expect(schemaOf("forget")?.required).toEqual(["memory_id"]);
    expect(schemaOf("recall")?.required ?? []).toEqual([]);
    expect(Object.keys(schemaOf("remember")?.properties ?? {})).toEqual(
      expect.arrayContaining(["content", "type", "confidence", "rationale"]),
    );
    expect(Object.keys(schemaOf("recall")?.properties ?? {})).toEqual(
      expect.arrayContaining(["query", "type", "min_confidence", "limit"]),
    );
    expect(Object.keys(schemaOf("forget")?.properties ?? {})).toEqual(
      expect.arrayContaining(["memory_id", "reason", "replacement_id"]),
    );
  });

  it("for openai are function tools", async () => {
    expect((await definitions("openai")).map((tool) => tool.type)).toEqual([
      "function",
      "function",
      "function",
    ]);
  });

  it("say the same in every format", async () => {
    const [openai, claude, mcp] = await Promise.all(["openai", "anthropic", "mcp"].map(definitions));
    expect(openai?.map((tool) => tool.function?.parameters)).toEqual(
      claude?.map((tool) => tool.input_schema),
    );
    expect(mcp?.map((tool) => tool.inputSchema)).toEqual(claude?.map((tool) => tool.input_schema));
  });

  it("in an unknown format are refused", async () => {
    expectProblem(await kioku.api.get("/v1/tools?format=carrier-pigeon"), "invalid_request", "format");
  });
});

describe("an OpenAI call", () => {
  it("remembers, recalls and forgets", async () => {
    const { id: session } = await newSession(kioku.api);
    const stored = resultOf<Remembered>(
      (await openAi(session, "remember", { content: "Zephyr is staging" })).content,
    );
    expect(stored).toMatchObject({ remembered: true, memory_type: "fact" });
    const found = resultOf<Recalled>((await openAi(session, "recall", { query: "zephyr" })).content);
    expect(found).toMatchObject({
      count: 1,
      memories: [{ id: stored.memory_id, content: "Zephyr is staging" }],
    });
    await openAi(session, "forget", { memory_id: stored.memory_id });
    expect(await recall(kioku.api, session)).toEqual([]);
  });

  it.each([
    ["no content", "remember", {}, /content/],
    ["a bad type", "remember", { content: "A", type: "poem" }, /type.*fact/s],
    ["a bad limit", "recall", { limit: 51 }, /limit.*50/s],
    ["an unknown memory", "forget", { memory_id: "nobody" }, /Memory not found: nobody/],
    ["an unknown tool", "levitate", {}, /levitate/],
    ["arguments that are not JSON", "remember", "{content:", /JSON/i],
    ["arguments that are no object", "remember", "[1]", /object/i],
  ])("with %s gets a result that says what to change", async (_name, tool, args, says) => {
    const { id: session } = await newSession(kioku.api);
    const result = await openAi(session, tool, args);
    expect(textOf(result.content)).toMatch(says);
    expect(await memoriesOf(kioku.api, session)).toEqual([]);
  });
});

describe("an Anthropic call", () => {
  it("remembers, recalls and forgets, and is no error", async () => {
    const { id: session } = await newSession(kioku.api);
    const first = await anthropic(session, "remember", { content: "Zephyr is staging", type: "discovery" });
    expect(first.is_error).toBe(false);
    const stored = resultOf<Remembered>(first.content);
    const found = await anthropic(session, "recall", { query: "zephyr", type: "discovery" });
    expect(resultOf<Recalled>(found.content).memories.map((hit) => hit.id)).toEqual([stored.memory_id]);
    expect(
      (await anthropic(session, "forget", { memory_id: stored.memory_id, reason: "Gone" })).is_error,
    ).toBe(false);
    expect(await recall(kioku.api, session)).toEqual([]);
  });

  it.each([
    ["no content", "remember", {}, /content/],
    ["a bad confidence", "remember", { content: "A", confidence: "sure" }, /confidence/],
    ["an unknown memory", "forget", { memory_id: "nobody" }, /Memory not found: nobody/],
    ["an unknown tool", "levitate", {}, /levitate/],
    ["input that is no object", "remember", "text", /object/i],
  ])("with %s gets a result marked as an error", async (_name, tool, input, says) => {
    const { id: session } = await newSession(kioku.api);
    const result = await anthropic(session, tool, input);
    expect(result.is_error).toBe(true);
    expect(textOf(result.content)).toMatch(says);
    expect(await memoriesOf(kioku.api, session)).toEqual([]);
  });

  it("to a closed session gets a result that says so", async () => {
    const { id: session } = await newSession(kioku.api);
    bodyOf(await kioku.api.post(`/v1/sessions/${session}/close`), 200);
    const result = await anthropic(session, "remember", { content: "Too late" });
    expect(result.is_error).toBe(true);
    expect(textOf(result.content)).toMatch(/closed/i);
  });
});

describe("execute", () => {
  it("needs a session and a call", async () => {
    const call = { type: "tool_use", id: "c", name: "recall", input: {} };
    expectProblem(await kioku.api.post("/v1/tools/execute", { call }), "invalid_request", "session_id");
    const session_id = (await newSession(kioku.api)).id;
    expectProblem(await kioku.api.post("/v1/tools/execute", { session_id }), "invalid_request", "call");
    expectProblem(
      await kioku.api.post("/v1/tools/execute", { session_id, call: { hello: 1 } }),
      "invalid_request",
      "call",
    );
  });

  it("keeps to its session", async () => {
    const [here, elsewhere] = [await newSession(kioku.api), await newSession(kioku.api)];
    await remember(kioku.api, elsewhere.id, "A secret of elsewhere");
    expect(textOf((await openAi(here.id, "recall", { query: "secret" })).content)).not.toContain("elsewhere");
  });

  it("serves many sessions at once, each its own", async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => newSession(kioku.api)));
    await Promise.all(sessions.map(({ id }) => openAi(id, "remember", { content: `Only for ${id}` })));
    for (const { id } of sessions) expect(contents(await recall(kioku.api, id))).toEqual([`Only for ${id}`]);
  });
});
