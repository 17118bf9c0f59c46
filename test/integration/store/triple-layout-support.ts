// Helpers of the tests of the triples' layout: a tenant with every kind of subject, the answers that show its triples, and
// the way back to the layout before migration 0026.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { hash64 } from "../../../src/platform/hash";
import type { Client } from "../support";

const LAYOUT_MIGRATION = "0026_triple_layout.sql";

/** Longer than a key: the earlier layout had a digest of it. */
export const LONG_REFERENCE = `document ${"x".repeat(120)}`;
export const LONG_CONTENT = `The gateway ${"retries slowly ".repeat(12)}`.trim();

type OldTriple = { tenant: string; subject: string; predicate: string; object: string; datatype: string };

/** Puts all triples back into the table of migration 0001, with the statement that wrote it, and applies the migration. */
export async function restoreEarlierLayout(): Promise<void> {
  const { results } = await env.DB.prepare(
    "SELECT tenant, subject, predicate, object, datatype FROM triples ORDER BY tenant, subject, position",
  ).all<OldTriple>();
  const triples = results.flatMap((triple) =>
    triple.predicate === "jido:confidenceValue" ? [toLevel(triple), triple] : [triple],
  );
  const rows = triples.map((triple) => ({
    ...triple,
    digest: triple.object.length > 64 ? `#${hash64(triple.object)}` : null,
  }));
  const created = findQueries("0001_long_term_memory.sql").filter((query) =>
    /\btriples\b *(_by|\()/.test(query),
  );
  expect(created).toHaveLength(3);
  await env.DB.batch(
    ["DROP VIEW triples", "DROP TABLE statements", "DROP TABLE predicates", ...created].map((query) =>
      env.DB.prepare(query),
    ),
  );
  await env.DB.prepare(
    `INSERT INTO triples (tenant, subject, predicate, object, datatype, digest)
      SELECT value ->> '$.tenant', value ->> '$.subject', value ->> '$.predicate', value ->> '$.object', value ->> '$.datatype', value ->> '$.digest'
      FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
  )
    .bind(JSON.stringify(rows))
    .run();
  await env.DB.batch(findQueries(LAYOUT_MIGRATION).map((query) => env.DB.prepare(query)));
}

function toLevel({ tenant, subject, object }: OldTriple): OldTriple {
  const level = Number(object) >= 0.8 ? "High" : Number(object) >= 0.5 ? "Medium" : "Low";
  return { tenant, subject, predicate: "jido:hasConfidence", object: `jido:${level}`, datatype: "" };
}

function findQueries(name: string): string[] {
  const queries = env.TEST_MIGRATIONS.find((migration) => migration.name === name)?.queries ?? [];
  // Comments between statements are queries of their own.
  return queries.filter((query) => query.replaceAll(/--.*$/gm, "").trim() !== "");
}

/** The triples that are not moved yet; null once their table is dropped. */
export async function countUnmoved(): Promise<number | null> {
  const table = await env.DB.prepare("SELECT 1 FROM sqlite_master WHERE name = 'triples_v1'").first();
  return table === null ? null : env.DB.prepare("SELECT count(*) AS n FROM triples_v1").first<number>("n");
}

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
    // A cursor encodes positions, which are other numbers in the earlier layout.
    const { next_cursor, ...rest } = body;
    answers[path] = { ...rest, hasMore: typeof next_cursor === "string" };
  }
  return answers;
}
