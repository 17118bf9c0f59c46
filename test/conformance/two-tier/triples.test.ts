// The triples of a memory, in four formats that say the same.
import { describe, expect, it } from "vitest";
import { forget, newSession, readMemory, remember } from "../support/actions";
import { fresh } from "../support/client";
import { JIDO, MEMORY_TYPES, type Triple } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { canonical, objectsOf, parseRdf, type Quad, RDF_TYPE, subjectOf, XSD } from "../support/rdf";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function read(memory: string, accept: "application/n-triples" | "text/turtle"): Promise<Quad[]> {
  const answer = await kioku.api.get<string>(`/v1/memories/${memory}/triples`, { accept });
  bodyOf(answer, 200);
  expect(answer.headers.get("content-type")).toContain(accept);
  return parseRdf(answer.text, accept);
}

async function rich(): Promise<{ id: string; session: string }> {
  const { id: session } = await newSession(kioku.api, { agent_id: "scribe", project_id: "atlas" });
  const { memory_id } = await remember(kioku.api, session, 'Quote " back \\ line\nfeed 😀 日本', {
    ...{ type: "architectural_decision", confidence: 0.83, rationale: "Because", source_type: "user" },
    evidence: ["commit abc", "https://example.org/x y?<z>", "src/app.ts:10"],
  });
  return { id: memory_id, session };
}

function values(quads: Quad[], property: string): string[] {
  return objectsOf(quads, property).map((term) => term.value);
}

describe("the triples of a memory", () => {
  it("say everything the memory says, in the terms of the ontology", async () => {
    const { id, session } = await rich();
    const all = await read(id, "application/n-triples");
    const subject = subjectOf(all, "ArchitecturalDecision");
    expect(subject).toContain(id);
    const quads = all.filter((quad) => quad.subject.value === subject);
    expect(values(quads, "summary")).toEqual(['Quote " back \\ line\nfeed 😀 日本']);
    expect(values(quads, "hasConfidence")).toEqual([`${JIDO}High`]);
    expect(values(quads, "hasSourceType")).toEqual([`${JIDO}UserSource`]);
    expect(values(quads, "rationale")).toEqual(["Because"]);
    expect(values(quads, "assertedIn").join()).toContain(session);
    expect(values(quads, "assertedBy").join()).toContain("scribe");
    expect(values(quads, "appliesToProject").join()).toContain("atlas");
    const [time] = objectsOf(quads, "hasTimestamp");
    expect(time?.datatype?.value).toBe(`${XSD}dateTime`);
    expect(Date.parse(time?.value ?? "")).toBe(Date.parse((await readMemory(kioku.api, id)).timestamp));
  });

  it("hold the exact confidence as a decimal", async () => {
    const { id } = await rich();
    const decimals = (await read(id, "application/n-triples")).filter(
      (quad) => quad.object.datatype?.value === `${XSD}decimal`,
    );
    expect(decimals.map((quad) => Number(quad.object.value))).toContain(0.83);
  });

  it("derive it from each of its evidences", async () => {
    const { id } = await rich();
    const evidence = objectsOf(await read(id, "application/n-triples"), "derivedFrom");
    expect(evidence).toHaveLength(3);
    expect(new Set(evidence.map((term) => term.value)).size).toBe(3);
    expect(evidence.every((term) => term.termType === "NamedNode")).toBe(true);
  });

  it.each([
    [1, "High"],
    [0.8, "High"],
    [0.79, "Medium"],
    [0.5, "Medium"],
    [0.49, "Low"],
    [0, "Low"],
  ])("call a confidence of %d %s", async (confidence, level) => {
    const { memory_id } = await remember(kioku.api, fresh("session"), "A statement", { confidence });
    expect(values(await read(memory_id, "application/n-triples"), "hasConfidence")).toEqual([
      `${JIDO}${level}`,
    ]);
  });

  it.each(MEMORY_TYPES)("give a %s its class", async (type) => {
    const { memory_id } = await remember(kioku.api, fresh("session"), "A statement", { type });
    const className = type.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
    expect(subjectOf(await read(memory_id, "application/n-triples"), className)).toContain(memory_id);
  });

  it("name what superseded it", async () => {
    const session = fresh("session");
    const [old, current] = [
      await remember(kioku.api, session, "Port 1"),
      await remember(kioku.api, session, "Port 2"),
    ];
    expect(values(await read(old.memory_id, "application/n-triples"), "supersededBy")).toEqual([]);
    await forget(kioku.api, session, old.memory_id, { replacement_id: current.memory_id });
    const successor = subjectOf(await read(current.memory_id, "application/n-triples"), "Fact");
    expect(values(await read(old.memory_id, "application/n-triples"), "supersededBy")).toEqual([successor]);
  });

  it("mark what was forgotten without a replacement, and why", async () => {
    const session = fresh("session");
    const { memory_id } = await remember(kioku.api, session, "Port 1");
    const before = canonical(await read(memory_id, "application/n-triples"));
    await forget(kioku.api, session, memory_id, { reason: "It moved" });
    const added = canonical(await read(memory_id, "application/n-triples")).filter(
      (line) => !before.includes(line),
    );
    expect(added.join("\n")).toContain("It moved");
  });
});

describe("the formats", () => {
  it("N-Triples and Turtle hold the same graph", async () => {
    const { id } = await rich();
    const lines = canonical(await read(id, "application/n-triples"));
    expect(lines.length).toBeGreaterThanOrEqual(12);
    expect(canonical(await read(id, "text/turtle"))).toEqual(lines);
  });

  it("JSON is data with full IRIs, one entry a triple", async () => {
    const { id } = await rich();
    const answer = await kioku.api.get<{ data: Triple[] }>(`/v1/memories/${id}/triples`, {
      accept: "application/json",
    });
    const { data } = bodyOf(answer, 200);
    const quads = await read(id, "application/n-triples");
    expect(data.map((triple) => `${triple.subject} ${triple.predicate}`).sort()).toEqual(
      quads.map((quad) => `${quad.subject.value} ${quad.predicate.value}`).sort(),
    );
    const type = data.find((triple) => triple.predicate === RDF_TYPE);
    expect(JSON.stringify(type?.object)).toContain(`${JIDO}ArchitecturalDecision`);
    const summary = data.find((triple) => triple.predicate === `${JIDO}summary`);
    expect(JSON.stringify(summary?.object)).toContain("😀 日本");
  });

  it("JSON is also what a caller without a preference gets", async () => {
    const { id } = await rich();
    const answer = await kioku.api.get<{ data: Triple[] }>(`/v1/memories/${id}/triples`, { accept: "*/*" });
    expect(bodyOf(answer, 200).data.length).toBeGreaterThanOrEqual(12);
  });

  it("JSON-LD holds the same statements", async () => {
    const { id } = await rich();
    const answer = await kioku.api.get<unknown>(`/v1/memories/${id}/triples`, {
      accept: "application/ld+json",
    });
    const document = bodyOf(answer, 200);
    expect(answer.headers.get("content-type")).toContain("application/ld+json");
    const found: Record<string, unknown> = {};
    const walk = (value: unknown): void => {
      if (Array.isArray(value)) for (const item of value) walk(item);
      else if (value !== null && typeof value === "object") {
        for (const [key, item] of Object.entries(value)) {
          const name = key.split(/[#:]/).at(-1) ?? key;
          if (!(name in found)) found[name] = item;
          walk(item);
        }
      }
    };
    walk(Array.isArray(document) ? document : { ...(document as object), "@context": null });
    expect(found["@id"]).toEqual(expect.stringContaining(id));
    expect(JSON.stringify(found["@type"])).toContain("ArchitecturalDecision");
    expect(JSON.stringify(found.summary)).toContain("😀 日本");
    expect(JSON.stringify(found.hasConfidence)).toContain("High");
    expect(found.derivedFrom).toHaveLength(3);
    expect(answer.text).toContain("0.83");
  });
});
