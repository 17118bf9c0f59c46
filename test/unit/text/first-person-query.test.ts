import { describe, expect, it } from "vitest";
import { toFirstPerson } from "../../../src/language/questions";

describe("a question about a user in the first person", () => {
  it.each([
    ["Where does Alex live?", "alex", "Where does I live?"],
    ["What is Alex's blood type?", "alex", "What is my blood type?"],
    ["Who is Alex’s husband?", "alex", "Who is my husband?"],
    ["Did Alex Meyer call Alex's doctor?", "alex.meyer@example.com", "Did I call my doctor?"],
    ["where does alex live?", "alex", "where does I live?"],
    ["Where does Zoë live?", "zoë-17", "Where does I live?"],
  ])("%s of %s is %s", (query, user, asked) => {
    expect(toFirstPerson(query, user)).toBe(asked);
  });

  it.each([
    ["Where does Alexandra live?", "alex"],
    ["Who will support Ada?", "support"],
    ["Where does Ben live?", "alex"],
    ["Which User reported it?", "user-42"],
    ["Will it rain?", "will"],
    ["Is Example a company?", "alex@example.com"],
    ["Where is X?", "x"],
    ["What is (.*)?", "(.*)"],
  ])("%s does not name %s", (query, user) => {
    expect(toFirstPerson(query, user)).toBeNull();
  });
});
