// The law of RDF export and import: export, import into an empty tenant, export are the same set of quads.
import fc from "fast-check";
import Parser from "n3/src/N3Parser.js";
import { describe, expect, it } from "vitest";
import { parseJsonLd } from "../../../src/transfer/rdf/parse-json-ld";
import { scaleCases } from "../../patience";
import { type Client, newClient } from "../support";
import { exportRdf, importRdf, listQuads, RDF_FORMATS, RDF_TYPES, restore } from "./rdf-support";
import { EXTENSION, fillTenant } from "./support";

const putExtension = (client: Client) =>
  client.call("PUT", "/v1/ontology/extensions/operations", { turtle: EXTENSION });

describe("a tenant with everything", () => {
  it("is the same after import from each format, and importing again changes nothing", async () => {
    const source = await newClient(["read", "write", "admin"]);
    await fillTenant(source);
    const quads = await listQuads(source);
    expect(quads.length).toBeGreaterThan(200);
    for (const format of RDF_FORMATS) {
      const text = await exportRdf(source, format);
      const { client, body } = await restore(text, format, putExtension);
      expect(await listQuads(client), format).toEqual(quads);
      const again = await importRdf(client, text, format);
      expect(again.status).toBe(200);
      for (const [kind, { added, known, changed }] of Object.entries<Record<string, number>>(
        again.body.imported,
      ))
        expect([added, known, changed], kind).toEqual([0, body.imported[kind].added, undefined]);
      expect(await listQuads(client), format).toEqual(quads);
    }
  });
});

it("is the same after import in parts", async () => {
  const source = await newClient();
  const remember = async (content: string) =>
    (await source.call("POST", "/v1/remember", { content, type: "task" })).body.memory_id as string;
  const [first, second] = [await remember("Write it"), await remember("Test it")];
  await source.call("POST", "/v1/links", { from: first, to: second, relation: "related_to", strength: 0.5 });
  await source.call("PATCH", `/v1/memories/${second}`, { properties: { dependsOn: first } });
  const quads = (await exportRdf(source, "nquads")).trimEnd().split("\n");
  // An activity belongs to the part of its memory.
  const parts = Map.groupBy(quads, (quad) => quad.split(" ")[0]?.replace("#activity_", "#memory_"));
  expect(parts.size).toBe(3);
  const target = await newClient();
  const answers = [];
  for (const part of parts.values()) answers.push(await importRdf(target, `${part.join("\n")}\n`, "nquads"));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers[0]?.body.warnings).toEqual([expect.stringContaining("describes a link that is not there")]);
  expect(await listQuads(target)).toEqual(quads.sort());
  const { body } = await target.call("GET", `/v1/links?of=${first}`);
  expect(body.data).toMatchObject([{ to: second, strength: 0.5 }, {}]);
});

const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((value) => value.trim() === value && value !== "" && !/\p{Cf}|\p{Cc}|\p{Co}/u.test(value));
const label = fc.stringMatching(/^[a-z]{1,8}$/);
const day = fc.integer({ min: 1, max: 28 }).map((n) => `2026-02-${String(n).padStart(2, "0")}T10:00:00.000Z`);

const memory = fc.record(
  {
    type: fc.constantFrom("fact", "assumption", "decision", "lesson_learned", "preference"),
    content: text.map((value) => `On ${value}: "quoted" \\ and\nmore`),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => Number(value.toFixed(6))),
    rationale: text,
    evidence: fc.uniqueArray(
      text.map((value) => `doc:${value}`),
      { maxLength: 2 },
    ),
    source_type: fc.constantFrom("user", "agent", "tool"),
    tags: fc.uniqueArray(label, { maxLength: 3 }),
    metadata: fc.dictionary(label, fc.oneof(text, fc.integer(), fc.boolean()), { maxKeys: 2 }),
    valid_from: day,
    user_id: fc.constantFrom("mia@example.com", "o'neil|7".replace("'", "")),
    agent_id: fc.constantFrom("ada", "bob"),
    project_id: fc.constantFrom("shop", "site"),
  },
  { requiredKeys: ["type", "content"] },
);

const tenant = fc.record({
  memories: fc.uniqueArray(memory, { selector: ({ content }) => content, minLength: 1, maxLength: 8 }),
  links: fc.array(
    fc.record({
      from: fc.nat(7),
      to: fc.nat(7),
      relation: fc.constantFrom("related_to", "supports", "contradicts", "superseded_by", "derived_from"),
      strength: fc.constantFrom(0.25, 1),
    }),
    { maxLength: 4 },
  ),
  forgotten: fc.array(fc.nat(7), { maxLength: 2 }),
});

describe("generated tenants", () => {
  it("are the same after import, in each format", async () => {
    await fc.assert(
      fc.asyncProperty(
        tenant,
        fc.constantFrom(...RDF_FORMATS),
        async ({ memories, links, forgotten }, format) => {
          const source = await newClient();
          const { body } = await source.call("POST", "/v1/memories/batch", { memories });
          const ids = (body.results as { memory_id?: string }[]).map(({ memory_id }) => memory_id);
          for (const { from, to, ...link } of links)
            await source.call("POST", "/v1/links", { from: ids[from], to: ids[to], ...link });
          for (const at of forgotten)
            await source.call("POST", "/v1/forget", { memory_id: ids[at], reason: "wrong" });
          const { client } = await restore(await exportRdf(source, format), format);
          expect(await listQuads(client)).toEqual(await listQuads(source));
        },
      ),
      { numRuns: scaleCases(12) },
    );
  });
});

it("states the same quads in every format", async () => {
  const client = await newClient();
  await client.call("POST", "/v1/remember", { content: 'Say "hi"\n\\ 🛒', tags: ["a"], evidence: ["a b/ü"] });
  await client.call("POST", "/v1/episodes", { context: { goal: "Ship" }, outcome: "partial" });
  const toLines = (quads: Iterable<{ subject: object; predicate: object; object: object }>) =>
    [...quads].map(({ subject, predicate, object }) => JSON.stringify([subject, predicate, object])).sort();
  const parse = async (format: "nquads" | "trig" | "turtle") =>
    toLines(
      new Parser({ format: RDF_TYPES[format], blankNodePrefix: "" }).parse(await exportRdf(client, format)),
    );
  const expected = await parse("nquads");
  expect(expected.length).toBeGreaterThan(20);
  expect(await parse("trig")).toEqual(expected);
  expect(await parse("turtle")).toEqual(expected);
  const jsonLd = JSON.parse(await exportRdf(client, "jsonld"));
  expect(jsonLd["@context"].jido).toBe("https://jido.ai/ontology#");
  expect(toLines(parseJsonLd(jsonLd))).toEqual(expected);
});
