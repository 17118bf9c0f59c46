// A question that names the user finds what the user says in the first person; one on another subject finds nothing.
import { beforeEach, describe, expect, it } from "vitest";
import { type Client, freshId, newClient } from "../support";

let client: Client;
beforeEach(async () => {
  client = await newClient();
  const session = freshId("session");
  for (const content of ["I swim a kilometre every morning", "I am afraid of heights"]) {
    const { status } = await client.call("POST", `/v1/sessions/${session}/remember`, {
      user_id: "mira",
      content,
    });
    expect(status).toBe(201);
  }
});

async function recall(query: string): Promise<{ confidence: string; contents: string[] }> {
  const { status, body } = await client.call("POST", "/v1/recall", { user_id: "mira", query });
  expect(status, JSON.stringify(body)).toBe(200);
  return {
    confidence: body.confidence,
    contents: body.memories.map(({ content }: { content: string }) => content),
  };
}

describe("a question that names the user", () => {
  it.each([
    ["How does Mira exercise?", "I swim a kilometre every morning"],
    ["What is Mira scared of?", "I am afraid of heights"],
  ])("%s finds %s", async (query, content) => {
    expect((await recall(query)).contents[0]).toBe(content);
  });

  it.each([
    "What is Mira's favourite planet?",
    "Which Linux distribution does Mira run?",
    "What is Mira's password for the router?",
  ])("%s finds nothing", async (query) => {
    expect(await recall(query)).toEqual({ confidence: "none", contents: [] });
  });
});
