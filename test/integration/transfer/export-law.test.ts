// The law of export and import, on generated tenants: an export, imported into an empty tenant in parts, is exported as it was.
import fc from "fast-check";
import { expect, it } from "vitest";
import { scaleCases } from "../../patience";
import { type Client, freshId, newClient } from "../support";
import { exportRecords, importText, type Line, readVersionRows, toExport } from "./support";

const anyText = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .map((text) => `${text.replaceAll("\0", "")}.`);
const anyId = fc.constantFrom("ada", "bob", "eve");
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const anyTime = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2026-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());

const anyMemory = fc.record({
  content: anyText,
  type: fc.constantFrom("fact", "decision", "hypothesis", "lesson_learned", "convention"),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  rationale: optional(anyText),
  tags: fc.array(anyText, { maxLength: 3 }),
  metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(anyText, fc.integer(), fc.boolean()), {
    maxKeys: 3,
  }),
  evidence: fc.array(anyText, { maxLength: 3 }),
  valid_from: optional(anyTime),
  key: optional(fc.constantFrom("deploy", "editor")),
  user_id: optional(fc.constantFrom("mia@example.com", "auth0|7")),
  agent_id: optional(anyId),
  project_id: optional(anyId),
});

const anyChange = fc.record({
  which: fc.nat({ max: 11 }),
  body: fc.oneof(
    fc.record({ confidence: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ valid_until: fc.constantFrom("2031-01-01T00:00:00Z", null) }),
    fc.record({ tags: fc.array(anyText, { maxLength: 3 }) }),
    fc.record({ metadata: fc.record({ team: fc.oneof(anyText, fc.constant(null)) }) }),
    fc.record({ properties: fc.record({ violationConsequence: fc.oneof(anyText, fc.constant(null)) }) }),
  ),
});

const anyTenant = fc.record({
  memories: fc.array(anyMemory, { minLength: 2, maxLength: 12 }),
  messages: fc.array(fc.record({ role: fc.constantFrom("user", "assistant", "system"), content: anyText }), {
    minLength: 1,
    maxLength: 8,
  }),
  space: fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.jsonValue({ depthSize: "small", noUnicodeString: false }),
    { maxKeys: 4 },
  ),
  notes: fc.array(fc.record({ kind: fc.constant("note"), payload: fc.record({ text: anyText }) }), {
    minLength: 1,
    maxLength: 5,
  }),
  goals: fc.array(anyText, { maxLength: 3 }),
  tasks: fc.array(anyText, { maxLength: 3 }),
  changes: fc.array(anyChange, { minLength: 2, maxLength: 8 }),
  forgotten: fc.nat({ max: 5 }),
  parts: fc.integer({ min: 1, max: 7 }),
});

async function fill(client: Client, tenant: typeof anyTenant extends fc.Arbitrary<infer T> ? T : never) {
  const id = freshId("session");
  const path = `/v1/sessions/${id}`;
  const call = async (method: string, to: string, body: unknown) => {
    const answer = await client.call(method, to, body);
    expect(answer.status, `${to} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  await call("POST", "/v1/sessions", { id, agent_id: "ada", promotion: { enabled: false } });
  await call("POST", `${path}/messages`, { messages: tenant.messages });
  await call("PUT", `${path}/spaces/notes`, { data: tenant.space });
  await call("POST", `${path}/thread`, { entries: tenant.notes });
  for (const text of tenant.tasks) await call("POST", `${path}/tasks`, { text });
  const { results } = await call("POST", "/v1/memories/batch", { memories: tenant.memories });
  const ids: string[] = results.map(({ memory_id }: { memory_id: string }) => memory_id);
  const [first = "", second = ""] = ids;
  if (first !== second)
    await call("POST", "/v1/links", { from: first, to: second, relation: "related_to", strength: 0.25 });
  const change = async ({ which, body }: (typeof tenant.changes)[number]) => {
    // Not every type has the property, and of a memory that is not live only some fields change.
    const { status } = await client.call("PATCH", `/v1/memories/${ids[which % ids.length]}`, body);
    expect([200, 400, 409]).toContain(status);
    await scheduler.wait(2);
  };
  const { memory_id } = await call("POST", "/v1/remember", { content: "One that changes in any case" });
  await scheduler.wait(2);
  await call("PATCH", `/v1/memories/${memory_id}`, { tags: ["changed"] });
  await scheduler.wait(2);
  const moment = new Date().toISOString();
  const half = tenant.changes.length / 2;
  for (const next of tenant.changes.slice(0, half)) await change(next);
  const forgotten = ids[tenant.forgotten];
  // One that was superseded cannot be forgotten any more.
  if (forgotten !== undefined)
    await client.call("POST", "/v1/forget", { memory_id: forgotten, reason: "no longer" });
  for (const next of tenant.changes.slice(half)) await change(next);
  for (const goal of tenant.goals)
    await call("POST", "/v1/episodes", { context: { goal }, outcome: "partial", project_id: "bob" });
  await client.call("POST", "/v1/recall", { scope: "tenant" });
  return { moment };
}

/** Lists all memories as they were, without use, which comes with the memories. */
async function listAsOf({ call }: Client, moment: string): Promise<object[]> {
  const { body } = await call("GET", `/v1/memories?include_superseded=true&limit=100&as_of=${moment}`);
  return body.data.map(
    ({ access_count: _count, last_accessed: _last, importance: _importance, ...memory }: Line) => memory,
  );
}

/** Splits records into parts, each with its own header and end line. */
function* splitRecords(records: readonly Line[], parts: number): Generator<string> {
  const size = Math.max(1, Math.ceil(records.length / parts));
  for (let at = 0; at < records.length; at += size) yield toExport(records.slice(at, at + size));
}

it("export, import into an empty tenant, and export again: both exports are equal", async () => {
  await fc.assert(
    fc.asyncProperty(anyTenant, async (tenant) => {
      const [source, target] = await Promise.all([newClient(), newClient()]);
      const { moment } = await fill(source, tenant);
      const records = await exportRecords(source);
      expect(records.filter(({ kind }) => kind === "memory_version")).not.toEqual([]);
      for (const part of splitRecords(records, tenant.parts)) {
        const { status, body } = await importText(target, part);
        expect(status, JSON.stringify(body)).toBe(200);
      }
      expect(await exportRecords(target)).toEqual(records);
      expect(await readVersionRows(target)).toEqual(await readVersionRows(source));
      expect(await listAsOf(target, moment)).toEqual(await listAsOf(source, moment));
    }),
    { numRuns: scaleCases(6) },
  );
});
