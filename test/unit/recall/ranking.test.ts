import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findTimeRanges } from "../../../src/language/times/time-ranges";
import { DEFAULT_RANKING } from "../../../src/models/embedders/embedder";
import {
  RANKING_WEIGHTS,
  type RankOptions,
  rankCandidates,
  type SearchCandidate,
} from "../../../src/recall/search/rank-fusion";

const DAY = 86_400_000;
const NEWEST = "2026-03-01T12:00:00.000Z";
const daysBefore = (days: number) => new Date(Date.parse(NEWEST) - days * DAY).toISOString();

let last = 0;
function message(more: Partial<SearchCandidate> = {}): SearchCandidate {
  last += 1;
  return {
    kind: "message",
    seq: last,
    timestamp: NEWEST,
    day: more.timestamp ?? NEWEST,
    name: null,
    role: "assistant",
    session_id: null,
    text: null,
    importance: null,
    confidence: null,
    access_count: null,
    bm25: null,
    parts: 0,
    cosine: null,
    ...more,
  };
}
const memory = (more: Partial<SearchCandidate> = {}) =>
  message({ kind: "memory", role: null, importance: 0, confidence: 1, access_count: 0, ...more });

type Options = Partial<Omit<RankOptions, "ranking">> & { ranking?: Partial<RankOptions["ranking"]> };
const options = ({ ranking, ...more }: Options = {}): RankOptions => ({
  query: "what about it",
  mode: "hybrid",
  cutOff: { memory: 0, message: 0 },
  ...more,
  ranking: { ...DEFAULT_RANKING, ...ranking },
});
const ranked = (candidates: readonly SearchCandidate[], more?: Options) =>
  rankCandidates(candidates, options(more));
const order = (candidates: readonly SearchCandidate[], more?: Options) =>
  ranked(candidates, more).map(({ candidate }) => candidate);
/** Returns the score of each candidate, in input order. */
const scores = (candidates: readonly SearchCandidate[], more?: Options) => {
  const found = new Map(ranked(candidates, more).map(({ candidate, score }) => [candidate, score]));
  return candidates.map((candidate) => found.get(candidate));
};

/** The recency bonus of the newest candidate. */
const newest = (...parts: number[]) =>
  round(parts.reduce((sum, part) => sum + part, RANKING_WEIGHTS.recency));

describe("a weighted ranking", () => {
  it("adds the lexical score relative to the best, and the weighted cosine similarity", () => {
    const best = message({ bm25: -8 });
    const half = message({ bm25: -4, cosine: 0.5 });
    const near = message({ cosine: 0.8 });
    expect(scores([best, half, near], { ranking: { semantic_weight: 0.5 } })).toEqual([
      newest(1),
      newest(0.5 + 0.25),
      newest(0.4),
    ]);
    expect(order([half, near, best], { ranking: { semantic_weight: 0.5 } })).toEqual([best, half, near]);
    expect(order([half, near, best], { ranking: { semantic_weight: 2 } })).toEqual([near, half, best]);
    expect(order([half, near, best], { ranking: { semantic_weight: 0 } })).toEqual([best, half, near]);
  });

  it("normalises the lexical scores of each kind separately: the scales of their indexes differ", () => {
    const said = message({ bm25: -2 });
    const alsoSaid = message({ bm25: -1 });
    const known = memory({ bm25: -40 });
    expect(ranked([said, alsoSaid, known]).map(({ signals }) => signals.lexical)).toEqual(
      expect.arrayContaining([1, 1, 0.5]),
    );
    expect(scores([said, alsoSaid, known])).toEqual([newest(1), newest(0.5), newest(1)]);
  });

  it("assumes the cut-off similarity for candidates without a semantic match", () => {
    const listed = message({ cosine: 0.7 });
    const last = message({ cosine: 0.4 });
    const text = message({ bm25: -1 });
    const known = memory({ cosine: 0.7 });
    const cut = { cutOff: { memory: 0, message: 0.4 }, ranking: { semantic_weight: 1 } };
    expect(scores([listed, last, text, known], cut)).toEqual([
      newest(0.3),
      newest(0),
      newest(1),
      newest(0.7),
    ]);
    expect(ranked([last], cut)[0]?.signals.semantic).toBe(0.4);
  });

  it("halves the recency bonus every fourteen days", () => {
    const times = [0, 14, 28].map((days) => message({ bm25: -1, timestamp: daysBefore(days) }));
    expect(scores(times)).toEqual([1, 0.5, 0.25].map((share) => round(1 + share * RANKING_WEIGHTS.recency)));
    expect(ranked(times).map(({ signals }) => signals.recency)).toEqual([1, 0.5, 0.25]);
  });

  it("prefers the more important of two memories, weighted by confidence", () => {
    const sure = memory({ bm25: -1, importance: 1, confidence: 1 });
    const unsure = memory({ bm25: -1, importance: 1, confidence: 0.5 });
    const idle = memory({ bm25: -1, importance: 0, confidence: 1 });
    expect(scores([sure, unsure, idle])).toEqual([
      newest(1, RANKING_WEIGHTS.importance),
      newest(1, RANKING_WEIGHTS.importance / 2),
      newest(1),
    ]);
  });

  it("breaks near-ties by how often a memory was recalled", () => {
    const [often, seldom, never] = [1_000, 10, 0].map((access_count) => memory({ bm25: -1, access_count }));
    expect(order([never, seldom, often] as SearchCandidate[])).toEqual([often, seldom, never]);
    expect(ranked([seldom] as SearchCandidate[])[0]?.signals.access).toBe(0.5);
    expect(scores([seldom] as SearchCandidate[])).toEqual([newest(1, RANKING_WEIGHTS.access / 2)]);
  });

  it("is the same for memories that were never recalled, and for messages, as without access counts", () => {
    const found = [memory({ bm25: -1 }), message({ bm25: -1 })];
    expect(scores(found)).toEqual([newest(1), newest(1)]);
    expect(ranked(found).map(({ signals }) => signals.access)).toEqual([undefined, 0]);
  });

  it("puts a far better match before a weak one that was recalled a million times", () => {
    const better = memory({ bm25: -8, cosine: 0.5, importance: 0.3 });
    const recalled = memory({ bm25: -6, cosine: 0.4, importance: 1, access_count: 1_000_000 });
    expect(order([recalled, better])).toEqual([better, recalled]);
  });

  it("counts terms that stand only within words by their share of the query", () => {
    const [whole, half] = [message({ parts: 1 }), message({ parts: 0.5 })];
    expect(scores([whole, half])).toEqual([newest(1), newest(0.5)]);
    expect(ranked([half])[0]?.signals.lexical).toBe(0.5);
    const both = message({ bm25: -4, parts: 0.5 });
    expect(scores([message({ bm25: -8 }), both])).toEqual([newest(1), newest(1)]);
  });

  it("adds the user prior to messages of users only", () => {
    const roles = ["user", "assistant", "system", "tool"].map((role) => message({ bm25: -1, role }));
    const known = memory({ bm25: -1 });
    expect(scores([...roles, known], { ranking: { user_prior: 0.4 } })).toEqual([
      newest(1, 0.4),
      ...Array(4).fill(newest(1)),
    ]);
    expect(scores([...roles, known])).toEqual(Array(5).fill(newest(1)));
  });

  it("adds a bonus for the one speaker named and one for the month mentioned", () => {
    const byAnna = message({ bm25: -1, name: "Anna" });
    const byBen = message({ bm25: -1, name: "Ben" });
    const query = "What did Anna say in March 2026?";
    const times = findTimeRanges(query, NEWEST);
    expect(scores([byAnna, byBen], { query, times })).toEqual([
      newest(1, RANKING_WEIGHTS.speaker, RANKING_WEIGHTS.date),
      newest(1, RANKING_WEIGHTS.date),
    ]);
    expect(ranked([byAnna, byBen], { query, times })[0]?.signals).toMatchObject({
      speaker: RANKING_WEIGHTS.speaker,
      date: RANKING_WEIGHTS.date,
    });
    // Two are named: neither gets the bonus.
    expect(scores([byAnna, byBen], { query: "What did Anna tell Ben?" })).toEqual([newest(1), newest(1)]);
  });

  it("uses the validity date for the month, and the timestamp for recency", () => {
    const told = memory({ bm25: -1, day: daysBefore(60) });
    const ask = (query: string) => scores([told], { query, times: findTimeRanges(query, NEWEST) });
    expect(ask("What happened in March 2026?")).toEqual([newest(1)]);
    expect(ask("What happened in December 2025?")).toEqual([newest(1, RANKING_WEIGHTS.date)]);
  });

  it("ignores recency for a query about a time before now, if some candidate is from then", () => {
    const old = message({ bm25: -1, timestamp: daysBefore(45), day: daysBefore(45) });
    const fresh = message({ bm25: -1 });
    const query = "What happened two months ago?";
    const signals = (candidates: SearchCandidate[]) =>
      ranked(candidates, { query, times: findTimeRanges(query, NEWEST) }).map((one) => one.signals);
    expect(signals([fresh, old])).toMatchObject([{ recency: 0, date: RANKING_WEIGHTS.date }, { recency: 0 }]);
    expect(signals([fresh])).toMatchObject([{ recency: 1 }]);
  });

  it("explains every signal of a score, and no others", () => {
    expect(
      ranked([memory({ bm25: -1, cosine: 0.123456, importance: 0.33333, confidence: 0.5 })])[0],
    ).toMatchObject({
      signals: { lexical: 1, semantic: 0.1235, recency: 1, importance: 0.3333, mode: "hybrid" },
    });
    expect(ranked([message({ cosine: 0.5 })], { mode: "semantic" })[0]?.signals).toEqual({
      semantic: 0.5,
      recency: 1,
      mode: "semantic",
    });
    expect(ranked([message({ bm25: -3 })], { mode: "text" })[0]?.signals).toEqual({
      lexical: 1,
      recency: 1,
      mode: "text",
    });
  });

  it("returns nothing for no candidates", () => {
    expect(ranked([])).toEqual([]);
  });
});

describe("a tie", () => {
  it("goes to the newer, then to the one written later", () => {
    const later = message({ bm25: -1, timestamp: new Date(Date.parse(NEWEST) - 1).toISOString() });
    const old = message({ bm25: -1, timestamp: new Date(Date.parse(NEWEST) - 2).toISOString(), seq: 99 });
    const twin = message({ bm25: -1, timestamp: later.timestamp });
    const newest = message({ bm25: -1 });
    expect(order([later, old, twin, newest])).toEqual([newest, twin, later, old]);
  });

  it("is decided on rounded scores, as they are returned", () => {
    const older = message({ cosine: 0.500_02, timestamp: new Date(Date.parse(NEWEST) - 1).toISOString() });
    const newer = message({ cosine: 0.500_01 });
    const [first, second] = ranked([older, newer], { ranking: { semantic_weight: 1 } });
    expect(first?.score).toBe(second?.score);
    expect(first?.candidate).toBe(newer);
  });

  it("of a memory and a message with the same sequence number does not depend on input order", () => {
    const said = message({ bm25: -1, seq: 7 });
    const known = memory({ bm25: -1, seq: 7 });
    expect(order([said, known])).toEqual(order([known, said]));
  });
});

describe("reciprocal rank fusion", () => {
  const rrf = (semantic_weight = 1): Options => ({ ranking: { fusion: "rrf", semantic_weight } });

  it("uses ranks, not scores, and counts the first as 1", () => {
    const both = message({ bm25: -1, cosine: 0.01 });
    const text = message({ bm25: -100 });
    const near = message({ cosine: 0.99 });
    expect(scores([both, text, near], rrf(0.5))).toEqual([
      newest(61 / 62, 0.5 * (61 / 62)),
      newest(1),
      newest(0.5),
    ]);
    expect(order([text, near, both], rrf(0.9))).toEqual([both, text, near]);
  });

  it("gives equal scores the same rank", () => {
    const twins = [message({ bm25: -2, cosine: 0.5 }), message({ bm25: -2, cosine: 0.5 })];
    const [one, other] = scores(twins, rrf());
    expect(one).toBe(newest(2));
    expect(other).toBe(one);
    expect(scores([...twins, message({ bm25: -1 })], rrf())[2]).toBe(newest(61 / 63));
  });

  it("adds the same signals as the weighted sum", () => {
    const byAnna = message({ bm25: -1, name: "Anna", role: "user" });
    expect(
      scores([byAnna], { query: "What did Anna say?", ranking: { fusion: "rrf", user_prior: 0.3 } }),
    ).toEqual([newest(1, RANKING_WEIGHTS.speaker, 0.3)]);
  });
});

describe("any ranking", () => {
  const instants = fc.integer({ min: 0, max: 400 }).map(daysBefore);
  const score = fc.option(fc.integer({ min: 1, max: 50 }), { nil: null });
  const candidate = fc
    .record({
      kind: fc.constantFrom("memory" as const, "message" as const),
      timestamp: instants,
      name: fc.constantFrom(null, "Anna", "Ben"),
      role: fc.constantFrom(null, "user", "assistant"),
      weight: fc.option(fc.integer({ min: 0, max: 10 }), { nil: null }),
      access_count: fc.option(fc.nat({ max: 1_000 }), { nil: null }),
      bm25: score,
      parts: fc.constantFrom(0, 0, 0.5),
      session_id: fc.constant(null),
      text: fc.constantFrom(null, "Since May, two of them.", "When was it?"),
      cosine: score,
    })
    .map(({ weight, bm25, cosine, ...more }) => ({
      ...more,
      importance: weight === null ? null : weight / 10,
      confidence: weight === null ? null : 0.8,
      bm25: bm25 === null ? null : -bm25 / 5,
      cosine: cosine === null ? null : cosine / 50,
    }));
  /** Numbered per kind, as in the tables: a memory and a message may share a sequence number. */
  const candidates = fc.array(candidate, { minLength: 1, maxLength: 12 }).map((list) => {
    const next = { memory: 0, message: 0 };
    return list.map((each): SearchCandidate => {
      next[each.kind] += 1;
      return { ...each, day: each.timestamp, seq: next[each.kind] };
    });
  });
  const asked = fc.record({
    query: fc.constantFrom("what about it", "What did Anna do?", "Anna and Ben in March 2026"),
    ranking: fc.record({
      fusion: fc.constantFrom("weighted" as const, "rrf" as const),
      semantic_weight: fc.constantFrom(0, 0.5, 0.9, 2),
      user_prior: fc.constantFrom(0, 0.4),
    }),
  });

  it("does not depend on input order", () => {
    fc.assert(
      fc.property(
        candidates.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        asked,
        ([list, shuffled], how) => {
          expect(ranked(shuffled, how)).toEqual(ranked(list, how));
        },
      ),
    );
  });

  it("returns every candidate once, best first", () => {
    fc.assert(
      fc.property(candidates, asked, (list, how) => {
        const found = ranked(list, how);
        expect(new Set(found.map((each) => each.candidate))).toEqual(new Set(list));
        expect(found).toHaveLength(list.length);
        for (const [i, { score }] of found.entries())
          expect(score).toBeLessThanOrEqual(found[i - 1]?.score ?? score);
      }),
    );
  });

  it("moves up no other candidate when one becomes more similar", () => {
    fc.assert(
      fc.property(candidates, asked, fc.nat(), (list, how, at) => {
        const place = at % list.length;
        const before = order(list, how).indexOf(list[place] as SearchCandidate);
        const nearer = list.with(place, { ...(list[place] as SearchCandidate), cosine: 1 });
        expect(order(nearer, how).indexOf(nearer[place] as SearchCandidate)).toBeLessThanOrEqual(before);
      }),
    );
  });

  it("that is weighted does not change when a candidate is added that is neither the best, nor the newest, nor by a speaker", () => {
    fc.assert(
      fc.property(candidates, candidate, asked, (list, more, how) => {
        const best = Math.min(...list.flatMap(({ kind, bm25 }) => (kind === more.kind ? (bm25 ?? []) : [])));
        const oldest = list.map(({ timestamp }) => timestamp).toSorted()[0] ?? NEWEST;
        const stranger: SearchCandidate = {
          ...more,
          seq: 1_000,
          parts: 0,
          name: null,
          timestamp: oldest,
          day: oldest,
          bm25: more.bm25 === null || best === Number.POSITIVE_INFINITY ? null : Math.max(more.bm25, best),
        };
        const weighted = { ...how, ranking: { ...how.ranking, fusion: "weighted" as const } };
        expect(ranked([...list, stranger], weighted).filter((each) => each.candidate !== stranger)).toEqual(
          ranked(list, weighted),
        );
      }),
    );
  });

  it("that is weighted equals the sum of its explained signals", () => {
    fc.assert(
      fc.property(candidates, asked, (list, how) => {
        const weighted = { ...how, ranking: { ...how.ranking, fusion: "weighted" as const } };
        const inSessions = list.map((each, i) => ({ ...each, session_id: i % 3 === 0 ? null : "a" }));
        for (const { candidate: each, score: total, signals } of ranked(inSessions, weighted)) {
          const sum =
            (signals.lexical ?? 0) +
            how.ranking.semantic_weight * (signals.semantic ?? 0) +
            (signals.speaker ?? 0) +
            (signals.date ?? 0) +
            (signals.when ?? 0) +
            (signals.count ?? 0) +
            (signals.question ?? 0) +
            RANKING_WEIGHTS.length * (signals.length ?? 0) +
            RANKING_WEIGHTS.session * (signals.session ?? 0) +
            RANKING_WEIGHTS.recency * (signals.recency ?? 0) +
            RANKING_WEIGHTS.importance * (signals.importance ?? 0) * (each.confidence ?? 0) +
            RANKING_WEIGHTS.access * (signals.access ?? 0) +
            (each.role === "user" ? how.ranking.user_prior : 0);
          expect(Math.abs(total - sum)).toBeLessThan(0.000_3);
        }
      }),
    );
  });
});

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
