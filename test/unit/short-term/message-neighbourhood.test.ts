import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findNeighbour,
  indexByPosition,
  listDistances,
  smoothVector,
  TEXT_REACH,
  VECTOR_REACH,
} from "../../../src/language/message-neighbourhood";

const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(" ");
const said = (...contents: string[]) => contents.map((content, i) => ({ position: i + 1, content }));
const length = (vector: Float32Array) => Math.hypot(...vector);

describe("a neighbour", () => {
  it("is at its distance in the conversation, or null", () => {
    const messages = said("one", "two", "three");
    const around = indexByPosition(messages);
    const at = (position: number, distance: number) => {
      const message = around.get(position);
      if (message === undefined) throw new Error("no such message");
      return findNeighbour(around, message, distance)?.content ?? null;
    };
    expect([at(2, -1), at(2, 1), at(1, 2), at(3, -2)]).toEqual(["one", "three", "three", "one"]);
    expect([at(1, -1), at(3, 1), at(2, 2)]).toEqual([null, null, null]);
  });

  it("is not found across a gap", () => {
    const [first, , third] = said("one", "two", "three");
    if (first === undefined || third === undefined) throw new Error("three messages");
    const around = indexByPosition([first, third]);
    expect(findNeighbour(around, first, 1)).toBeNull();
    expect(findNeighbour(around, first, 2)).toBe(third);
  });

  it("has at most 60 words, next to messages of at most 120", () => {
    const taken = (own: number, other: number) => {
      const messages = said(words(own), words(other));
      const [message] = messages;
      return message !== undefined && findNeighbour(indexByPosition(messages), message, 1) !== null;
    };
    expect(taken(1, 60)).toBe(true);
    expect(taken(1, 61)).toBe(false);
    expect(taken(120, 60)).toBe(true);
    expect(taken(121, 1)).toBe(false);
  });
});

describe("distances", () => {
  it("are ordered by absolute value, the earlier message first", () => {
    expect(listDistances(TEXT_REACH)).toEqual([-1, 1, -2, 2, -3, 3]);
    expect(listDistances(VECTOR_REACH)).toEqual([-1, 1, -2, 2]);
  });
});

describe("a smoothed vector", () => {
  it("equals the message's own vector without neighbours", () => {
    const own = Float32Array.of(0.6, 0.8);
    expect([...smoothVector(own, [])]).toEqual([...own]);
  });

  it("weights the nearest neighbours with 0.4, the next with 0.2, and farther ones with 0", () => {
    const own = Float32Array.of(1, 0, 0, 0);
    const neighbours = [
      { distance: -1, vector: Float32Array.of(0, 1, 0, 0) },
      { distance: 2, vector: Float32Array.of(0, 0, 1, 0) },
      { distance: -3, vector: Float32Array.of(0, 0, 0, 1) },
    ];
    const [x = 0, y = 0, z = 0, w = 0] = smoothVector(own, neighbours);
    expect(y / x).toBeCloseTo(0.4, 5);
    expect(z / x).toBeCloseTo(0.2, 5);
    expect(w).toBe(0);
  });

  it("does not modify its inputs", () => {
    const own = Float32Array.of(1, 0);
    const vector = Float32Array.of(0, 1);
    smoothVector(own, [{ distance: 1, vector }]);
    expect([...own, ...vector]).toEqual([1, 0, 0, 1]);
  });

  it("is a unit vector for any neighbours", () => {
    const unit = fc
      .array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 })
      .filter((values) => values.some((value) => value !== 0))
      .map((values) => Float32Array.from(values, (value) => value / Math.hypot(...values)));
    const neighbours = fc.uniqueArray(fc.record({ distance: fc.constantFrom(-2, -1, 1, 2), vector: unit }), {
      selector: ({ distance }) => distance,
    });
    fc.assert(
      fc.property(unit, neighbours, (own, around) => {
        const vector = smoothVector(own, around);
        expect(length(vector)).toBeCloseTo(1, 4);
      }),
    );
  });

  it("equals the message's own vector when the sum is zero", () => {
    const own = Float32Array.of(1, 0);
    const against = (distance: number, value: number) => ({ distance, vector: Float32Array.of(value, 0) });
    expect([...smoothVector(own, [against(-1, -1), against(1, -1), against(2, -1)])]).toEqual([1, 0]);
  });
});
