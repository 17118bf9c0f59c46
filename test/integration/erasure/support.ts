// Helpers of the erasure tests: an agent in a project with something in every store.
import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { type Client, freshId, sessionStub } from "../support";

/** All that a session's object stores in tables, without its messages. */
export function readObject(tenant: string, id: string): Promise<string> {
  return runInDurableObject(sessionStub(tenant, id), (_instance, state) => {
    const { sql } = state.storage;
    const tables = ["thread", "idempotency", "signals", "spaces", "pending", "context", "outbox"];
    return JSON.stringify(tables.map((table) => sql.exec(`SELECT * FROM ${table}`).toArray()));
  });
}

export async function send(client: Client, method: string, path: string, body: object) {
  const answer = await client.call(method, path, body);
  expect([200, 201, 202], `${path} ${JSON.stringify(answer.body)}`).toContain(answer.status);
  return answer.body;
}

/** Gives an agent of a project something in every store. `word` is in every text. */
export async function fillOwner(
  client: Client,
  owner: { agent_id: string; project_id: string },
  word: string,
) {
  const { agent_id, project_id } = owner;
  const session = freshId("session");
  const path = `/v1/sessions/${session}`;
  await send(client, "POST", "/v1/sessions", { id: session, ...owner });
  await send(client, "POST", `${path}/messages`, {
    messages: [{ role: "user", content: `${word} was said` }],
  });
  // Sends the message to D1.
  await send(client, "POST", `${path}/recall`, { sources: ["messages"] });
  await send(client, "PUT", `${path}/context/topic`, { value: word, memory_type: "fact" });
  const { memory_id } = await send(client, "POST", `${path}/remember`, { content: `Owns ${word}` });
  const { memory_id: outside } = await send(client, "POST", "/v1/remember", {
    ...owner,
    content: `Works with ${word}`,
  });
  await send(client, "POST", "/v1/links", { from: outside, relation: "supports", to: memory_id });
  await send(client, "POST", "/v1/entries", {
    agent_id,
    session_id: session,
    content: `Asked about ${word}`,
  });
  await send(client, "POST", "/v1/episodes", {
    project_id,
    agent: agent_id,
    context: { goal: `Explain ${word}` },
    outcome: "success",
  });
  await send(client, "PUT", `/v1/agents/${agent_id}/policy`, { metadata: { note: word } });
  await send(client, "PUT", `/v1/ledgers/${agent_id}`, { state: { note: word } });
  await client.call(
    "POST",
    "/v1/handoffs",
    { from_agent: "zoe", to_agent: agent_id, project_id, context: { what_was_done: `Found ${word}` } },
    { "Idempotency-Key": freshId("key") },
  );
  await send(client, "PUT", `/v1/agents/${agent_id}`, { properties: { agentName: word } });
  await send(client, "PUT", `/v1/projects/${project_id}`, { properties: { projectName: word } });
  await send(client, "PUT", `/v1/resources/source_file/${session}`, {
    project_id,
    properties: { filePath: word },
  });
  return { session, memory_id, outside };
}
