// The working context: keys, inferred types, access counts, confidence, and its token budget.
import { describe, expect, it } from "vitest";
import { allPages, newSession, readSession, say } from "../support/actions";
import { fresh, sleep } from "../support/client";
import { type ContextItem, ISO_MS } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

function at(session: string, key: string): string {
  return `/v1/sessions/${session}/context/${encodeURIComponent(key)}`;
}

async function put(
  session: string,
  key: string,
  value: unknown,
  more: Record<string, unknown> = {},
): Promise<ContextItem> {
  return bodyOf(await kioku.api.put<ContextItem>(at(session, key), { value, ...more }), 200);
}

async function get(session: string, key: string, query = ""): Promise<ContextItem> {
  return bodyOf(await kioku.api.get<ContextItem>(`${at(session, key)}${query}`), 200);
}

function all(session: string): Promise<ContextItem[]> {
  return allPages<ContextItem>(kioku.api, `/v1/sessions/${session}/context`);
}

describe("putting a value", () => {
  it("answers the item with its defaults", async () => {
    const item = await put(fresh("session"), "user_intent", "ship it");
    expect(item).toMatchObject({
      ...{ key: "user_intent", value: "ship it", source: "inferred", confidence: 0.7 },
      ...{ access_count: 1, suggested_type: "assumption" },
    });
    expect(item.first_seen).toMatch(ISO_MS);
    expect(item.last_accessed).toMatch(ISO_MS);
  });

  it("scores it by the formula", async () => {
    const session = fresh("session");
    // 0.2 recency + 0.3 × 1/10 accesses + 0.25 confidence + 0.25 salience
    expect((await put(session, "user_intent", "ship it")).importance).toBeCloseTo(
      0.2 + 0.03 + 0.175 + 0.1,
      2,
    );
    const fact = await put(session, "framework", "Hono", { source: "tool", confidence: 1 });
    expect(fact.importance).toBeCloseTo(0.2 + 0.03 + 0.25 + 0.175, 2);
  });

  it.each([
    ["text"],
    [7],
    [0],
    [false],
    [["a", { b: [1, null] }]],
    [{ nested: { deep: "value" } }],
  ])("keeps %j as it is", async (value) => {
    const session = fresh("session");
    await put(session, "discovered_patterns", value);
    expect((await get(session, "discovered_patterns")).value).toEqual(value);
  });

  it("again keeps the higher confidence and the first time, and counts", async () => {
    const session = fresh("session");
    const first = await put(session, "framework", "Express", { source: "tool", confidence: 0.9 });
    await sleep(20);
    const second = await put(session, "framework", "Hono", { source: "tool", confidence: 0.4 });
    expect(second).toMatchObject({
      value: "Hono",
      confidence: 0.9,
      access_count: 2,
      first_seen: first.first_seen,
    });
    expect(second.last_accessed > first.last_accessed).toBe(true);
    expect((await put(session, "framework", "Hono", { source: "tool", confidence: 0.95 })).confidence).toBe(
      0.95,
    );
    expect(await all(session)).toHaveLength(1);
  });

  it.each([
    ["high", 0.9],
    ["medium", 0.6],
    ["low", 0.3],
    [1.7, 1],
    [-3, 0],
    [0.83, 0.83],
  ])("reads the confidence %s as %d", async (confidence, expected) => {
    expect((await put(fresh("session"), "framework", "Hono", { confidence })).confidence).toBe(expected);
  });

  it.each([
    ["confidence", { value: "x", confidence: "sure" }],
    ["source", { value: "x", source: "rumour" }],
    ["memory_type", { value: "x", memory_type: "poem" }],
    ["value", {}],
    ["value", { value: "x".repeat(32_767) }],
  ])("refuses a bad %s and makes no session", async (field, body) => {
    const session = fresh("session");
    expectProblem(await kioku.api.put(at(session, "framework"), body), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
  });
});

describe("the suggested type", () => {
  const table: [key: string, source: string, type: string | null][] = [
    ...["framework", "primary_language", "project_root", "active_file"].flatMap(
      (key): [string, string, string | null][] => [
        [key, "tool", "fact"],
        [key, "inferred", null],
        [key, "explicit", null],
      ],
    ),
    ...["user_intent", "current_task"].flatMap((key): [string, string, string | null][] => [
      [key, "inferred", "assumption"],
      [key, "explicit", null],
      [key, "tool", null],
    ]),
    ...["inferred", "explicit", "tool"].flatMap((source): [string, string, string | null][] => [
      ["discovered_patterns", source, "discovery"],
      ["file_relationships", source, "discovery"],
      ["pending_questions", source, "unknown"],
      ["active_errors", source, null],
    ]),
  ];
  it.each(table)("of %s from %s is %s", async (key, source, type) => {
    expect((await put(fresh("session"), key, "value", { source })).suggested_type).toBe(type);
  });

  it("is what the caller names", async () => {
    expect(
      (await put(fresh("session"), "release_day", "Friday", { memory_type: "convention" })).suggested_type,
    ).toBe("convention");
  });

  it.each([
    "framework",
    "current_task",
    "release_day",
  ])("that the caller named for %s stays with later puts that name none", async (key) => {
    const session = fresh("session");
    await put(session, key, "first", { memory_type: "convention" });
    for (const source of ["inferred", "explicit", "tool"])
      expect((await put(session, key, source, { source })).suggested_type, source).toBe("convention");
    expect((await put(session, key, "last", { memory_type: "decision" })).suggested_type).toBe("decision");
  });
});

describe("keys", () => {
  it("that are not well known need a memory type", async () => {
    const session = fresh("session");
    expectProblem(
      await kioku.api.put(at(session, "release_day"), { value: "Friday" }),
      "invalid_request",
      "memory_type",
    );
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
  });

  it.each(["a", "A.b:c-d_9", "k".repeat(64)])("may be %s", async (key) => {
    const session = fresh("session");
    await put(session, key, "v", { memory_type: "fact" });
    expect(await get(session, key)).toMatchObject({ key, value: "v" });
  });

  it.each(["a b", "k".repeat(65), "a/b", "é", "a*"])("may not be %s", async (key) => {
    const body = { value: "v", memory_type: "fact" };
    expectProblem(await kioku.api.put(at(fresh("session"), key), body), "invalid_request", "key");
  });
});

describe("reading", () => {
  it("counts as an access and shows the count after it; peeking and listing do not", async () => {
    const session = fresh("session");
    await put(session, "framework", "Hono");
    expect((await get(session, "framework")).access_count).toBe(2);
    expect((await get(session, "framework")).access_count).toBe(3);
    expect((await get(session, "framework", "?peek=true")).access_count).toBe(3);
    expect((await all(session)).map((item) => item.access_count)).toEqual([3]);
    expect((await get(session, "framework", "?peek=true")).access_count).toBe(3);
  });

  it("raises the importance with the accesses", async () => {
    const session = fresh("session");
    const before = (await put(session, "framework", "Hono")).importance;
    for (let n = 0; n < 4; n += 1) await get(session, "framework");
    expect((await get(session, "framework", "?peek=true")).importance).toBeCloseTo(before + 0.3 * 0.4, 2);
  });

  it("answers 404 for a key that is not there, and refuses a bad peek", async () => {
    const session = (await newSession(kioku.api)).id;
    expectProblem(await kioku.api.get(at(session, "framework")), "not_found");
    expectProblem(await kioku.api.get(`${at(session, "framework")}?peek=perhaps`), "invalid_request", "peek");
  });

  it("shows no item after it was deleted", async () => {
    const session = fresh("session");
    await put(session, "framework", "Hono");
    await put(session, "project_root", "/srv");
    bodyOf(await kioku.api.delete(at(session, "framework")), 204);
    expectProblem(await kioku.api.get(at(session, "framework")), "not_found");
    expect((await all(session)).map((item) => item.key)).toEqual(["project_root"]);
    expect((await readSession(kioku.api, session)).counts.context).toBe(1);
  });

  it("counts every one of many accesses at once", async () => {
    const session = fresh("session");
    await put(session, "framework", "Hono");
    await Promise.all(Array.from({ length: 20 }, () => get(session, "framework")));
    expect((await get(session, "framework", "?peek=true")).access_count).toBe(21);
  });
});

describe("the token budget", () => {
  it("lets the least important items leave first", async () => {
    const session = await newSession(kioku.api, {
      token_budget: { total: 1_000, conversation: 500, context: 200 },
    });
    const long = (word: string) => Array.from({ length: 30 }, (_, n) => `${word}${n}`).join(" ");
    await put(session.id, "minor", long("minor"), { memory_type: "assumption", confidence: 0.1 });
    for (const key of ["one", "two", "three"])
      await put(session.id, key, long(key), { memory_type: "decision", confidence: 1 });
    const keys = (await all(session.id)).map((item) => item.key);
    expect(keys).not.toContain("minor");
    expect(keys.length).toBeGreaterThan(0);
    expect((await readSession(kioku.api, session.id)).counts.context).toBe(keys.length);
  });
});

describe("an assistant's reply", () => {
  it("fills the working context as inferred, with 0.6", async () => {
    const session = fresh("session");
    const content =
      "I am editing the file src/server.ts. This is a TypeScript project that uses the Hono framework.";
    await say(kioku.api, session, [{ role: "assistant", content }]);
    const found = (await all(session)).filter((item) =>
      ["active_file", "framework", "primary_language", "current_task"].includes(item.key),
    );
    expect(found.length).toBeGreaterThan(0);
    for (const item of found) expect(item).toMatchObject({ source: "inferred", confidence: 0.6 });
  });
});
