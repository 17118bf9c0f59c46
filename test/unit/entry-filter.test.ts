import { describe, expect, it } from "vitest";
import type { MetadataFilter } from "../../src/memories/memory-fields";
import { combineEntryFilter, matchesEntryFilter, readMetadataQuery } from "../../src/policy/filter-entries";
import type { Entry } from "../../src/policy/policy-schemas";

const entry: Entry = {
  id: "e1",
  namespace: "team",
  user_id: null,
  agent_id: null,
  session_id: null,
  content: "Tea at four",
  metadata: {
    kind: "preference",
    cups: 2,
    open: true,
    tags: ["daily", "tea"],
    nested: { deep: 1 },
    none: null,
  },
  source: "manual",
  lasting: true,
  created_at: "2026-01-02T03:04:05.000Z",
};

describe("an entry", () => {
  it.each<[boolean, MetadataFilter]>([
    [true, {}],
    [true, { source: "manual", "metadata.kind": "preference" }],
    [false, { source: "conversation" }],
    [true, { source: { $in: ["conversation", "manual"] } }],
    [false, { source: { $ne: "manual" } }],
    [false, { "metadata.kind": "fact" }],
    [true, { "metadata.cups": 2 }],
    [false, { "metadata.cups": "2" }],
    [true, { "metadata.cups": { $gt: 1, $lte: 2 } }],
    [false, { "metadata.cups": { $lt: 2 } }],
    [false, { "metadata.cups": { $gte: "1" } }],
    [true, { "metadata.open": true }],
    [true, { "metadata.tags": "tea" }],
    [false, { "metadata.tags": { $nin: ["tea"] } }],
    [true, { "metadata.missing": { $ne: "a" } }],
    [false, { "metadata.missing": "a" }],
    [false, { "metadata.nested": "a" }],
    [false, { "metadata.toString": "a" }],
  ])("meets conditions: %s %j", (expected, filter) => {
    expect(matchesEntryFilter(entry, filter)).toBe(expected);
  });

  it("is filtered by what a call says in any of its fields", () => {
    const filter = { "metadata.cups": { $gt: 1 } };
    expect(combineEntryFilter({ source: "manual", metadata: { kind: "preference" }, filter })).toEqual({
      ...filter,
      "metadata.kind": "preference",
      source: "manual",
    });
    expect(combineEntryFilter({})).toEqual({});
  });

  it("is filtered by a query string, whose values are texts", () => {
    expect(
      readMetadataQuery({
        namespace: "team",
        "metadata.kind": "a",
        "metadata.n": "2",
        "metadata.open": "true",
      }),
    ).toEqual({
      "metadata.kind": { $in: ["a"] },
      "metadata.n": { $in: ["2", 2] },
      "metadata.open": { $in: ["true", true] },
    });
    expect(readMetadataQuery({ "metadata.kind": " " })).toEqual({ "metadata.kind": { $in: [" "] } });
  });
});
