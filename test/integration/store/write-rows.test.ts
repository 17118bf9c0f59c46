// The calls to D1 and the rows that a write costs, its after-effects included. Rows are counted as D1 counts and bills
// them: a row and each index row that is written.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { WAKE_DELAY_MS } from "../../../src/recall/index/embedding-indexer";
import { indexerStub, settled } from "../indexing/support";
import { countRowsByTable, type RecordedCall, recordD1Calls } from "./d1-recorder";
import { newTenant, type Tenant } from "./long-term-support";

let t: Tenant;

beforeEach(async () => {
  t = await newTenant();
  const owner = { agent_id: "coder", project_id: "atlas", promotion: { enabled: false } };
  await t.call("POST", "/v1/sessions", { id: t.session, ...owner });
  await remember("The first memory of a session, which loads the embedder");
  await settled(indexerStub(t.tenant), t.tenant);
});

const remember = (content: string) =>
  t.call("POST", `/v1/sessions/${t.session}/remember`, { content, type: "lesson_learned" });

type Recorded = { answered: RecordedCall[]; after: RecordedCall[]; rows: Record<string, number> };

/** Records a call until its vectors are indexed and no alarm is set. */
async function record(work: () => Promise<{ status: number }>): Promise<Recorded> {
  const { calls, stop } = recordD1Calls();
  try {
    expect((await work()).status).toBeLessThan(300);
    const answered = calls.length;
    await vi.waitFor(() => expect(listIndexerCalls(calls)).toHaveLength(2));
    return {
      answered: calls.slice(0, answered),
      after: calls.slice(answered),
      rows: countRowsByTable(calls),
    };
  } finally {
    stop();
  }
}

function listIndexerCalls(calls: readonly RecordedCall[]): RecordedCall[] {
  return calls.filter((call) => call.some(({ sql }) => sql.includes("min(due_at)")));
}

describe("remember", () => {
  it("writes one row to the backlog, none to the log of operations, and is confirmed with one more", async () => {
    const { rows } = await record(() => remember("The staging shop is reset every night"));
    const { triples: _, ...others } = rows;
    // The row and its five indexes (id, time, session, agent, project); `tenants` says when it was indexed.
    expect(others).toEqual({ memories: 6, tenant_usage: 1, memories_fts: 1, vector_queue: 2, tenants: 1 });
  });

  it("takes one call to D1 for the answer and two afterwards", async () => {
    const { answered, after } = await record(() => remember("The staging shop is reset every night"));
    expect(answered.filter((call) => call.some(({ written }) => written > 0))).toHaveLength(1);
    expect(after).toHaveLength(2);
  });

  it("takes two calls for the answer if the same was remembered before", async () => {
    await remember("The staging shop is reset every night");
    await settled(indexerStub(t.tenant), t.tenant);
    const { calls, stop } = recordD1Calls();
    expect((await remember("The staging shop is reset every night")).body).toMatchObject({
      deduplicated: true,
    });
    stop();
    const reads = calls.filter((call) => call.some(({ sql }) => /\bmemories\b/.test(sql)));
    expect(reads).toHaveLength(2);
  });
});

describe("other writes", () => {
  it("forget takes two calls after the answer", async () => {
    const { body } = await remember("The staging shop is reset every night");
    await settled(indexerStub(t.tenant), t.tenant);
    // The run that found the backlog empty.
    await scheduler.wait(2 * WAKE_DELAY_MS);
    const { after, rows } = await record(() =>
      t.call("POST", `/v1/sessions/${t.session}/forget`, { memory_id: body.memory_id }),
    );
    expect(after).toHaveLength(2);
    expect(rows).toMatchObject({ vector_queue: 2 });
  });

  it("a batch writes at most 25 rows a memory, counts fifty in one row, and needs one call for them", async () => {
    const memories = Array.from({ length: 100 }, (_, i) => ({
      content: `Till ${i} is in the cellar`,
      type: "lesson_learned",
      agent_id: "coder",
      project_id: "atlas",
    }));
    const { calls, stop } = recordD1Calls();
    const { status } = await t.call("POST", "/v1/memories/batch", { memories });
    await settled(indexerStub(t.tenant), t.tenant);
    stop();
    expect(status).toBe(200);
    const { tenants, ...rows } = countRowsByTable(calls);
    expect(rows).toEqual({
      // Eight triples, four of which point at a resource.
      triples: 1_200,
      // The row and its four indexes (id, time, agent, project).
      memories: 500,
      tenant_usage: 2,
      memories_fts: 100,
      vector_queue: 200,
    });
    // One for each page of the indexer.
    expect(tenants).toBeLessThan(100);
    expect(sumRows(countRowsByTable(calls)) / memories.length).toBeLessThanOrEqual(25);
    const commits = calls.filter((call) => call.some(({ sql }) => sql.startsWith("INSERT INTO memories (")));
    expect(commits).toHaveLength(2);
  });

  it("a batch for a session writes at most 25 rows a memory, too", async () => {
    const memories = Array.from({ length: 100 }, (_, i) => ({
      content: `Till ${i} is in the cellar`,
      type: "lesson_learned",
      session_id: t.session,
    }));
    const { calls, stop } = recordD1Calls();
    const { status } = await t.call("POST", "/v1/memories/batch", { memories });
    await settled(indexerStub(t.tenant), t.tenant);
    stop();
    expect(status).toBe(200);
    const rows = countRowsByTable(calls);
    expect(rows).toMatchObject({ triples: 1_400, memories: 600 });
    expect(sumRows(rows) / memories.length).toBeLessThanOrEqual(25);
  });
});

function sumRows(rows: Record<string, number>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}
