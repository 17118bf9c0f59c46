// The conformance suite of vector indexes; each implementation's own test runs it.
import { describe, expect, it } from "vitest";
import {
  type VectorFilter,
  type VectorIndex,
  VectorIndexError,
  type VectorRecord,
} from "../../../src/recall/vectors/vector-index";
import { freshId } from "../support";
import { cosine, generator, randomVector, record, vectorAt } from "./support";

export type Subject = {
  /** Opens the index of a tenant and an embedder; all indexes of one subject share their storage. */
  open: (owner: { tenant: string; embedder: string }) => VectorIndex;
  /** Makes all writes visible. */
  settled: () => Promise<void>;
};

/** Not a multiple of the kernel's step, so that padding errors would show. */
export const DIMENSIONS = 50;

export function describeVectorIndex(name: string, start: () => Subject): void {
  const random = generator(7);
  const query = randomVector(DIMENSIONS, random);

  function setUp() {
    const subject = start();
    const owner = { tenant: freshId("tenant"), embedder: "test@1" };
    const index = subject.open(owner);
    const put = async (records: readonly VectorRecord[]) => {
      const { visibleAfter } = await index.upsert("memory", records);
      await subject.settled();
      return visibleAfter;
    };
    const find = async (filter: VectorFilter = {}, limit = 10) =>
      (await index.query("memory", query, { limit, filter })).map(({ id }) => id);
    return { ...subject, owner, index, put, find };
  }

  /** Returns records with unique ids and decreasing cosine similarity from 0.9, best first. */
  function ladder(count: number, more: (i: number) => Partial<VectorRecord> = () => ({})): VectorRecord[] {
    const prefix = freshId("v").slice(0, 20);
    return Array.from({ length: count }, (_, i) =>
      record(
        `${prefix}-${String(i).padStart(4, "0")}`,
        vectorAt(query, 0.9 - (1.8 * i) / count, random),
        more(i),
      ),
    );
  }

  const idsOf = (records: readonly VectorRecord[]) => records.map(({ id }) => id);
  const reversed = (records: readonly VectorRecord[]) => records.toReversed();

  describe(`${name}: queries`, () => {
    it("return nothing from an empty index", async () => {
      const { find } = setUp();
      expect(await find()).toEqual([]);
      expect(await find({ live: true, scope: { kind: "session", token: "s" } })).toEqual([]);
    });

    it("return the top k of hundreds, in order", async () => {
      const { put, find } = setUp();
      const records = ladder(200);
      await put(reversed(records));
      expect(await find({}, 100)).toEqual(idsOf(records).slice(0, 100));
    });

    it("score within 0.01 of the exact cosine similarity, for vectors of any length", async () => {
      const { index, put } = setUp();
      const vectors = Array.from({ length: 300 }, (_, i) =>
        randomVector(DIMENSIONS, random).map((value) => value * 10 ** ((i % 7) - 3)),
      );
      const prefix = freshId("v").slice(0, 20);
      const records = vectors.map((vector, i) => record(`${prefix}-${i}`, vector));
      await put(records);
      const matches = await index.query("memory", query, { limit: 100, filter: {} });
      expect(matches).toHaveLength(100);
      const truth = new Map(records.map(({ id, vector }) => [id, cosine(query, vector)]));
      for (const { id, score } of matches) expect(Math.abs(score - (truth.get(id) ?? 9))).toBeLessThan(0.01);
      const hundredth = [...truth.values()].sort((a, b) => b - a)[99] ?? 0;
      for (const { id } of matches) expect(truth.get(id)).toBeGreaterThan(hundredth - 0.01);
      expect(matches.map(({ score }) => score)).toEqual(
        matches.map(({ score }) => score).toSorted((a, b) => b - a),
      );
    });

    it("order equal scores by id", async () => {
      const { put, find } = setUp();
      const vector = randomVector(DIMENSIONS, random);
      const prefix = freshId("v").slice(0, 20);
      await put(["c", "a", "d", "b"].map((letter) => record(`${prefix}-${letter}`, vector)));
      expect(await find()).toEqual(["a", "b", "c", "d"].map((letter) => `${prefix}-${letter}`));
    });

    it("clamp a limit above the maximum, and return nothing for a limit of 0", async () => {
      const { index, put, find } = setUp();
      const records = ladder(3);
      await put(records);
      expect(await find({}, index.maxMatches + 1_000)).toEqual(idsOf(records));
      expect(await find({}, 0)).toEqual([]);
    });

    it("accept a vector of zeros", async () => {
      const { index, put } = setUp();
      const [zero] = idsOf([record(freshId("z"), new Float32Array(DIMENSIONS))]);
      await put([record(zero ?? "", new Float32Array(DIMENSIONS)), ...ladder(2)]);
      const matches = await index.query("memory", query, { limit: 10, filter: {} });
      expect(matches.find(({ id }) => id === zero)?.score).toBe(0);
      const blind = await index.query("memory", new Float32Array(DIMENSIONS), { limit: 10, filter: {} });
      expect(blind.map(({ score }) => score)).toEqual([0, 0, 0]);
    });
  });

  describe(`${name}: upserts`, () => {
    it("replace the vector with the same id", async () => {
      const { index, put, find } = setUp();
      const [first, second, third] = ladder(3);
      if (!first || !second || !third) throw new Error("three records");
      await put([first, second]);
      expect(await find()).toEqual([first.id, second.id]);
      await put([{ ...first, vector: third.vector, type: "decision", session: "s9", live: false }]);
      expect(await find()).toEqual([second.id, first.id]);
      expect(await find({ types: ["fact"] })).toEqual([second.id]);
      expect(await find({ scope: { kind: "session", token: "s9" } })).toEqual([first.id]);
      expect(await find({ live: true })).toEqual([second.id]);
      expect(await index.remove("memory", [first.id])).toBe(1);
    });

    it("are idempotent", async () => {
      const { index, put, find } = setUp();
      const records = ladder(40);
      await put(records);
      await put(records);
      expect(await find({}, 100)).toEqual(idsOf(records));
      expect(await index.remove("memory", idsOf(records))).toBe(40);
    });

    it("keep the last of several records with one id", async () => {
      const { put, find } = setUp();
      const [first, second] = ladder(2);
      if (!first || !second) throw new Error("two records");
      await put([first, second, { ...first, type: "decision" }]);
      expect(await find()).toEqual([first.id, second.id]);
      expect(await find({ types: ["decision"] })).toEqual([first.id]);
    });

    it("split long lists into pages", async () => {
      const { index, put, find } = setUp();
      const records = ladder(2_500);
      await put(records);
      expect((await find({}, 5)).length).toBe(5);
      expect(await index.remove("memory", idsOf(records))).toBe(2_500);
    });

    it("accept an empty list", async () => {
      const { index, find } = setUp();
      expect((await index.upsert("memory", [])).visibleAfter).toBeNull();
      expect(await index.remove("memory", [])).toBe(0);
      expect(await find()).toEqual([]);
    });

    it("report when they are visible", async () => {
      const { index, put } = setUp();
      const visibleAfter = await put(ladder(1));
      if (visibleAfter !== null) expect(await index.isVisible(visibleAfter)).toBe(true);
    });
  });

  describe(`${name}: removals`, () => {
    it("count existing vectors once", async () => {
      const { index, put, find, settled } = setUp();
      const records = ladder(70);
      await put(records);
      const gone = idsOf(records).filter((_, i) => i % 3 === 0);
      expect(await index.remove("memory", [...gone, ...gone, freshId("unknown")])).toBe(gone.length);
      await settled();
      expect(await index.remove("memory", gone)).toBe(0);
      expect(await find({}, 100)).toEqual(idsOf(records).filter((id) => !gone.includes(id)));
    });

    it("allow an id to be inserted again", async () => {
      const { index, put, find, settled } = setUp();
      const [first, second] = ladder(2, () => ({ session: "s1" }));
      if (!first || !second) throw new Error("two records");
      await put([first, second]);
      await index.remove("memory", [first.id]);
      await settled();
      await put([{ ...first, session: "s2" }]);
      expect(await find({ scope: { kind: "session", token: "s1" } })).toEqual([second.id]);
      expect(await find({ scope: { kind: "session", token: "s2" } })).toEqual([first.id]);
    });
  });

  describe(`${name}: filters`, () => {
    const records = ladder(60, (i) => ({
      session: `s${i % 3}`,
      agent: i % 4 === 0 ? null : `a${i % 2}`,
      project: i % 5 === 0 ? "p" : null,
      type: ["fact", "decision", "risk"][i % 3] ?? "",
      live: i % 7 !== 0,
      timestamp: 1_000 + i,
    }));
    const passing = (test: (record: VectorRecord) => boolean) => idsOf(records.filter(test));

    const cases: [name: string, filter: VectorFilter, test: (record: VectorRecord) => boolean][] = [
      ["a session", { scope: { kind: "session", token: "s1" } }, ({ session }) => session === "s1"],
      ["an agent", { scope: { kind: "agent", token: "a1" } }, ({ agent }) => agent === "a1"],
      ["a project", { scope: { kind: "project", token: "p" } }, ({ project }) => project === "p"],
      ["a scope that nothing has", { scope: { kind: "project", token: "s1" } }, () => false],
      ["a type", { types: ["risk"] }, ({ type }) => type === "risk"],
      ["several types", { types: ["risk", "fact", "no such"] }, ({ type }) => type !== "decision"],
      ["no type at all", { types: [] }, () => false],
      ["what is live", { live: true }, ({ live }) => live],
      ["since, inclusive", { since: 1_030 }, ({ timestamp }) => timestamp >= 1_030],
      ["until, inclusive", { until: 1_030 }, ({ timestamp }) => timestamp <= 1_030],
      ["a moment", { since: 1_030, until: 1_030 }, ({ timestamp }) => timestamp === 1_030],
      ["a time that is empty", { since: 1_031, until: 1_030 }, () => false],
      [
        "all of them at once",
        {
          scope: { kind: "session", token: "s2" },
          types: ["risk", "fact"],
          live: true,
          since: 1_010,
          until: 1_050,
        },
        ({ session, type, live, timestamp }) =>
          session === "s2" && type !== "decision" && live && timestamp >= 1_010 && timestamp <= 1_050,
      ],
    ];

    it("select exactly, alone and combined", async () => {
      const { put, find } = setUp();
      await put(records);
      for (const [title, filter, test] of cases)
        expect.soft(await find(filter, 100), title).toEqual(passing(test));
    });

    it("apply before the limit", async () => {
      const { put, find } = setUp();
      await put(records);
      const last = passing(({ session }) => session === "s0").slice(0, 3);
      expect(await find({ scope: { kind: "session", token: "s0" } }, 3)).toEqual(last);
      expect(await find({ since: 1_059 }, 1)).toEqual([records.at(-1)?.id]);
    });
  });

  describe(`${name}: isolation`, () => {
    it("separates tenants, kinds and embedders", async () => {
      const { open, owner, index, settled } = setUp();
      const others = [
        open({ ...owner, tenant: freshId("tenant") }),
        open({ ...owner, embedder: "test@2" }),
        // Names that would collide if they were only concatenated.
        open({ tenant: `${owner.tenant}/memory`, embedder: owner.embedder }),
        open({ tenant: owner.tenant, embedder: `${owner.embedder}/0` }),
      ];
      const [mine] = ladder(1);
      const theirs = ladder(others.length);
      if (!mine) throw new Error("one record");
      await index.upsert("memory", [mine]);
      await index.upsert("message", [{ ...mine, id: `${mine.id}-m`, type: "" }]);
      for (const [i, other] of others.entries()) await other.upsert("memory", theirs.slice(i, i + 1));
      await settled();

      const ask = async (from: VectorIndex, kind: "memory" | "message") =>
        (await from.query(kind, query, { limit: 10, filter: {} })).map(({ id }) => id);
      expect(await ask(index, "memory")).toEqual([mine.id]);
      expect(await ask(index, "message")).toEqual([`${mine.id}-m`]);
      for (const [i, other] of others.entries()) {
        expect(await ask(other, "memory")).toEqual([theirs[i]?.id]);
        expect(await ask(other, "message")).toEqual([]);
      }
      // A removal may include another embedder's vector of the same memory, never another tenant's.
      for (const stranger of [others[0], others[2]]) {
        expect(await stranger?.remove("memory", [mine.id])).toBe(0);
        expect(await stranger?.remove("message", [`${mine.id}-m`])).toBe(0);
      }
      expect(await index.remove("message", [mine.id])).toBe(0);
      await settled();
      expect(await ask(index, "memory")).toEqual([mine.id]);
    });
  });

  describe(`${name}: hostile input`, () => {
    const tokens = [
      "'; DROP TABLE blocks; --",
      '{"$ne": null}',
      "$eq",
      "__proto__",
      "constructor",
      "a.b",
      'quote"quote',
      "nul\u0000nul",
      "日本語のトークン",
      "👩‍🚀",
      " ",
      "0",
    ];

    it("is data: ids, scopes and types may be any text", async () => {
      const { index, put, find } = setUp();
      const prefix = freshId().slice(0, 10);
      const records = ladder(tokens.length).map((each, i) => ({
        ...each,
        id: `${prefix}${tokens[i]}`,
        session: tokens[i] ?? null,
        type: tokens[i] ?? "",
      }));
      await put(records);
      for (const [i, token] of tokens.entries()) {
        const mine = [`${prefix}${token}`];
        expect.soft(await find({ scope: { kind: "session", token } }), token).toEqual(mine);
        expect.soft(await find({ types: [token] }), token).toEqual(mine);
        expect.soft(await find({ scope: { kind: "agent", token } }), token).toEqual([]);
        expect.soft(await index.remove("memory", [`${prefix}${token}`]), token).toBe(1);
        expect.soft(i).toBeLessThan(tokens.length);
      }
    });

    it("may have ids and scopes of 64 bytes; longer ones are rejected", async () => {
      const { index, put, find } = setUp();
      const id = freshId("v").padEnd(64, "x");
      const token = "é".repeat(32);
      await put([record(id, query, { session: token, type: token })]);
      expect(await find({ scope: { kind: "session", token }, types: [token] })).toEqual([id]);
      for (const bad of [
        record(`${id}x`, query),
        record("", query),
        record(freshId(), query, { session: `${token}x` }),
        record(freshId(), query, { type: `${token}x` }),
        record(freshId(), query, { timestamp: Number.NaN }),
        record(freshId(), query.with(3, Number.NaN)),
        record(freshId(), query.with(3, Number.POSITIVE_INFINITY)),
        record(freshId(), new Float32Array(0)),
      ])
        await expect(index.upsert("memory", [bad])).rejects.toThrow(VectorIndexError);
    });

    it("with other dimensions is rejected by upserts and queries", async () => {
      const { index, put, find } = setUp();
      const [first] = ladder(1);
      if (!first) throw new Error("one record");
      await put([first]);
      const longer = randomVector(DIMENSIONS + 1, random);
      await expect(index.upsert("memory", [record(freshId(), longer)])).rejects.toThrow(/dimensions/);
      await expect(
        index.upsert("memory", [record(freshId(), query), record(freshId(), longer)]),
      ).rejects.toThrow(VectorIndexError);
      await expect(index.query("memory", longer, { limit: 1, filter: {} })).rejects.toThrow(VectorIndexError);
      expect(await find()).toEqual([first.id]);
    });
  });
}
