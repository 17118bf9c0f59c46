// Links: one for two things and a relation, found from both ends, with what they mean for a memory.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXPERIENCE } from "../../../src/kernel/limits";
import { GENERIC_RELATIONS } from "../../../src/memories/links/link-schemas";
import { breakBatches, failuresOfD1, MOMENTS, mendD1 } from "../../faults/support";
import { lost } from "../store/long-term-support";
import { freshId, untilIndexed } from "../support";
import { type Linked, newKey, newLinkTenant, type Tenant } from "./links-support";

let kioku: Tenant;
beforeEach(async () => {
  kioku = await newLinkTenant();
});
afterEach(mendD1);

const ISO = expect.stringMatching(/^\d{4}-.*Z$/);
const PLAIN = ["derived_from", "related_to", "contradicts", "elaborates", "example_of", "supports"];
const brief = ({ from, to, relation, strength, direction }: Linked) => ({
  from,
  to,
  relation,
  strength,
  direction,
});

async function twoMemories(): Promise<[string, string]> {
  return [await kioku.memory(), await kioku.memory()];
}

describe("a link", () => {
  it.each(PLAIN)("that says %s is found from both ends", async (relation) => {
    const [from, to] = await twoMemories();
    const { status, body } = await kioku.link({ from, to, relation, strength: 0.3 });
    expect(status).toBe(201);
    expect(body).toEqual({ id: body.id, from, to, relation, strength: 0.3, created_at: ISO });
    expect(await kioku.linksOf(from)).toEqual([{ ...body, direction: "out" }]);
    expect(await kioku.linksOf(to)).toEqual([{ ...body, direction: "in" }]);
    await kioku.expectRebuilt();
  });

  it("holds fully unless it is said how strongly", async () => {
    const [from, to] = await twoMemories();
    expect((await kioku.linked(from, "supports", to)).strength).toBe(1);
  });

  it("made again is the same one with the new strength", async () => {
    const [from, to] = await twoMemories();
    const first = await kioku.linked(from, "elaborates", to, 0.2);
    const again = await kioku.link({ from, to, relation: "elaborates", strength: 0.9 });
    expect([again.status, again.body]).toEqual([200, { ...first, strength: 0.9 }]);
    expect(await kioku.linksOf(from)).toEqual([{ ...again.body, direction: "out" }]);
  });

  it("of another relation, or the other way round, is another one", async () => {
    const [from, to] = await twoMemories();
    const made = [
      await kioku.linked(from, "elaborates", to),
      await kioku.linked(from, "supports", to),
      await kioku.linked(to, "elaborates", from),
    ];
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
    expect(await kioku.linksOf(from)).toHaveLength(3);
  });

  it.each(["related_to", "contradicts"])("that says %s says so from either end", async (relation) => {
    const [one, two] = await twoMemories();
    const first = await kioku.linked(one, relation, two, 0.2);
    const again = await kioku.link({ from: two, to: one, relation, strength: 0.7 });
    expect([again.status, again.body]).toEqual([200, { ...first, strength: 0.7 }]);
    expect(await kioku.linksOf(two)).toEqual([{ ...again.body, direction: "in" }]);
  });

  it("is made once by many at once, from whichever end", async () => {
    const [one, two] = await twoMemories();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const [from, to] = n % 2 === 0 ? [one, two] : [two, one];
        return kioku.link({ from, to, relation: "related_to", strength: n / 8 });
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    expect(await kioku.linksOf(one)).toHaveLength(1);
    const { triples } = await kioku.contents();
    expect(triples.filter(({ predicate }) => predicate === "jido:linkStrength")).toHaveLength(1);
    expect(triples.filter(({ predicate }) => predicate === "jido:linkedAt")).toHaveLength(1);
    expect(triples.filter(({ predicate }) => predicate === "jido:relatedTo")).toHaveLength(1);
  });

  it("is told in the terms of the ontology", async () => {
    const [from, to] = await twoMemories();
    const before = await kioku.contents();
    const { id, created_at } = await kioku.linked(from, "example_of", to, 0.25);
    const subject = `jido:link_${id}`;
    const after = await kioku.contents();
    expect(lost(after.triples, before.triples)).toEqual([
      { subject, predicate: "rdf:type", object: "jido:Link", datatype: "" },
      { subject, predicate: "jido:linkFrom", object: `jido:memory_${from}`, datatype: "" },
      { subject, predicate: "jido:linkTo", object: `jido:memory_${to}`, datatype: "" },
      {
        subject,
        predicate: "jido:linkRelation",
        object: "https://jido.ai/ontology#exampleOf",
        datatype: "xsd:anyURI",
      },
      { subject, predicate: "jido:linkStrength", object: "0.25", datatype: "xsd:decimal" },
      { subject, predicate: "jido:linkedAt", object: created_at, datatype: "xsd:dateTime" },
      {
        subject: `jido:memory_${from}`,
        predicate: "jido:exampleOf",
        object: `jido:memory_${to}`,
        datatype: "",
      },
    ]);
    expect(after.memories).toEqual(before.memories);
  });

  it("shows with a memory as the ontology has it, and the Link itself does not", async () => {
    const [from, to] = await twoMemories();
    await kioku.linked(from, "example_of", to);
    expect((await kioku.read(from)).links).toEqual([{ relation: "exampleOf", direction: "out", id: to }]);
    expect((await kioku.read(to)).links).toEqual([{ relation: "exampleOf", direction: "in", id: from }]);
    expect(await kioku.read(from)).toMatchObject({ properties: {}, evidence: [] });
  });
});

describe("an end of a link", () => {
  it.each([
    ["short", "sem"],
    ["long", "s".repeat(60)],
  ])("may be a pattern by its %s name, and is then the live one of that name", async (_length, prefix) => {
    const name = freshId(prefix);
    const old = await kioku.memory({ key: `pattern:${name}` });
    const live = await kioku.memory({ key: `pattern:${name}` });
    const other = await kioku.memory();
    expect(await kioku.linked(other, "related_to", name)).toMatchObject({ from: other, to: live });
    expect(await kioku.linksOf(name)).toEqual(await kioku.linksOf(live));
    expect((await kioku.linksOf(old)).map(({ relation }) => relation)).toEqual(["superseded_by"]);
  });

  it("is a memory before it is the name of another, and a name before it is an episode", async () => {
    const memory = await kioku.memory();
    const named = await kioku.memory({ key: `pattern:${memory}` });
    const episode = await kioku.episode();
    const other = await kioku.memory();
    expect((await kioku.linked(other, "supports", memory)).to).toBe(memory);
    expect((await kioku.linked(other, "supports", episode)).to).toBe(episode);
    const pattern = await kioku.memory({ key: `pattern:${episode}` });
    expect((await kioku.linked(other, "supports", episode)).to).toBe(pattern);
    expect(await kioku.linksOf(named)).toEqual([]);
  });

  it("may be an episode, of however long an id", async () => {
    const memory = await kioku.memory();
    const episode = await kioku.episode({ id: freshId("e".repeat(80)) });
    for (const relation of ["related_to", "example_of", "supports", "contradicts", "elaborates"]) {
      await kioku.linked(memory, relation, episode);
      if (relation !== "related_to" && relation !== "contradicts")
        await kioku.linked(episode, relation, memory);
    }
    await kioku.linked(memory, "derived_from", episode);
    expect(await kioku.linksOf(episode)).toHaveLength(9);
    expect(await kioku.linksOf(memory)).toHaveLength(9);
    await kioku.expectRebuilt();
  });

  it.each([
    ["derived_from", "from"],
    ["supersedes", "from"],
    ["supersedes", "to"],
    ["superseded_by", "from"],
    ["superseded_by", "to"],
  ])("of %s is a memory in its %s", async (relation, field) => {
    const ends = { from: await kioku.memory(), to: await kioku.memory(), [field]: await kioku.episode() };
    const before = await kioku.contents();
    const { status, body } = await kioku.link({ ...ends, relation });
    expect([status, body.errors[0].path]).toEqual([400, field]);
    expect(await kioku.contents()).toEqual(before);
  });

  it.each(["from", "to"])("that is not there is a 404 that names it: %s", async (field) => {
    const stranger = await newLinkTenant();
    const [from, to] = await twoMemories();
    for (const unknown of [freshId("nothing"), await stranger.memory(), await stranger.episode()]) {
      const { status, body } = await kioku.link({ from, to, relation: "supports", [field]: unknown });
      expect([status, body.errors[0].path]).toEqual([404, field]);
      expect(body.detail).toContain(unknown);
    }
    expect(await kioku.linksOf(from)).toEqual([]);
  });

  it("is not the other one, by whatever name", async () => {
    const name = freshId("sem");
    const from = await kioku.memory({ key: `pattern:${name}` });
    for (const to of [from, name])
      expect((await kioku.link({ from, to, relation: "supports" })).status).toBe(409);
  });

  it("may be forgotten: that is history", async () => {
    const [from, to] = await twoMemories();
    await kioku.forget({ memory_id: from });
    await kioku.linked(from, "supports", to);
  });
});

describe("a bad link", () => {
  it.each<[string, object]>([
    ["from", { from: undefined }],
    ["to", { to: "a b" }],
    ["relation", { relation: "likes" }],
    ["relation", { relation: undefined }],
    ["strength", { strength: 1.1 }],
    ["strength", { strength: -0.1 }],
    ["strength", { strength: "strong" }],
    ["weight", { weight: 1 }],
  ])("is refused by its %s: %j", async (field, wrong) => {
    const [from, to] = await twoMemories();
    const { status, body } = await kioku.link({ from, to, relation: "supports", ...wrong });
    expect([status, body.errors[0].path]).toEqual([400, field]);
    expect(await kioku.linksOf(from)).toEqual([]);
  });
});

describe("supersession by a link", () => {
  it.each([
    ["superseded_by", false],
    ["supersedes", true],
  ])("takes the place of a memory: %s", async (relation, turned) => {
    const old = await kioku.memory({ content: "The gate is shut" });
    const by = await kioku.memory({ content: "The gate is open", supersede: false });
    await untilIndexed(kioku.tenant);
    const [from, to] = turned ? [by, old] : [old, by];
    const link = await kioku.linked(from, relation, to, 0.6);
    const stored = { from: old, to: by, relation: "superseded_by", strength: 0.6 };
    expect(link).toMatchObject(stored);
    expect(await kioku.linksOf(old)).toEqual([{ ...link, direction: "out" }]);
    expect(await kioku.linksOf(by)).toEqual([{ ...link, direction: "in" }]);
    expect(await kioku.read(old)).toMatchObject({
      status: "superseded",
      superseded_by: by,
      valid_until: link.created_at,
    });
    expect((await kioku.read(by)).supersedes).toEqual([old]);
    expect(await kioku.liveIds()).toEqual([by]);
    for (const mode of ["text", "semantic"]) {
      const { body } = await kioku.call("POST", "/v1/recall", { query: "gate", project_id: "p-1", mode });
      expect(body.memories.map(({ id }: { id: string }) => id)).toEqual([by]);
    }
    await kioku.expectRebuilt();
  });

  it("made again only gets the strength, however it came about", async () => {
    const [old, by] = await twoMemories();
    await kioku.forget({ memory_id: old, replacement_id: by });
    const before = await kioku.contents();
    const { status, body } = await kioku.link({ from: by, to: old, relation: "supersedes", strength: 0.5 });
    expect([status, body.strength]).toEqual([200, 0.5]);
    expect((await kioku.contents()).memories).toEqual(before.memories);
    expect(await kioku.linksOf(old)).toEqual([{ ...body, direction: "out" }]);
  });

  it("is refused for what has given way already, been forgotten or is wrong", async () => {
    const [old, by] = await twoMemories();
    const third = await kioku.memory();
    await kioku.linked(old, "superseded_by", by);
    const before = await kioku.contents();
    const { status, body } = await kioku.link({ from: old, to: third, relation: "superseded_by" });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("superseded")]);
    expect(await kioku.contents()).toEqual(before);
    await kioku.forget({ memory_id: by });
    expect((await kioku.link({ from: by, to: third, relation: "superseded_by" })).status).toBe(409);
  });

  it("is refused where it would close a cycle", async () => {
    const [one, two] = await twoMemories();
    const three = await kioku.memory();
    await kioku.linked(one, "superseded_by", two);
    await kioku.linked(two, "superseded_by", three);
    const before = await kioku.contents();
    const { status, body } = await kioku.link({ from: three, to: one, relation: "superseded_by" });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("cycle")]);
    expect(await kioku.contents()).toEqual(before);
  });

  it("closes no cycle when both directions are asked for at once", async () => {
    const [one, two] = await twoMemories();
    const answers = await Promise.all([
      kioku.link({ from: one, to: two, relation: "superseded_by" }),
      kioku.link({ from: two, to: one, relation: "superseded_by" }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await kioku.liveIds()).toHaveLength(1);
  });
});

describe("what a memory is derived from", () => {
  it("is evidence where it is an episode, and comes and goes with the link", async () => {
    const evidence = ["photo 1", 'a "quoted" \\ one\n\t\u0001\u007f\u2028', "日本 100%", "it's /"];
    const memory = await kioku.memory({ content: "The gate squeaks", evidence });
    const episodes = [await kioku.episode(), await kioku.episode()];
    const made: Linked[] = [];
    for (const episode of episodes) made.push(await kioku.linked(memory, "derived_from", episode, 0.4));
    expect((await kioku.read(memory)).evidence).toEqual([...evidence, ...episodes]);
    await kioku.expectRebuilt();
    // The row is what the service itself would have written: another write finds it unchanged.
    await kioku.memory({ content: "The gate squeaks", evidence: ["photo 2"] });
    expect((await kioku.read(memory)).evidence).toEqual([...evidence, ...episodes, "photo 2"]);
    expect((await kioku.unlink(made[0]?.id ?? "")).status).toBe(204);
    expect((await kioku.read(memory)).evidence).toEqual([...evidence, episodes[1], "photo 2"]);
    await kioku.expectRebuilt();
    await kioku.memory({ content: "The gate squeaks", evidence: ["photo 3"] });
    expect((await kioku.read(memory)).evidence).toEqual([...evidence, episodes[1], "photo 2", "photo 3"]);
  });

  it("may be linked by many at once", async () => {
    const memory = await kioku.memory();
    const episodes = await Promise.all(Array.from({ length: 12 }, () => kioku.episode()));
    const answers = await Promise.all(
      episodes.map((to) => kioku.link({ from: memory, to, relation: "derived_from" })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect((await kioku.read(memory)).evidence.toSorted()).toEqual(episodes.toSorted());
    await kioku.expectRebuilt();
  });

  it("is at most what a memory may rest on", async () => {
    const memory = await kioku.memory();
    const [first, second] = [await kioku.episode(), await kioku.episode()];
    const sources = Array.from({ length: EXPERIENCE.sourcesPerPattern - 1 }, (_, n) => `source ${n}`);
    await env.DB.prepare("UPDATE memories SET evidence = ? WHERE tenant = ? AND id = ?")
      .bind(JSON.stringify(sources), kioku.tenant, memory)
      .run();
    await kioku.linked(memory, "derived_from", first);
    const { status, body } = await kioku.link({ from: memory, to: second, relation: "derived_from" });
    expect([status, body.code]).toEqual([429, "limit_exceeded"]);
    expect((await kioku.read(memory)).evidence).toEqual([...sources, first]);
    expect(await kioku.linksOf(second)).toEqual([]);
  });

  it("is no evidence where it is a memory", async () => {
    const [from, to] = await twoMemories();
    const { id } = await kioku.linked(from, "derived_from", to);
    expect((await kioku.read(from)).evidence).toEqual([]);
    await kioku.expectRebuilt();
    expect((await kioku.unlink(id)).status).toBe(204);
    expect(await kioku.linksOf(from)).toEqual([]);
  });

  it("stays one source when it was given with the memory already", async () => {
    const episode = await kioku.episode();
    const memory = await kioku.memory({ evidence: [episode] });
    const given = { from: memory, to: episode, relation: "derived_from", strength: 1, direction: "out" };
    const [listed] = await kioku.linksOf(memory);
    expect(listed).toMatchObject({ ...given, created_at: null });
    const { status, body } = await kioku.link({
      from: memory,
      to: episode,
      relation: "derived_from",
      strength: 0.1,
    });
    expect([status, body.id]).toEqual([200, listed?.id]);
    expect((await kioku.read(memory)).evidence).toEqual([episode]);
    expect((await kioku.unlink(body.id)).status).toBe(204);
    expect((await kioku.read(memory)).evidence).toEqual([]);
    await kioku.expectRebuilt();
  });
});

describe("listing links", () => {
  it("gives what came with a memory too: its sources, and what took its place", async () => {
    const episode = await kioku.episode();
    const key = freshId("topic");
    const old = await kioku.memory({ key, evidence: [episode, "https://c.example/?d=e f"] });
    const by = await kioku.memory({ key });
    const out = { from: old, strength: 1, direction: "out" };
    expect((await kioku.linksOf(old)).map(brief)).toEqual([
      { ...out, to: episode, relation: "derived_from" },
      { ...out, to: "https://c.example/?d=e f", relation: "derived_from" },
      { ...out, to: by, relation: "superseded_by" },
    ]);
    expect((await kioku.linksOf(episode)).map(brief)).toEqual([
      { from: old, to: episode, relation: "derived_from", strength: 1, direction: "in" },
    ]);
    expect((await kioku.linksOf(by)).map(brief)).toEqual([
      { from: old, to: by, relation: "superseded_by", strength: 1, direction: "in" },
    ]);
  });

  it.each([1, 2, 3, 50])("page by page gives each once, in one order, %i at a time", async (limit) => {
    const memory = await kioku.memory({ evidence: ["x".repeat(500), "日".repeat(500), "z"] });
    for (const relation of GENERIC_RELATIONS.filter((name) => !name.startsWith("supersede"))) {
      const other = await kioku.memory();
      await kioku.linked(memory, relation, other);
      await kioku.linked(await kioku.memory(), relation, memory);
    }
    const whole = await kioku.linksOf(memory);
    expect(whole).toHaveLength(15);
    const walked: Linked[] = [];
    let cursor = "";
    do {
      const { status, body } = await kioku.call("GET", `/v1/links?of=${memory}&limit=${limit}${cursor}`);
      expect(status).toBe(200);
      walked.push(...body.data);
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    expect(walked).toEqual(whole);
  });

  it("of nothing is a 404, and of another tenant's is too", async () => {
    const stranger = await newLinkTenant();
    for (const id of [freshId("nothing"), await stranger.memory(), await stranger.episode()])
      expect((await kioku.call("GET", `/v1/links?of=${id}`)).status).toBe(404);
    const { status, body } = await kioku.call("GET", "/v1/links");
    expect([status, body.errors[0].path]).toEqual([400, "of"]);
  });
});

describe("taking a link back", () => {
  it.each(PLAIN)("leaves nothing of it: %s", async (relation) => {
    const [from, to] = await twoMemories();
    const before = await kioku.contents();
    const { id } = await kioku.linked(from, relation, to);
    expect((await kioku.unlink(id)).status).toBe(204);
    expect(await kioku.contents()).toEqual(before);
    expect((await kioku.unlink(id)).status).toBe(404);
    expect((await kioku.linked(from, relation, to)).id).toBe(id);
  });

  it("is refused for a supersession, and says what to do instead", async () => {
    const [old, by] = await twoMemories();
    const { id } = await kioku.linked(old, "superseded_by", by);
    const before = await kioku.contents();
    const { status, body } = await kioku.unlink(id);
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/remember.*forget/i)]);
    expect(await kioku.contents()).toEqual(before);
  });

  it("of another tenant, or of nothing, is a 404", async () => {
    const stranger = await newLinkTenant();
    const theirs = await stranger.linked(await stranger.memory(), "supports", await stranger.memory());
    for (const id of [theirs.id, freshId("link")]) expect((await kioku.unlink(id)).status).toBe(404);
    expect(await stranger.linksOf(theirs.from)).toHaveLength(1);
  });
});

describe("an Idempotency-Key", () => {
  it("makes the link once and gives the first answer again", async () => {
    const [from, to] = await twoMemories();
    const headers = newKey();
    const body = { from, to, relation: "elaborates", strength: 0.5 };
    const first = await kioku.link(body, headers);
    await kioku.link({ ...body, strength: 0.9 });
    const again = await kioku.link(body, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await kioku.linksOf(from))[0]?.strength).toBe(0.9);
    expect((await kioku.link({ ...body, relation: "supports" }, headers)).status).toBe(409);
  });

  it("gives callers at once one answer", async () => {
    const memory = await kioku.memory();
    const body = { from: memory, to: await kioku.episode(), relation: "derived_from" };
    const headers = newKey();
    const answers = await Promise.all(Array.from({ length: 6 }, () => kioku.link(body, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
  });

  it.each(MOMENTS)("survives D1 failing %s the write: the same call again does it, once", async (moment) => {
    const [old, by] = await twoMemories();
    const before = await kioku.contents();
    const headers = newKey();
    const body = { from: old, to: by, relation: "superseded_by" };
    breakBatches({ moment, matching: /INSERT INTO triples/, times: 1 });
    expect((await kioku.link(body, headers)).status).toBe(503);
    expect(failuresOfD1()).toBeGreaterThan(0);
    mendD1();
    if (moment !== "after") expect(await kioku.contents()).toEqual(before);
    expect((await kioku.link(body, headers)).status).toBe(201);
    expect(await kioku.read(old)).toMatchObject({ superseded_by: by });
    await kioku.expectRebuilt();
  });
});

describe("erasing a memory", () => {
  it("takes its links along, and counts those from others to it once each", async () => {
    const [erased, other] = await twoMemories();
    const [bystander, episode] = [await kioku.memory(), await kioku.episode()];
    const kept = await kioku.linked(other, "supports", bystander, 0.5);
    await kioku.linked(other, "supports", erased);
    await kioku.linked(other, "derived_from", erased);
    await kioku.linked(episode, "contradicts", erased);
    await kioku.linked(erased, "elaborates", other);
    await kioku.linked(erased, "derived_from", episode);
    await kioku.linked(await kioku.memory(), "superseded_by", erased);
    await untilIndexed(kioku.tenant);
    const before = await kioku.contents();
    const { status, body } = await kioku.call("DELETE", `/v1/memories/${erased}`);
    expect(status).toBe(200);
    const own = before.triples.filter(({ subject }) => subject === `jido:memory_${erased}`);
    expect(body.deleted).toEqual({ memories: 1, triples: own.length, links: 4, vectors: 1 });

    const after = await kioku.contents();
    expect(JSON.stringify(after)).not.toContain(erased);
    const links = after.triples.filter(({ subject }) => subject.startsWith("jido:link_"));
    expect(new Set(links.map(({ subject }) => subject))).toEqual(new Set([`jido:link_${kept.id}`]));
    expect(await kioku.linksOf(other)).toEqual([{ ...kept, direction: "out" }]);
    expect(await kioku.linksOf(episode)).toEqual([]);
    await kioku.expectRebuilt();
  });

  it("erases links in a tenant of its own alone", async () => {
    const stranger = await newLinkTenant();
    const content = "The same words everywhere";
    for (const { memory, linked } of [kioku, stranger])
      await linked(await memory({ content }), "supports", await memory());
    const theirs = await stranger.contents();
    const [mine] = (await kioku.contents()).memories.filter((row) => row.content === content);
    expect((await kioku.call("DELETE", `/v1/memories/${mine?.id}`)).status).toBe(200);
    expect(await stranger.contents()).toEqual(theirs);
  });
});
