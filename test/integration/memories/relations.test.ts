// Relations between memories: as properties, as links, and what remains of them when an end goes.
import { beforeEach, describe, expect, it } from "vitest";
import { breakBatches, mendD1 } from "../../faults/support";
import { newTenant, rebuild, type Tenant } from "../store/long-term-support";
import { freshId } from "../support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

const make = (type: string, properties: object = {}) =>
  kioku.remember({ content: `${type} ${freshId("n")}`, type, properties });
const refused = (body: object) => kioku.call("POST", "/v1/remember", { session_id: kioku.session, ...body });
const patch = (id: string, properties: object, more: object = {}) =>
  kioku.call("PATCH", `/v1/memories/${id}`, { properties, ...more });
const link = (from: string, relation: string, to: string, more: object = {}) =>
  kioku.call("POST", "/v1/links", { from, relation, to, ...more });
const properties = async (id: string) => (await kioku.memory(id)).properties;

async function list(id: string, query = ""): Promise<{ id: string; relation: string; direction: string }[]> {
  const { status, body } = await kioku.call("GET", `/v1/links?of=${id}${query}`);
  expect(status).toBe(200);
  return body.data;
}

async function expectRebuildable(): Promise<void> {
  const before = await kioku.contents();
  await rebuild(kioku.tenant);
  expect((await kioku.contents()).memories).toEqual(before.memories);
}

/** Every memory relation with the types of its two ends. */
const RELATIONS = [
  ["hasAlternative", "architectural_decision", "alternative"],
  ["selectedAlternative", "decision", "alternative"],
  ["hasTradeOff", "implementation_decision", "trade_off"],
  ["hasRootCause", "bug", "root_cause"],
  ["producedLesson", "incident", "lesson_learned"],
  ["relatedError", "failure", "error"],
  ["dependsOn", "task", "task"],
  ["blockedBy", "task", "task"],
  ["partOfMilestone", "task", "milestone"],
  ["partOfPlan", "task", "plan"],
  ["refines", "hypothesis", "hypothesis"],
  ["confirms", "discovery", "preference"],
] as const;

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

describe("a relation", () => {
  it.each(RELATIONS)("%s is the same as a property and as a link", async (relation, from, to) => {
    const target = await make(to);
    const byProperty = await make(from, { [relation]: target });
    const byLink = await make(from);
    const made = await link(byLink, relation, target);
    expect(made.status).toBe(201);
    for (const id of [byProperty, byLink]) {
      expect(await properties(id)).toEqual({ [relation]: [target] });
      expect((await kioku.memory(id)).links).toEqual([{ relation, direction: "out", id: target }]);
      expect(await list(id)).toMatchObject([{ relation, direction: "out", from: id, to: target }]);
    }
    const incoming = [byProperty, byLink].map((id) => ({ relation, direction: "in", id }));
    expect((await kioku.memory(target)).links.toSorted(byId)).toEqual(incoming.toSorted(byId));
    expect(
      (await list(target, `&relation=${relation}&direction=in`)).map((one) => one.id).toSorted(),
    ).toEqual([(await list(byProperty))[0]?.id, made.body.id].toSorted());
    expect(await list(target, "&direction=out")).toEqual([]);
    const triples = (await kioku.call("GET", `/v1/memories/${byProperty}/triples`)).body.data;
    expect(triples).toContainEqual({
      subject: `https://jido.ai/ontology#memory_${byProperty}`,
      predicate: `https://jido.ai/ontology#${relation}`,
      object: `https://jido.ai/ontology#memory_${target}`,
    });
    await expectRebuildable();
    for (const id of [byProperty, byLink]) {
      const [one] = await list(id);
      expect((await kioku.call("DELETE", `/v1/links/${one?.id}`)).status).toBe(204);
      expect((await kioku.call("DELETE", `/v1/links/${one?.id}`)).status).toBe(404);
      expect(await properties(id)).toEqual({});
    }
    expect(await list(target)).toEqual([]);
    expect(
      (await kioku.contents()).triples.filter(({ subject }) => subject.startsWith("jido:link_")),
    ).toEqual([]);
    await expectRebuildable();
  });

  it("takes the names of the ontology and those in snake_case, and shows one", async () => {
    const [decision, alternative, other] = [
      await make("decision"),
      await make("alternative"),
      await make("fact"),
    ];
    const first = await link(decision, "has_alternative", alternative, { strength: 0.5 });
    const again = await link(decision, "hasAlternative", alternative);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(first.body).toMatchObject({ relation: "hasAlternative", strength: 0.5 });
    expect(again.body).toEqual({ ...first.body, strength: 1 });
    expect((await link(decision, "relatedTo", other)).body.relation).toBe("related_to");
    expect(await list(decision, "&relation=has_alternative")).toHaveLength(1);
    expect((await kioku.call("GET", `/v1/links?of=${decision}&relation=alternative`)).status).toBe(400);
    expect((await kioku.call("GET", `/v1/links?of=${decision}&direction=up`)).status).toBe(400);
  });

  it("is changed and removed by PATCH, with its link", async () => {
    const [one, two, three] = [
      await make("alternative"),
      await make("alternative"),
      await make("alternative"),
    ];
    const decision = await make("decision", { hasAlternative: [two, one], decisionStatus: "proposed" });
    await link(decision, "hasAlternative", three, { strength: 0.2 });
    expect(await properties(decision)).toEqual({
      decisionStatus: ["proposed"],
      hasAlternative: [two, one, three],
    });
    const changed = await patch(decision, { hasAlternative: [three, one], decisionStatus: "accepted" });
    expect(changed.body.properties).toEqual({ decisionStatus: ["accepted"], hasAlternative: [three, one] });
    expect(await list(decision)).toHaveLength(2);
    expect(await list(two)).toEqual([]);
    await expectRebuildable();
    expect((await patch(decision, { hasAlternative: null })).body.properties).toEqual({
      decisionStatus: ["accepted"],
    });
    expect(await list(decision)).toEqual([]);
    expect(
      (await kioku.contents()).triples.filter(({ subject }) => subject.startsWith("jido:link_")),
    ).toEqual([]);
  });

  it("passes to the successor of a changed content", async () => {
    const cause = await make("root_cause");
    const bug = await make("bug", { hasRootCause: cause, hasErrorStatus: "Reported" });
    const { body } = await patch(
      bug,
      { hasErrorStatus: "Resolved" },
      { content: "The cache is never emptied" },
    );
    expect(body.id).not.toBe(bug);
    expect(body.properties).toEqual({ hasErrorStatus: ["Resolved"], hasRootCause: [cause] });
    expect((await list(cause)).map((one) => one.direction)).toEqual(["in", "in"]);
    const asFact = await kioku.call("PATCH", `/v1/memories/${body.id}`, { type: "fact" });
    expect(asFact.status).toBe(400);
    expect(asFact.body.errors).toContainEqual({
      path: "properties.hasRootCause",
      message: "belongs to Error, not to a fact: set it to null",
    });
    await expectRebuildable();
  });

  it("is set by remembering the same content again", async () => {
    const [one, two] = [await make("root_cause"), await make("root_cause")];
    const bug = await kioku.remember({ content: "It leaks", type: "bug", properties: { hasRootCause: one } });
    expect(
      await kioku.remember({ content: "It leaks", type: "bug", properties: { hasRootCause: two } }),
    ).toBe(bug);
    expect(await properties(bug)).toEqual({ hasRootCause: [two] });
    expect(await list(one)).toEqual([]);
    await expectRebuildable();
  });
});

describe("a refused relation", () => {
  it.each([
    ["an unknown target", "hasAlternative", () => "nothere", /there is no memory nothere/],
    ["no id", "hasAlternative", () => "no id!", /must be the id of a memory of class Alternative/],
    [
      "a target of another class",
      "hasAlternative",
      () => make("fact"),
      /of class Alternative: .* is of class Fact/,
    ],
    ["another domain", "hasRootCause", () => make("root_cause"), /belongs to Error, not to a decision/],
    ["two values of one", "selectedAlternative", () => ["a", "b"], /takes one value/],
    ["a resource that does not exist", "justifiedBy", () => "x", /there is no justification x/],
  ])("%s writes nothing", async (_what, relation, value, message) => {
    const given = await value();
    const before = await kioku.contents();
    const body = { content: "We take D1", type: "decision", properties: { [relation]: given } };
    const answer = await refused(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { path: `properties.${relation}`, message: expect.stringMatching(message) },
    ]);
    expect(await kioku.contents()).toEqual(before);
    const batch = await kioku.call("POST", "/v1/memories/batch", {
      memories: [body, { content: "Beside it", session_id: kioku.session }],
    });
    expect(batch.body.results).toMatchObject([{ error: { code: "invalid_request" } }, { remembered: true }]);
    const decision = await make("decision");
    expect((await patch(decision, { [relation]: given })).status).toBe(400);
    expect(await properties(decision)).toEqual({});
  });

  it("does not create the session that it names", async () => {
    const session = freshId("session");
    const answer = await kioku.call("POST", `/v1/sessions/${session}/remember`, {
      content: "We take D1",
      type: "decision",
      properties: { hasAlternative: "nothere" },
    });
    expect(answer.status).toBe(400);
    expect((await kioku.call("GET", `/v1/sessions/${session}`)).status).toBe(404);
  });

  it("as a link names both classes", async () => {
    const [decision, fact] = [await make("decision"), await make("fact")];
    const to = await link(decision, "hasAlternative", fact);
    expect(to.status).toBe(400);
    expect(to.body.errors).toEqual([
      {
        path: "to",
        message: expect.stringMatching(/of class Fact: hasAlternative leads from Decision to Alternative/),
      },
    ]);
    const from = await link(fact, "hasAlternative", decision);
    expect(from.body.errors).toEqual([{ path: "from", message: expect.stringMatching(/is of class Fact/) }]);
    expect(await list(decision)).toEqual([]);
  });

  it("is a second selected alternative", async () => {
    const [one, two] = [await make("alternative"), await make("alternative")];
    const decision = await make("decision", { selectedAlternative: one });
    const answer = await link(decision, "selectedAlternative", two);
    expect(answer.status).toBe(409);
    expect(answer.body.detail).toContain(one);
    expect((await patch(decision, { selectedAlternative: two })).status).toBe(200);
    expect(await properties(decision)).toEqual({ selectedAlternative: [two] });
  });
});

describe("the values of a relation", () => {
  it("are at most a hundred, however they are written", async () => {
    const { body } = await kioku.call("POST", "/v1/memories/batch", {
      memories: Array.from({ length: 101 }, (_, n) => ({ content: `Error ${n}`, type: "error" })),
    });
    const ids = body.results.map((result: { memory_id: string }) => result.memory_id);
    const bug = { content: "One bug", type: "bug" };
    expect((await refused({ ...bug, properties: { relatedError: ids } })).status).toBe(400);
    const id = await kioku.remember({ ...bug, properties: { relatedError: ids.slice(1) } });
    const answer = await link(id, "relatedError", ids[0]);
    expect(answer.status).toBe(429);
    expect(answer.body.detail).toMatch(/100 values of relatedError/);
    expect((await properties(id)).relatedError).toEqual(ids.slice(1));
  });
});

describe("dependencies", () => {
  it("never lead back, by property, by link or by remembering again", async () => {
    const first = await kioku.remember({ content: "Lay the pipes", type: "task" });
    const second = await make("task", { dependsOn: first });
    const third = await make("task", { blockedBy: second });
    const message = { path: "properties.dependsOn", message: expect.stringMatching(/must not lead back/) };
    const patched = await patch(first, { dependsOn: third });
    expect(patched.status).toBe(409);
    expect(patched.body.errors).toEqual([message]);
    const again = await refused({ content: "Lay the pipes", type: "task", properties: { dependsOn: third } });
    expect(again.status).toBe(409);
    const linked = await link(first, "dependsOn", third);
    expect(linked.status).toBe(409);
    expect(linked.body.errors).toMatchObject([{ path: "to" }]);
    expect((await patch(first, { dependsOn: first })).status).toBe(409);
    expect(await properties(first)).toEqual({});
  });

  it("follow a successor, and end with a removed relation", async () => {
    const first = await make("task");
    const second = await make("task", { dependsOn: first });
    const { body: successor } = await patch(first, {}, { content: "Lay the pipes deeper" });
    expect((await patch(successor.id, { dependsOn: second })).status).toBe(409);
    const other = await patch(successor.id, { dependsOn: second }, { content: "Lay no pipes" });
    expect(other.status).toBe(409);
    await patch(second, { dependsOn: null });
    expect((await patch(successor.id, { dependsOn: second })).status).toBe(200);
    await expectRebuildable();
  });

  it("stay without a cycle when two calls close it at once", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await make("task"), await make("task")];
      const answers = await Promise.all([patch(one, { dependsOn: two }), link(two, "dependsOn", one)]);
      expect(answers.map(({ status }) => (status === 409 ? 409 : 200)).toSorted()).toEqual([200, 409]);
    }
    await expectRebuildable();
  });

  it("of a batch are checked in order", async () => {
    const [one, two] = [await make("task"), await make("task")];
    const contents = [(await kioku.memory(one)).content, (await kioku.memory(two)).content];
    const { body } = await kioku.call("POST", "/v1/memories/batch", {
      memories: [
        { content: contents[0], type: "task", session_id: kioku.session, properties: { dependsOn: two } },
        { content: contents[1], type: "task", session_id: kioku.session, properties: { dependsOn: one } },
      ],
    });
    expect(body.results).toMatchObject([{ memory_id: one }, { error: { code: "conflict" } }]);
  });
});

describe("an erased target", () => {
  it("leaves the properties of others, and counts as their links", async () => {
    const [one, two] = [await make("alternative"), await make("alternative")];
    const decision = await make("decision", {
      hasAlternative: [one, two],
      selectedAlternative: one,
      decisionStatus: 'a "quoted" status',
    });
    const bug = await make("bug", { relatedError: await make("error") });
    await link(decision, "hasAlternative", one, { strength: 0.3 });
    const erased = await kioku.call("DELETE", `/v1/memories/${one}`);
    expect(erased.body.deleted).toMatchObject({ memories: 1, links: 2 });
    expect(await properties(decision)).toEqual({
      decisionStatus: ['a "quoted" status'],
      hasAlternative: [two],
    });
    expect(Object.keys(await properties(bug))).toEqual(["relatedError"]);
    expect(await list(decision)).toHaveLength(1);
    await expectRebuildable();
    await kioku.call("DELETE", `/v1/memories/${decision}`);
    expect(await list(two)).toEqual([]);
    await expectRebuildable();
  });

  it("is left out of a memory that is written after it is gone", async () => {
    const [gone, kept] = [await make("alternative"), await make("alternative")];
    await kioku.call("DELETE", `/v1/memories/${gone}`);
    const write = kioku.write({
      content: "We take D1",
      type: "decision",
      properties: { hasAlternative: [gone, kept], selectedAlternative: [gone] },
    });
    const [result] = await kioku.store().memories.commit([write]);
    if (!result?.ok) throw new Error("not written");
    expect(await properties(result.value.memory_id)).toEqual({ hasAlternative: [kept] });
    await expectRebuildable();
  });
});

describe("a relation and a failing store", () => {
  it("is written as a whole or not at all", async () => {
    const [decision, alternative] = [await make("decision"), await make("alternative")];
    const before = await kioku.contents();
    breakBatches({ moment: "during", matching: /linkStrength/ });
    expect((await link(decision, "hasAlternative", alternative)).status).toBe(503);
    mendD1();
    expect(await kioku.contents()).toEqual(before);
    expect((await link(decision, "hasAlternative", alternative)).status).toBe(201);
  });
});

describe("an episode", () => {
  it("confirms a fact, as evidence does", async () => {
    const fact = await make("fact");
    const id = freshId("episode");
    const episode = {
      id,
      agent: "ada",
      task_id: "t-1",
      context: { goal: "Measure the cache" },
      outcome: "success",
    };
    expect((await kioku.call("POST", "/v1/episodes", episode)).body).toMatchObject({ id });
    const made = await link(id, "confirms", fact);
    expect(made.status).toBe(201);
    expect(await list(fact, "&relation=confirms&direction=in")).toMatchObject([{ from: id, to: fact }]);
    expect((await link(id, "hasRootCause", await make("root_cause"))).status).toBe(400);
    expect((await kioku.call("DELETE", `/v1/links/${made.body.id}`)).status).toBe(204);
    expect(await list(fact)).toEqual([]);
  });
});
