// Vercel's AI SDK with Kioku's tools and its middleware, and the SDK's own mock of a model.
import { generateText, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { kiokuMiddleware, kiokuTools } from "kioku/ai-sdk";
import { Kioku } from "kioku/client";
import { describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";
import { kiokuOf } from "./adapters";

const service = sharedServer();
const FACT = "The build machine is called Otto";

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Part = Generated["content"][number];

const USAGE: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function reply(content: Part[]): Generated {
  const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
  return { content, finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] };
}

const says = (text: string): Generated => reply([{ type: "text", text }]);
const calls = (toolName: string, input: object, toolCallId = fresh("call")): Part => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

describe("tools", () => {
  it("are called by the model and give structured results, several at once", async () => {
    const model = new MockLanguageModelV4({
      doGenerate: [
        reply([calls("remember", { content: FACT }), calls("remember", { content: "Otto has 64 cores" })]),
        reply([calls("recall", { query: "What is the build machine called?" })]),
        says("Otto"),
      ],
    });
    const { text, steps } = await generateText({
      model,
      prompt: "What is it called?",
      tools: await kiokuTools(kiokuOf(service.api), { session_id: fresh("session") }),
      stopWhen: stepCountIs(5),
    });
    expect(text).toBe("Otto");
    expect(steps[0]?.toolResults.map(({ output }) => output)).toMatchObject([
      { remembered: true },
      { remembered: true },
    ]);
    const [recalled] = steps[1]?.toolResults ?? [];
    expect(recalled?.output).toMatchObject({
      memories: expect.arrayContaining([expect.objectContaining({ content: FACT })]),
    });
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      { name: "remember", inputSchema: { type: "object", required: ["content"] } },
      { name: "recall" },
      { name: "forget" },
    ]);
  });

  it("tell the model what to change, as an error of the tool", async () => {
    const model = new MockLanguageModelV4({
      doGenerate: [reply([calls("remember", { content: FACT, type: "rumour" })]), says("I see")],
    });
    await generateText({
      model,
      prompt: "Remember",
      tools: await kiokuTools(kiokuOf(service.api), { session_id: fresh("session"), tools: ["remember"] }),
      stopWhen: stepCountIs(5),
    });
    expect(model.doGenerateCalls[0]?.tools).toHaveLength(1);
    expect(model.doGenerateCalls[1]?.prompt.at(-1)).toMatchObject({
      role: "tool",
      content: [{ output: { type: "error-text", value: expect.stringContaining("type: ") } }],
    });
  });

  it("work on an agent's memory without a session", async () => {
    const kioku = kiokuOf(service.api);
    const agent_id = fresh("agent");
    const model = new MockLanguageModelV4({
      doGenerate: [reply([calls("remember", { content: FACT })]), says("Done")],
    });
    await generateText({
      model,
      prompt: "Remember",
      tools: await kiokuTools(kioku, { agent_id }),
      stopWhen: stepCountIs(5),
    });
    const { memories } = await kioku.recall({ agent_id, query: FACT });
    expect(memories.map(({ content }) => content)).toEqual([FACT]);
  });
});

describe("the middleware", () => {
  async function agentWith(policy: Parameters<ReturnType<Kioku["agents"]>["policy"]["put"]>[0]) {
    const kioku = kiokuOf(service.api);
    const agent_id = fresh("agent");
    await kioku.agents(agent_id).policy.put(policy);
    return { kioku, agent_id };
  }

  it("puts what was said in one session into the prompt of the next", async () => {
    const { kioku, agent_id } = await agentWith({ capture: "conversation" });
    const talk = async (prompt: string, answer: string) => {
      const mock = new MockLanguageModelV4({ doGenerate: says(answer) });
      const middleware = kiokuMiddleware(kioku, { session_id: fresh("session"), agent_id });
      const model = wrapLanguageModel({ model: mock, middleware });
      await generateText({ model, system: "Be brief.", prompt });
      return mock.doGenerateCalls[0]?.prompt;
    };
    await talk("My name is Alex.", "Nice to meet you, Alex.");
    const prompt = await talk("hello", "Hello again, Alex.");
    expect(prompt).toMatchObject([
      { role: "system", content: expect.stringMatching(/^Be brief\.\n\n[\s\S]*My name is Alex\./) },
      { role: "user", content: [{ type: "text", text: "hello" }] },
    ]);
  });

  it("adds what the same user said in another session, and nothing of another user", async () => {
    const { kioku, agent_id } = await agentWith({ capture: "conversation" });
    const talk = async (user_id: string, prompt: string) => {
      const mock = new MockLanguageModelV4({ doGenerate: says("Noted.") });
      const middleware = kiokuMiddleware(kioku, { session_id: fresh("session"), agent_id, user_id });
      await generateText({ model: wrapLanguageModel({ model: mock, middleware }), prompt });
      return JSON.stringify(mock.doGenerateCalls[0]?.prompt);
    };
    await talk("ann", "I live in Lisbon.");
    await talk("ben", "I live in Oslo.");
    for (const prompt of ["Where do I live?", "hello"]) {
      expect(await talk("ann", prompt)).toContain("Lisbon");
      expect(await talk("ann", prompt)).not.toContain("Oslo");
      expect(await talk("ben", prompt)).toContain("Oslo");
      expect(await talk("ben", prompt)).not.toContain("Lisbon");
    }
  });

  it("adds the experience of the project if it is asked to", async () => {
    const { kioku, agent_id } = await agentWith({});
    const project_id = fresh("project");
    await kioku.patterns.create({
      project_id,
      pattern: "Deploy the shop to production only after the smoke tests",
      category: "deployment",
      correct_approach: "Run the smoke tests first",
    });
    const talk = async (experience?: boolean) => {
      const mock = new MockLanguageModelV4({ doGenerate: says("Done.") });
      const owner = { session_id: fresh("session"), agent_id, project_id };
      const middleware = kiokuMiddleware(kioku, { ...owner, experience });
      const model = wrapLanguageModel({ model: mock, middleware });
      await generateText({ model, prompt: "Deploy the shop to production" });
      return JSON.stringify(mock.doGenerateCalls[0]?.prompt);
    };
    expect(await talk()).not.toContain("smoke tests");
    expect(await talk(true)).toContain("Run the smoke tests first");
  });

  it("captures a streamed turn at its end, and lets the stream through as it was", async () => {
    const { kioku, agent_id } = await agentWith({ capture: "conversation", inject: "context" });
    const session_id = fresh("session");
    const mock = new MockLanguageModelV4({
      doStream: async () => ({
        stream: simulateReadableStream({
          chunks: [
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: "I like " },
            { type: "text-delta", id: "1", delta: "oolong." },
            { type: "text-end", id: "1" },
            { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: USAGE },
          ],
        }),
      }),
    });
    const model = wrapLanguageModel({
      model: mock,
      middleware: kiokuMiddleware(kioku, { session_id, agent_id }),
    });
    const { textStream } = streamText({ model, prompt: "Which tea do you like?" });
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    expect(pieces.join("")).toBe("I like oolong.");
    const entries = await kioku.entries.list({ namespace: `agent:${agent_id}` }).page();
    expect(entries.data.map(({ content }) => content)).toEqual([
      "User: Which tea do you like?\nAssistant: I like oolong.",
    ]);

    await streamText({ model, system: "Be kind.", prompt: "Which tea was it?" }).text;
    expect(mock.doStreamCalls[1]?.prompt.map(({ role }) => role)).toEqual(["system", "system", "user"]);
    expect(JSON.stringify(mock.doStreamCalls[1]?.prompt[1])).toContain("oolong");
  });

  it("captures one turn of a run with tools: its last answer", async () => {
    const { kioku, agent_id } = await agentWith({ capture: "conversation" });
    const session_id = fresh("session");
    const mock = new MockLanguageModelV4({
      doGenerate: [
        reply([{ type: "text", text: "Let me look." }, calls("recall", { query: "tea" })]),
        says("Nothing about tea."),
      ],
    });
    await generateText({
      model: wrapLanguageModel({ model: mock, middleware: kiokuMiddleware(kioku, { session_id, agent_id }) }),
      prompt: "What about tea?",
      tools: await kiokuTools(kioku, { session_id, agent_id }),
      stopWhen: stepCountIs(5),
    });
    const { data } = await kioku.entries.list({ namespace: `agent:${agent_id}` }).page();
    expect(data.map(({ content }) => content)).toEqual([
      "User: What about tea?\nAssistant: Nothing about tea.",
    ]);
  });

  it("tells what the policy made of a turn", async () => {
    const { kioku, agent_id } = await agentWith({ capture: "off" });
    const turns: unknown[] = [];
    const middleware = kiokuMiddleware(kioku, {
      session_id: fresh("session"),
      agent_id,
      onTurn: (turn) => turns.push(turn),
    });
    const model = wrapLanguageModel({
      model: new MockLanguageModelV4({ doGenerate: says("Hi") }),
      middleware,
    });
    await generateText({ model, prompt: "hello" });
    expect(turns).toMatchObject([{ captured: false, reason: expect.stringContaining('"off"') }]);
  });

  it("lets the model answer when memory fails, and tells of it", async () => {
    const nowhere = new Kioku({ url: "http://127.0.0.1:9", key: "none", retries: 0 });
    const errors: unknown[] = [];
    const middleware = kiokuMiddleware(nowhere, {
      session_id: "s",
      onError: (error) => errors.push(error),
    });
    const model = wrapLanguageModel({
      model: new MockLanguageModelV4({ doGenerate: says("Hi") }),
      middleware,
    });
    const { text } = await generateText({ model, prompt: "hello" });
    expect(text).toBe("Hi");
    expect(errors).toMatchObject([{ code: "network" }, { code: "network" }]);
  });
});
