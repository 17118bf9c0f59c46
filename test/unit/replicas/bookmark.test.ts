// Bookmarks as tokens, and which copies of a database a call may read with them.
import { describe, expect, it } from "vitest";
import {
  type Bookmark,
  BookmarkTracker,
  findPosition,
  formatBookmark,
  isBookmarkFor,
  isBookmarkToken,
  selectNewer,
} from "../../../src/kernel/databases/bookmark-tracker";

const HOME = { shard: "DB", epoch: 0 } as const;

function format(change: Partial<Bookmark> = {}): string {
  const token = formatBookmark({ ...HOME, tenant: "acme", position: "0000004f-00000003", ...change });
  if (token === null) throw new Error("The bookmark cannot be written");
  return token;
}

describe("a bookmark's token", () => {
  it("has a position in one database, in one stay of the tenant there", () => {
    const token = format();
    expect(findPosition(token, HOME)).toBe("0000004f-00000003");
    expect(findPosition(token, { shard: "DB_1", epoch: 0 })).toBeNull();
    expect(findPosition(token, { shard: "DB", epoch: 2 })).toBeNull();
    expect([isBookmarkFor("acme", token), isBookmarkFor("other", token)]).toEqual([true, false]);
  });

  it("is greater as text if it is newer: by epoch, then by position", () => {
    const tokens = [
      format({ position: "0000004f-00000003" }),
      format({ position: "00000050-00000000" }),
      format({ epoch: 9, shard: "DB_2", position: "00000001-00000000" }),
      format({ epoch: 10, shard: "DB", position: "00000000-00000000" }),
    ];
    expect(tokens.toReversed().toSorted()).toEqual(tokens);
    expect(selectNewer(tokens[2] ?? null, tokens[1] ?? null)).toBe(tokens[2]);
    expect([selectNewer(null, "a"), selectNewer("a", null), selectNewer(null, null)]).toEqual([
      "a",
      "a",
      null,
    ]);
  });

  it("is none with a word of D1 in place of a position, an unknown database, or other parts", () => {
    const token = format();
    expect(isBookmarkToken(token)).toBe(true);
    const others = [
      token.replace("0000004f-00000003", "first-unconstrained"),
      token.replace("DB", "KV"),
      token.slice(1),
      `${token}.x`,
      "",
    ];
    expect(others.filter(isBookmarkToken)).toEqual([]);
    expect(formatBookmark({ ...HOME, tenant: "acme", position: "a b" })).toBeNull();
  });
});

describe("a call reads", () => {
  const early = format({ position: "0001" });
  const late = format({ position: "0002" });

  it("the primary unless it only reads and has a bookmark", () => {
    const writing = new BookmarkTracker("acme");
    writing.accept(early);
    const unmarked = new BookmarkTracker("acme");
    unmarked.allowReplicas();
    unmarked.noteObject(early);
    const foreign = new BookmarkTracker("other");
    foreign.allowReplicas();
    foreign.accept(early);
    for (const tracker of [writing, unmarked, foreign]) {
      expect(tracker.selectPosition(HOME)).toBeNull();
      expect(tracker.mayLag()).toBe(false);
    }
  });

  it("a replica that has reached the newest of its bookmarks and of what it has read", () => {
    const tracker = new BookmarkTracker("acme");
    tracker.allowReplicas();
    tracker.accept(early);
    expect(tracker.selectPosition(HOME)).toBe("0001");
    tracker.noteState(HOME, "0002", true);
    expect(tracker.selectPosition(HOME)).toBe("0002");
    expect(tracker.newest).toBe(late);
    tracker.usePrimary();
    expect(tracker.selectPosition(HOME)).toBeNull();
  });

  it("again if a session that it asked has written more than the replica had", () => {
    const tracker = new BookmarkTracker("acme");
    tracker.allowReplicas();
    tracker.accept(early);
    tracker.noteState(HOME, "0001", true);
    expect(tracker.isBehind()).toBe(false);
    tracker.noteObject(late);
    expect(tracker.isBehind()).toBe(true);
    expect(tracker.selectPosition(HOME)).toBe("0002");
  });

  it("not with the bookmark of a session alone: the caller may have written past it", () => {
    const tracker = new BookmarkTracker("acme");
    tracker.allowReplicas();
    tracker.noteObject(early);
    expect(tracker.selectPosition(HOME)).toBeNull();
  });
});
