// A tenant with every kind of subject, and the answers that show its triples.
import { expect } from "vitest";
import type { Client } from "../support";

/** Longer than a key, which is then a digest. */
const LONG_REFERENCE = `document ${"x".repeat(120)}`;
const LONG_CONTENT = `The gateway ${"retries slowly ".repeat(12)}`.trim();

/** Stores subjects of every kind; gives the ids of the memories. */
export async function storeSubjects(client: Client) {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await client.call(method, path, body);
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
    return answer.body;
  };
  const remember = async (body: object): Promise<string> =>
    (await send("POST", "/v1/remember", body)).memory_id;
  await send("POST", "/v1/sessions", {
    id: "first",
    agent_id: "ada",
    project_id: "shop",
    user_id: "eve@shop.example",
  });
  await send("PUT", "/v1/agents/ada", {
    properties: { hasCapability: ["CanWriteMemory", "CanQueryMemory"] },
  });
  await send("PUT", "/v1/resources/source_file/router", {
    project_id: "shop",
    properties: { filePath: "router.ts" },
  });
  const own = { session_id: "first" };
  const old = await remember({ ...own, content: "Use Oracle", key: "db" });
  const decision = await remember({
    ...own,
    content: "Use Postgres",
    type: "architectural_decision",
    key: "db",
    rationale: "It is free",
    evidence: ["z-1", LONG_REFERENCE, "a-2"],
    tags: ["storage"],
    metadata: { ticket: 7 },
    properties: { impactLevel: "high", decisionStatus: "accepted", refersTo: ["source_file/router"] },
  });
  const long = await remember({ ...own, content: LONG_CONTENT, confidence: 0.55 });
  const other = await remember({ ...own, content: "The gateway never retries", confidence: 0.3 });
  const episode = await send("POST", "/v1/episodes", {
    project_id: "shop",
    context: { goal: "Explain the gateway" },
    outcome: "success",
  });
  await send("POST", "/v1/links", { from: long, relation: "contradicts", to: other, strength: 0.5 });
  await send("POST", "/v1/links", { from: decision, relation: "derived_from", to: episode.id });
  await send("POST", "/v1/links", { from: decision, relation: "related_to", to: long });
  return { old, decision, long, other, episode: episode.id as string };
}

export type StoredSubjects = Awaited<ReturnType<typeof storeSubjects>>;

/** The answers that depend on triples. */
export async function readAnswers(client: Client, { old, decision, long, other, episode }: StoredSubjects) {
  const paths = [
    ...[old, decision, long, other].flatMap((id) => [
      `/v1/memories/${id}`,
      `/v1/memories/${id}/triples`,
      `/v1/memories/${id}/history`,
      `/v1/links?of=${id}&limit=2`,
    ]),
    `/v1/links?of=${episode}`,
    "/v1/sessions/first/triples",
    "/v1/agents/ada",
    "/v1/agents/ada/triples",
    "/v1/agents",
    "/v1/resources/source_file/router",
    "/v1/resources/source_file/router/triples",
    "/v1/resources",
    "/v1/contradictions",
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await client.call("GET", path);
    expect([path, status]).toEqual([path, 200]);
    // A cursor encodes positions.
    const { next_cursor, ...rest } = body;
    answers[path] = { ...rest, hasMore: typeof next_cursor === "string" };
  }
  return answers;
}
