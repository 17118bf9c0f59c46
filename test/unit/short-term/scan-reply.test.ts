import { describe, expect, it } from "vitest";
import { scanReply } from "../../../src/sessions/short-term/scan-reply";

const scan = (reply: string) => Object.fromEntries(scanReply(reply).map(({ key, value }) => [key, value]));

describe("scanning a reply", () => {
  it("finds file, framework, language and task where they are stated", () => {
    expect(
      scan(
        "I've opened `lib/app/auth.ex` and found the cause. The project uses Phoenix 1.7 and is written in Elixir. " +
          "I'm now implementing the login flow.",
      ),
    ).toEqual({
      active_file: "lib/app/auth.ex",
      framework: "Phoenix 1.7",
      primary_language: "Elixir",
      current_task: "the login flow",
    });
  });

  it.each([
    ["I edited src/a.b/c.d.tsx, then ran the tests.", "src/a.b/c.d.tsx"],
    ["The bug is in ./server.py.", "./server.py"],
    ["I updated README.md and CHANGELOG.md", "README.md"],
    ["Added a case to the file test/foo_test.exs", "test/foo_test.exs"],
  ])("finds the file in: %s", (reply, file) => {
    expect(scan(reply).active_file).toBe(file);
  });

  it.each([
    ["This is a Rails app.", "Rails"],
    ["Built with Vue.js and Vite", "Vue.js"],
    ["The framework is Django.", "Django"],
    ["Your Next.js app is based on React", "Next.js"],
    ["Using React 18.2, the page renders twice.", "React 18.2"],
  ])("finds the framework in: %s", (reply, framework) => {
    expect(scan(reply).framework).toBe(framework);
  });

  it.each([
    ["The service is written in Go.", "Go"],
    ["The primary language is C++.", "C++"],
    ["Your Python project has no tests.", "Python"],
    ["It's written in C#.", "C#"],
  ])("finds the language in: %s", (reply, language) => {
    expect(scan(reply).primary_language).toBe(language);
  });

  it.each([
    ["I'm working on the seating plan for the wedding.", "the seating plan for the wedding"],
    ["Currently working on: the invoice export", "the invoice export"],
    ["Implementing OAuth login\nMore soon.", "OAuth login"],
    ["You're working on your tax return; section B is open.", "your tax return"],
  ])("finds the task in: %s", (reply, task) => {
    expect(scan(reply).current_task).toBe(task);
  });

  it.each([
    "Are you using Django?",
    "Is the site built with Django, or something else?",
    "I suggest using Django here.",
    "We stopped using Flask last year.",
    "Unlike apps built with Rails, this one is small.",
    "In Node.js you can do that.",
    "Let's go to the next step and express it differently.",
    "Phoenix is the capital of Arizona.",
    "React to the message with a thumbs up.",
    "See https://example.com/lib/x.js for details.",
    "The value changed to 1.5 in v2.0.",
    "Working on it!",
    "If you're working on a Mac, use brew.",
    "The team at the harbour is working on a new pier.",
    "```\nI'm working on the parser in src/parse.ts using Rust\n```",
    "Happy to help with your trip to Lisbon!",
  ])("finds nothing in: %s", (reply) => {
    expect(scanReply(reply)).toEqual([]);
  });

  it("takes the first of each kind", () => {
    expect(scanReply("I edited a.ts. I edited b.ts.")).toEqual([{ key: "active_file", value: "a.ts" }]);
  });
});
