// The law of as_of: what a call shows of any past moment is what it showed at that moment.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaleCases } from "../../patience";
import { type Client, newClient } from "../support";

const pick = fc.nat({ max: 8 });
const validity = fc.constantFrom("2020-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z");

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        kind: fc.constant("remember" as const),
        content: fc.constantFrom("Tea at four", "tea at FOUR", "No coffee", "Milk first", "Cake"),
        key: fc.constantFrom("time", "drink"),
        confidence: fc.constantFrom(0.5, 0.7, 0.9),
        source_type: fc.constantFrom("user", "tool"),
        valid_from: validity,
        tags: fc.subarray(["a", "b"]),
        evidence: fc.subarray(["x.md", "y.md"]),
      },
      { requiredKeys: ["kind", "content"] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("patch" as const),
      which: pick,
      body: fc.oneof(
        fc.record({ confidence: fc.constantFrom(0.4, 0.8), importance: fc.constantFrom(0.2, 0.6) }),
        fc.record({ valid_until: fc.option(fc.constant("2032-01-01T00:00:00.000Z")) }),
        fc.record({ metadata: fc.record({ team: fc.option(fc.constantFrom("web", "core")) }) }),
        fc.record({ tags: fc.subarray(["a", "b", "c"]) }),
        fc.record({ properties: fc.record({ violationConsequence: fc.option(fc.constantFrom("x", "y")) }) }),
        fc.record({ content: fc.constantFrom("Tea at five", "TEA at four") }),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("forget" as const),
      which: pick,
      by: fc.option(pick, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("link" as const),
      from: pick,
      to: pick,
      relation: fc.constantFrom("superseded_by", "derived_from"),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Takes a step. A refusal, such as that of a change of a forgotten memory, is a step that changes nothing. */
async function take({ call }: Client, known: Set<string>, next: Step): Promise<void> {
  const idAt = (n: number) => [...known][n % Math.max(1, known.size)] ?? "none";
  const send = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await call(method, path, body);
    expect([200, 201, 400, 404, 409]).toContain(status);
    return answer;
  };
  switch (next.kind) {
    case "remember": {
      const { kind: _kind, ...body } = next;
      const type = "coding_standard";
      known.add((await send("POST", "/v1/remember", { ...body, type, project_id: "p" })).memory_id);
      return;
    }
    case "patch": {
      const { id } = await send("PATCH", `/v1/memories/${idAt(next.which)}`, next.body);
      if (typeof id === "string") known.add(id);
      return;
    }
    case "forget": {
      const replacement = next.by === undefined ? {} : { replacement_id: idAt(next.by) };
      await send("POST", "/v1/forget", { memory_id: idAt(next.which), ...replacement });
      return;
    }
    case "link":
      await send("POST", "/v1/links", {
        from: idAt(next.from),
        to: idAt(next.to),
        relation: next.relation,
      });
  }
}

type Listed = { id: string; access_count?: number; last_accessed?: string };

/** Returns what the lists show, without uses, which have no past. */
async function show({ call }: Client, clocks = "") {
  const read = async (query: string) => {
    const { status, body } = await call("GET", `/v1/memories?limit=100&${query}${clocks}`);
    expect(status).toBe(200);
    return (body.data as Listed[]).map(({ access_count: _count, last_accessed: _last, ...memory }) => memory);
  };
  const queries = ["include_superseded=false", "include_superseded=true", "valid_at=2025-01-01T00:00:00Z"];
  return Promise.all(queries.map(read));
}

const QUERY = `PREFIX jido: <https://jido.ai/ontology#>
  SELECT ?m ?p ?o { ?m jido:appliesToProject jido:project_p ; ?p ?o
    FILTER (?p NOT IN (jido:accessCount, jido:lastAccessed, jido:importanceScore)) }`;

/** Returns the triples of all memories, likewise. */
async function query({ call }: Client, clocks: object = {}): Promise<string[]> {
  const { status, body } = await call("POST", "/v1/sparql", { query: QUERY, ...clocks });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.results.bindings.map((row: object) => JSON.stringify(row)).sort();
}

describe("as_of", () => {
  it("any past moment shows what was shown then, in lists and in the graph", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        const client = await newClient();
        const known = new Set<string>();
        const moments: { at: string; shown: unknown; triples: string[] }[] = [];
        for (const next of steps) {
          await take(client, known, next);
          await scheduler.wait(2);
          const [shown, triples] = await Promise.all([show(client), query(client)]);
          moments.push({ at: new Date().toISOString(), shown, triples });
          await scheduler.wait(2);
        }
        await Promise.all(
          moments.map(async ({ at, shown, triples }) => {
            expect(await show(client, `&as_of=${at}`)).toEqual(shown);
            expect(await query(client, { as_of: at })).toEqual(triples);
          }),
        );
      }),
      { numRuns: scaleCases(6) },
    );
  });
});
