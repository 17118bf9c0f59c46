import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/kernel/json";
import { countContextTokens } from "../../../src/language/token-count";
import {
  fingerprintValue,
  inferType,
  putItem,
  renderContextItem,
  type StoredItem,
  selectItemsToEvict,
  touchItem,
  WELL_KNOWN_KEYS,
} from "../../../src/sessions/short-term/working-context";
import { readSourceRanks } from "../../../src/trust/source-rank";

const T0 = Date.UTC(2026, 0, 31, 12);
const T1 = T0 + 60_000;
const iso = (time: number) => new Date(time).toISOString();

function put(key: string, value: Json, more: Partial<Parameters<typeof putItem>[1]> = {}) {
  return { key, value, source: "inferred" as const, confidence: 0.7, ...more };
}

const RANKS = readSourceRanks(undefined);

function putAt(
  existing: StoredItem | undefined,
  given: Parameters<typeof putItem>[1],
  now: number,
): StoredItem {
  return putItem(existing, given, { now, ranks: RANKS });
}

describe("putting a context item", () => {
  it("makes a new one with one access, seen first and last now", () => {
    expect(putAt(undefined, put("framework", "Phoenix", { source: "tool" }), T0)).toEqual({
      key: "framework",
      value: "Phoenix",
      source: "tool",
      confidence: 0.7,
      access_count: 1,
      first_seen: iso(T0),
      last_accessed: iso(T0),
      suggested_type: "fact",
      given_type: null,
      tokens: countContextTokens("framework", "Phoenix"),
      promoted: null,
    });
  });

  it("updates the value and its source, keeps the higher confidence and when it was first seen, counts an access", () => {
    const first = putAt(undefined, put("framework", "Phoenix", { source: "inferred", confidence: 0.9 }), T0);
    const second = putAt(first, put("framework", "Ash", { source: "explicit", confidence: 0.4 }), T1);
    expect(second).toMatchObject({
      value: "Ash",
      source: "explicit",
      confidence: 0.9,
      access_count: 2,
      first_seen: iso(T0),
      last_accessed: iso(T1),
      tokens: countContextTokens("framework", "Ash"),
    });
    expect(putAt(first, put("framework", "Ash", { confidence: 1 }), T1).confidence).toBe(1);
  });

  it("takes over no confidence from a source of another rank", () => {
    const told = putAt(undefined, put("framework", "Phoenix", { source: "explicit", confidence: 1 }), T0);
    const found = putAt(told, put("framework", "Ash", { source: "tool", confidence: 0.1 }), T1);
    expect(found).toMatchObject({ value: "Ash", source: "tool", confidence: 0.1 });
    const claimed = putAt(undefined, put("framework", "Ash", { source: "tool", confidence: 1 }), T0);
    expect(
      putAt(claimed, put("framework", "Ash", { source: "explicit", confidence: 0.4 }), T1).confidence,
    ).toBe(0.4);
  });

  it("retains the fingerprint of the promoted value, so that it is not promoted again", () => {
    const first = { ...putAt(undefined, put("framework", "Phoenix"), T0), promoted: '"Phoenix"' };
    expect(putAt(first, put("framework", "Phoenix"), T1).promoted).toBe('"Phoenix"');
  });

  it("uses the type that the caller gave, also later, else the one implied by a well-known key's source", () => {
    const given = putAt(undefined, put("framework", "x", { source: "tool", memory_type: "decision" }), T0);
    expect(given.suggested_type).toBe("decision");
    expect(putAt(given, put("framework", "y", { source: "tool" }), T1).suggested_type).toBe("decision");
    const changed = put("framework", "y", { source: "tool", memory_type: "discovery" });
    expect(putAt(given, changed, T1).suggested_type).toBe("discovery");
    const inferred = putAt(undefined, put("framework", "x", { source: "tool" }), T0);
    expect(inferred.suggested_type).toBe("fact");
    expect(putAt(inferred, put("framework", "y", { source: "explicit" }), T1).suggested_type).toBeNull();
    expect(putAt(undefined, put("framework", "y"), T1).suggested_type).toBeNull();
  });

  it("keeps the type that a key of the caller's own was given", () => {
    const given = putAt(undefined, put("deadline", "May", { memory_type: "risk" }), T0);
    expect(putAt(given, put("deadline", "June"), T1).suggested_type).toBe("risk");
  });

  it("never gives active errors a type, even if the caller sends one", () => {
    const errors = putAt(undefined, put("active_errors", "boom", { memory_type: "bug" }), T0);
    expect(errors.suggested_type).toBeNull();
    expect(
      putAt({ ...errors, suggested_type: "bug" }, put("active_errors", "bang"), T1).suggested_type,
    ).toBeNull();
  });
});

describe("inferring a type", () => {
  const EXPECTED: Record<string, [inferred: string | null, explicit: string | null, tool: string | null]> = {
    framework: [null, null, "fact"],
    primary_language: [null, null, "fact"],
    project_root: [null, null, "fact"],
    active_file: [null, null, "fact"],
    user_intent: ["assumption", null, null],
    current_task: ["assumption", null, null],
    discovered_patterns: ["discovery", "discovery", "discovery"],
    file_relationships: ["discovery", "discovery", "discovery"],
    pending_questions: ["unknown", "unknown", "unknown"],
    active_errors: [null, null, null],
    anything_else: [null, null, null],
  };

  it.each(Object.entries(EXPECTED))("of %s follows the table", (key, expected) => {
    expect((["inferred", "explicit", "tool"] as const).map((source) => inferType(key, source))).toEqual(
      expected,
    );
  });

  it("knows ten keys", () => {
    expect(new Set(WELL_KNOWN_KEYS).size).toBe(10);
    expect(Object.keys(EXPECTED)).toEqual(expect.arrayContaining([...WELL_KNOWN_KEYS]));
  });
});

describe("reading a context item", () => {
  it("counts as an access and changes nothing else", () => {
    const item = putAt(undefined, put("framework", "Phoenix"), T0);
    expect(touchItem(item, T1)).toEqual({ ...item, access_count: 2, last_accessed: iso(T1) });
  });
});

describe("the context's token budget", () => {
  const item = (key: string, tokens: number, age = 0): StoredItem => ({
    ...putAt(undefined, put(key, "v"), T0 - age),
    tokens,
  });
  const importance: Record<string, number> = { low: 0.1, mid: 0.5, high: 0.9, new: 0 };
  const importanceOf = ({ key }: StoredItem) => importance[key] ?? 0;
  const keys = (items: StoredItem[]) => items.map(({ key }) => key);

  it("lets nothing leave while everything fits", () => {
    expect(selectItemsToEvict([item("low", 50), item("new", 50)], 100, "new", importanceOf)).toEqual([]);
  });

  it("lets the least important leave first, only as many as needed", () => {
    const items = [item("high", 40), item("low", 40), item("mid", 40), item("new", 40)];
    expect(keys(selectItemsToEvict(items, 120, "new", importanceOf))).toEqual(["low"]);
    expect(keys(selectItemsToEvict(items, 100, "new", importanceOf))).toEqual(["low", "mid"]);
  });

  it("never lets the one just written leave, not even when it alone is too large", () => {
    expect(keys(selectItemsToEvict([item("high", 10), item("new", 500)], 100, "new", importanceOf))).toEqual([
      "high",
    ]);
  });

  it("lets the one unused for longer leave when two are as important", () => {
    const items = [item("b", 60), item("a", 60, 1_000), item("new", 10)];
    expect(keys(selectItemsToEvict(items, 100, "new", () => 0.5))).toEqual(["a"]);
  });

  it("always ends within the budget, or with the one just written alone", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }), fc.nat(500), (sizes, max) => {
        const items = sizes.map((tokens, index) => item(`k${index}`, tokens));
        const gone = new Set(selectItemsToEvict(items, max, "k0", ({ tokens }) => (tokens % 7) / 7));
        const left = items.filter((kept) => !gone.has(kept));
        const total = left.reduce((sum, kept) => sum + kept.tokens, 0);
        expect(keys(left)).toContain("k0");
        if (left.length > 1) expect(total).toBeLessThanOrEqual(max);
      }),
    );
  });
});

describe("the content of a promoted item", () => {
  it("names the key and the value, other values than text as compact JSON", () => {
    expect(renderContextItem({ key: "framework", value: "Phoenix 1.7" })).toBe("framework: Phoenix 1.7");
    expect(renderContextItem({ key: "tags", value: ["a", 1, null] })).toBe('tags: ["a",1,null]');
    expect(renderContextItem({ key: "empty", value: "" })).toBe("empty:");
  });

  it("is a memory's length at most, in code points", () => {
    expect(Array.from(renderContextItem({ key: "k", value: "🙂".repeat(5_000) }))).toHaveLength(2_000);
  });
});

describe("a fingerprint", () => {
  it("is independent of the order of keys, at any depth", () => {
    expect(fingerprintValue({ a: 1, b: { c: [2], d: "x" } })).toBe(
      fingerprintValue({ b: { d: "x", c: [2] }, a: 1 }),
    );
  });

  it("is the same only for the same value", () => {
    const distinct: Json[] = ["1", 1, [1], { 1: 1 }, { "1": "1" }, null, "null", true, "true", [], {}, ""];
    expect(new Set(distinct.map(fingerprintValue)).size).toBe(distinct.length);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        expect(JSON.parse(fingerprintValue(json))).toEqual(json);
      }),
    );
  });
});
