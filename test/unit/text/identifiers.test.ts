import { describe, expect, it } from "vitest";
import {
  extractSearchTerms,
  listIdentifierParts,
  listIdentifierWords,
  toIndexText,
} from "../../../src/language/words/query-terms";

describe("the parts of an identifier", () => {
  it.each([
    ["getUserById", ["get", "user", "by", "id"]],
    ["get_user_by_id", ["get", "user", "by", "id"]],
    ["get-user-by-id", ["get", "user", "by", "id"]],
    ["MAX_CONNECTIONS", ["max", "connections"]],
    ["HTTPServer2", ["http", "server2"]],
    ["PostgreSQL", ["postgre", "sql"]],
    ["user.profileName", ["profile", "name"]],
    ["ÜberPrüfung", ["über", "prüfung"]],
  ])("of %s are %j", (identifier, parts) => {
    expect(listIdentifierParts(identifier)).toEqual(parts);
  });

  it.each([
    "Phoenix",
    "APIs",
    "NASA",
    "k8s",
    "mp3",
    "2026-03-01",
    "1_000",
    "a",
    "",
    "—",
  ])("of %j are none: it is one word, or a number", (word) => {
    expect(listIdentifierParts(word)).toEqual([]);
  });

  it("of a key or hash are none", () => {
    expect(listIdentifierParts(`sk_${"aB3".repeat(30)}`)).toEqual([]);
    expect(listIdentifierParts("a_b_c_d_e_f_g_h_i")).toEqual([]);
  });
});

describe("the index text", () => {
  it("adds the parts of identifiers, and what they read like from each part on", () => {
    expect(listIdentifierWords("getUserById")).toEqual([
      ...["get", "user", "by", "id"],
      ...["getuserbyid", "userbyid", "byid"],
    ]);
    expect(toIndexText("Call getUserById")).toBe("Call getUserById get user by id userbyid byid");
  });

  it("repeats no word that the text has itself", () => {
    expect(toIndexText("get_user of the user")).toBe("get_user of the user getuser");
    expect(toIndexText("Nothing to add here")).toBe("Nothing to add here");
  });
});

describe("the terms of a query", () => {
  it("are its words and the parts of its identifiers, without stop words", () => {
    const listTerms = (query: string) => extractSearchTerms(query).map(({ term }) => term);
    expect(listTerms("Where is getUserById?")).toEqual(["getuserbyid", "get", "user", "id"]);
    expect(listTerms("user_by_id")).toEqual(["user", "id"]);
  });
});
