// Revisions: what a stale one stops, and writers at once who lose nothing and never wait for other spaces.
import { describe, expect, it } from "vitest";
import { ids, newSession } from "../support/actions";
import type { Answer } from "../support/client";
import type { Container, Stale } from "../support/contract";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { addTask, change, makeSpace, readContainer, readSpace } from "./cognition";

const kioku = serviceUnderTest();

type Item = { id: string; [member: string]: unknown };

async function session(): Promise<string> {
  return (await newSession(kioku.api)).id;
}

/** A stale revision, answered with where the space and its container are. */
function expectStale(answer: Answer<unknown>, rev: number, memoryRev: number): void {
  const problem = expectProblem(answer, "conflict") as Stale;
  expect(problem).toMatchObject({ current_rev: rev, current_memory_rev: memoryRev });
}

describe("an expected revision", () => {
  type Mutation = (at: string, revs: Record<string, number>, task: string) => Promise<Answer<unknown>>;
  const query = (revs: Record<string, number>) =>
    Object.entries(revs)
      .map(([name, rev]) => `${name}=${rev}`)
      .join("&");
  const mutations: [string, string, Mutation][] = [
    ["a PUT", "notes", (at, revs) => kioku.api.put(`${at}/spaces/notes`, { data: ["new"], ...revs })],
    ["a deletion", "notes", (at, revs) => kioku.api.delete(`${at}/spaces/notes?${query(revs)}`)],
    [
      "operations",
      "notes",
      (at, revs) => kioku.api.post(`${at}/spaces/notes/ops`, { ops: [{ op: "append", item: 1 }], ...revs }),
    ],
    ["a new task", "tasks", (at, revs) => kioku.api.post(`${at}/tasks`, { text: "More", ...revs })],
    ["a completion", "tasks", (at, revs, task) => kioku.api.post(`${at}/tasks/${task}/complete`, revs)],
    ["a removal", "tasks", (at, revs, task) => kioku.api.delete(`${at}/tasks/${task}?${query(revs)}`)],
    [
      "a new order",
      "tasks",
      (at, revs, task) => kioku.api.put(`${at}/tasks/order`, { ids: [task], ...revs }),
    ],
  ];

  async function prepared(): Promise<{ at: string; id: string; task: string; memory: Container }> {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", []);
    await change(kioku.api, id, "notes", [{ op: "append", item: "old" }]);
    const task = await addTask(kioku.api, id, "Only one");
    await change(kioku.api, id, "world", [{ op: "put", key: "elsewhere", value: 1 }]);
    return { at: `/v1/sessions/${id}`, id, task: task.id, memory: await readContainer(kioku.api, id) };
  }

  it.each(mutations)("of the space that is stale stops %s", async (_name, space, mutate) => {
    const { at, id, task, memory } = await prepared();
    const rev = memory.spaces[space]?.rev ?? 0;
    for (const stale of [rev - 1, rev + 1]) {
      expectStale(await mutate(at, { expected_rev: stale }, task), rev, memory.rev);
      expectStale(
        await mutate(at, { expected_rev: stale, expected_memory_rev: memory.rev }, task),
        rev,
        memory.rev,
      );
    }
    expect(await readContainer(kioku.api, id)).toEqual(memory);
  });

  it.each(mutations)("of the container that is stale stops %s", async (_name, space, mutate) => {
    const { at, id, task, memory } = await prepared();
    const rev = memory.spaces[space]?.rev ?? 0;
    const stale = { expected_rev: rev, expected_memory_rev: memory.rev - 1 };
    expectStale(await mutate(at, stale, task), rev, memory.rev);
    expectStale(await mutate(at, { expected_memory_rev: memory.rev + 1 }, task), rev, memory.rev);
    expect(await readContainer(kioku.api, id)).toEqual(memory);
  });

  it.each(mutations)("that is current lets %s through", async (_name, space, mutate) => {
    for (const given of [
      ["expected_rev"],
      ["expected_memory_rev"],
      ["expected_rev", "expected_memory_rev"],
    ]) {
      const { at, id, task, memory } = await prepared();
      const revs = { expected_rev: memory.spaces[space]?.rev ?? 0, expected_memory_rev: memory.rev };
      const sent = Object.fromEntries(Object.entries(revs).filter(([name]) => given.includes(name)));
      const answer = await mutate(at, sent, task);
      expect(answer.status, answer.text).toBeLessThan(300);
      expect((await readContainer(kioku.api, id)).rev).toBeGreaterThan(memory.rev);
    }
  });

  it("that is no number in a query is refused, and nothing deleted", async () => {
    const { at, id, memory } = await prepared();
    for (const bad of ["x", "-1", "1.5"]) {
      const answer = await kioku.api.delete(`${at}/spaces/notes?expected_rev=${bad}`);
      expectProblem(answer, "invalid_request", "expected_rev");
    }
    expect(await readContainer(kioku.api, id)).toEqual(memory);
  });

  it("of the space ignores what happens in other spaces", async () => {
    const { id, memory } = await prepared();
    const expected_rev = memory.spaces.notes?.rev;
    await addTask(kioku.api, id, "Meanwhile");
    await change(kioku.api, id, "world", [{ op: "put", key: "meanwhile", value: true }]);
    await change(kioku.api, id, "notes", [{ op: "append", item: "still fits" }], { expected_rev });
  });
});

describe("writers at once", () => {
  const AT_ONCE = 25;
  const writers = Array.from({ length: AT_ONCE }, (_, n) => n);

  const contests: [string, string, (at: string, rev: number, n: number) => Promise<Answer<unknown>>][] = [
    [
      "operations",
      "notes",
      (at, expected_rev, n) =>
        kioku.api.post(`${at}/spaces/notes/ops`, {
          ops: [{ op: "append", item: { id: `i${n}` } }],
          expected_rev,
        }),
    ],
    [
      "a PUT",
      "notes",
      (at, expected_rev, n) => kioku.api.put(`${at}/spaces/notes`, { data: [{ id: `i${n}` }], expected_rev }),
    ],
    [
      "a task",
      "tasks",
      (at, expected_rev, n) => kioku.api.post(`${at}/tasks`, { text: `i${n}`, expected_rev }),
    ],
  ];
  it.each(
    contests,
  )("who expect the same rev: one wins with %s, the others are told", async (_name, space, write) => {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", []);
    const { rev } = await readSpace(kioku.api, id, space);
    const answers = await Promise.all(writers.map((n) => write(`/v1/sessions/${id}`, rev, n)));
    const winners = writers.filter((n) => (answers[n]?.status ?? 0) < 300);
    expect(winners).toHaveLength(1);
    const after = await readSpace<Item[]>(kioku.api, id, space);
    expect(after.data).toHaveLength(1);
    expect(Object.values(after.data[0] ?? {})).toContain(`i${winners[0]}`);
    for (const answer of answers.filter(({ status }) => status >= 300))
      expectStale(answer, after.rev, after.memory_rev);
  });

  it("who expect nothing all get in, none lost and none twice", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", []);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        change<Item[]>(kioku.api, id, "notes", [{ op: "append", item: { id: `i${n}` } }]),
      ),
    );
    expect(new Set(answers.map(({ rev }) => rev)).size).toBe(100);
    expect(new Set(answers.map(({ memory_rev }) => memory_rev)).size).toBe(100);
    const { data } = await readSpace<Item[]>(kioku.api, id, "notes");
    expect(new Set(ids(data)).size).toBe(100);
    expect(data).toHaveLength(100);
    for (const answer of answers) expect(data.slice(0, answer.data.length)).toEqual(answer.data);
  });

  it("on different spaces never contend, whatever revs they expect", async () => {
    const id = await session();
    const spaces = Array.from({ length: 10 }, (_, n) => `space-${n}`);
    for (const name of spaces) await makeSpace(kioku.api, id, name, []);
    await Promise.all(
      spaces.map(async (name) => {
        let { rev } = await readSpace(kioku.api, id, name);
        for (let n = 0; n < 10; n += 1) {
          const ops = [{ op: "append", item: n }];
          rev = (await change(kioku.api, id, name, ops, { expected_rev: rev })).rev;
        }
      }),
    );
    for (const name of spaces)
      expect((await readSpace(kioku.api, id, name)).data).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("who read, change and try again count right", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "counter", { n: 0 });
    const path = `/v1/sessions/${id}/spaces/counter/ops`;
    async function increment(): Promise<void> {
      for (;;) {
        const { rev, data } = await readSpace<{ n: number }>(kioku.api, id, "counter");
        const ops = [{ op: "put", key: "n", value: data.n + 1 }];
        const answer = await kioku.api.post(path, { ops, expected_rev: rev });
        if (answer.status === 200) return;
        expect(answer.status).toBe(409);
      }
    }
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let n = 0; n < 5; n += 1) await increment();
      }),
    );
    expect((await readSpace(kioku.api, id, "counter")).data).toEqual({ n: 30 });
  });
});
