// The registry of operations over HTTP: listed by set, and run by name as a model calls them.
import { describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const service = serviceUnderTest();

type Result = { tool_call_id: string; content: string };

async function execute<T>(session_id: string, name: string, given: object): Promise<T> {
  const call = { id: fresh("call"), type: "function", function: { name, arguments: JSON.stringify(given) } };
  const { tool_call_id, content } = bodyOf(
    await service.api.post<Result>("/v1/tools/execute", { session_id, call }),
    200,
  );
  expect(tool_call_id).toBe(call.id);
  return JSON.parse(content);
}

describe("GET /v1/tools", () => {
  const names = async (query: string) => {
    const tools = bodyOf(
      await service.api.get<{ name: string }[]>(`/v1/tools?format=anthropic${query}`),
      200,
    );
    return tools.map(({ name }) => name);
  };

  it("lists the three that every agent needs, and with set=all every one", async () => {
    expect(await names("")).toEqual(["remember", "recall", "forget"]);
    expect(await names("&set=core")).toEqual(["remember", "recall", "forget"]);
    expect(await names("&set=all")).toEqual(
      expect.arrayContaining(["remember", "assemble", "prime", "hand_off", "read_skill"]),
    );
    expectProblem(await service.api.get("/v1/tools?set=some"), "invalid_request", "set");
  });
});

describe("POST /v1/tools/execute", () => {
  it("runs any of them, in a session that says whose the call is", async () => {
    const [id, agent_id, project_id] = [fresh("session"), fresh("agent"), fresh("project")];
    await service.api.post("/v1/sessions", { id, agent_id, project_id });
    const lesson = {
      trigger: "Merging without a review",
      root_cause: "Haste",
      fix: "Revert",
      prevention: "Wait for the review before merging",
    };
    expect(await execute(id, "learn", lesson)).toMatchObject({ project_id, occurrences: 1 });
    expect(await execute(id, "prime", { goal: "Merge the branch after a review" })).toMatchObject({
      avoid_these: [{ kind: "learning" }],
    });
    expect(await execute(id, "save_checkpoint", { current_task: "Merge" })).toMatchObject({ agent_id });
    expect(await execute(id, "read_checkpoint", {})).toMatchObject({ current_task: "Merge" });
    await execute(id, "add_messages", { messages: [{ role: "user", content: "Is it merged?" }] });
    expect(await execute(id, "assemble", { token_budget: 1_000 })).toMatchObject({
      messages: [{ content: "Is it merged?" }],
    });
  });

  it("prepares a task in a session that has not begun", async () => {
    expect(await execute(fresh("session"), "prime", { goal: "Paint the fence" })).toMatchObject({
      similar_episodes: [],
    });
  });

  it("refuses what writes to a key that may only read", async () => {
    const reader = await service.tenant({ scopes: ["read"] });
    const call = { type: "tool_use", id: "1", name: "save_checkpoint", input: { agent_id: "ada" } };
    expectProblem(await reader.post("/v1/tools/execute", { session_id: "s", call }), "forbidden");
  });
});
