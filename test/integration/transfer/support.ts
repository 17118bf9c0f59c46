// Helpers of the tests of export and import: a tenant with a record of every kind, and both calls.
import { env, exports } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { untilProjected } from "../../faults/support";
import { type Answer, type Client, freshId, sessionStub } from "../support";

export type Line = Record<string, unknown> & { kind: string };

/** Exports as text. */
export async function exportText(client: Client, query = ""): Promise<string> {
  const response = await exports.default.fetch(`https://kioku.test/v1/export${query}`, {
    headers: { Authorization: `Bearer ${client.key}` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
  return response.text();
}

export function parseLines(text: string): Line[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The records of an export, without the header and the end line. */
export async function exportRecords(client: Client, query = ""): Promise<Line[]> {
  return parseLines(await exportText(client, query)).slice(1, -1);
}

export function importText(client: Client, text: string): Promise<Answer> {
  return client.call("POST", "/v1/import", text, { "Content-Type": "application/x-ndjson" });
}

type StoredVersion = { memory_id: string; until: string; state: object; triples: string[] };

/** The stored versions of a tenant, their triples in one order. Uses are no part of them. */
export async function readVersionRows({ tenant }: Client): Promise<StoredVersion[]> {
  const { results } = await env.DB.prepare(
    "SELECT memory_id, until, state, triples FROM memory_versions WHERE tenant = ? ORDER BY memory_id, until",
  )
    .bind(tenant)
    .all<Record<"memory_id" | "until" | "state" | "triples", string>>();
  return results.map(({ state, triples, ...row }) => ({
    ...row,
    state: JSON.parse(state),
    triples: (JSON.parse(triples) as string[][])
      .filter(([predicate]) => predicate !== "jido:accessCount" && predicate !== "jido:lastAccessed")
      .map((triple) => JSON.stringify(triple))
      .sort(),
  }));
}

/** An export of these records, without a digest. */
export function toExport(records: readonly object[], header: object = {}): string {
  const counts: Record<string, number> = {};
  for (const { kind } of records as Line[]) counts[kind] = (counts[kind] ?? 0) + 1;
  const lines = [
    { kind: "kioku", format: 2, ...header },
    ...records,
    { kind: "end", lines: records.length, counts },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

export const EXTENSION = `@prefix ext: <https://jido.ai/ontology/extension#> .
@prefix jido: <https://jido.ai/ontology#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ext:Runbook a owl:Class ; rdfs:subClassOf jido:Plan ; rdfs:label "runbook" .
ext:minutes a owl:DatatypeProperty ; rdfs:domain ext:Runbook ; rdfs:range xsd:integer .`;

/** Stores something of every kind. Promotion is off, so that nothing changes by itself. */
export async function fillTenant(client: Client): Promise<{ session: string }> {
  const session = freshId("session");
  const path = `/v1/sessions/${session}`;
  const call = async (method: string, to: string, body?: unknown) => {
    const answer = await client.call(method, to, body);
    expect(answer.status, `${method} ${to} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  await call("PUT", "/v1/ontology/extensions/operations", { turtle: EXTENSION });
  await call("PUT", "/v1/resources/source_file/router", { properties: { filePath: "src/router.ts" } });
  await call("PUT", "/v1/projects/shop", { properties: { projectName: "Shop" } });
  await call("PUT", "/v1/agents/ada", { properties: { agentName: "Ada" } });
  await call("POST", "/v1/sessions", {
    ...{ id: session, agent_id: "ada", project_id: "shop", user_id: "mia@example.com", phase: "debugging" },
    ...{ promotion: { enabled: false }, metadata: { ticket: 412 }, participating_agents: ["bob"] },
  });
  await call("POST", `${path}/messages`, {
    messages: [
      { role: "user", name: "Mia", content: "The checkout is broken for guests 🛒" },
      { role: "assistant", content: "I look at it", tool_calls: [{ id: "c1", name: "grep" }] },
      { role: "tool", content: "router.ts:12", tool_call_id: "c1", metadata: { exit: 0 } },
    ],
  });
  await call("PUT", `${path}/context/framework`, { value: { name: "hono" }, source: "tool" });
  await call("POST", `${path}/pending`, { content: "Guests have no cart", memory_type: "assumption" });
  await call("PUT", `${path}/spaces/hypotheses`, { data: { cause: "a missing session" } });
  await call("POST", `${path}/tasks`, { text: "Write a test for guests" });
  await call("POST", `${path}/thread`, { entries: [{ kind: "note", payload: { said: "later" } }] });
  for (const provider of ["inline", "ephemeral", "d1", "vector"])
    await call("POST", `${path}/directives`, {
      type: "upsert",
      provider,
      items: [{ key: `of-${provider}`, value: { text: `An item of ${provider}` } }],
    });
  await vi.waitFor(async () => expect((await call("GET", `${path}/signals`)).data).toHaveLength(4));
  const fact = await call("POST", `${path}/remember`, {
    ...{ content: "Guests need a session of their own", rationale: "found in the log", tags: ["checkout"] },
    ...{ metadata: { area: "cart", level: 2, open: true }, evidence: ["commit:1a2b"] },
  });
  const older = await call("POST", "/v1/remember", { content: "Deploys on Monday", key: "deploy-day" });
  await call("POST", "/v1/remember", { content: "Deploys on Tuesday", key: "deploy-day" });
  const wrong = await call("POST", "/v1/remember", {
    content: "The moon is made of cheese",
    user_id: "mia@example.com",
  });
  await call("POST", "/v1/forget", { memory_id: wrong.memory_id, reason: "it is not" });
  await call("POST", "/v1/remember", {
    ...{ content: "Use an outbox", type: "decision", properties: { decisionStatus: "accepted" } },
    ...{ project_id: "shop", valid_from: "2025-05-01T00:00:00Z", source_type: "user" },
  });
  await call("POST", "/v1/remember", {
    content: "Restart the queue",
    type: "runbook",
    properties: { minutes: "5" },
  });
  await call("PATCH", `/v1/memories/${fact.memory_id}`, { tags: ["checkout", "guests"] });
  await call("POST", "/v1/recall", { query: "session of guests", project_id: "shop" });
  await call("POST", `${path}/recall`, { query: "session of guests" });
  const episode = await call("POST", "/v1/episodes", {
    ...{ id: "ep-1", project_id: "shop", agent: "ada", outcome: "failure", tokens_used: 900 },
    ...{
      context: { goal: "Repair the checkout" },
      action_log: [{ action: "read", target: "router.ts", extra: 1 }],
    },
    ...{ errors_encountered: [{ type: "TypeError", message: "cart is undefined" }] },
  });
  const pattern = await call("POST", "/v1/patterns", {
    ...{
      id: "guest-test",
      pattern: "Guests need a test",
      category: "testing",
      source_episodes: [episode.id],
    },
    project_id: "shop",
  });
  await call("POST", "/v1/learnings", {
    ...{ trigger: "A release", root_cause: "No test", fix: "Add one", prevention: "A checklist" },
  });
  await call("PUT", "/v1/skills/deploy-shop", {
    name: "Deploy",
    description: "How",
    steps: ["Build", "Ship"],
  });
  await call("POST", "/v1/links", {
    from: fact.memory_id,
    to: pattern.id,
    relation: "elaborates",
    strength: 0.5,
  });
  await call("POST", "/v1/links", { from: pattern.id, to: episode.id, relation: "contradicts" });
  await call("POST", "/v1/links", { from: fact.memory_id, to: older.memory_id, relation: "derived_from" });
  await call("POST", "/v1/prime", { project_id: "shop", agent_id: "ada", goal: "Repair the checkout" });
  await call("PUT", "/v1/ledgers/ada", { current_task: "guests", state: { step: 2 } });
  await call("PUT", "/v1/ledgers/ada", { current_task: "tests", state: { step: 3 } });
  const handoff = await call("POST", "/v1/handoffs", {
    ...{ from_agent: "ada", to_agent: "bob", project_id: "shop", context: { what_was_done: "All" } },
  });
  await call("POST", `/v1/handoffs/${handoff.id}/acknowledge`, { agent_id: "bob" });
  await call("PUT", "/v1/agents/ada/policy", { scope: "agent", capture: "conversation", max_entries: 3 });
  await call("POST", "/v1/entries", {
    agent_id: "ada",
    content: "Ada likes tests",
    metadata: { mood: "good" },
  });
  await call("POST", "/v1/graph/create_entities", {
    entities: [{ name: "Mia", entityType: "person", observations: ["likes tea"] }],
  });
  await call("PUT", "/v1/privacy", { personal_data: { iban: "mask" } });
  await call("PUT", "/v1/projects/shop/privacy", { privacy: "strict" });
  await call("POST", "/v1/webhooks", {
    url: "https://hooks.example.com/kioku",
    events: ["consolidation.completed"],
  });
  await untilProjected(sessionStub(client.tenant, session));
  return { session };
}
