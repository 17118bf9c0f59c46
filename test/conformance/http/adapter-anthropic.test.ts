// Anthropic's SDK with Kioku's tools and its memory tool, against a server that plays the model.
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { MessageParam, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { anthropicTools, kiokuMemoryTool } from "kioku/anthropic";
import { describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";
import { type ModelServer, modelServer } from "../support/model-server";
import { kiokuOf } from "./adapters";

const service = sharedServer();
const FACT = "The build machine is called Otto";

type Use = { id: string; name: string; input: object };

const REMEMBER = { id: "toolu_1", name: "remember", input: { content: FACT } };
const RECALL = { id: "toolu_2", name: "recall", input: { query: "What is the build machine called?" } };
const OWN = { id: "toolu_3", name: "weather", input: {} };

function message(uses: Use[], text?: string) {
  return {
    id: fresh("msg"),
    type: "message",
    role: "assistant",
    model: "played",
    stop_reason: uses.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
    content: [
      ...uses.map((use) => ({ type: "tool_use", ...use })),
      ...(text === undefined ? [] : [{ type: "text", text }]),
    ],
  };
}

async function play(replies: unknown[]) {
  const model = await modelServer(replies.map((reply) => () => reply));
  return { model, anthropic: new Anthropic({ apiKey: "none", baseURL: model.url, maxRetries: 0 }) };
}

const open = () => anthropicTools(kiokuOf(service.api), { session_id: fresh("session") });

/** The results that the model was told, in all calls: a runner may send only what is new. */
function told({ asked }: ModelServer): ToolResultBlockParam[] {
  const blocks = asked
    .flatMap(({ body }) => body.messages as MessageParam[])
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .flatMap((block) => (block.type === "tool_result" ? [block] : []));
  return [...new Map(blocks.map((block) => [block.tool_use_id, block])).values()];
}

describe("messages", () => {
  it("are given the tools, and their calls are carried out beside the caller's own", async () => {
    const { model, anthropic } = await play([
      message([REMEMBER]),
      message([RECALL, OWN]),
      message([], "Otto"),
    ]);
    const kioku = await open();
    const messages: MessageParam[] = [{ role: "user", content: "Remember Otto" }];
    for (;;) {
      const { content, stop_reason } = await anthropic.messages.create({
        model: "played",
        max_tokens: 100,
        messages,
        tools: kioku.tools,
      });
      messages.push({ role: "assistant", content });
      if (stop_reason !== "tool_use") break;
      const uses = content.filter((block) => block.type === "tool_use");
      messages.push({
        role: "user",
        content: await Promise.all(
          uses.map(
            async (use) =>
              (await kioku.execute(use)) ?? {
                type: "tool_result" as const,
                tool_use_id: use.id,
                content: "sunny",
              },
          ),
        ),
      });
    }
    expect(model.asked[0]?.body.tools).toMatchObject([
      { name: "remember", input_schema: { type: "object" } },
      { name: "recall" },
      { name: "forget" },
    ]);
    expect(told(model)).toEqual([
      expect.objectContaining({ tool_use_id: "toolu_1", is_error: false }),
      expect.objectContaining({ tool_use_id: "toolu_2", content: expect.stringContaining(FACT) }),
      { type: "tool_result", tool_use_id: "toolu_3", content: "sunny" },
    ]);
  });

  it("run by themselves with the SDK's tool runner, which passes errors back", async () => {
    const { model, anthropic } = await play([
      message([{ id: "toolu_0", name: "remember", input: { content: "" } }]),
      message([REMEMBER]),
      message([RECALL]),
      message([], "Otto"),
    ]);
    const { runnable } = await open();
    const last = await anthropic.beta.messages.toolRunner({
      model: "played",
      max_tokens: 100,
      messages: [{ role: "user", content: "What is it called?" }],
      tools: runnable,
    });
    expect(last.content).toMatchObject([{ type: "text", text: "Otto" }]);
    expect(told(model)).toMatchObject([
      {
        tool_use_id: "toolu_0",
        is_error: true,
        content: expect.stringContaining("content: must not be empty"),
      },
      { tool_use_id: "toolu_1", content: expect.stringContaining("remembered") },
      { tool_use_id: "toolu_2", content: expect.stringContaining(FACT) },
    ]);
  });
});

describe("the memory tool", () => {
  it("keeps files from one conversation to the next, through the SDK's tool runner", async () => {
    const agent_id = fresh("agent");
    const talk = async (uses: Use[]) => {
      const { model, anthropic } = await play([...uses.map((use) => message([use])), message([], "Done")]);
      await anthropic.beta.messages.toolRunner({
        model: "played",
        max_tokens: 100,
        messages: [{ role: "user", content: "Go on" }],
        tools: [betaMemoryTool(kiokuMemoryTool(kiokuOf(service.api), { agent_id }))],
      });
      return model;
    };
    const path = "/memories/preferences.md";
    const use = (input: object) => ({ id: fresh("toolu"), name: "memory", input });

    const first = await talk([use({ command: "create", path, file_text: "Answer in French.\n" })]);
    expect(first.asked[0]?.body.tools).toEqual([{ type: "memory_20250818", name: "memory" }]);
    const second = await talk([use({ command: "view", path: "/memories" }), use({ command: "view", path })]);
    expect(told(second).map(({ content }) => content)).toEqual([
      expect.stringContaining(`18B\t${path}`),
      expect.stringContaining("     1\tAnswer in French."),
    ]);
  });
});
