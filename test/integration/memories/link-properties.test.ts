// Properties that are links: relations to any other memory, set with the memory and read from both ends.
import { beforeEach, describe, expect, it } from "vitest";
import { breakBatches, mendD1 } from "../../faults/support";
import { newTenant, rebuild, type Tenant } from "../store/long-term-support";
import { callWith, freshId } from "../support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

const make = (properties: object = {}, more: object = {}) =>
  kioku.remember({ content: `Fact ${freshId("n")}`, properties, ...more });
const attempt = (properties: object, more: object = {}) =>
  kioku.call("POST", "/v1/remember", {
    session_id: kioku.session,
    content: freshId("fact"),
    properties,
    ...more,
  });
const patch = (id: string, properties: object) => kioku.call("PATCH", `/v1/memories/${id}`, { properties });
const list = async (id: string, query = "") =>
  (await kioku.call("GET", `/v1/links?of=${id}${query}`)).body.data as {
    relation: string;
    from: string;
    to: string;
    strength: number;
  }[];

describe("a property that is a link", () => {
  it.each([
    ["contradicts", "contradicts", "contradicts"],
    ["derivedFrom", "derivedFrom", "derived_from"],
    ["derived_from", "derivedFrom", "derived_from"],
    ["relatedTo", "relatedTo", "related_to"],
    ["elaborates", "elaborates", "elaborates"],
    ["example_of", "exampleOf", "example_of"],
    ["supports", "supports", "supports"],
  ])("%s is read from both ends, and survives a rebuild", async (given, property, relation) => {
    const target = await make();
    const id = await make({ [given]: target });
    expect(await kioku.memory(id)).toMatchObject({
      properties: { [property]: [target] },
      links: [{ relation: property, direction: "out", id: target }],
      evidence: [],
    });
    expect(await kioku.memory(target)).toMatchObject({
      properties: {},
      links: [{ relation: property, direction: "in", id }],
    });
    for (const end of [id, target])
      expect(await list(end, `&relation=${given}`)).toMatchObject([{ from: id, to: target, relation }]);
    await rebuild(kioku.tenant);
    expect((await kioku.memory(id)).properties).toEqual({ [property]: [target] });
  });

  it("supersedes and is superseded, as by forget", async () => {
    const [old, kept] = [await make(), await make()];
    const by = await attempt({ supersedes: old });
    expect(by).toMatchObject({ status: 201, body: { superseded: [old] } });
    expect((await kioku.memory(old)).superseded_by).toBe(by.body.memory_id);
    const born = (await attempt({ supersededBy: kept }, { key: "k" })).body.memory_id;
    expect(await kioku.memory(born)).toMatchObject({ status: "superseded", superseded_by: kept });
    const changed = await patch(by.body.memory_id, { superseded_by: kept });
    expect(changed).toMatchObject({ status: 200, body: { status: "superseded", superseded_by: kept } });
    expect((await patch(kept, { supersededBy: null })).body.detail).toContain("cannot be undone");
    expect((await patch(kept, { supersededBy: old })).status).toBe(409);
    expect(await kioku.liveIds()).toEqual([kept]);
  });

  it("makes a contradiction that can be resolved", async () => {
    const one = await make();
    const other = await make({ contradicts: one });
    const { data } = (await kioku.call("GET", "/v1/contradictions")).body;
    expect(data).toMatchObject([{ status: "open", memories: [{ id: other }, { id: one }] }]);
    const resolved = await kioku.call("POST", `/v1/contradictions/${data[0].id}/resolve`, {
      action: "supersede",
      keep: other,
    });
    expect(resolved.status).toBe(200);
    expect((await kioku.memory(one)).superseded_by).toBe(other);
  });

  it("replaces the links that lead from the memory, and null removes them", async () => {
    const [one, two, three] = [await make(), await make(), await make()];
    const id = await make({ contradicts: [one, two] });
    await make({ contradicts: id });
    await kioku.call("POST", "/v1/links", { from: id, to: two, relation: "contradicts", strength: 0.3 });
    const changed = await patch(id, { contradicts: [two, three] });
    expect(changed.body.properties).toEqual({ contradicts: [two, three] });
    const strengths = (await list(id, "&direction=out")).map(({ to, strength }) => [to, strength]);
    expect(Object.fromEntries(strengths)).toEqual({ [two]: 0.3, [three]: 1 });
    expect(await list(id, "&direction=in")).toHaveLength(1);
    expect((await patch(id, { contradicts: null })).body.properties).toEqual({});
    expect(await list(id)).toHaveLength(1);
    const derived = await make({ derivedFrom: one }, { evidence: ["runbook.md"] });
    expect((await patch(derived, { derivedFrom: null })).body).toMatchObject({
      properties: {},
      evidence: ["runbook.md"],
    });
  });

  it("is set in a batch and when the content is known already", async () => {
    const target = await make();
    const memories = [
      { content: "In a batch", properties: { contradicts: target } },
      { content: "Refused in a batch", properties: { contradicts: "nothing" } },
    ];
    const { results } = (await kioku.call("POST", "/v1/memories/batch", { memories })).body;
    expect(results).toMatchObject([
      { remembered: true },
      { error: { errors: [{ path: "properties.contradicts" }] } },
    ]);
    const again = { content: "In a batch", properties: { supports: target } };
    expect((await kioku.call("POST", "/v1/remember", again)).body.deduplicated).toBe(true);
    expect((await kioku.memory(results[0].memory_id)).properties).toEqual({
      contradicts: [target],
      supports: [target],
    });
  });

  it("is refused without a trace if it leads nowhere", async () => {
    const target = await make();
    const before = await kioku.contents();
    const refuse = async (properties: object, path: string, message: string) => {
      const { status, body } = await attempt(properties);
      expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path });
      expect(body.detail).toContain(message);
    };
    await refuse({ contradicts: "nothing" }, "properties.contradicts", "there is no memory nothing");
    await refuse({ derivedFrom: "runbook" }, "properties.derivedFrom", "any other reference in evidence");
    await refuse({ derived_from: "run book" }, "properties.derived_from", "must be the id of a memory");
    await refuse({ supersededBy: [target, target] }, "properties.supersededBy", "takes one value");
    await refuse({ contradicts: [] }, "properties.contradicts", "needs a value");
    await refuse({ relatedTo: target, related_to: target }, "properties.related_to", "is given twice");
    await refuse(
      { contradicts: 7 },
      "properties.contradicts",
      "must be a text, or a list of at most 100 texts",
    );
    expect(await kioku.contents()).toEqual(before);
    expect((await patch(target, { contradicts: target })).status).toBe(409);
  });

  it("leads to no memory that a bound key, or the reach of a model, does not include", async () => {
    const target = await make({}, { user_id: "mia" });
    const made = { tenant: kioku.tenant, scopes: ["read", "write"], bind: { user_id: "ben" } };
    const { key } = (await callWith("test-admin-key", "POST", "/v1/keys", made)).body;
    const body = { content: "Sneaky", properties: { supersedes: target } };
    expect((await callWith(key, "POST", "/v1/remember", body)).status).toBe(400);
    const call = { name: "remember", arguments: body };
    const executed = await kioku.call("POST", "/v1/tools/execute", { user_id: "ben", call });
    expect(executed.body).toMatchObject({ is_error: true });
    expect((await kioku.memory(target)).status).toBe("live");
  });

  it("is completed by a repeated call if the store failed between the memory and its link", async () => {
    const target = await make();
    const body = { session_id: kioku.session, content: "Halfway", properties: { contradicts: target } };
    const send = () => kioku.call("POST", "/v1/remember", body, { "Idempotency-Key": "halfway" });
    breakBatches({ moment: "before", matching: /linkStrength/ });
    expect((await send()).status).toBe(503);
    mendD1();
    const { status, body: answer } = await send();
    expect(status).toBe(201);
    expect(await send()).toMatchObject({ status, body: answer });
    expect(await list(answer.memory_id)).toHaveLength(1);
  });
});

describe("a property in snake_case", () => {
  it("is the property of the ontology", async () => {
    const alternative = await make({}, { type: "alternative" });
    const properties = { has_alternative: alternative, decision_status: "accepted" };
    const id = await make(properties, { type: "decision" });
    const stored = { decisionStatus: ["accepted"], hasAlternative: [alternative] };
    expect((await kioku.memory(id)).properties).toEqual(stored);
    expect((await patch(id, { has_alternative: null })).body.properties).toEqual({
      decisionStatus: ["accepted"],
    });
    const twice = { decisionStatus: "accepted", decision_status: "rejected" };
    expect((await attempt(twice, { type: "decision" })).body.detail).toContain("is given twice");
  });
});
