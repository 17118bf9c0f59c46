// Topic keys of single-valued statements, and which statement replaces which.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFact } from "../../../src/facts/topics/parse-fact";
import { deriveTopicKey, replacesFact } from "../../../src/facts/topics/topic-key";
import { MEMORY_TYPES } from "../../../src/ontology/generated/terms.generated";
import held from "../../data/fact-changes-held.json";

describe("the topic key", () => {
  it.each([
    ["Maria lives in Paris.", "fact:maria/residence"],
    ["Maria has moved to Rome.", "fact:maria/residence"],
    ["I moved to Rome.", "fact:user/residence"],
    ["The user lives in Rome", "fact:user/residence"],
    ["My wife works at Acme.", "fact:user's wife/employer"],
    ["Actually, my email is b@y.org, not a@x.com.", "fact:user/email"],
    ["The rate limit of our API is 100 requests per second.", "fact:api/rate_limit"],
    ["The API's rate limit is 50 requests per second.", "fact:api/rate_limit"],
    ["We use Heroku for hosting.", "fact:we/tool_for_host"],
    ["We switched from Heroku to Fly.io for hosting.", "fact:we/tool_for_host"],
    ["My favorite color is green.", "fact:user/favourite_colour"],
    ["Maria no longer lives in Paris, she lives in Rome now.", "fact:maria/residence"],
    ["I've got a new phone number, it's 07700 900877.", "fact:user/phone"],
    ["The deadline for the report has been moved from Friday to Monday.", "fact:report/deadline"],
    ["My boss is Kevin now, Margaret left.", "fact:user/manager"],
    ["My boss is called Margaret.", "fact:user/manager"],
    ["My boss's name is Margaret.", "fact:user/manager"],
    ["My wife is called Ana.", "fact:user's wife/name"],
    ["Our company is called Acme.", "fact:company/name"],
  ])("of %j is %s", (content, key) => {
    expect(deriveTopicKey(content)).toBe(key);
  });

  it.each([
    ["several values", "I have a cat named Miso."],
    ["a liking", "I like jazz."],
    ["the past", "I used to live in Oslo."],
    ["a plan", "Maria might move to Rome."],
    ["a condition", "If we get funding, our budget is $50,000."],
    ["a guess", "Maria probably lives in Rome."],
    ["a question", "Does Maria live in Rome?"],
    ["a visit", "I'm living in Berlin this week."],
    ["an opinion", "Bob thinks the deadline is Friday."],
    ["an addition", "I also work at Globex."],
    ["a list", "Maria lives in Paris and Rome."],
    ["a negation", "My email is not a@x.com."],
    ["no referent", "She lives in Rome."],
    ["a description", "The deadline is tight."],
    ["too long a text", `I live in Rome. ${"It is warm here. ".repeat(20)}`],
  ])("is null for %s", (_, content) => {
    expect(parseFact(content)).toBeNull();
    expect(deriveTopicKey(content)).toBeNull();
  });

  it("exists for memories that assert how things are", () => {
    const keyed = MEMORY_TYPES.filter((type) => deriveTopicKey("I live in Rome.", type) !== null);
    expect(keyed).toEqual(
      expect.arrayContaining(["fact", "preference", "discovery", "decision", "convention"]),
    );
    for (const type of ["assumption", "hypothesis", "task", "plan", "risk", "lesson_learned", "bug", "skill"])
      expect(keyed).not.toContain(type);
  });

  it("is at most 128 characters long, and the same each time, for any text", () => {
    const word = fc.constantFrom(
      "my",
      "Maria's",
      "the",
      "email",
      "is",
      "lives in",
      "Rome",
      "moved to",
      "for",
      "of",
      ",",
      "5",
    );
    const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), text), (content) => {
        const key = deriveTopicKey(content);
        expect(key).toBe(deriveTopicKey(content));
        expect(key === null || (key.length <= 128 && key.startsWith("fact:"))).toBe(true);
      }),
    );
  });

  it.each([
    ["spaces", " ".repeat(300)],
    ["full stops", ".".repeat(300)],
    ["commas", "a, ".repeat(100)],
    ["one word", "moved to ".repeat(33)],
    ["possessives", "a's ".repeat(75)],
    ["numbers", "1 ".repeat(150)],
    ["brackets", "(".repeat(300)],
    ["months", `I was born in ${"may ".repeat(70)}`],
    ["a million characters", "my email is ".repeat(100_000)],
  ])("takes no time on a text of %s", (_, content) => {
    const start = performance.now();
    deriveTopicKey(content);
    expect(performance.now() - start).toBeLessThan(250);
  });
});

describe("a statement replaces another", () => {
  it.each([
    ["Maria lives in Paris.", "Maria lives in Paris, France."],
    ["I live in New York.", "I live in NYC."],
    ["My budget is $5,000.", "My budget is 5k dollars."],
    ["Our database is Postgres.", "Our database is PostgreSQL."],
    ["My daughter is six.", "My daughter is 6 years old."],
    ["I am 41.", "I'm forty-one."],
    ["Our sync is at 3pm.", "Our sync is at 15:00."],
    ["The retention period is 7 days.", "The retention period is one week."],
    ["The release is on 2025-06-01.", "The release is on June 1, 2025."],
    ["My number is 555-0142.", "My number is 555 0142."],
  ])("not with the same value: %j, %j", (before, after) => {
    expect(replacesFact(before, after)).toBe(false);
    expect(replacesFact(after, before)).toBe(false);
  });

  it.each([
    ["Maria lives in Paris.", "Marta lives in Rome."],
    ["My email is a@x.com.", "My wife's email is b@y.org."],
    ["The staging port is 4000.", "The production port is 5000."],
    ["My work phone is 0171 555 0134.", "My private phone is 0160 555 0199."],
    ["The deadline for the design is 4 May.", "The deadline for the code is 18 May."],
  ])("not about another subject or attribute: %j, %j", (before, after) => {
    expect(replacesFact(before, after)).toBe(false);
  });

  it.each([
    ["I live in Lisbon, and I am allergic to peanuts.", "I live in Porto now"],
    ["I work at Acme and I love it there", "I work at Globex"],
    ["Maria lives in Paris; her sister lives in Lyon", "Maria lives in Rome"],
    ["My email is a@x.com. My phone is 555 0100.", "My email is b@y.org"],
  ])("never if it says something else, too: %j stays beside %j", (before, after) => {
    expect(replacesFact(before, after)).toBe(false);
  });

  it.each([
    ["We use Sentry for error tracking.", "Our error tracking has moved to Honeybadger."],
    ["Payments are handled by Stripe.", "We use Adyen for payments."],
    ["The course is 200 euros.", "The course is 250 euros now."],
    ["The CEO of Contoso is Ruth Meyer.", "Ruth Meyer stepped down; the CEO of Contoso is Jon Park."],
    ["I'm an engineer at Stripe.", "I'm an engineer at Square."],
    ["The project uses npm as its package manager.", "The project uses pnpm as its package manager."],
  ])("in other words, about the same topic: %j, %j", (before, after) => {
    expect(replacesFact(before, after)).toBe(true);
  });

  it("of a frame that may hold several values, only if it says that something has changed", () => {
    expect(replacesFact("I park in bay 12.", "I park in bay 30 now.")).toBe(true);
    expect(replacesFact("I park in bay 12.", "I park in bay 30.")).toBe(false);
    expect(replacesFact("We deliver to Ghent.", "We deliver to Bruges now.")).toBe(false);
  });

  it("not if its amount is of another unit", () => {
    expect(replacesFact("The course is 200 euros.", "The course is six weeks.")).toBe(false);
  });

  it.each([
    "The canary deployment number # went well",
    "The test took # seconds",
    "The value is #",
    "Statement # of 70",
    "Fact number # about whales",
    "The walrus number # sleeps",
    "Build # failed",
    "Port # is open",
  ])("not if it only counts on, without saying that something changed: %j", (statement) => {
    expect(replacesFact(statement.replace("#", "3"), statement.replace("#", "4"))).toBe(false);
  });

  it("in hardly any case wrongly, on pairs that the rules were not written on", () => {
    const replaced = held.filter((pair) => replacesFact(pair.old, pair.new));
    const right = replaced.filter(({ supersedes }) => supersedes);
    expect(right.length / replaced.length).toBeGreaterThanOrEqual(0.98);
    expect(right.length / held.filter(({ supersedes }) => supersedes).length).toBeGreaterThanOrEqual(0.66);
  });
});
