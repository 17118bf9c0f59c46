// Content negotiation by the Accept header.
import { describe, expect, it } from "vitest";
import { negotiateType } from "../../../src/http/read-request";

const SUPPORTED = ["application/sparql-results+json", "text/csv", "text/turtle"];

describe("the negotiated type", () => {
  it.each([
    [undefined, "application/sparql-results+json"],
    ["", "application/sparql-results+json"],
    ["*/*", "application/sparql-results+json"],
    ["text/csv", "text/csv"],
    ["TEXT/CSV; charset=utf-8", "text/csv"],
    ["text/*", "text/csv"],
    ["text/csv;q=0.5, text/turtle", "text/turtle"],
    ["text/csv;q=0.5, text/turtle;q=0.4, */*;q=0.1", "text/csv"],
    ["text/html, */*;q=0.8", "application/sparql-results+json"],
    ["*/*, application/sparql-results+json;q=0", "text/csv"],
    ["text/*;q=0.9, text/csv;q=0.1", "text/turtle"],
    ["text/html", null],
    ["text/csv;q=0", null],
    ["text/csv;q=2", null],
    ["nonsense", null],
  ])("of %j is %j", (accept, type) => {
    expect(negotiateType(accept, SUPPORTED)).toBe(type);
  });
});
