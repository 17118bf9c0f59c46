// Tasks: a list to work off, in order of importance.
import { describe, expect, it } from "vitest";
import { allPages, ids, newSession } from "../support/actions";
import { ID, type Task } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { addTask, change, readContainer, readSpace } from "./cognition";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

async function session(): Promise<string> {
  return (await newSession(kioku.api)).id;
}

function tasksOf(session: string, query = ""): Promise<Task[]> {
  return allPages<Task>(kioku.api, `/v1/sessions/${session}/tasks${query}`);
}

describe("tasks", () => {
  async function withTasks(...texts: string[]): Promise<{ id: string; at: string; tasks: Task[] }> {
    const id = await session();
    const tasks: Task[] = [];
    for (const text of texts) tasks.push(await addTask(kioku.api, id, text));
    return { id, at: `/v1/sessions/${id}/tasks`, tasks };
  }
  const texts = (tasks: Task[]) => tasks.map(({ text }) => text);

  it("are added open, at the end, with an id of their own", async () => {
    const { id, tasks } = await withTasks("Look", "Look", "Leap");
    expect(await tasksOf(id)).toEqual(tasks);
    for (const task of tasks) {
      expect(task).toMatchObject({ status: "open" });
      expect(task.id).toMatch(ID);
    }
    expect(new Set(ids(tasks)).size).toBe(3);
    expect((await readSpace(kioku.api, id, "tasks")).data).toMatchObject(tasks);
  });

  it("are inserted at a place, which is their priority", async () => {
    const { id } = await withTasks("a", "c");
    await addTask(kioku.api, id, "b", { index: 1 });
    await addTask(kioku.api, id, "first", { index: 0 });
    await addTask(kioku.api, id, "last", { index: 4 });
    expect(texts(await tasksOf(id))).toEqual(["first", "a", "b", "c", "last"]);
  });

  it("are given one by one by next, until none is open", async () => {
    const { at, tasks } = await withTasks("one", "two");
    const [one, two] = tasks;
    expect(bodyOf(await kioku.api.get(`${at}/next`), 200)).toEqual(one);
    const done = bodyOf(await kioku.api.post<Task>(`${at}/${one?.id}/complete`), 200);
    expect(done).toEqual({ ...one, status: "done" });
    expect(bodyOf(await kioku.api.get(`${at}/next`), 200)).toEqual(two);
    bodyOf(await kioku.api.post(`${at}/${two?.id}/complete`, {}), 200);
    const none = await kioku.api.get(`${at}/next`);
    bodyOf(none, 204);
    expect(none.text).toBe("");
  });

  it("none at all: next answers 204", async () => {
    const { at } = await withTasks();
    bodyOf(await kioku.api.get(`${at}/next`), 204);
  });

  it("keep their place when they are done", async () => {
    const { id, at, tasks } = await withTasks("a", "b", "c");
    bodyOf(await kioku.api.post(`${at}/${tasks[1]?.id}/complete`), 200);
    expect((await tasksOf(id)).map(({ text, status }) => [text, status])).toEqual([
      ["a", "open"],
      ["b", "done"],
      ["c", "open"],
    ]);
    expect(texts(await tasksOf(id, "?status=open"))).toEqual(["a", "c"]);
    expect(texts(await tasksOf(id, "?status=done"))).toEqual(["b"]);
    expectProblem(await kioku.api.get(`${at}?status=late`), "invalid_request", "status");
  });

  it("are listed page by page, each once", async () => {
    const id = await session();
    const many = Array.from({ length: 130 }, (_, n) => ({ id: `t${n}`, text: `Task ${n}`, status: "open" }));
    await change(
      kioku.api,
      id,
      "tasks",
      many.map((item) => ({ op: "append", item })),
    );
    expect(await allPages<Task>(kioku.api, `/v1/sessions/${id}/tasks`, 50)).toEqual(many);
    const page = bodyOf(await kioku.api.get<{ data: Task[] }>(`/v1/sessions/${id}/tasks`), 200);
    expect(page.data).toHaveLength(20);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}/tasks?limit=101`), "invalid_request", "limit");
  });

  it("are removed, and then not found", async () => {
    const { id, at, tasks } = await withTasks("a", "b");
    bodyOf(await kioku.api.delete(`${at}/${tasks[0]?.id}`), 204);
    expect(await tasksOf(id)).toEqual([tasks[1]]);
    expectProblem(await kioku.api.delete(`${at}/${tasks[0]?.id}`), "not_found");
    expectProblem(await kioku.api.post(`${at}/${tasks[0]?.id}/complete`), "not_found");
  });

  it("are put in another order, done ones included", async () => {
    const { id, at, tasks } = await withTasks("a", "b", "c");
    bodyOf(await kioku.api.post(`${at}/${tasks[0]?.id}/complete`), 200);
    const order = ids([...tasks].reverse());
    bodyOf(await kioku.api.put(`${at}/order`, { ids: order }), 200);
    expect(ids(await tasksOf(id))).toEqual(order);
    expect((await tasksOf(id)).at(-1)).toEqual({ ...tasks[0], status: "done" });
    expect(bodyOf(await kioku.api.get<Task>(`${at}/next`), 200).text).toBe("c");
  });

  it.each<[string, (ids: string[]) => unknown]>([
    ["leaves one out", ([a]) => [a]],
    ["names none", () => []],
    ["names one twice", ([a, b]) => [a, b, a]],
    ["names one twice and another not", ([a]) => [a, a]],
    ["names one that is not there", ([a, b]) => [a, b, "nobody"]],
    ["names one by a number", ([a]) => [a, 7]],
    ["is no list", ([a]) => a],
  ])("keep their order when the new one %s", async (_name, order) => {
    const { id, at, tasks } = await withTasks("a", "b");
    bodyOf(await kioku.api.post(`${at}/${tasks[0]?.id}/complete`), 200);
    const before = await readContainer(kioku.api, id);
    const answer = await kioku.api.put(`${at}/order`, { ids: order(ids(tasks)) });
    expectProblem(answer, "invalid_request", /ids/);
    expect(await readContainer(kioku.api, id)).toEqual(before);
  });

  it.each<[string, Fields, string]>([
    ["no text", {}, "text"],
    ["an empty text", { text: "" }, "text"],
    ["a text that is none", { text: ["a"] }, "text"],
    ["a place before the first", { text: "a", index: -1 }, "index"],
    ["half a place", { text: "a", index: 0.5 }, "index"],
  ])("are refused with %s", async (_name, body, field) => {
    const { id, at } = await withTasks();
    expectProblem(await kioku.api.post(at, body), "invalid_request", field);
    expect(await tasksOf(id)).toEqual([]);
  });

  it("stay tasks, whatever is written to their space", async () => {
    const { id, tasks } = await withTasks("a");
    const path = `/v1/sessions/${id}/spaces/tasks`;
    for (const item of [1, "text", null, {}, { id: "x" }, { id: "x", text: "y", status: "maybe" }]) {
      expectProblem(await kioku.api.put(path, { data: [item] }), "invalid_request");
      expectProblem(
        await kioku.api.post(`${path}/ops`, { ops: [{ op: "append", item }] }),
        "invalid_request",
      );
    }
    const changes = { status: "maybe" };
    const ops = [{ op: "update", id: tasks[0]?.id, changes }];
    expectProblem(await kioku.api.post(`${path}/ops`, { ops }), "invalid_request");
    expect(await tasksOf(id)).toEqual(tasks);
  });

  it("may have ids that look like routes", async () => {
    const { id, at } = await withTasks();
    const odd = ["next", "order", "a/b c", "é"];
    const items = odd.map((one) => ({ id: one, text: one, status: "open" }));
    await change(
      kioku.api,
      id,
      "tasks",
      items.map((item) => ({ op: "append", item })),
    );
    for (const one of odd) {
      const path = `${at}/${encodeURIComponent(one)}`;
      expect(bodyOf(await kioku.api.post<Task>(`${path}/complete`), 200).id).toBe(one);
      bodyOf(await kioku.api.delete(path), 204);
    }
    expect(await tasksOf(id)).toEqual([]);
  });

  it("added at once are all there, and completed at once are all done", async () => {
    const id = await session();
    const added = await Promise.all(
      Array.from({ length: 30 }, (_, n) => addTask(kioku.api, id, `Task ${n}`)),
    );
    expect(ids(await tasksOf(id)).sort()).toEqual(ids(added).sort());
    const at = `/v1/sessions/${id}/tasks`;
    await Promise.all(
      added.map(async (task) => bodyOf(await kioku.api.post(`${at}/${task.id}/complete`), 200)),
    );
    expect(await tasksOf(id, "?status=open")).toEqual([]);
    expect(await tasksOf(id, "?status=done")).toHaveLength(30);
  });
});
