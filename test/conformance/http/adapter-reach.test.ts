// What a model remembers through an adapter is recalled in the next session of the same owner, and in no other's.
import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { kiokuTools } from "kioku/ai-sdk";
import { anthropicTools } from "kioku/anthropic";
import type { Kioku } from "kioku/client";
import { openaiTools } from "kioku/openai";
import { describe, expect, it } from "vitest";
import { quietSession, readMemory, remember } from "../support/actions";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";
import { kiokuOf } from "./adapters";

const service = sharedServer();

type Owner = { session_id?: string; user_id?: string; agent_id?: string };
/** Calls a tool as a model of the SDK does. Returns the result's text. */
type CallTool = (kioku: Kioku, owner: Owner, name: string, input: object) => Promise<string>;

const ADAPTERS: Record<string, CallTool> = {
  async "the AI SDK"(kioku, owner, toolName, input) {
    const call = { type: "tool-call", toolCallId: "c1", toolName, input: JSON.stringify(input) } as const;
    const model = new MockLanguageModelV4({
      doGenerate: {
        content: [call],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      },
    });
    const { content } = await generateText({ model, prompt: "Go on", tools: await kiokuTools(kioku, owner) });
    return JSON.stringify(
      content.map((part) =>
        part.type === "tool-result" ? part.output : part.type === "tool-error" ? String(part.error) : null,
      ),
    );
  },
  async OpenAI(kioku, owner, name, input) {
    const { runnable } = await openaiTools(kioku, owner);
    const tool = runnable.find((one) => one.function.name === name);
    const run = tool?.function.function as ((input: string) => Promise<unknown>) | undefined;
    return JSON.stringify(await run?.(JSON.stringify(input)));
  },
  async Anthropic(kioku, owner, name, input) {
    const { runnable } = await anthropicTools(kioku, owner);
    const tool = runnable.find((one) => "name" in one && one.name === name);
    const outcome = await Promise.resolve(tool?.run(input as never)).catch((error: Error) => error.message);
    return JSON.stringify(outcome);
  },
};

describe.each(Object.entries(ADAPTERS))("through the adapter of %s", (_, callTool) => {
  it.each([
    ["user", () => ({ user_id: fresh("mia") })],
    ["agent", () => ({ agent_id: fresh("ada") })],
    ["user of an agent", () => ({ user_id: fresh("mia"), agent_id: "clerk" })],
  ])("session 2 of the same %s recalls what session 1 remembered", async (_kind, createOwner) => {
    const kioku = kiokuOf(service.api);
    const [owner, other] = [createOwner(), createOwner()];
    await callTool(kioku, { session_id: fresh("one"), ...owner }, "remember", {
      content: "The tide turns at six",
    });
    const ask = (given: Owner) => callTool(kioku, given, "recall", { query: "tide" });
    expect(await ask({ session_id: fresh("two"), ...owner })).toContain("turns at six");
    expect(await ask(owner)).toContain("turns at six");
    expect(await ask({ session_id: fresh("three"), ...other })).not.toContain("turns at six");
    expect(await ask(other)).not.toContain("turns at six");
  });

  it("a session of somebody else is refused, and nothing is read or written in it", async () => {
    const kioku = kiokuOf(service.api);
    const session_id = fresh("session");
    const remembered = { content: "Olga plays the cello" };
    await callTool(kioku, { session_id, user_id: fresh("olga") }, "remember", remembered);
    const petra = { session_id, user_id: fresh("petra") };
    const answer = await callTool(kioku, petra, "recall", { query: "cello" });
    expect(answer).toContain("user_id");
    expect(answer).not.toContain("Olga");
    expect(await callTool(kioku, petra, "remember", { content: "Petra sings" })).toContain("user_id");
  });

  it("a model widens nothing, with a session and without one", async () => {
    const kioku = kiokuOf(service.api);
    const elsewhere = await quietSession(service.api, { user_id: fresh("noa"), agent_id: "clerk" });
    const { memory_id } = await remember(service.api, elsewhere.id, "The safe is behind the clock");
    const owner = { user_id: fresh("mia"), agent_id: "clerk" };
    for (const given of [{ session_id: fresh("session"), ...owner }, owner]) {
      for (const scope of ["agent", "project", "tenant"]) {
        const outcome = await callTool(kioku, given, "recall", { query: "safe", scope });
        expect(outcome, scope).toContain("reach");
        expect(outcome).not.toContain("behind the clock");
      }
      for (const field of ["user_id", "agent_id", "session_id"]) {
        const named = { query: "safe", [field]: field === "session_id" ? elsewhere.id : "noa" };
        expect(await callTool(kioku, given, "recall", named)).not.toContain("behind the clock");
      }
      expect(await callTool(kioku, given, "forget", { memory_id })).toContain("not found");
      expect(await readMemory(service.api, memory_id)).toMatchObject({ forgotten_at: null });
    }
  });
});
