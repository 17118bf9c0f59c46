// Long-term memory: what a memory is in triples, exact values, supersession and its history, indexes, limits.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MEMORY_TYPES } from "../../../src/ontology/generated/terms.generated";
import { scaleCases } from "../../patience";
import { freshId } from "../support";
import { ids, NOON, newTenant, rebuild, type Tenant } from "./long-term-support";

let kioku: Tenant;
beforeEach(async () => {
  kioku = await newTenant();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A memory's triples as `predicate object datatype`, in alphabetical order. */
async function triplesOf(id: string): Promise<string[]> {
  const triples = await kioku.store().triples.match({ subject: `jido:memory_${id}` });
  return triples.map(({ predicate, object, datatype }) => `${predicate} ${object} ${datatype}`.trim()).sort();
}

describe("memories by class", () => {
  it.each([
    ["decision", ["architectural_decision", "decision", "implementation_decision"]],
    [
      "convention",
      ["agent_rule", "architectural_convention", "coding_standard", "convention", "process_convention"],
    ],
    ["error", ["bug", "error", "failure", "incident"]],
    ["fact", ["fact", "preference"]],
    ["preference", ["preference"]],
    ["bug", ["bug"]],
  ])("a query for %s finds its subclasses too, and nothing else", async (type, found) => {
    await kioku
      .store()
      .memories.commit(MEMORY_TYPES.map((each) => kioku.write({ type: each, content: "A thing" })));
    const types = (items: { type: string }[]) => items.map((item) => item.type).sort();
    for (const query of [undefined, "thing"]) {
      const { body } = await kioku.call("POST", "/v1/recall", { type, query, limit: 50 });
      expect(types(body.memories)).toEqual(found);
    }
    expect(types((await kioku.call("GET", `/v1/memories?type=${type}`)).body.data)).toEqual(found);
  });
});

describe("exact confidence", () => {
  it.each([
    [0.83, "0.83", "High"],
    [1e-7, "0.0000001", "Low"],
    [0.1 + 0.2, "0.30000000000000004", "Low"],
    [0.5, "0.5", "Medium"],
    [0.7999999999999999, "0.7999999999999999", "Medium"],
  ])("%s survives the triples and a rebuild", async (confidence, decimal, level) => {
    const id = await kioku.remember({ content: "How sure?", confidence });
    const triples = await triplesOf(id);
    expect(triples).toContain(`jido:confidenceValue ${decimal} xsd:decimal`);
    expect(triples).toContain(`jido:hasConfidence jido:${level}`);
    expect((await kioku.memory(id)).confidence).toBe(confidence);
    await env.DB.prepare("DELETE FROM memories WHERE tenant = ?").bind(kioku.tenant).run();
    await rebuild(kioku.tenant);
    expect((await kioku.memory(id)).confidence).toBe(confidence);
  });

  it("survives whatever the number", async () => {
    const confidences = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });
    const law = fc.asyncProperty(confidences, async (given) => {
      const agent_id = freshId("agent");
      await kioku
        .store()
        .memories.commit(
          given.map((confidence, i) =>
            kioku.write({ content: `Number ${i}`, confidence, agent_id, session_id: null }),
          ),
        );
      const read = async () => {
        const { body } = await kioku.call("GET", `/v1/memories?agent_id=${agent_id}&limit=100`);
        const kept: [string, number][] = body.data.map((memory: { content: string; confidence: number }) => [
          memory.content,
          memory.confidence,
        ]);
        return Object.fromEntries(kept);
      };
      const expected = Object.fromEntries(given.map((confidence, i) => [`Number ${i}`, confidence + 0]));
      expect(await read()).toEqual(expected);
      await rebuild(kioku.tenant);
      expect(await read()).toEqual(expected);
    });
    await fc.assert(law, { numRuns: scaleCases(8) });
  });
});

describe("the triples of a memory", () => {
  it("are exactly what was said, and no more", async () => {
    const id = await kioku.remember({ content: "Water is wet" });
    const { timestamp } = await kioku.memory(id);
    expect(await triplesOf(id)).toEqual([
      `jido:assertedIn jido:session_${kioku.session}`,
      "jido:confidenceValue 0.8 xsd:decimal",
      "jido:hasConfidence jido:High",
      "jido:hasSourceType jido:AgentSource",
      `jido:hasTimestamp ${timestamp} xsd:dateTime`,
      "jido:importanceScore 1 xsd:decimal",
      "jido:summary Water is wet xsd:string",
      "rdf:type jido:Fact",
    ]);
  });

  it("carry everything that was given: owner, reason, evidence, topic, validity, the type's own properties", async () => {
    await kioku.call("POST", "/v1/sessions", { id: "s-1", agent_id: "a-1", project_id: "p-1" });
    const document = { session_id: "s-1", source_type: "external_document", key: "db" };
    const old = await kioku.remember({ ...document, content: "Use Oracle" });
    const id = await kioku.remember({
      ...document,
      content: "Use Postgres",
      type: "architectural_decision",
      confidence: "medium",
      rationale: "It is free",
      evidence: ["adr-7", "adr-9"],
      valid_from: "2026-01-01T01:00:00+01:00",
      properties: { decisionStatus: "accepted", impactLevel: "high" },
    });
    expect(await triplesOf(id)).toEqual([
      "jido:appliesToProject jido:project_p-1",
      "jido:assertedBy jido:agent_a-1",
      "jido:assertedIn jido:session_s-1",
      "jido:confidenceValue 0.6 xsd:decimal",
      "jido:decisionStatus accepted xsd:string",
      "jido:derivedFrom jido:evidence_adr-7",
      "jido:derivedFrom jido:evidence_adr-9",
      "jido:hasConfidence jido:Medium",
      "jido:hasSourceType jido:ExternalDocumentSource",
      expect.stringMatching(/^jido:hasTimestamp .*Z xsd:dateTime$/),
      "jido:impactLevel high xsd:string",
      "jido:importanceScore 1 xsd:decimal",
      "jido:rationale It is free xsd:string",
      "jido:summary Use Postgres xsd:string",
      "jido:topicKey db xsd:string",
      "jido:validFrom 2026-01-01T00:00:00.000Z xsd:dateTime",
      "rdf:type jido:ArchitecturalDecision",
    ]);
    const superseded = await triplesOf(old);
    expect(superseded).toContain(`jido:supersededBy jido:memory_${id}`);
    expect(superseded).toContain("jido:validUntil 2026-01-01T00:00:00.000Z xsd:dateTime");
  });

  it("name each piece of evidence by a derivedFrom that gives its reference back, however awkward", async () => {
    const evidence = [
      "plain-id_1",
      "with  two spaces ",
      `"double" and 'single' quotes <tag> {x} \\ back|slash ^ \``,
      "100% %41 %zz",
      "日本語 ümlaut 🧠\u200d",
      "line\nbreak\ttab",
      "https://example.com/a b?q=1&r=%20#frag",
      "jido:memory_abc",
      "…".repeat(512),
    ];
    const id = await kioku.remember({ content: "Well supported", evidence: [...evidence, "plain-id_1"] });
    const derived = (await triplesOf(id)).filter((triple) => triple.startsWith("jido:derivedFrom "));
    expect(derived).toHaveLength(evidence.length);
    for (const triple of derived) expect(triple).toMatch(/^jido:derivedFrom jido:evidence_[^\s<>"{}|\\^`]+$/);
    expect((await kioku.memory(id)).evidence).toEqual(evidence);
    await rebuild(kioku.tenant);
    expect((await kioku.memory(id)).evidence).toEqual(evidence);
  });
});

describe("supersession", () => {
  it("by key: the live memory of the same topic and scope gives way, others stay", async () => {
    const before = await kioku.remember({ content: "Lunch is at 12", key: "lunch" });
    const others = [
      await kioku.remember({ content: "Dinner is at 7", key: "dinner" }),
      await kioku.remember({ content: "Breakfast is at 8" }),
      await kioku.remember({ content: "Lunch is at 1", key: "lunch", session_id: freshId("session") }),
    ];
    const after = await kioku.remember({ content: "Lunch is at 2", key: "lunch" });
    expect((await kioku.liveIds()).sort()).toEqual([after, ...others].sort());
    const { timestamp } = await kioku.memory(after);
    expect(await kioku.memory(before)).toMatchObject({
      status: "superseded",
      superseded_by: after,
      valid_until: timestamp,
    });
    expect((await kioku.memory(after)).supersedes).toEqual([before]);
  });

  it("A, B, A again: each life has an id of its own, and the chain has no cycle", async () => {
    const chain: string[] = [];
    for (const content of ["On", "Off", "On", "Off", "On"])
      chain.push(await kioku.remember({ content, key: "switch" }));
    expect(new Set(chain).size).toBe(5);
    expect(await kioku.liveIds()).toEqual(chain.slice(-1));
    for (const id of chain) expect(await kioku.history(id)).toEqual(chain);
    for (const [i, id] of chain.entries()) {
      const next = chain[i + 1] ?? null;
      expect((await kioku.memory(id)).superseded_by).toBe(next);
      const links = (await triplesOf(id)).filter((triple) => triple.startsWith("jido:supersededBy "));
      expect(links).toEqual(next === null ? [] : [`jido:supersededBy jido:memory_${next}`]);
    }
  });

  it("what was forgotten and is remembered again is a new memory; the tombstone stays", async () => {
    const first = await kioku.remember({ content: "It rains" });
    await kioku.forget({ memory_id: first, reason: "It stopped" });
    const { forgotten_at } = await kioku.memory(first);
    const second = await kioku.remember({ content: "It rains" });
    expect(second).not.toBe(first);
    expect(await kioku.liveIds()).toEqual([second]);
    expect(await kioku.memory(first)).toMatchObject({ status: "forgotten", forget_reason: "It stopped" });
    const triples = await triplesOf(first);
    expect(triples).toContain(`jido:forgottenAt ${forgotten_at} xsd:dateTime`);
    expect(triples).toContain(`jido:validUntil ${forgotten_at} xsd:dateTime`);
    expect(triples).toContain("jido:forgetReason It stopped xsd:string");
  });

  it("the history of memories made in the same millisecond is in order, and still is after a rebuild", async () => {
    const chain: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      const [result] = await kioku
        .store()
        .memories.commit([kioku.write({ content: `State ${i}`, topic_key: "state" })]);
      if (result?.ok) chain.push(result.value.memory_id);
    }
    expect(ids(await kioku.store().memories.listHistory(chain[3] ?? ""))).toEqual(chain);
    await rebuild(kioku.tenant);
    expect(ids(await kioku.store().memories.listHistory(chain[3] ?? ""))).toEqual(chain);
  });
});

describe("the store", () => {
  it.each([
    ["subject", { subject: "jido:memory_1" }],
    ["predicate and object", { predicate: "jido:assertedIn", object: "jido:session_1" }],
    ["object", { object: "jido:memory_1" }],
    ["a long object", { object: `jido:evidence_${"x".repeat(200)}` }],
  ])("finds triples by %s through an index", async (_what, pattern) => {
    const prepare = vi.spyOn(env.DB, "prepare");
    await kioku.store().triples.match(pattern);
    const query = prepare.mock.calls.map(([sql]) => sql).find((sql) => /from "?triples/i.test(sql)) ?? "";
    prepare.mockRestore();
    const values = [...query.matchAll(/\?/g)].map(() => "x");
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`)
      .bind(...values)
      .all<{ detail: string }>();
    const steps = plan.results.map(({ detail }) => detail);
    expect(steps.filter((step) => /\bSCAN\b/.test(step))).toEqual([]);
    expect(steps).toContainEqual(
      expect.stringMatching(
        "subject" in pattern
          ? /^SEARCH stored USING PRIMARY KEY \(tenant=\? AND subject=\?/
          : /^SEARCH stored USING COVERING INDEX statements_by_object \(tenant=\? AND key=\?/,
      ),
    );
  });

  it("refuses more memories than a session may hold with a clear error, and drops nothing", async () => {
    const store = kioku.store(3);
    const say = (content: string, more: object = {}) => kioku.write({ content, timestamp: NOON, ...more });
    const results = await store.memories.commit(
      ["One", "Two", "Three", "Four", "Five"].map((content) => say(content)),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, false, false]);
    const refusal = { ok: false, failure: { code: "limit_exceeded" } };
    expect(results[3]).toMatchObject(refusal);
    expect(results[3]).toMatchObject({
      failure: { detail: expect.stringMatching(`^Session ${kioku.session} holds 3 .*the limit is 3\\.`) },
    });
    const { memories, indexed } = await kioku.contents();
    expect(memories.map(({ content }) => content).sort()).toEqual(["One", "Three", "Two"]);
    expect(indexed).toHaveLength(3);
    expect(await store.memories.commit([say("two")])).toMatchObject([{ value: { deduplicated: true } }]);
    const elsewhere = say("Four", { session_id: freshId("session") });
    expect(await store.memories.commit([elsewhere])).toMatchObject([{ ok: true }]);
    await kioku.forget({ memory_id: memories[0]?.id });
    expect(await store.memories.commit([say("Four"), say("Five")])).toMatchObject([{ ok: true }, refusal]);
  });
});
