// The benchmarks' own arithmetic, on cases worked out by hand: a wrong measure would mislead every change after it.
import { describe, expect, it } from "vitest";
import {
  cutBytes,
  cutChars,
  parseDate,
  takeEvenly,
  toConversation,
  toSafeId,
} from "../../bench/lib/data/conversations";
import {
  averageMeasures,
  computeNdcg,
  computeRecall,
  computeReciprocalRank,
  mergeIntoSessions,
  rankEvidence,
} from "../../bench/lib/report/ranking-quality";

describe("the measures of a ranking", () => {
  it("recall is the share of the evidence among the first k", () => {
    const ranks = [1, 6, 10, null];
    expect(computeRecall(ranks, 5)).toBe(0.25);
    expect(computeRecall(ranks, 10)).toBe(0.75);
    expect(computeRecall(ranks, 20)).toBe(0.75);
  });

  it("nDCG is 1 when the evidence stands first, in whatever order", () => {
    expect(computeNdcg([1], 10)).toBe(1);
    expect(computeNdcg([3, 1, 2], 10)).toBeCloseTo(1, 12);
  });

  it("nDCG weighs each piece of evidence by its rank, against the best possible order", () => {
    // 1/log2(2) + 1/log2(4) = 1.5 of 1/log2(2) + 1/log2(3) + 1/log2(4) = 2.1309…
    expect(computeNdcg([1, 3, null], 10)).toBeCloseTo(1.5 / 2.130_929_753_571_457, 12);
    expect(computeNdcg([7], 10)).toBeCloseTo(1 / 3, 12);
    expect(computeNdcg([11], 10)).toBe(0);
  });

  it("nDCG asks of more evidence than k only for the first k", () => {
    const ranks = Array.from({ length: 12 }, (_, i) => i + 1);
    expect(computeNdcg(ranks, 10)).toBeCloseTo(1, 12);
  });

  it("nDCG gives evidence that shares a hit the gain of one", () => {
    // 1 of 1/log2(2) + 1/log2(3) = 1.6309…
    expect(computeNdcg([1, 1], 10)).toBeCloseTo(1 / 1.630_929_753_571_457, 12);
  });

  it("the reciprocal rank is that of the first evidence, and 0 when none was found", () => {
    expect(computeReciprocalRank([null, 4, 9])).toBe(0.25);
    expect(computeReciprocalRank([null, null])).toBe(0);
  });

  it("averages count every question alike, however much evidence it has", () => {
    expect(averageMeasures("turn", [[1], [null, null, null, 20]])).toEqual({
      "R@5": 0.5,
      "R@10": 0.5,
      "R@20": 0.625,
      "nDCG@10": 0.5,
      MRR: 0.525,
    });
    expect(Object.keys(averageMeasures("session", [[1]]))).toEqual(["R@5", "R@10", "nDCG@10", "MRR"]);
  });
});

describe("from hits to ranks", () => {
  it("finds each piece of evidence at its first place", () => {
    expect(rankEvidence(["b", "c", "x"], [["a"], ["b"], ["c", "b"]])).toEqual([2, 3, null]);
  });

  it("puts a session where its best hit stood, and closes the gaps", () => {
    const sessions = mergeIntoSessions([[4], [4], [2], [4], [7]]);
    expect(sessions).toEqual([[4], [2], [7]]);
    expect(rankEvidence([7, 2, 1], sessions)).toEqual([3, 2, null]);
  });
});

describe("the dates of conversations", () => {
  it.each([
    ["1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"],
    ["12:09 am on 13 September, 2023", "2023-09-13T00:09:00.000Z"],
    ["12:30 pm on 1 January, 2022", "2022-01-01T12:30:00.000Z"],
    ["2025-12-15 (Monday)", "2025-12-15T00:00:00.000Z"],
  ])("reads %s", (text, time) => {
    expect(new Date(parseDate(text)).toISOString()).toBe(time);
  });

  it.each(["yesterday", "1:56 pm on 8 Mai, 2023"])("refuses %s", (text) => {
    expect(() => parseDate(text)).toThrow(text);
  });
});

describe("reading a conversation", () => {
  const turn = (id: string, session: number, date: string, speaker = "user", more = {}) => {
    return { id, session, date, speaker, text: `text of ${id}`, ...more };
  };

  it("keeps the order of turns, and of sessions on the same day, in their times", () => {
    const { sessions, ordered } = toConversation({
      id: "c",
      turns: [
        turn("0:0", 0, "2025-12-15 (Monday)"),
        turn("0:1", 0, "2025-12-15 (Monday)"),
        turn("1:0", 1, "2025-12-15 (Monday)"),
        turn("2:0", 2, "2025-12-16 (Tuesday)"),
      ],
      questions: [],
    });
    const times = sessions.flatMap(({ turns }) => turns.map(({ at }) => new Date(at).toISOString()));
    expect(times).toEqual([
      "2025-12-15T00:00:00.000Z",
      "2025-12-15T00:00:01.000Z",
      "2025-12-15T00:01:01.000Z",
      "2025-12-16T00:00:00.000Z",
    ]);
    expect(ordered).toBe(true);
  });

  it("says when the times do not tell what was before what", () => {
    const turns = [turn("0:0", 0, "2025-12-15 (Monday)"), turn("1:0", 1, "2025-12-14 (Sunday)")];
    expect(toConversation({ id: "c", turns, questions: [] }).ordered).toBe(false);
  });

  it("makes the first of two people the user, and puts a photo into words", () => {
    const date = "1:56 pm on 8 May, 2023";
    const { sessions } = toConversation({
      id: "c",
      speakers: ["Ann", "Bea"],
      turns: [turn("D1:1", 1, date, "Bea", { caption: "a red door" }), turn("D1:2", 1, date, "Ann")],
      questions: [],
    });
    expect(sessions[0]?.turns.map(({ role, speaker, text }) => [role, speaker, text])).toEqual([
      ["assistant", "Bea", "text of D1:1 [shares a photo: a red door]"],
      ["user", "Ann", "text of D1:2"],
    ]);
  });

  it("reads questions about turns and about earlier sessions", () => {
    const { questions } = toConversation({
      id: "c",
      turns: [],
      questions: [
        { question: "Who?", evidence: ["D1:1"], category: 4 },
        { question: "What?", evidence_sessions: [3, 5], asked_in_session: 9, category: "Updating" },
      ],
    });
    expect(questions).toMatchObject([
      { number: 0, level: "turn", evidence: ["D1:1"], category: "4 single-hop", before: null },
      { number: 1, level: "session", evidence: [3, 5], category: "Updating", before: 9 },
    ]);
  });
});

describe("what the service's limits ask for", () => {
  it("cuts between characters, never within one", () => {
    expect(cutBytes("aé€😀", 10)).toBe("aé€😀");
    expect(cutBytes("aé€😀", 9)).toBe("aé€");
    expect(cutBytes("aé€😀", 5)).toBe("aé");
    expect(cutChars("a😀b", 2)).toBe("a😀");
  });

  it("makes ids of what the id rule allows", () => {
    expect(toSafeId("D1:12")).toBe("D1-12");
  });

  it("takes a part of the questions at even distances", () => {
    expect(takeEvenly([0, 1, 2, 3, 4, 5, 6, 7], 4)).toEqual([0, 2, 4, 6]);
    expect(takeEvenly([0, 1], 4)).toEqual([0, 1]);
  });
});
