// OpenAI's SDK with Kioku's tools, against a server that plays the model: it asks for remember, then for recall and for a
// tool of the caller's at once, then answers.
import { openaiTools } from "kioku/openai";
import OpenAI from "openai";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInput } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";
import { modelServer } from "../support/model-server";
import { kiokuOf } from "./adapters";

const service = sharedServer();
const FACT = { content: "The build machine is called Otto", type: "fact" };
const QUESTION = { query: "What is the build machine called?" };

type Called = { id: string; name: string; input: string };

function chat(calls: Called[], content: string | null = null) {
  return {
    id: fresh("chatcmpl"),
    object: "chat.completion",
    created: 1,
    model: "played",
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
        message: {
          role: "assistant",
          content,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: "function",
              function: { name, arguments: input },
            })),
          }),
        },
      },
    ],
  };
}

function response(calls: Called[], text?: string) {
  const said = {
    type: "message",
    id: fresh("msg"),
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  return {
    id: fresh("resp"),
    object: "response",
    created_at: 1,
    status: "completed",
    model: "played",
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    error: null,
    incomplete_details: null,
    output: [
      ...calls.map(({ id, name, input }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: input,
        status: "completed",
      })),
      ...(text === undefined ? [] : [said]),
    ],
  };
}

const REMEMBER = { id: "call_1", name: "remember", input: JSON.stringify(FACT) };
const RECALL = { id: "call_2", name: "recall", input: JSON.stringify(QUESTION) };
const OWN = { id: "call_3", name: "weather", input: "{}" };

async function play(replies: unknown[]) {
  const model = await modelServer(replies.map((reply) => () => reply));
  return { model, openai: new OpenAI({ apiKey: "none", baseURL: model.url, maxRetries: 0 }) };
}

const open = (options = {}) =>
  openaiTools(kiokuOf(service.api), { session_id: fresh("session"), ...options });

describe("chat completions", () => {
  it("are given the tools, and their calls are carried out beside the caller's own", async () => {
    const { model, openai } = await play([chat([REMEMBER]), chat([RECALL, OWN]), chat([], "Otto")]);
    const kioku = await open();
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Remember Otto" }];
    for (;;) {
      const { choices } = await openai.chat.completions.create({
        model: "played",
        messages,
        tools: kioku.tools,
      });
      const message = choices[0]?.message;
      if (message === undefined || message.tool_calls === undefined) break;
      messages.push(message);
      messages.push(
        ...(await Promise.all(
          message.tool_calls.map(
            async (call) =>
              (await kioku.execute(call)) ?? {
                role: "tool" as const,
                tool_call_id: call.id,
                content: "sunny",
              },
          ),
        )),
      );
    }
    expect(model.asked[0]?.body.tools).toMatchObject([
      { type: "function", function: { name: "remember", parameters: { type: "object" } } },
      { function: { name: "recall" } },
      { function: { name: "forget" } },
    ]);
    const results = messages.filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toEqual([
      expect.stringContaining('"remembered":true'),
      expect.stringContaining(FACT.content),
      "sunny",
    ]);
  });

  it("run by themselves with the SDK's tool runner, which passes bad arguments back", async () => {
    const bad = { id: "call_0", name: "remember", input: '{"type":"fact"}' };
    const broken = { id: "call_00", name: "remember", input: '{"content":' };
    const { model, openai } = await play([
      chat([bad, broken]),
      chat([REMEMBER]),
      chat([RECALL]),
      chat([], "It is called Otto."),
    ]);
    const { runnable } = await open();
    const runner = openai.chat.completions.runTools({
      model: "played",
      messages: [{ role: "user", content: "What is it called?" }],
      tools: runnable,
    });
    expect(await runner.finalContent()).toBe("It is called Otto.");
    const told = (model.asked.at(-1)?.body.messages as ChatCompletionMessageParam[])
      .filter(({ role }) => role === "tool")
      .map(({ content }) => content);
    expect(told).toEqual([
      expect.stringMatching(/"error":"content:/),
      expect.stringContaining("The arguments are not valid JSON"),
      expect.stringContaining('"remembered":true'),
      expect.stringContaining(FACT.content),
    ]);
  });
});

describe("responses", () => {
  it("are given the tools, and their function calls are answered with items", async () => {
    const { model, openai } = await play([
      response([REMEMBER]),
      response([RECALL, OWN]),
      response([], "Otto"),
    ]);
    const kioku = await open();
    const input: ResponseInput = [{ role: "user", content: "Remember Otto" }];
    for (;;) {
      const { output, output_text } = await openai.responses.create({
        model: "played",
        input,
        tools: kioku.responseTools,
      });
      if (output_text !== "") break;
      for (const item of output)
        if (item.type === "function_call")
          input.push(
            item,
            (await kioku.execute(item)) ?? {
              type: "function_call_output",
              call_id: item.call_id,
              output: "sunny",
            },
          );
    }
    expect(model.asked[0]?.body.tools).toMatchObject([
      { type: "function", name: "remember", strict: false },
      { name: "recall" },
      { name: "forget" },
    ]);
    expect(input.filter((item) => item.type === "function_call_output")).toEqual([
      { type: "function_call_output", call_id: "call_1", output: expect.stringContaining("remembered") },
      { type: "function_call_output", call_id: "call_2", output: expect.stringContaining(FACT.content) },
      { type: "function_call_output", call_id: "call_3", output: "sunny" },
    ]);
  });

  it("run by themselves with the SDK's tool runner", async () => {
    const { model, openai } = await play([response([REMEMBER]), response([RECALL]), response([], "Otto")]);
    const { functions } = await open();
    const last = await new ResponsesToolRunner({ functions }).run(openai, {
      model: "played",
      input: "What is it called?",
    });
    expect(last.output_text).toBe("Otto");
    expect(JSON.stringify(model.asked.at(-1)?.body.input)).toContain(FACT.content);
  });
});

describe("whose memory it is", () => {
  const call = (name: string, input: object) => ({
    id: "c",
    type: "function" as const,
    function: { name, arguments: JSON.stringify(input) },
  });

  it("can be an agent's, without a session", async () => {
    const agent_id = fresh("agent");
    const { execute } = await open({ session_id: undefined, agent_id });
    await execute(call("remember", FACT));
    const found = await execute(call("recall", QUESTION));
    expect(found?.content).toContain(FACT.content);
  });

  it("is not for the model to say", async () => {
    const { execute } = await open({ session_id: undefined, agent_id: fresh("agent") });
    const refused = await execute(call("recall", { ...QUESTION, agent_id: "another" }));
    expect(refused?.content).toContain("agent_id: is not a known field");
  });

  it("is asked before anything was said in a session that is new", async () => {
    const { execute } = await open({ agent_id: fresh("agent") });
    expect((await execute(call("recall", QUESTION)))?.content).toContain('"count":0');
  });

  it("is required", async () => {
    await expect(open({ session_id: undefined })).rejects.toThrow("session_id: is required");
  });

  it("can be worked on with any tools of the registry, by name", async () => {
    const { tools } = await open({ tools: ["prime", "recall"] });
    expect(tools.map((tool) => tool.function.name)).toEqual(["prime", "recall"]);
    await expect(open({ tools: ["recal"] })).rejects.toThrow(
      /no tool recal\. The tools are remember, recall/,
    );
  });
});
