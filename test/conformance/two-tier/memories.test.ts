// Memories read by id, listed, traced and erased.
import { describe, expect, it } from "vitest";
import {
  contents,
  forget,
  ids,
  memoriesOf,
  newSession,
  readMemory,
  readSession,
  recall,
  remember,
} from "../support/actions";
import { fresh } from "../support/client";
import type { Memory, MemoryReceipt, Triple } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function list(query: string): Promise<Memory[]> {
  return bodyOf(await kioku.api.get<{ data: Memory[] }>(`/v1/memories?limit=100&${query}`), 200).data;
}

async function history(memory: string): Promise<Memory[]> {
  return bodyOf(await kioku.api.get<{ data: Memory[] }>(`/v1/memories/${memory}/history`), 200).data;
}

async function erase(memory: string): Promise<MemoryReceipt> {
  return bodyOf(await kioku.api.delete<MemoryReceipt>(`/v1/memories/${memory}`), 200);
}

describe("a memory read by id", () => {
  it("has the fields of a recall hit and its provenance", async () => {
    const session = fresh("session");
    const { memory_id } = await remember(kioku.api, session, "Zephyr is staging", { evidence: ["e1"] });
    const memory = await readMemory(kioku.api, memory_id);
    for (const field of [
      "id",
      "kind",
      "content",
      "type",
      "confidence",
      "timestamp",
      "session_id",
      "agent_id",
      "project_id",
    ]) {
      expect(memory).toHaveProperty(field);
    }
    for (const field of [
      "source_type",
      "rationale",
      "superseded_by",
      "supersedes",
      "invalidated_by",
      "links",
      "access_count",
    ]) {
      expect(memory).toHaveProperty(field);
    }
    expect(memory).toMatchObject({ evidence: ["e1"], superseded_by: null });
    expect(memory).toHaveProperty("last_accessed");
  });

  it.each(["", "/triples", "/history"])("that is unknown is a 404 at %j", async (part) => {
    expectProblem(await kioku.api.get(`/v1/memories/${fresh("nobody")}${part}`), "not_found");
  });
});

describe("the list of memories", () => {
  it("is newest first", async () => {
    const session = fresh("session");
    const stored = [];
    for (const n of [1, 2, 3, 4]) stored.push((await remember(kioku.api, session, `Number ${n}`)).memory_id);
    expect(ids(await list(`session_id=${session}`))).toEqual(stored.reverse());
  });

  it("filters by session, agent, project and type with its subclasses", async () => {
    const [agent_id, project_id] = [fresh("agent"), fresh("project")];
    const { id: session } = await newSession(kioku.api, { agent_id, project_id });
    const { id: other } = await newSession(kioku.api, { agent_id });
    await remember(kioku.api, session, "A fact");
    await remember(kioku.api, session, "A standard", { type: "coding_standard" });
    await remember(kioku.api, other, "Another fact");
    expect(contents(await list(`session_id=${session}`)).sort()).toEqual(["A fact", "A standard"]);
    expect(contents(await list(`agent_id=${agent_id}`)).sort()).toEqual([
      "A fact",
      "A standard",
      "Another fact",
    ]);
    expect(contents(await list(`project_id=${project_id}`)).sort()).toEqual(["A fact", "A standard"]);
    expect(contents(await list(`agent_id=${agent_id}&type=fact`)).sort()).toEqual(["A fact", "Another fact"]);
    expect(contents(await list(`session_id=${session}&type=convention`))).toEqual(["A standard"]);
    expect(await list(`session_id=${fresh("nobody")}`)).toEqual([]);
  });

  it("leaves superseded ones out unless asked", async () => {
    const session = fresh("session");
    const old = await remember(kioku.api, session, "Old");
    await remember(kioku.api, session, "New");
    await forget(kioku.api, session, old.memory_id);
    expect(contents(await list(`session_id=${session}`))).toEqual(["New"]);
    expect(contents(await list(`session_id=${session}&include_superseded=false`))).toEqual(["New"]);
    expect(contents(await list(`session_id=${session}&include_superseded=true`)).sort()).toEqual([
      "New",
      "Old",
    ]);
  });
});

describe("the history of a memory", () => {
  it("is the whole chain, oldest first, from any of its members", async () => {
    const session = fresh("session");
    const chain: string[] = [];
    for (const n of [1, 2, 3, 4])
      chain.push((await remember(kioku.api, session, `Port ${n}`, { key: "port" })).memory_id);
    await remember(kioku.api, session, "Unrelated");
    for (const member of chain) expect(ids(await history(member))).toEqual(chain);
  });

  it("of a memory that was never superseded is itself", async () => {
    const { memory_id } = await remember(kioku.api, fresh("session"), "Alone");
    expect(await history(memory_id)).toMatchObject([{ id: memory_id, content: "Alone" }]);
  });

  it("still begins with a memory forgotten without a replacement", async () => {
    const session = fresh("session");
    const { memory_id } = await remember(kioku.api, session, "Gone");
    await forget(kioku.api, session, memory_id);
    expect(ids(await history(memory_id))).toEqual([memory_id]);
  });
});

describe("erasing a memory", () => {
  it("takes it out of everything, and says how much that was", async () => {
    const session = fresh("session");
    const { memory_id } = await remember(kioku.api, session, "Erase quokka", {
      evidence: ["e1", "e2"],
      rationale: "r",
    });
    await remember(kioku.api, session, "Keep this");
    const triples = bodyOf(
      await kioku.api.get<{ data: Triple[] }>(`/v1/memories/${memory_id}/triples`),
      200,
    ).data;
    const subject = triples.find((triple) => triple.predicate.endsWith("#summary"))?.subject;
    await kioku.indexed();
    const { deleted } = await erase(memory_id);
    expect(deleted).toMatchObject({ memories: 1, links: 0, vectors: 1 });
    // Those that follow from others, or from uses, are shown and not stored.
    const derived = /#(?:hasConfidence|accessCount|lastAccessed)$/;
    const stored = triples.filter((triple) => triple.subject === subject && !derived.test(triple.predicate));
    expect(deleted.triples).toBe(stored.length);
    for (const part of ["", "/triples", "/history"]) {
      expectProblem(await kioku.api.get(`/v1/memories/${memory_id}${part}`), "not_found");
    }
    for (const mode of ["text", "semantic", "hybrid"]) {
      const asked = { query: "erase quokka", mode, include_superseded: true, min_confidence: 0 };
      expect(ids(await recall(kioku.api, session, asked))).not.toContain(memory_id);
    }
    expect(contents(await memoriesOf(kioku.api, session, "&include_superseded=true"))).toEqual(["Keep this"]);
    expect((await readSession(kioku.api, session)).counts.memories).toBe(1);
  });

  it("answers 404 the second time, and for what never was", async () => {
    const { memory_id } = await remember(kioku.api, fresh("session"), "Erase me");
    await erase(memory_id);
    expectProblem(await kioku.api.delete(`/v1/memories/${memory_id}`), "not_found");
    expectProblem(await kioku.api.delete(`/v1/memories/${fresh("nobody")}`), "not_found");
  });

  it("counts the links of others to it", async () => {
    const session = fresh("session");
    const chain: string[] = [];
    for (const n of [1, 2])
      chain.push((await remember(kioku.api, session, `Port ${n}`, { key: "port" })).memory_id);
    const [old = "", current = ""] = chain;
    expect((await erase(current)).deleted).toMatchObject({ memories: 1, links: 1 });
    expect(JSON.stringify(await readMemory(kioku.api, old))).not.toContain(current);
  });

  it("lets the same content be remembered anew", async () => {
    const session = fresh("session");
    const first = await remember(kioku.api, session, "Once more");
    await erase(first.memory_id);
    const second = await remember(kioku.api, session, "Once more");
    expect(second.deduplicated).toBe(false);
    expect(contents(await recall(kioku.api, session))).toEqual(["Once more"]);
  });
});
