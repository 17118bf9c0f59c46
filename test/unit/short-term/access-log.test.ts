import { describe, expect, it } from "vitest";
import {
  getAccessStats,
  type LoggedAccess,
  recordAccesses,
} from "../../../src/sessions/short-term/access-log";

describe("the access log", () => {
  it("counts the accesses of one key and knows the last", () => {
    const log = recordAccesses(
      [],
      [
        { key: "a", at: 1 },
        { key: "b", at: 2 },
        { key: "a", at: 3 },
      ],
    );
    expect(getAccessStats(log, "a")).toEqual({ count: 2, last: 3 });
    expect(getAccessStats(log, "c")).toEqual({ count: 0, last: null });
  });

  it("knows the latest access although the clock ran backwards", () => {
    const log = recordAccesses([{ key: "a", at: 9 }], [{ key: "a", at: 5 }]);
    expect(getAccessStats(log, "a").last).toBe(9);
  });

  it("keeps the last thousand accesses", () => {
    const entries: LoggedAccess[] = Array.from({ length: 1_200 }, (_, at) => ({
      key: at < 300 ? "old" : "new",
      at,
    }));
    const log = recordAccesses(recordAccesses([], entries.slice(0, 700)), entries.slice(700));
    expect(log).toHaveLength(1_000);
    expect(log.at(-1)?.at).toBe(1_199);
    expect(getAccessStats(log, "old").count).toBe(100);
  });
});
