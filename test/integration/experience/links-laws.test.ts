// Laws of links, whatever is linked, taken back, settled, forgotten and erased, in whatever order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GENERIC_RELATIONS } from "../../../src/memories/links/link-schemas";
import { scaleCases } from "../../patience";
import { newLinkTenant, type Tenant } from "./links-support";

const end = fc.nat({ max: 6 });
const nth = fc.nat({ max: 20 });
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("link" as const),
      from: end,
      to: end,
      relation: fc.constantFrom(...GENERIC_RELATIONS),
      strength: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unlink" as const), which: nth }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("resolve" as const),
      action: fc.constantFrom("supersede", "invalidate", "keep_both"),
      which: nth,
      side: fc.constantFrom(0, 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), which: end, by: end }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), which: end }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Takes one step, which may well be refused, and never fails. */
async function take(kioku: Tenant, ends: readonly string[], links: string[], next: Step): Promise<void> {
  const at = (n: number) => ends[n] ?? "nothing";
  const send = async () => {
    switch (next.kind) {
      case "link":
        return kioku.link({ ...next, kind: undefined, from: at(next.from), to: at(next.to) });
      case "unlink":
        return kioku.unlink(links[next.which % links.length] ?? "nothing");
      case "resolve": {
        const open = await kioku.contradictions();
        const found = open[next.which % open.length];
        const keep = next.action === "keep_both" ? {} : { keep: found?.memories[next.side].id };
        return kioku.resolve(found?.id ?? "nothing", { action: next.action, reason: "Because", ...keep });
      }
      case "forget":
        return kioku.call("POST", "/v1/forget", { memory_id: at(next.which), replacement_id: at(next.by) });
      case "erase":
        return kioku.call("DELETE", `/v1/memories/${at(next.which)}`);
    }
  };
  const { status, body } = await send();
  expect(status).toBeLessThan(500);
  if (status === 201) links.push(body.id);
}

describe("links", () => {
  it("leave the read model what the triples make of it, and are the same from both ends", async () => {
    const law = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const kioku = await newLinkTenant();
      const ends: string[] = [];
      for (let n = 0; n < 4; n += 1) ends.push(await kioku.memory({ evidence: ["a file"] }));
      for (let n = 0; n < 2; n += 1) ends.push(await kioku.episode());
      const links: string[] = [];
      for (const next of steps) await take(kioku, ends, links, next);
      await kioku.expectRebuilt();

      const { memories, triples } = await kioku.contents();
      const there = [...memories.map(({ id }) => id), ...ends.slice(4)];
      const listed = new Map(
        await Promise.all(there.map(async (id) => [id, await kioku.linksOf(id)] as const)),
      );
      const seen = (id: string, direction: string) =>
        (listed.get(id) ?? []).filter((link) => link.direction === direction);
      for (const id of there)
        for (const { direction: _direction, ...link } of seen(id, "out"))
          if (link.to !== "a file") expect(seen(link.to, "in")).toContainEqual({ ...link, direction: "in" });
      const count = (direction: string) => there.flatMap((id) => seen(id, direction)).length;
      expect(count("in")).toBe(count("out") - memories.length);

      // No Link without its two ends, nor without the triple that it is about.
      const objectOf = (subject: string, predicate: string) =>
        triples.find((triple) => triple.subject === subject && triple.predicate === predicate)?.object ?? "";
      for (const { subject } of triples.filter(({ object }) => object === "jido:Link")) {
        const from = objectOf(subject, "jido:linkFrom");
        const predicate = objectOf(subject, "jido:linkRelation").replace(
          "https://jido.ai/ontology#",
          "jido:",
        );
        const linking = {
          subject: from,
          predicate,
          object: objectOf(subject, "jido:linkTo"),
          datatype: "",
        };
        expect(triples).toContainEqual(linking);
        expect(there.flatMap((id) => [`jido:memory_${id}`, `jido:evidence_${id}`])).toContain(from);
      }
    });
    await fc.assert(law, { numRuns: scaleCases(15) });
  });
});
