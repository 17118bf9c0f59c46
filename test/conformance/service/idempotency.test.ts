// Idempotency-Key: the same answer, the work once, also for callers at once. http/kill.test.ts has it across a crash.
import { describe, expect, it } from "vitest";
import { answersTo, answerTo, outcome, readContainer, signalsOf, wholeThread } from "../cognition/cognition";
import { entriesOf } from "../policy/policy";
import {
  allPages,
  contents,
  ids,
  memoriesOf,
  newSession,
  quietSession,
  readSession,
  remember,
} from "../support/actions";
import { type Answer, type Client, fresh } from "../support/client";
import type { Entry, Key, Message, MessagesAdded, Pending, Remembered, Session } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

function once(key: string): Record<string, string> {
  return { "idempotency-key": key };
}

function expectSame(first: Answer<unknown>, second: Answer<unknown>): void {
  expect({ status: second.status, body: second.body }).toEqual({ status: first.status, body: first.body });
}

function messagesOf(client: Client, session: string): Promise<Message[]> {
  return allPages<Message>(client, `/v1/sessions/${session}/messages`);
}

/** POSTs of cognition, and a body that is another for each. */
const THOUGHTS: [string, string, unknown, unknown][] = [
  [
    "change a space",
    "spaces/world/ops",
    { ops: [{ op: "put", key: "a", value: 1 }] },
    { ops: [{ op: "delete", key: "a" }] },
  ],
  ["add a task", "tasks", { text: "Once" }, { text: "Twice" }],
  ["complete a task", "tasks/t1/complete", {}, { expected_rev: 1 }],
  [
    "append to the thread",
    "thread",
    { entries: [{ kind: "note", payload: 1 }] },
    { entries: [{ kind: "note", payload: 2 }] },
  ],
  ["project", "projectors/summary/run", {}, null],
  [
    "accept a directive",
    "directives",
    { type: "upsert", provider: "d1", items: [{ key: "a", value: 1 }] },
    { type: "delete", provider: "d1", keys: ["a"] },
  ],
  ["capture a turn", "turns", { input: "Once", output: "Said" }, { input: "Twice", output: "Said" }],
];

/** A session with something to work on. */
async function mindful(): Promise<Session> {
  const made = await quietSession(kioku.api, {
    agent_id: fresh("agent"),
    policy: { capture: "conversation" },
  });
  const ops = [{ op: "append", item: { id: "t1", text: "Look", status: "open" } }];
  bodyOf(await kioku.api.post(`/v1/sessions/${made.id}/spaces/tasks/ops`, { ops }), 200);
  const entries = [1, 2, 3].map((payload) => ({ kind: "note", payload }));
  bodyOf(await kioku.api.post(`/v1/sessions/${made.id}/thread`, { entries }), 201);
  return made;
}

describe("the same key and body", () => {
  it("make one session, answered the same twice", async () => {
    const [key, agent_id] = [fresh("key"), fresh("agent")];
    const first = await kioku.api.post<Session>("/v1/sessions", { agent_id }, once(key));
    bodyOf(first, 201);
    expectSame(first, await kioku.api.post("/v1/sessions", { agent_id }, once(key)));
    expect(await allPages(kioku.api, `/v1/sessions?agent_id=${agent_id}`)).toHaveLength(1);
  });

  it("add messages once, ids or not", async () => {
    const [key, session] = [fresh("key"), fresh("session")];
    const body = { messages: [{ role: "user", content: "Once" }] };
    const path = `/v1/sessions/${session}/messages`;
    const first = await kioku.api.post<MessagesAdded>(path, body, once(key));
    expect(bodyOf(first, 201).added).toBe(1);
    expectSame(first, await kioku.api.post(path, body, once(key)));
    expect(contents(await messagesOf(kioku.api, session))).toEqual(["Once"]);
  });

  it("remember once, and answer 201 again and not a duplicate's 200", async () => {
    const [key, session] = [fresh("key"), fresh("session")];
    const path = `/v1/sessions/${session}/remember`;
    const first = await kioku.api.post<Remembered>(path, { content: "Once" }, once(key));
    expect(bodyOf(first, 201).deduplicated).toBe(false);
    expectSame(first, await kioku.api.post(path, { content: "Once" }, once(key)));
  });

  it("remember for an agent once", async () => {
    const [key, agent_id] = [fresh("key"), fresh("agent")];
    const first = await kioku.api.post("/v1/remember", { agent_id, content: "Once" }, once(key));
    bodyOf(first, 201);
    expectSame(first, await kioku.api.post("/v1/remember", { agent_id, content: "Once" }, once(key)));
  });

  it("forget once, without saying already", async () => {
    const [key, session] = [fresh("key"), fresh("session")];
    const { memory_id } = await remember(kioku.api, session, "Forget once");
    const path = `/v1/sessions/${session}/forget`;
    const first = await kioku.api.post(path, { memory_id }, once(key));
    bodyOf(first, 200);
    expectSame(first, await kioku.api.post(path, { memory_id }, once(key)));
  });

  it("add one pending memory, and promote it in one answer", async () => {
    const { id } = await quietSession(kioku.api);
    const [adding, promoting] = [fresh("key"), fresh("key")];
    const body = { content: "Once", memory_type: "fact", importance_score: 0.9 };
    const first = await kioku.api.post(`/v1/sessions/${id}/pending`, body, once(adding));
    bodyOf(first, 201);
    expectSame(first, await kioku.api.post(`/v1/sessions/${id}/pending`, body, once(adding)));
    expect(await allPages<Pending>(kioku.api, `/v1/sessions/${id}/pending`)).toHaveLength(1);
    const promoted = await kioku.api.post(`/v1/sessions/${id}/promote`, undefined, once(promoting));
    bodyOf(promoted, 200);
    expectSame(promoted, await kioku.api.post(`/v1/sessions/${id}/promote`, undefined, once(promoting)));
    expect((await readSession(kioku.api, id)).promotion.runs).toBe(1);
  });

  it("execute a tool call once", async () => {
    const { id } = await newSession(kioku.api);
    const call = { type: "tool_use", id: "c1", name: "remember", input: { content: "Once" } };
    const key = once(fresh("key"));
    const first = await kioku.api.post("/v1/tools/execute", { session_id: id, call }, key);
    bodyOf(first, 200);
    expectSame(first, await kioku.api.post("/v1/tools/execute", { session_id: id, call }, key));
  });

  it.each(THOUGHTS)("%s once", async (_name, part, body) => {
    const { id } = await mindful();
    const [key, path] = [once(fresh("key")), `/v1/sessions/${id}/${part}`];
    const first = await kioku.api.post(path, body, key);
    expect(first.status, first.text).toBeLessThan(300);
    const memory = await readContainer(kioku.api, id);
    const thread = (await wholeThread(kioku.api, id)).filter(({ kind }) => kind !== "signal");
    const answers = await Promise.all(Array.from({ length: 5 }, () => kioku.api.post(path, body, key)));
    for (const answer of answers) expectSame(first, answer);
    expect(await readContainer(kioku.api, id)).toEqual(memory);
    expect((await wholeThread(kioku.api, id)).filter(({ kind }) => kind !== "signal")).toEqual(thread);
  });

  it("carry out a directive without a request id once, under the id first given", async () => {
    const { id } = await mindful();
    const body = { type: "upsert", provider: "inline", items: [{ key: "a", value: 1 }] };
    const [key, path] = [once(fresh("key")), `/v1/sessions/${id}/directives`];
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => kioku.api.post<{ request_id: string }>(path, body, key)),
    );
    const requests = new Set(answers.map((answer) => bodyOf(answer, 202).request_id));
    expect(requests.size).toBe(1);
    const [request = ""] = requests;
    await answerTo(kioku.api, id, request);
    await outcome(kioku.api, id, body);
    expect(answersTo(await signalsOf(kioku.api, id), request)).toHaveLength(1);
    expect(await signalsOf(kioku.api, id)).toHaveLength(2);
  });

  it("write an entry once, and answer 201 again", async () => {
    const [key, agent_id] = [once(fresh("key")), fresh("agent")];
    const body = { agent_id, content: "Once" };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => kioku.api.post<Entry>("/v1/entries", body, key)),
    );
    for (const answer of answers) expectSame(answers[0] ?? answer, answer);
    const { id } = bodyOf(answers[0] as Answer<Entry>, 201);
    const other = { agent_id, content: "Twice" };
    expectProblem(await kioku.api.post("/v1/entries", other, key), "conflict");
    expect(ids(await entriesOf(kioku.api, `agent:${agent_id}`))).toEqual([id]);
  });

  it("make one API key", async () => {
    const tenant = fresh("tenant");
    const key = once(fresh("key"));
    const first = bodyOf(await kioku.admin.post<Key>("/v1/keys", { tenant }, key), 201);
    expect(bodyOf(await kioku.admin.post<Key>("/v1/keys", { tenant }, key), 201).id).toBe(first.id);
    const made = (await allPages<Key>(kioku.admin, "/v1/keys")).filter((one) => one.tenant === tenant);
    expect(made).toHaveLength(1);
  });

  it("give callers at once the same answer, and do the work once", async () => {
    const { id } = await newSession(kioku.api);
    const key = once(fresh("key"));
    const body = {
      messages: [
        { role: "user", content: "Once" },
        { role: "user", content: "Twice" },
      ],
    };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        kioku.api.post<MessagesAdded>(`/v1/sessions/${id}/messages`, body, key),
      ),
    );
    for (const answer of answers) expectSame(answers[0] ?? answer, answer);
    bodyOf(answers[0] as Answer<MessagesAdded>, 201);
    expect(contents(await messagesOf(kioku.api, id))).toEqual(["Once", "Twice"]);
  });

  it("give callers at once the same new session", async () => {
    const [key, agent_id] = [fresh("key"), fresh("agent")];
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => kioku.api.post<Session>("/v1/sessions", { agent_id }, once(key))),
    );
    expect(new Set(answers.map((answer) => bodyOf(answer, 201).id)).size).toBe(1);
    expect(await allPages(kioku.api, `/v1/sessions?agent_id=${agent_id}`)).toHaveLength(1);
  });
});

describe("the same key", () => {
  it("with another body is a conflict, and changes nothing", async () => {
    const [key, session] = [fresh("key"), fresh("session")];
    const path = `/v1/sessions/${session}/remember`;
    bodyOf(await kioku.api.post(path, { content: "First" }, once(key)), 201);
    expectProblem(await kioku.api.post(path, { content: "Second" }, once(key)), "conflict");
    expect(contents(await memoriesOf(kioku.api, session))).toEqual(["First"]);
  });

  it.each(
    THOUGHTS.filter(([, , , other]) => other !== null),
  )("with another body does not %s", async (_name, part, body, other) => {
    const { id } = await mindful();
    const [key, path] = [once(fresh("key")), `/v1/sessions/${id}/${part}`];
    expect((await kioku.api.post(path, body, key)).status).toBeLessThan(300);
    const memory = await readContainer(kioku.api, id);
    // Of the key, and not of a revision.
    const problem = expectProblem(await kioku.api.post(path, other, key), "conflict");
    expect(problem).not.toHaveProperty("current_rev");
    expect(await readContainer(kioku.api, id)).toEqual(memory);
  });

  it("on another path is another key", async () => {
    const [key, one, two] = [fresh("key"), fresh("session"), fresh("session")];
    for (const session of [one, two]) {
      bodyOf(await kioku.api.post(`/v1/sessions/${session}/remember`, { content: "Once" }, once(key)), 201);
    }
    const pending = { content: "Once", memory_type: "fact" };
    bodyOf(await kioku.api.post(`/v1/sessions/${one}/pending`, pending, once(key)), 201);
    expect(await memoriesOf(kioku.api, two)).toHaveLength(1);
  });

  it("of another tenant is another key", async () => {
    const [key, session] = [fresh("key"), fresh("session")];
    const path = `/v1/sessions/${session}/remember`;
    const mine = bodyOf(await kioku.api.post<Remembered>(path, { content: "Mine" }, once(key)), 201);
    const stranger = await kioku.tenant();
    const theirs = bodyOf(await stranger.post<Remembered>(path, { content: "Theirs" }, once(key)), 201);
    expect(theirs.memory_id).not.toBe(mine.memory_id);
    expect(contents(await memoriesOf(stranger, session))).toEqual(["Theirs"]);
  });
});
