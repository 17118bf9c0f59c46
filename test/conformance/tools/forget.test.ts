// forget: soft, explained, never a cycle, and never an error the second time.
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
import type { Forgotten } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

function forgetAt(session: string, body: unknown) {
  return kioku.api.post<Forgotten>(`/v1/sessions/${session}/forget`, body);
}

/** A session with these memories, and their ids. */
async function stocked<T extends string[]>(
  ...texts: T
): Promise<{ session: string; memories: { [K in keyof T]: string } }> {
  const session = (await newSession(kioku.api)).id;
  const memories: string[] = [];
  for (const text of texts) memories.push((await remember(kioku.api, session, text)).memory_id);
  return { session, memories: memories as { [K in keyof T]: string } };
}

describe("forget", () => {
  it("takes a memory out of recall, and says so", async () => {
    const { session, memories } = await stocked("The port is 8080", "The host is zephyr");
    const [port, host] = memories;
    const answer = bodyOf(await forgetAt(session, { memory_id: port }), 200);
    expect(answer).toMatchObject({ forgotten: true, memory_id: port });
    expect(answer.message).toContain(port);
    expect(answer).not.toHaveProperty("reason");
    expect(ids(await recall(kioku.api, session))).toEqual([host]);
    expect(ids(await memoriesOf(kioku.api, session))).toEqual([host]);
    expect((await readSession(kioku.api, session)).counts.memories).toBe(1);
  });

  it("keeps the memory readable by id and with include_superseded", async () => {
    const { session, memories } = await stocked("The port is 8080");
    const [port] = memories;
    await forget(kioku.api, session, port);
    expect(await readMemory(kioku.api, port)).toMatchObject({ id: port, content: "The port is 8080" });
    expect(ids(await recall(kioku.api, session, { query: "port", include_superseded: true }))).toEqual([
      port,
    ]);
    expect(ids(await recall(kioku.api, session, { include_superseded: true }))).toEqual([port]);
    expect(ids(await memoriesOf(kioku.api, session, "&include_superseded=true"))).toEqual([port]);
  });

  it("answers and stores the reason", async () => {
    const { session, memories } = await stocked("The port is 8080");
    const reason = "It moved in the great migration";
    expect(bodyOf(await forgetAt(session, { memory_id: memories[0], reason }), 200).reason).toBe(reason);
    expect((await kioku.api.get(`/v1/memories/${memories[0]}`)).text).toContain(reason);
  });

  it("with a replacement makes a chain of supersession", async () => {
    const { session, memories } = await stocked("Port 8080 is open", "Port 9090 is open");
    const [old, current] = memories;
    const answer = bodyOf(await forgetAt(session, { memory_id: old, replacement_id: current }), 200);
    expect(answer).toMatchObject({ forgotten: true, memory_id: old, replacement_id: current });
    expect((await readMemory(kioku.api, old)).superseded_by).toBe(current);
    expect(JSON.stringify((await readMemory(kioku.api, current)).supersedes)).toContain(old);
    expect(contents(await recall(kioku.api, session))).toEqual(["Port 9090 is open"]);
    const [hit] = (await recall(kioku.api, session, { include_superseded: true })).filter(
      (one) => one.id === old,
    );
    expect(hit?.superseded_by).toBe(current);
  });

  it("a second time is no error and says already", async () => {
    const { session, memories } = await stocked("Port 8080 is open", "Port 9090 is open");
    const [old, current] = memories;
    const first = bodyOf(await forgetAt(session, { memory_id: old, replacement_id: current }), 200);
    expect(first.message).not.toMatch(/already/i);
    const second = bodyOf(await forgetAt(session, { memory_id: old }), 200);
    expect(second).toMatchObject({ forgotten: true, memory_id: old });
    expect(second.message).toMatch(/already/i);
    expect((await readMemory(kioku.api, old)).superseded_by).toBe(current);
  });

  it("by many at once is done once and fails for none", async () => {
    const { session, memories } = await stocked("The port is 8080", "The host is zephyr");
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => forgetAt(session, { memory_id: memories[0] })),
    );
    const messages = answers.map((answer) => bodyOf(answer, 200).message);
    expect(messages.filter((message) => !/already/i.test(message))).toHaveLength(1);
    expect((await readSession(kioku.api, session)).counts.memories).toBe(1);
  });
});

describe("forget refuses", () => {
  it("an unknown memory, by name", async () => {
    const { session } = await stocked("The port is 8080");
    const unknown = fresh("memory");
    const problem = expectProblem(await forgetAt(session, { memory_id: unknown }), "not_found");
    expect(problem.detail).toContain(`Memory not found: ${unknown}`);
  });

  it("an unknown replacement, by name, and forgets nothing", async () => {
    const { session, memories } = await stocked("The port is 8080");
    const unknown = fresh("memory");
    const body = { memory_id: memories[0], replacement_id: unknown };
    const problem = expectProblem(await forgetAt(session, body), "not_found");
    expect(problem.detail).toContain(`Replacement memory not found: ${unknown}`);
    expect(ids(await recall(kioku.api, session))).toEqual([memories[0]]);
  });

  it("to replace a memory by itself", async () => {
    const { session, memories } = await stocked("The port is 8080");
    expectProblem(
      await forgetAt(session, { memory_id: memories[0], replacement_id: memories[0] }),
      "conflict",
    );
    expect(ids(await recall(kioku.api, session))).toEqual([memories[0]]);
  });

  it("a cycle of two and a cycle of three", async () => {
    const { session, memories } = await stocked("Port 1", "Port 2", "Port 3");
    const [one, two, three] = memories;
    await forget(kioku.api, session, one, { replacement_id: two });
    expectProblem(await forgetAt(session, { memory_id: two, replacement_id: one }), "conflict");
    await forget(kioku.api, session, two, { replacement_id: three });
    expectProblem(await forgetAt(session, { memory_id: three, replacement_id: one }), "conflict");
    expect(ids(await recall(kioku.api, session))).toEqual([three]);
    expect((await readMemory(kioku.api, three)).superseded_by).toBeNull();
  });

  it("a cycle that two callers would close together", async () => {
    const { session, memories } = await stocked("Port 1", "Port 2");
    const [one, two] = memories;
    const answers = await Promise.all([
      forgetAt(session, { memory_id: one, replacement_id: two }),
      forgetAt(session, { memory_id: two, replacement_id: one }),
    ]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
    expect(await recall(kioku.api, session)).toHaveLength(1);
  });

  it.each([
    ["memory_id", {}],
    ["memory_id", { memory_id: "" }],
    ["memory_id", { memory_id: "a b" }],
    ["replacement_id", { memory_id: "m", replacement_id: "a b" }],
    ["reason", { memory_id: "m", reason: "x".repeat(1_001) }],
  ])("a bad %s: %j", async (field, body) => {
    const { session } = await stocked("The port is 8080");
    expectProblem(await forgetAt(session, body), "invalid_request", field);
  });
});
