// No query is syntax: whatever a caller searches for is only words.
import { describe, expect, it } from "vitest";
import { contents, newSession, recall, remember } from "../support/actions";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function stocked(...texts: string[]): Promise<string> {
  const session = (await newSession(kioku.api)).id;
  for (const text of texts) await remember(kioku.api, session, text);
  return session;
}

describe("a hostile query", () => {
  const hostile = [
    '"',
    '""',
    '"""',
    "*",
    "NEAR(",
    "NEAR(a b, 3)",
    "col:",
    "content:redis",
    "{content}:redis",
    "-",
    "--",
    "-redis",
    "+redis",
    "AND OR NOT",
    "AND",
    "redis AND",
    "NOT redis",
    "redis OR",
    "(",
    ")",
    "((redis)",
    '"redis',
    "redis*",
    "^redis",
    "redis^2",
    "'",
    "'; DROP TABLE memories; --",
    "\\",
    "%",
    "_",
    "?",
    "$1",
    ":a",
    "@b",
    ";",
    "/* */",
    "🦊",
    "日本語",
    "メモリ検索",
    "ا ب",
    "\n\t",
    "   ",
    "",
    ".",
    "...",
    "<script>",
    "a".repeat(1_000),
    "😀".repeat(1_000),
    "a ".repeat(500),
    '"'.repeat(1_000),
    "the of and to",
    "\u200b",
    "\ufffd",
    "İ ß ﬁ",
  ];
  it.each(hostile)("is only words: %j", async (query) => {
    const session = await stocked("Redis caches pages");
    expect((await kioku.api.post(`/v1/sessions/${session}/recall`, { query })).status).toBe(200);
  });

  it.each([
    '"redis"',
    "redis*",
    "redis AND",
    "content:redis",
    "(redis",
    "-redis",
    "NEAR(redis",
    "redis 🦊",
    "'redis' --",
  ])("still finds the word in it: %j", async (query) => {
    const session = await stocked("Redis caches pages", "Cats sleep a lot");
    expect(contents(await recall(kioku.api, session, { query }))).toEqual(["Redis caches pages"]);
  });

  it("finds what is written without Latin letters", async () => {
    const session = await stocked("東京 の 天気 は 晴れ", "Погода в Москве");
    for (const [query, content] of [
      ["天気", "東京 の 天気 は 晴れ"],
      ["москве", "Погода в Москве"],
    ]) {
      expect(contents(await recall(kioku.api, session, { query, mode: "text" }))).toEqual([content]);
      expect(contents(await recall(kioku.api, session, { query }))[0]).toBe(content);
    }
  });
});
