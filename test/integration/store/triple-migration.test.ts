// The move of the triples from the earlier layout to the present one, in pages, while the service answers.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/platform/d1";
import { moveTriples } from "../../../src/store/triples/move-triples";
import { findInD1 } from "../users/support";
import { newTenant, rebuild, type Tenant } from "./long-term-support";
import {
  countUnmoved,
  LONG_CONTENT,
  LONG_REFERENCE,
  readAnswers,
  restoreEarlierLayout,
  type StoredSubjects,
  storeSubjects,
} from "./triple-layout-support";

const db = openDatabase(env.DB);
/** Moves one page: the time is over after it. */
const movePage = (pageSize: number) => moveTriples(db, { pageSize, maxMs: 0 });

/** How much of the earlier layout is moved when the test goes on. */
const MOMENTS = [
  ["before any triple is moved", 0],
  ["with half of the triples moved", 30],
] as const;

let kioku: Tenant;
let stored: StoredSubjects;

beforeEach(async () => {
  await moveTriples(db);
  kioku = await newTenant();
  stored = await storeSubjects(kioku);
});

async function restore(moved: number): Promise<void> {
  await restoreEarlierLayout();
  if (moved > 0) expect(await movePage(moved)).toBe(true);
  expect(await countUnmoved()).toBeGreaterThan(0);
}

describe("a database of the earlier layout", () => {
  it("gives the same answers before, during and after the move", async () => {
    const expected = await readAnswers(kioku, stored);
    await restore(0);
    expect(await readAnswers(kioku, stored)).toEqual(expected);
    // Each page may be the last before the service is killed.
    while (await movePage(23)) expect(await readAnswers(kioku, stored)).toEqual(expected);
    expect(await countUnmoved()).toBeNull();
    expect(await readAnswers(kioku, stored)).toEqual(expected);
  });

  it("leaves triples in the present layout that are as if it had never been", async () => {
    const read = async () =>
      (await env.DB.prepare("SELECT subject, predicate, key, datatype, graph, literal FROM statements").all())
        .results;
    const schema = async () =>
      (
        await env.DB.prepare(
          "SELECT name, sql FROM sqlite_master WHERE name LIKE 'triples%' ORDER BY name",
        ).all()
      ).results;
    const expected = { rows: await read(), schema: await schema() };
    await restore(0);
    expect(await moveTriples(db)).toBe(false);
    expect({ rows: await read(), schema: await schema() }).toEqual(expected);
  });

  it.each(MOMENTS)("takes writes %s", async (_moment, moved) => {
    await restore(moved);
    const { decision, long } = stored;
    const before = await kioku.memory(decision);
    await kioku.remember({
      content: "Use Postgres",
      type: "architectural_decision",
      key: "db",
      session_id: "first",
      evidence: ["a-2", "b-3"],
    });
    const changed = await kioku.call("PATCH", `/v1/memories/${long}`, { confidence: 0.9, tags: ["seen"] });
    expect(changed.status).toBe(200);
    await kioku.forget({ memory_id: stored.other, reason: "Wrong" });
    const expected = await readAnswers(kioku, stored);
    expect((await kioku.memory(decision)).evidence).toEqual([...before.evidence, "b-3"]);
    const { body } = await kioku.call("GET", `/v1/memories/${long}/triples`);
    const find = (name: string) =>
      body.data.flatMap(({ predicate, object }: { predicate: string; object: string }) =>
        predicate.endsWith(`#${name}`) ? [object] : [],
      );
    expect(find("confidenceValue")).toEqual(["0.9"]);
    expect(find("hasConfidence")).toEqual(["https://jido.ai/ontology#High"]);
    expect(find("tag")).toEqual(["seen"]);
    expect(await moveTriples(db)).toBe(false);
    expect(await readAnswers(kioku, stored)).toEqual(expected);
  });

  it.each(MOMENTS)("stores a triple once that is written again %s", async (_moment, moved) => {
    await restore(moved);
    await kioku.remember({ content: LONG_CONTENT, session_id: "first", evidence: [LONG_REFERENCE] });
    await kioku.remember({ content: LONG_CONTENT, session_id: "first", evidence: [LONG_REFERENCE] });
    const twice =
      "SELECT subject, predicate, object FROM triples GROUP BY tenant, subject, predicate, object HAVING count(*) > 1";
    expect((await env.DB.prepare(twice).all()).results).toEqual([]);
  });

  it.each(MOMENTS)("leaves nothing of what is erased %s", async (_moment, moved) => {
    await restore(moved);
    const { decision, long } = stored;
    const ids = [decision, long];
    for (const id of ids) expect((await kioku.call("DELETE", `/v1/memories/${id}`)).status).toBe(200);
    expect((await kioku.call("DELETE", "/v1/resources/source_file/router")).status).toBe(200);
    const texts = [
      "Use Postgres",
      "retries slowly",
      "xxxxxxxx",
      "router",
      ...ids.map((id) => `jido:memory_${id}`),
    ];
    expect(
      (await findInD1(kioku.tenant, ...texts)).filter((place) => !place.startsWith("audit_log.")),
    ).toEqual([]);
    expect(await moveTriples(db)).toBe(false);
    const { results } = await env.DB.prepare("SELECT * FROM triples WHERE tenant = ?")
      .bind(kioku.tenant)
      .all();
    expect(texts.filter((text) => JSON.stringify(results).includes(text))).toEqual([]);
  });

  it.each(MOMENTS)("is rebuilt to the same bytes %s", async (_moment, moved) => {
    const before = await kioku.contents();
    await restore(moved);
    await env.DB.prepare("DELETE FROM memories WHERE tenant = ?").bind(kioku.tenant).run();
    await rebuild(kioku.tenant);
    expect(await kioku.contents()).toEqual(before);
  });

  it("costs nothing once it is moved: one read of the sweep, and no row", async () => {
    let batches = 0;
    const counted = new Proxy(env.DB, {
      get(target, name) {
        if (name === "batch") batches += 1;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    expect(await moveTriples(openDatabase(counted))).toBe(false);
    expect(batches).toBe(0);
  });
});
