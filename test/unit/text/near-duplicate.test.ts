import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { isNearDuplicate, parseStatement } from "../../../src/language/near-duplicates/near-duplicate";
import type { MemoryType } from "../../../src/ontology/generated/terms.generated";
import { MEMORY_TYPES } from "../../../src/ontology/generated/terms.generated";
import pairs from "../../data/near-duplicates.json";

/** The highest similarity, so that only the word rules keep two statements apart. */
const NEAREST = 1;
const judge = (type: MemoryType, a: string, b: string, cosine: number | null = NEAREST) =>
  isNearDuplicate(parseStatement({ type, content: a }), parseStatement({ type, content: b }), cosine);

describe("two statements are kept apart, however near their vectors, when", () => {
  it.each<[string, MemoryType, string, string]>([
    ["a question and a statement", "fact", "The shop is open on Sundays?", "The shop is open on Sundays."],
    ["numbers differ", "fact", "The database runs PostgreSQL 15.", "The database runs PostgreSQL 16."],
    ["numbers differ", "fact", "The build needs Python 3.1.", "The build needs Python 3.10."],
    ["numbers differ", "fact", "The call is on 3 May.", "The call is on 4 May."],
    ["numbers differ", "fact", "The call is at 9:30 am.", "The call is at 9:30 pm."],
    ["numbers differ", "fact", "The upload limit is 10 MB.", "The upload limit is 10 GB."],
    ["numbers differ", "fact", "The rent is $900.", "The rent is €900."],
    ["numbers differ", "decision", "We ship on Mondays.", "We ship on Tuesdays."],
    ["names differ", "fact", "The invoice goes to Alice.", "The invoice goes to Bob."],
    ["names differ", "fact", "The bug is in getUser.", "The bug is in getUsers."],
    ["names differ", "fact", "The config is src/a.ts.", "The config is src/b.ts."],
    ["names differ", "fact", "See https://acme.io/v1.", "See https://acme.io/v2."],
    ["names differ", "fact", "It fires when load > limit.", "It fires when load < limit."],
    ["names differ", "fact", "It maps a -> b.", "It maps a <- b."],
    ["names differ", "fact", "The field is `msg`.", "The field is `message`."],
    ["numbers differ", "fact", "The total reads `1,500`.", "The total reads `1500`."],
    ["words differ", "fact", "We are now here.", "We are nowhere."],
    ["words differ", "fact", "Alice runs the shop.", "Bob runs the shop."],
    ["words differ", "fact", "The flag is enabled.", "The flag is disabled."],
    ["words differ", "fact", "The user likes tea.", "The user dislikes tea."],
    ["words differ", "fact", "The walls are blue.", "The walls are green."],
    ["words differ", "fact", "The API supports paging.", "The API supports paging and sorting."],
    ["words differ", "decision", "We decided to use Kafka.", "We are considering Kafka."],
    ["words differ", "fact", "The team lead is Ana.", "The project lead is Ana."],
    ["negations or bounds differ", "fact", "The user drinks coffee.", "The user does not drink coffee."],
    ["negations or bounds differ", "convention", "Never push to main.", "Always push to main."],
    ["negations or bounds differ", "fact", "Take it before meals.", "Take it after meals."],
    ["negations or bounds differ", "fact", "All tests pass.", "Some tests pass."],
    ["negations or bounds differ", "fact", "She sails from Oslo to Kiel.", "She sails to Oslo from Kiel."],
    ["negations or bounds differ", "fact", "He prefers tea over milk.", "He prefers milk over tea."],
    ["negations or bounds differ", "convention", "Use at most 3 tags.", "Use at least 3 tags."],
    ["negations or bounds differ", "fact", "It grew by 5 percent.", "It grew to 5 percent."],
    ["negations or bounds differ", "fact", "He doesn't eat fish.", "He doesn't not eat fish."],
    ["relations differ", "fact", "Priya works for Siemens.", "Priya works with Siemens."],
    ["modality differs", "decision", "We might take the train.", "We will take the train."],
    ["modality differs", "fact", "Tom wants to work at Siemens.", "Tom works at Siemens."],
    ["modality differs", "fact", "Tom no longer works at Siemens.", "Tom works at Siemens."],
    ["modality differs", "agent_rule", "You may delete drafts.", "You must delete drafts."],
    ["modality differs", "agent_rule", "You don't have to reply.", "Don't reply."],
    ["modality differs", "fact", "The cache is never cleared.", "The cache is always cleared."],
    ["persons differ", "fact", "He works as a nurse.", "She works as a nurse."],
    ["persons differ", "fact", "We moved to Kiel.", "They moved to Kiel."],
    ["tense differs", "fact", "The user lives in Berlin.", "The user lived in Berlin."],
    ["tense differs", "fact", "The company had 50 employees.", "The company has 50 employees."],
    ["tense differs", "fact", "The company had moved to Kiel.", "The company has moved to Kiel."],
    ["tense differs", "incident", "The service is down.", "The service was down."],
    ["tense differs", "plan", "We plan to move to Astro.", "We moved to Astro."],
    ["tense differs", "fact", "The ship is blocked.", "The ship is blocking."],
    ["tense differs", "fact", "The app is being built.", "The app is built."],
    ["state differs", "task", "Renew the certificate.", "The certificate has been renewed."],
    ["owning is not being", "fact", "Noor is a doctor.", "Noor has a doctor."],
    ["roles differ", "fact", "Alice reports to Bob.", "Bob reports to Alice."],
    ["roles differ", "root_cause", "The delay caused the strike.", "The delay was caused by the strike."],
    ["roles differ", "convention", "Lint, then test.", "Test, then lint."],
    ["roles differ", "convention", "Lint the app, then test it.", "Test it, then lint the app."],
    ["roles differ", "fact", "Anna: Bob", "Bob: Anna"],
    ["roles differ", "fact", "Anna, Bob", "Bob, Anna"],
    ["roles differ", "fact", "Reviewer of Anna: Bob", "Bob: reviewer of Anna"],
    ["roles differ", "fact", "The pump failed, so the alarm rang.", "The alarm rang, so the pump failed."],
    ["roles differ", "fact", "It rained as Ana left.", "Ana left as it rained."],
    ["roles differ", "fact", "Bake bread for Tom.", "Tom bakes bread."],
    ["roles differ", "fact", "Ana is hired.", "Ana has hired."],
    ["roles differ", "fact", "It allows 5 jobs and 3 queues.", "It allows 3 jobs and 5 queues."],
    ["roles differ", "fact", "Tom pays Ana and Bob pays Eva.", "Tom pays Bob and Ana pays Eva."],
    ["roles differ", "fact", "Eva is dancing on a stage.", "Eva is staging a dance."],
    ["roles differ", "fact", "Reads go quickly, writes slowly.", "Reads go slowly, writes quickly."],
  ])("%s (%s): %s / %s", (why, type, a, b) => {
    expect(judge(type, a, b)).toEqual({ duplicate: false, why });
  });

  it("they are of two types", () => {
    const content = "We use Postgres.";
    const [fact, decision] = [
      parseStatement({ type: "fact", content }),
      parseStatement({ type: "decision", content }),
    ];
    expect(isNearDuplicate(fact, decision, NEAREST)).toEqual({ duplicate: false, why: "types differ" });
  });

  it.each([
    ["Run it with -v.", "Run it with --v."],
    ["Run it with -v.", "Run it with v."],
    ["Run it with -v.", "Run it with -V."],
    ["The greeting is 'Hi!'.", "The greeting is 'Hi'."],
    ['The greeting is "Hi!".', 'The greeting is "Hi".'],
    ["The greeting is “Don't!”", "The greeting is “Don't”"],
    ["The greeting is 'Don't!'", "The greeting is 'Don't'"],
    ["The key is `a-b`.", "The key is `a b`."],
    ["The mask is `*`.", "The mask is `?`."],
    ["The code is `Hi!`.", "The code is `Hi`."],
    ["The password is hunter2!", "The password is hunter2"],
    ["It ignores *.ts files.", "It ignores .ts files."],
  ])("they differ in a sign that counts, with or without vectors: %s / %s", (a, b) => {
    expect(judge("fact", a, b).why).toBe("names differ");
    expect(judge("fact", a, b, null).duplicate).toBe(false);
  });

  it("they are long, and differ in more than wording", () => {
    const words = Array.from({ length: 61 }, (_, at) => `part${at}`).join(" ");
    expect(judge("fact", `We store ${words}.`, `We are storing ${words}.`).why).toBe("too long to compare");
    expect(judge("fact", `We store ${words}.`, `we store the ${words}`, null).duplicate).toBe(true);
  });

  it("one begins with words that only look like filler", () => {
    expect(judge("fact", "User notes are kept in S3.", "User reports are kept in S3.").duplicate).toBe(false);
    expect(judge("fact", "Well water is safe.", "Water is safe.").duplicate).toBe(false);
  });

  it("they are names that differ by an inflection", () => {
    expect(judge("fact", "Adam prefers tea.", "Adams prefers tea.").duplicate).toBe(false);
    expect(judge("fact", "We moved to Rails.", "We moved to Rail.").duplicate).toBe(false);
  });
});

describe("two statements are one when they differ", () => {
  it.each<[string, MemoryType, string, string]>([
    ["in who says it", "fact", "I prefer dark mode.", "The user prefers dark mode."],
    ["in inflection", "fact", "The job runs in Kiel.", "The job is running in Kiel."],
    ["in a synonym", "fact", "The shop is near the port.", "The shop is close to the port."],
    ["in an alias", "fact", "The app uses PostgreSQL.", "The app uses Postgres."],
    ["in marking code", "task", "Run `npm test` with MAX at `5`.", "Run npm test with MAX at 5."],
    ["in a stop after a code", "fact", "The cluster is k8s.", "The cluster is k8s"],
    ["in spelling a compound", "task", "Book the check-up.", "Book a checkup."],
    ["in writing a date", "fact", "The lease ends on 2026-05-04.", "The lease ends on May 4th, 2026."],
    ["in writing an amount", "fact", "The fee is $1,500 a month.", "The fee is 1500 dollars per month."],
    ["in units", "fact", "The token lives for 60 minutes.", "The token lives for one hour."],
    ["in a word without weight", "fact", "The app uses Redis.", "The app currently uses Redis."],
    ["in voice", "fact", "We store backups in S3.", "Backups are stored in S3."],
    ["in voice, with an agent", "fact", "CI runs the tests.", "The tests are run by CI."],
    ["in voice, while it goes on", "fact", "CI is running it now.", "It is being run by CI now."],
    ["in the order of clauses", "risk", "We lose data if it fails.", "If it fails, we lose data."],
    ["in a compound", "decision", "Drop support for IE11.", "Drop IE11 support."],
    ["in the order of a list", "fact", "Ana and Tom like tea.", "Tom and Ana like tea."],
    ["in how a rule is put", "convention", "Always lint before pushing.", "You must lint before you push."],
    ["in how a rule forbids", "convention", "Never push to main.", "Do not push to main."],
    ["in how a guess hedges", "hypothesis", "Maybe the cache leaks.", "The cache might be leaking."],
    ["in how a gap is put", "unknown", "Who owns billing?", "We don't know who owns billing."],
  ])("%s (%s): %s / %s", (_, type, a, b) => {
    expect(judge(type, a, b).duplicate).toBe(true);
  });
});

describe("the vectors", () => {
  const said = ["We store backups in S3.", "Backups are stored in S3."] as const;

  it("must be near enough, even when every word agrees", () => {
    expect(judge("fact", ...said, 0.3)).toEqual({ duplicate: false, why: "too far apart" });
  });

  it("must be nearer for a commitment than for an observation", () => {
    expect(judge("fact", ...said, 0.45).duplicate).toBe(true);
    expect(judge("decision", ...said, 0.45).duplicate).toBe(false);
  });

  it("must be nearer when one statement has a word more", () => {
    const more = ["We use Redis here.", "We currently use Redis here."] as const;
    expect(judge("fact", ...more, 0.45).duplicate).toBe(false);
    expect(judge("fact", ...more, 0.55).duplicate).toBe(true);
  });

  it("are not needed for equal wording, and nothing else is merged without them", () => {
    expect(judge("fact", "The user said that he is ill.", "the user is ill", null).duplicate).toBe(true);
    expect(judge("fact", ...said, null)).toEqual({ duplicate: false, why: "no vectors to compare" });
  });
});

describe("comparing many statements", () => {
  const LENGTH = 2000;
  const vocabulary = pairs.flatMap(({ a, b }) => `${a} ${b}`.split(" "));
  const long = (from: number) =>
    Array.from({ length: 400 }, (_, at) => vocabulary[(from * 37 + at * 11) % vocabulary.length])
      .join(" ")
      .slice(0, LENGTH);

  it("reads each of them once", () => {
    const contents = Array.from({ length: 40 }, (_, at) => long(at));
    const read = vi.spyOn(String.prototype, "normalize");
    const readings = contents.map((content) => parseStatement({ type: "fact", content }));
    const reads = read.mock.calls.length;
    for (const a of readings) for (const b of readings) isNearDuplicate(a, b, NEAREST);
    expect(read.mock.calls.length).toBe(reads);
    read.mockRestore();
  });

  it.each([
    "x over ",
    "have ",
    "so, ",
    "“",
    "„",
    "'a'b ",
    "`",
    "?)",
    "x",
  ])("takes no step that grows with the square of the length: %s", (part) => {
    const content = `${part.repeat((20 * LENGTH) / part.length)}z`;
    const start = performance.now();
    parseStatement({ type: "fact", content });
    // A search for the end of a quotation from each of its marks takes several times as long.
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe("the rule, for any statements,", () => {
  const type = fc.constantFrom(...MEMORY_TYPES);
  const cosine = fc.option(fc.double({ min: -1, max: 1, noNaN: true }));
  const vocabulary = [...new Set(pairs.flatMap(({ a, b }) => `${a} ${b}`.split(" ")))];
  const sentence = fc
    .array(fc.constantFrom(...vocabulary, "constructor", "__proto__"), { minLength: 1, maxLength: 9 })
    .map((words) => words.join(" "));
  const content = fc.oneof(sentence, fc.string({ unit: "grapheme", minLength: 1 }));

  it("does not ask which of the two came first", () => {
    const shuffled = sentence.chain((a) =>
      fc.tuple(
        fc.constant(a),
        fc.shuffledSubarray(a.split(" ")).map((words) => words.join(" ")),
      ),
    );
    fc.assert(
      fc.property(type, fc.oneof(shuffled, fc.tuple(content, content)), cosine, (kind, [a, b], near) => {
        expect(judge(kind, a, b, near)).toEqual(judge(kind, b, a, near));
      }),
    );
  });

  it("merges statements that differ only in spaces and final stops, with or without vectors", () => {
    fc.assert(
      fc.property(type, content, cosine, (kind, said, near) => {
        expect(judge(kind, said, said, near).duplicate).toBe(true);
        expect(judge(kind, said, `  ${said} . `, near).duplicate).toBe(true);
      }),
    );
  });

  it("keeps a statement apart from its negation", () => {
    const said = pairs.filter(({ a }) => / (?:is|are|was|were) /.test(a) && !/ not |n't/.test(a));
    fc.assert(
      fc.property(type, fc.constantFrom(...said), (kind, { a }) => {
        const negated = a.replace(/ (is|are|was|were) /, " $1 not ");
        expect(judge(kind, a, negated).duplicate).toBe(false);
      }),
    );
  });
});
