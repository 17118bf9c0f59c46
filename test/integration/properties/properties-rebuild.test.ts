// The triples are the truth: the read model, thrown away and rebuilt from them, is the same to the byte.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { offer } from "../../faults/support";
import { scaleCases } from "../../patience";
import { ADMIN_KEY, type Client, callWith, freshId, newClient } from "../support";
import { usageStub } from "../usage-support";

const content = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("Tea at four", "tea at FOUR", "No coffee", "Milk first", "Cake") },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }).filter((s) => s.trim() !== ""),
  },
);
const evidence = fc.uniqueArray(fc.constantFrom("a", "b", "https://c.example/?d=e f", "100%", "日本"), {
  maxLength: 4,
});

/** What the type's own properties may say. */
const properties = fc.record(
  {
    violationConsequence: fc.uniqueArray(fc.constantFrom("x", "y", "a long tale ".repeat(10)), {
      minLength: 1,
      maxLength: 3,
    }),
    condition: fc.constantFrom("always", "on Mondays"),
  },
  { requiredKeys: [] },
);

const remember = fc.record(
  {
    kind: fc.constant("remember" as const),
    content,
    type: fc.constantFrom("convention", "coding_standard"),
    belongs: fc.constantFrom("session", "agent", "project"),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    key: fc.constantFrom("time", "drink"),
    source_type: fc.constantFrom("user", "agent", "tool", "external_document"),
    evidence,
    /** A memory that it rests on, by its position among those known. */
    base: fc.nat({ max: 20 }),
    rationale: fc.constantFrom("because", "日本 is far away ".repeat(6)),
    properties,
    valid_from: fc.constantFrom("2020-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z"),
  },
  { requiredKeys: ["kind", "content", "type", "belongs"] },
);
const pick = fc.nat({ max: 20 });

/** A task, and relations between two of what is known, set or taken back in each way. */
const task = fc.record({ kind: fc.constant("task" as const), content });
const relate = fc.record({
  kind: fc.constant("relate" as const),
  from: pick,
  to: fc.uniqueArray(pick, { minLength: 1, maxLength: 3 }),
  relation: fc.constantFrom("dependsOn", "blockedBy"),
  how: fc.constantFrom("property", "link", "unlink", "null"),
});

/** A memory becomes derived from another, which may lower it and all that rests on it. */
const derive = fc.record({ kind: fc.constant("derive" as const), from: pick, to: pick });

const step = fc.oneof(
  { weight: 5, arbitrary: remember },
  { weight: 4, arbitrary: task },
  { weight: 5, arbitrary: relate },
  { weight: 3, arbitrary: derive },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("forget" as const),
      which: pick,
      by: fc.option(pick, { nil: undefined }),
      reason: fc.option(fc.constantFrom("old", "wrong ".repeat(20)), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), which: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("promote" as const), content, evidence }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("recall" as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Takes one step; gives the id of a memory it wrote. A forget that would close a cycle is refused, which is fine. */
async function take(
  client: Client,
  session: string,
  known: readonly string[],
  next: Step,
): Promise<string | null> {
  const idAt = (n: number) => known[n % Math.max(1, known.length)] ?? "none";
  switch (next.kind) {
    case "remember": {
      const { kind: _kind, belongs, base, evidence: given = [], ...body } = next;
      const { status, body: answer } = await client.call("POST", "/v1/remember", {
        ...body,
        evidence: base === undefined ? given : [...given, `memory:${idAt(base)}`],
        [`${belongs}_id`]: belongs === "session" ? session : "x1",
      });
      expect([200, 201]).toContain(status);
      return answer.memory_id;
    }
    case "task": {
      const body = { content: next.content, type: "task", session_id: session };
      const { status, body: answer } = await client.call("POST", "/v1/remember", body);
      expect([200, 201]).toContain(status);
      return answer.memory_id;
    }
    case "relate": {
      const [from, to] = [idAt(next.from), next.to.map(idAt)];
      // Conventions have no such relation, a cycle is refused, and what is erased or forgotten is not changed.
      expect([200, 201, 204, 400, 404, 409]).toContain(await setRelation(client, { ...next, from, to }));
      return null;
    }
    case "derive": {
      const body = { from: idAt(next.from), to: idAt(next.to), relation: "derived_from" };
      // It may be erased, or the same one.
      expect([200, 201, 404, 409]).toContain((await client.call("POST", "/v1/links", body)).status);
      return null;
    }
    case "forget": {
      const { status } = await client.call("POST", "/v1/forget", {
        memory_id: idAt(next.which),
        ...(next.reason === undefined ? {} : { reason: next.reason }),
        ...(next.by === undefined ? {} : { replacement_id: idAt(next.by) }),
      });
      expect([200, 404, 409]).toContain(status);
      return null;
    }
    case "erase":
      expect([200, 404]).toContain((await client.call("DELETE", `/v1/memories/${idAt(next.which)}`)).status);
      return null;
    case "promote": {
      await offer(client, session, next.content, { evidence: next.evidence });
      const { body } = await client.call("POST", `/v1/sessions/${session}/promote`);
      return body.promoted[0]?.memory_id ?? null;
    }
    case "recall":
      await recall(client);
      return null;
  }
}

async function setRelation(
  client: Client,
  { from, to, relation, how }: { from: string; to: string[]; relation: string; how: string },
): Promise<number> {
  const [first] = to;
  if (how === "link")
    return (await client.call("POST", "/v1/links", { from, to: first, relation, strength: 0.5 })).status;
  if (how === "unlink") return (await client.call("DELETE", `/v1/links/${from}-${relation}-${first}`)).status;
  const value = how === "null" ? null : to;
  return (await client.call("PATCH", `/v1/memories/${from}`, { properties: { [relation]: value } })).status;
}

async function readModel(tenant: string): Promise<object[]> {
  const { results } = await env.DB.prepare("SELECT * FROM memories WHERE tenant = ? ORDER BY id")
    .bind(tenant)
    .all<{
      seq: number;
      op: string | null;
      activity: string | null;
      recorded_at: string | null;
      ended_at: string | null;
    }>();
  // No triple states the operation and the activity that created a memory.
  return results.map(
    ({ seq: _seq, op: _op, activity: _activity, recorded_at: _recordedAt, ended_at: _endedAt, ...row }) =>
      row,
  );
}

/** Recalls, and waits until the accesses are noted, which happens after the answer. Gives what was found. */
async function recall(client: Client, query?: string): Promise<string[]> {
  const accesses = async () => {
    const pending = await usageStub(client.tenant).listPending();
    return pending.reduce((sum, { memories }) => sum + memories.length, 0);
  };
  const before = await accesses();
  const { status, body } = await client.call("POST", "/v1/recall", {
    ...(query === undefined ? {} : { query }),
    limit: 50,
    min_confidence: 0,
    include_superseded: true,
  });
  expect(status).toBe(200);
  await vi.waitFor(async () => expect(await accesses()).toBe(before + body.count));
  return body.memories.map(({ id }: { id: string }) => id).toSorted();
}

/** Words of every content above, and of a rationale. */
const EVERYTHING = "tea four coffee milk cake because 日本";

async function rebuild(tenant: string): Promise<void> {
  let cursor: string | null = null;
  do {
    const { status, body } = await callWith(ADMIN_KEY, "POST", "/v1/admin/rebuild", { tenant, cursor });
    expect(status).toBe(200);
    cursor = body.next_cursor;
  } while (cursor !== null);
}

describe("the read model", () => {
  it("rebuilt from the triples alone is the original, after any life", async () => {
    const law = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 18 }),
      fc.boolean(),
      async (steps, empty) => {
        const client = await newClient();
        const session = freshId("session");
        await client.call("POST", "/v1/sessions", { id: session });
        const known: string[] = [];
        for (const next of steps) {
          const id = await take(client, session, known, next);
          if (id !== null) known.push(id);
        }
        const found = await recall(client, EVERYTHING);
        const original = await readModel(client.tenant);
        if (empty) await env.DB.prepare("DELETE FROM memories WHERE tenant = ?").bind(client.tenant).run();
        await rebuild(client.tenant);
        expect(await readModel(client.tenant)).toEqual(original);
        expect(await recall(client, EVERYTHING)).toEqual(found);
      },
    );
    await fc.assert(law, { numRuns: scaleCases(15) });
  });

  it("is the original too where the same value was given twice", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", `/v1/sessions/${session}/remember`, {
      content: "Tea at four",
      type: "convention",
      evidence: ["a", "a"],
      properties: { violationConsequence: ["none", "none"] },
    });
    await offer(client, session, "No coffee", { evidence: ["b", "b"] });
    await client.call("POST", `/v1/sessions/${session}/promote`);
    const original = await readModel(client.tenant);
    expect(original).toHaveLength(2);
    await rebuild(client.tenant);
    expect(await readModel(client.tenant)).toEqual(original);
  });
});
