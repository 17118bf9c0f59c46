// The triples are the truth of experience, too: its read models, thrown away and rebuilt, are the same to the byte.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaleCases } from "../../patience";
import { rebuild } from "../store/long-term-support";
import { freshId } from "../support";
import { daysAgo, LEARNED, newExperience, type Tenant } from "./support";

const GOALS = [
  "Implement POST /api/todos endpoint",
  "Implement POST /api/users endpoint",
  "Fix the flaky login test",
  "Fix the flaky signup test",
];
const RULES = [
  "Handlers need a return type",
  "Handlers require a return type",
  "日本 is far away ".repeat(9),
];

const pick = fc.nat({ max: 30 });
const days = fc.constantFrom(0.1, 0.5, 3, 9, 40);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const picks = fc.uniqueArray(pick, { maxLength: 4 });
const error = fc.record({
  type: fc.constantFrom("Timeout", "Type error"),
  message: fc.constantFrom("", "waited 30 s"),
  resolution: fc.constantFrom(null, "Raise the limit"),
});

function kind<K extends string, T extends object>(name: K, parts: { [P in keyof T]: fc.Arbitrary<T[P]> }) {
  return fc.record<{ kind: K } & T>({ kind: fc.constant(name), ...parts } as never);
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: kind("episode", {
      goal: fc.constantFrom(...GOALS),
      outcome: fc.constantFrom("success", "failure", "partial"),
      errors_encountered: fc.array(error, { maxLength: 2 }),
      importance: share,
      agent: fc.constantFrom(null, "eng-1"),
      days,
      long: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: kind("pattern", {
      pattern: fc.constantFrom(...RULES),
      confidence: fc.constantFrom(0.5, 0.7, 0.79, 0.8, 0.9),
      conditions: fc.uniqueArray(fc.constantFrom("on Mondays", "in strict mode"), { maxLength: 2 }),
      correct_approach: fc.constantFrom(null, "Add one"),
      name: fc.constantFrom(undefined, "sem-1", "sem-2"),
      sources: picks,
      shared: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: kind("learning", {
      fix: fc.constantFrom("Released it", "Waited"),
      sources: picks,
      shared: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: kind("skill", { steps: fc.constantFrom(["Look"], ["Look", "Leap"]) }) },
  {
    weight: 3,
    arbitrary: kind("link", {
      from: pick,
      to: pick,
      relation: fc.constantFrom("derived_from", "contradicts", "supports", "supersedes"),
    }),
  },
  { weight: 3, arbitrary: kind("consolidate", { days: fc.constantFrom(1, 60) }) },
  { weight: 3, arbitrary: kind("maintain", { days: fc.constantFrom(-90, -1, 0, 0.5) }) },
  { weight: 3, arbitrary: kind("prime", { goal: fc.constantFrom(...GOALS, ...RULES) }) },
  {
    weight: 2,
    arbitrary: kind("remember", {
      content: fc.constantFrom(...RULES),
      type: fc.constantFrom("hypothesis", "discovery"),
      sources: picks,
    }),
  },
  { weight: 2, arbitrary: kind("forget", { which: pick, by: fc.option(pick) }) },
  { weight: 1, arbitrary: kind("erase", { which: pick }) },
  { weight: 1, arbitrary: kind("recall", {}) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Takes a step; what it asks of things that are not there, or that would close a circle, is refused, which is fine. */
async function take(home: Tenant, known: string[], next: Step): Promise<void> {
  const { project_id } = home;
  const at = (n: number) => known[n % Math.max(1, known.length)] ?? "none";
  const send = async (method: string, path: string, body?: object) => {
    const answer = await home.call(method, path, body);
    expect([200, 201, 400, 404, 409], JSON.stringify(answer.body)).toContain(answer.status);
    const found = [answer.body.id, answer.body.memory_id, answer.body.created, answer.body.anti_patterns];
    known.push(...found.flat().filter((id) => typeof id === "string" && !known.includes(id)));
    return answer;
  };
  switch (next.kind) {
    case "episode": {
      const { kind: _kind, goal, days: ago, long, ...more } = next;
      const id = freshId("ep").padEnd(long ? 128 : 0, "x");
      await send("POST", "/v1/episodes", {
        ...{ ...more, id, project_id, timestamp: daysAgo(ago) },
        context: { goal, files_involved: ["src/a.ts"], constraints: ["None"] },
        action_log: [{ action: "run_test", target: "all", n: 1e-7 }],
      });
      return;
    }
    case "pattern": {
      const { kind: _kind, name, sources, shared, ...more } = next;
      const source_episodes = sources.map(at);
      const where = shared ? {} : { project_id };
      await send("POST", "/v1/patterns", { ...more, ...where, id: name, source_episodes });
      return;
    }
    case "learning": {
      const where = next.shared ? {} : { project_id };
      await send("POST", "/v1/learnings", {
        ...{ ...LEARNED, ...where, fix: next.fix },
        evidence: next.sources.map(at),
      });
      return;
    }
    case "skill":
      await send("PUT", "/v1/skills/look", { name: "Look", description: "", steps: next.steps });
      return;
    case "link":
      await send("POST", "/v1/links", { from: at(next.from), to: at(next.to), relation: next.relation });
      return;
    case "consolidate":
      await send("POST", "/v1/consolidate", { project_id, since: daysAgo(next.days), now: daysAgo(0) });
      return;
    case "maintain":
      await send("POST", "/v1/maintenance", { project_id, now: daysAgo(next.days) });
      return;
    case "prime":
      await send("POST", "/v1/prime", { project_id, goal: next.goal, now: daysAgo(0) });
      return;
    case "remember":
      await send("POST", "/v1/remember", {
        ...{ project_id, content: next.content, type: next.type },
        evidence: next.sources.map(at),
      });
      return;
    case "forget":
      await send("POST", "/v1/forget", {
        memory_id: at(next.which),
        ...(next.by === null ? {} : { replacement_id: at(next.by) }),
      });
      return;
    case "erase":
      for (const path of ["episodes", "memories"]) await send("DELETE", `/v1/${path}/${at(next.which)}`);
      return;
    case "recall":
      await send("POST", "/v1/recall", { project_id, query: "handlers", include_superseded: true });
      return;
  }
}

/** Has something happen right before the first batch of that kind. */
async function justBefore(
  kind: RegExp,
  happens: () => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<void> {
  const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
  const { batch } = database;
  database.batch = async function interrupted<T>(this: D1Database, list: D1PreparedStatement[]) {
    if (list.some((statement) => kind.test((statement as unknown as { statement: string }).statement))) {
      database.batch = batch;
      await happens();
    }
    return batch.call(this, list) as Promise<D1Result<T>[]>;
  };
  await work();
  expect(database.batch).toBe(batch);
}

describe("the read models of experience", () => {
  it("rebuilt from the triples alone are the originals, after any life", async () => {
    const law = fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
      const home = await newExperience();
      const known: string[] = [];
      for (const next of steps) await take(home, known, next);
      await home.expectRebuilt();
    });
    // A life takes seconds: the shrinking of one would take hours.
    await fc.assert(law, { numRuns: scaleCases(8), endOnFailure: true });
  });

  it("are the originals where one of many properties was changed", async () => {
    const home = await newExperience();
    await home.learn();
    await home.maintain(daysAgo(-300));
    await home.call("POST", "/v1/learnings", { ...LEARNED, project_id: home.project_id, fix: "Waited" });
    await home.maintain(daysAgo(-301));
    await home.expectRebuilt();
  });

  it.each([
    { kind: "others", conditions: [["one", "two"], ["three"], ["two", "four"]] },
    { kind: "one more, then without the first", conditions: [["one"], ["one", "two"], ["two"]] },
    {
      kind: "the last first",
      conditions: [
        ["one", "two", "three"],
        ["three", "one"],
      ],
    },
  ])("are the originals where a pattern was stated again with conditions: $kind", async ({ conditions }) => {
    const home = await newExperience();
    const said = conditions.map((of) => ({ pattern: "Rest", project_id: home.project_id, conditions: of }));
    for (const body of said) await home.call("POST", "/v1/patterns", { ...body, correct_approach: "Sit" });
    await home.expectRebuilt();
  });

  it("rebuilt while something changes are what it has become", async () => {
    const home = await newExperience();
    const id = await home.tell(GOALS[0] ?? "");
    await home.maintain(daysAgo(-1));
    const { importance } = await home.episode(id);
    await justBefore(
      /INSERT INTO episodes \(/,
      () => home.maintain(daysAgo(-2)),
      () => rebuild(home.tenant),
    );
    const after = (await home.episode(id)).importance;
    expect(after).toBeLessThan(importance);
    await home.expectRebuilt();
    expect((await home.episode(id)).importance).toBe(after);
  });
});
