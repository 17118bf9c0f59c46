// Every statement on triples reads a subject, an object, or a range of them: none reads all triples of a tenant.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { newTenant, rebuild, type Tenant } from "./long-term-support";
import { readAnswers, storeSubjects } from "./stored-subjects";

const OWN = { agent_id: null, project_id: null };

/** A step that reads more than one range of keys. `stored` is the alias of the table in the view. */
const READS_ALL = /^SCAN stored\b|^SEARCH stored USING .*\(tenant=\?\)$/;
/** The page of a rebuild, which reads all subjects in turn. */
const REBUILD = /SELECT DISTINCT tenant, subject FROM triples/;

const statements = new Set<string>();

beforeAll(async () => {
  for (const opened of [env.DB, env.DB.withSession()]) {
    const prototype = Object.getPrototypeOf(opened) as D1Database;
    const { prepare } = prototype;
    vi.spyOn(prototype, "prepare").mockImplementation(function (this: D1Database, query: string) {
      if (/\btriples\b/.test(query)) statements.add(query);
      return prepare.call(this, query);
    });
  }
  try {
    const kioku = await newTenant();
    await useTriples(kioku);
  } finally {
    vi.restoreAllMocks();
  }
});

/** Uses everything that reads or writes triples. */
async function useTriples(kioku: Tenant): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await kioku.call(method, path, body);
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  const stored = await storeSubjects(kioku);
  const { long, other, old, episode } = stored;
  await readAnswers(kioku, stored);
  await send("POST", "/v1/recall", { query: "gateway", session_id: "first" });
  await send("PATCH", `/v1/memories/${long}`, { confidence: 0.9, tags: ["seen"] });
  const { data } = await send("GET", "/v1/contradictions");
  await send("POST", `/v1/contradictions/${data[0].id}/resolve`, {
    action: "keep_both",
    reason: "Both hold",
  });
  await kioku.forget({ memory_id: other, reason: "Wrong" });
  const { triples, graph } = kioku.store();
  for (const pattern of [
    { object: "jido:session_first" },
    { predicate: "jido:assertedIn", object: "jido:session_first" },
  ])
    expect(await triples.match(pattern)).not.toEqual([]);
  const people = graph(OWN);
  await people.createEntities([
    { name: "Ada", entityType: "person", observations: ["Plays"] },
    { name: "Zoe", entityType: "person", observations: [] },
  ]);
  await people.createRelations([{ from: "Ada", to: "Zoe", relationType: "knows" }]);
  expect((await people.readAround(["Ada"])).relations).toHaveLength(1);
  await people.deleteObservations([{ entityName: "Ada", observations: ["Plays"] }]);
  await people.deleteEntities(["Zoe"]);
  await rebuild(kioku.tenant);
  await send("DELETE", `/v1/memories/${old}`);
  await send("DELETE", `/v1/episodes/${episode}`);
  await send("DELETE", "/v1/resources/source_file/router");
  await send("DELETE", "/v1/sessions/first?memories=true");
}

describe("statements on triples", () => {
  it("read single subjects and objects", async () => {
    expect(statements.size).toBeGreaterThan(40);
    const wide: string[] = [];
    for (const query of statements) {
      if (REBUILD.test(query)) continue;
      const values = Array.from({ length: (query.match(/\?/g) ?? []).length }, () => "x");
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`)
        .bind(...values)
        .all<{ detail: string }>();
      const steps = results.map(({ detail }) => detail);
      if (steps.some((step) => READS_ALL.test(step))) wide.push(`${query}\n${steps.join("\n")}`);
    }
    expect(wide).toEqual([]);
  });
});
