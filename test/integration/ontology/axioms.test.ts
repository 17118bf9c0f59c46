// What the axioms of the ontology do: the rows of the table in docs/ontology.md.
import { beforeEach, describe, expect, it } from "vitest";
import { newTenant, type Tenant } from "../store/long-term-support";
import { freshId } from "../support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

const make = (type: string, properties: object = {}, more: object = {}) =>
  kioku.remember({ content: `${type} ${freshId("n")}`, type, properties, ...more });
const tryMake = (type: string, properties: object) =>
  kioku.call("POST", "/v1/remember", { session_id: kioku.session, type, content: freshId(type), properties });
const follow = async (id: string, query: string) => {
  const { status, body } = await kioku.call("GET", `/v1/links?of=${id}&transitive=true&${query}`);
  expect(status).toBe(200);
  return body.data.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`).sort();
};

describe("a functional property", () => {
  it("has one value: two are refused, and a new one replaces the old", async () => {
    const twice = await tryMake("decision", { decisionStatus: ["proposed", "accepted"] });
    expect(twice.status).toBe(400);
    expect(twice.body.errors).toEqual([{ path: "properties.decisionStatus", message: "takes one value" }]);
    const id = await make("decision", { decisionStatus: "proposed" });
    await kioku.call("PATCH", `/v1/memories/${id}`, { properties: { decisionStatus: "accepted" } });
    expect((await kioku.memory(id)).properties.decisionStatus).toEqual(["accepted"]);
  });

  it("supersedes as a topic: a memory with the same key takes the place of the other", async () => {
    const old = await make("fact", {}, { key: "port" });
    const next = await make("fact", {}, { key: "port" });
    expect(await kioku.memory(old)).toMatchObject({ status: "superseded", superseded_by: next });
  });
});

describe("a symmetric property", () => {
  it.each([
    ["relatedError", "bug"],
    ["relatedTo", "fact"],
  ])("%s is read from both ends", async (relation, type) => {
    const one = await make(type);
    const other = await make(type, { [relation]: one });
    expect((await kioku.memory(one)).properties[relation]).toEqual([other]);
    expect((await kioku.memory(other)).properties[relation]).toEqual([one]);
  });

  it("differs in this from any other", async () => {
    const alternative = await make("alternative");
    await make("decision", { hasAlternative: alternative });
    expect((await kioku.memory(alternative)).properties).toEqual({});
  });
});

describe("an inverse property", () => {
  it("is read from the other end", async () => {
    const old = await make("fact");
    const next = await make("fact", { supersedes: old });
    expect(await kioku.memory(old)).toMatchObject({ superseded_by: next });
    expect(await kioku.memory(next)).toMatchObject({ supersedes: [old] });
  });
});

describe("a transitive property", () => {
  it("is followed on request, in either direction", async () => {
    const [first, second] = [await make("task"), await make("task")];
    const third = await make("task", { dependsOn: [first, second] });
    const fourth = await make("task", { dependsOn: third });
    const below = [`${third} ${first}`, `${third} ${second}`];
    expect(await follow(fourth, "relation=dependsOn&direction=out")).toEqual(
      [`${fourth} ${third}`, ...below].sort(),
    );
    expect(await follow(first, "relation=dependsOn&direction=in")).toEqual(
      [`${third} ${first}`, `${fourth} ${third}`].sort(),
    );
    expect(await follow(third, "relation=dependsOn")).toEqual([`${fourth} ${third}`, ...below].sort());
    const direct = await kioku.call("GET", `/v1/links?of=${fourth}&relation=dependsOn`);
    expect(direct.body.data).toHaveLength(1);
  });

  it("is followed page by page", async () => {
    const first = await make("task");
    const second = await make("task", { dependsOn: first });
    const third = await make("task", { dependsOn: second });
    const path = `/v1/links?of=${third}&relation=dependsOn&transitive=true&limit=1`;
    const page = await kioku.call("GET", path);
    const rest = await kioku.call("GET", `${path}&cursor=${page.body.next_cursor}`);
    const targets = [...page.body.data, ...rest.body.data].map(({ to }: { to: string }) => to);
    expect(targets.sort()).toEqual([first, second].sort());
    expect(rest.body.next_cursor).toBeNull();
  });

  it("never leads back to where it starts", async () => {
    const first = await make("task");
    const second = await make("task", { dependsOn: first });
    const closed = await kioku.call("PATCH", `/v1/memories/${first}`, { properties: { dependsOn: second } });
    expect(closed.status).toBe(409);
  });

  it("is the only one that is followed", async () => {
    const id = await make("decision");
    for (const query of ["", "&relation=hasAlternative"]) {
      const refused = await kioku.call("GET", `/v1/links?of=${id}&transitive=true${query}`);
      expect(refused.status).toBe(400);
      expect(refused.body.detail).toBe(
        "transitive: needs one of these as relation: refines, dependsOn, blockedBy",
      );
    }
  });
});

describe("domain, range and disjoint classes", () => {
  it("refuse a relation to a memory of another class", async () => {
    const task = await make("task");
    const refused = await tryMake("decision", { hasAlternative: task });
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0]).toEqual({
      path: "properties.hasAlternative",
      message: `must be the id of a memory of class Alternative: ${task} is of class Task`,
    });
    const misplaced = await tryMake("fact", { hasTaskStatus: "Planned" });
    expect(misplaced.body.errors[0].message).toBe("belongs to Task, not to a fact");
  });

  it("let no memory change from one class to another in place: it is superseded", async () => {
    const hypothesis = await make("hypothesis");
    const { body } = await kioku.call("PATCH", `/v1/memories/${hypothesis}`, { type: "fact" });
    expect(body).toMatchObject({ type: "fact", superseded: [hypothesis] });
    expect(await kioku.memory(hypothesis)).toMatchObject({ type: "hypothesis", status: "superseded" });
  });
});
