// Memories by their key: listed, and recalled, by a whole key or by its beginning.
import type { RecallAnswer } from "kioku/client";
import { beforeAll, describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const service = serviceUnderTest();
const agent_id = fresh("agent");
const project_id = fresh("project");

beforeAll(async () => {
  const remember = (key: string, content: string, belongs: object = { agent_id }) =>
    service.api.post("/v1/remember", { ...belongs, key, content });
  await remember("drink:morning", "Coffee with milk in the morning");
  await remember("drink:evening", "Coffee without caffeine in the evening");
  await remember("drinks", "Coffee is for guests");
  await remember("drink:morning", "Coffee of the project", { project_id });
  await remember("drink:morning", "Tea with milk in the morning");
});

async function listed(query: string): Promise<string[]> {
  const page = await service.api.get<{ data: { content: string }[] }>(`/v1/memories?${query}`);
  return bodyOf(page, 200)
    .data.map(({ content }) => content)
    .sort();
}

describe("a list", () => {
  it("by key has the live memory of that topic in that scope", async () => {
    expect(await listed(`agent_id=${agent_id}&key=drink:morning`)).toEqual(["Tea with milk in the morning"]);
    expect(await listed(`project_id=${project_id}&key=drink:morning`)).toEqual(["Coffee of the project"]);
    expect(await listed(`agent_id=${agent_id}&key=drink`)).toEqual([]);
  });

  it("by the beginning of a key has all topics that begin so, as they are written", async () => {
    expect(await listed(`agent_id=${agent_id}&key_prefix=drink:`)).toEqual([
      "Coffee without caffeine in the evening",
      "Tea with milk in the morning",
    ]);
    expect(await listed(`agent_id=${agent_id}&key_prefix=Drink`)).toEqual([]);
    expect(await listed(`agent_id=${agent_id}&key_prefix=%25`)).toEqual([]);
  });

  it("by key has the former ones too, when they are asked for", async () => {
    expect(await listed(`agent_id=${agent_id}&key=drink:morning&include_superseded=true`)).toEqual([
      "Coffee with milk in the morning",
      "Tea with milk in the morning",
    ]);
  });

  it("refuses a key that none can have", async () => {
    const refused = await service.api.get<{ errors: object[] }>(`/v1/memories?key=${"k".repeat(129)}`);
    expect(bodyOf(refused, 400).errors).toMatchObject([{ path: "key" }]);
  });
});

describe("a recall", () => {
  it("by the beginning of a key finds nothing else, by words and by meaning", async () => {
    for (const mode of ["text", "semantic", "hybrid"]) {
      const answer = await service.api.post<RecallAnswer>("/v1/recall", {
        agent_id,
        query: "coffee",
        key_prefix: "drink:",
        mode,
      });
      const contents = bodyOf(answer, 200).memories.map(({ content }) => content);
      expect(contents).toContain("Coffee without caffeine in the evening");
      expect(contents).not.toContain("Coffee is for guests");
    }
  });

  it("by the beginning of a key has no messages, which have none", async () => {
    const session_id = fresh("session");
    await service.api.post(`/v1/sessions/${session_id}/messages`, {
      messages: [{ role: "user", content: "Coffee, please" }],
    });
    const answer = await service.api.post<RecallAnswer>("/v1/recall", {
      session_id,
      query: "coffee",
      key_prefix: "drink:",
      sources: ["messages"],
    });
    expect(bodyOf(answer, 200).count).toBe(0);
  });
});
