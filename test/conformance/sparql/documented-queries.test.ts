// The queries of docs/sparql.md, run as they are printed over the memory of a small shop.
import { beforeAll, describe, expect, it } from "vitest";
import page from "../../../docs/sparql.md?raw";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { tellStory } from "./story";

const kioku = serviceUnderTest();

type Term = { type: string; value: string };
type Results = { head: { vars: string[] }; results: { bindings: Record<string, Term>[] } };

const prefixes = /```\n((?:PREFIX .*\n)+)```/.exec(page)?.[1] ?? "";
const queries = new Map(
  [...page.matchAll(/### (.+)\n([\s\S]*?)```sparql\n([\s\S]*?)```/g)].map(
    ([, title = "", note = "", query = ""]) => [title, { query, infer: !note.includes("infer=false") }],
  ),
);

let memories = 0;
beforeAll(async () => {
  memories = await tellStory(kioku.api);
});

/** The rows of a query, as values without the ontology's namespace. */
async function ask(title: string): Promise<string[][]> {
  const { query, infer } = queries.get(title) ?? { query: "", infer: true };
  const answer = await kioku.api.post<Results>("/v1/sparql", { query: prefixes + query, infer });
  const { head, results } = bodyOf(answer, 200);
  return results.bindings.map((row) =>
    head.vars.map((name) => row[name]?.value.replace("https://jido.ai/ontology#", "jido:") ?? ""),
  );
}

/** The rows that each query answers, in any order unless it sorts them. */
const ANSWERS: Record<string, string[][]> = {
  "Decisions without alternatives": [["Guests are known by their e-mail"]],
  "Alternatives that were not chosen": [["Memory is kept as triples in D1", "Run Neo4j beside the Worker"]],
  "Decisions without a rationale": [["Guests are known by their e-mail"]],
  "Lessons by root cause": [["The cache key lacks the tenant", "Every cache key begins with the tenant"]],
  "Root causes of more than one error": [["The cache key lacks the tenant", "2"]],
  "Errors that are not resolved": [["Checkout was down for an hour", "jido:Investigating"]],
  "Stale assumptions": [["Guests have one address", "2026-06-01T00:00:00.000Z"]],
  "Conventions that were violated": [
    ["Money is an integer of cents", "An invoice was off by a rounding error"],
  ],
  "Rules that must be followed": [["Money is an integer of cents", "jido:Required"]],
  "Everything that waits for a task": [["Translate the checkout page"], ["Write the checkout page"]],
  "Tasks that can begin": [["Write the checkout API"]],
  "What replaced what": [["Deploys run on Fridays", "Deploys run on Mondays"]],
  "What was forgotten, and why": [["The shop accepts vouchers", "Vouchers ended in May"]],
  "The least certain memories": [
    ["Guests have one address", "0.5"],
    ["Every order has a currency", "0.6"],
  ],
  "Memories by class": [
    ["jido:Task", "4"],
    ["jido:Fact", "3"],
  ],
  "Who knows what": [["jido:agent_ada", "2", "0.75"]],
  "Attempts that failed": [["Make the checkout work for guests", "jido:agent_ada"]],
  "What rests on a document": [["Releases are tagged"]],
  "Kinds of conventions": [
    ["agent rule"],
    ["architectural convention"],
    ["coding standard"],
    ["process convention"],
  ],
};

describe("a documented query", () => {
  it("is one of twenty, each with an answer here", () => {
    expect([...queries.keys()].toSorted()).toEqual(
      [...Object.keys(ANSWERS), "What changed this week"].toSorted(),
    );
    expect(queries.size).toBe(20);
  });

  it.each(Object.entries(ANSWERS))("%s", async (title, answer) => {
    expect(await ask(title)).toEqual(answer);
  });

  it("What changed this week", async () => {
    const rows = await ask("What changed this week");
    expect(rows).toHaveLength(memories);
    expect(rows.map(([when]) => when)).toEqual(
      rows
        .map(([when]) => when)
        .toSorted()
        .toReversed(),
    );
  });
});
