// Recall over what was said: messages of this session at once, of the scope's other sessions soon.
import { describe, expect, it, vi } from "vitest";
import { contents, ids, newSession, recall, recallSaid, remember, say } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Message, MessagesRecalled, Page } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

/** Sends what each of these people said, in one call; a name before a colon is the speaker's. */
async function converse(session: string, ...lines: string[]): Promise<void> {
  const messages = lines.map((line) => {
    const [name, content] = line.split(/: (.*)/s);
    return content === undefined ? { role: "user", content: line } : { role: "user", name, content };
  });
  await say(kioku.api, session, messages);
}

/** A word that no text has yet. */
const newWord = () => fresh("word").replaceAll("-", "");

/** Asks without a session in the path. */
async function recallIn(api: Client, body: Fields) {
  const sent = { sources: ["messages"], mode: "text", ...body };
  return bodyOf(await api.post<MessagesRecalled>("/v1/recall", sent), 200).memories;
}

/** Messages reach other sessions' recalls soon: at the latest after five seconds. */
function soon(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { interval: 50 });
}

describe("sources", () => {
  async function heronSession(): Promise<string> {
    const { id } = await newSession(kioku.api);
    await say(kioku.api, id, [{ id: "m1", role: "assistant", content: "A heron nests by the canal" }]);
    await remember(kioku.api, id, "The heron is our emblem");
    return id;
  }

  it.each([
    ["memories and messages outside of the window by default", {}, ["memory"]],
    ["memories", { sources: ["memories"] }, ["memory"]],
    ["messages", { sources: ["messages"] }, ["message"]],
    ["both", { sources: ["memories", "messages"] }, ["memory", "message"]],
    ["both, named twice", { sources: ["messages", "memories", "messages"] }, ["memory", "message"]],
  ])("searches %s", async (_what, asked, kinds) => {
    const session = await heronSession();
    for (const more of [{ query: "heron" }, { query: "heron", mode: "text" }, {}]) {
      const hits = await recall(kioku.api, session, { ...asked, ...more });
      expect(hits.map(({ kind }) => kind).sort()).toEqual(kinds);
    }
  });

  it("shows a message with what is its own, and no type", async () => {
    const { id: session } = await newSession(kioku.api, { agent_id: "scribe", project_id: "atlas" });
    const said = {
      id: "m-7",
      role: "user",
      name: "Ada",
      content: "The zephyr cluster is ours",
      timestamp: "2026-03-05T10:20:30.456Z",
    };
    await say(kioku.api, session, [said]);
    const [hit] = await recallSaid(kioku.api, session, { query: "zephyr" });
    expect(hit).toMatchObject({
      ...said,
      kind: "message",
      session_id: session,
      agent_id: "scribe",
      project_id: "atlas",
      score: expect.any(Number),
      signals: { lexical: 1, recency: 1, mode: "hybrid" },
    });
    expect(hit).not.toHaveProperty("type");
    expect(hit).not.toHaveProperty("confidence");
  });

  it("shows who spoke by role where there is no name", async () => {
    const [hit] = await recallSaid(kioku.api, await heronSession(), { query: "heron" });
    expect(hit).toMatchObject({ id: "m1", role: "assistant", name: null });
  });

  it("with a type finds memories alone: a message has none", async () => {
    const session = await heronSession();
    const sources = ["memories", "messages"];
    for (const query of [{ query: "heron" }, {}]) {
      const typed = await recall(kioku.api, session, { ...query, sources, type: "fact" });
      expect(typed.map(({ kind }) => kind)).toEqual(["memory"]);
      expect(await recall(kioku.api, session, { ...query, sources, type: "all" })).toHaveLength(2);
      expect(await recallSaid(kioku.api, session, { ...query, type: "fact" })).toEqual([]);
    }
  });

  it("with a confidence still finds messages, which have none", async () => {
    const found = await recallSaid(kioku.api, await heronSession(), { query: "heron", min_confidence: 1 });
    expect(found).toHaveLength(1);
  });

  it.each([
    [["rumours"]],
    [["memories", "rumours"]],
    [[]],
    ["messages"],
    [null],
  ])("refuses %j, and names the field", async (sources) => {
    const { id } = await newSession(kioku.api);
    expectProblem(
      await kioku.api.post(`/v1/sessions/${id}/recall`, { sources }),
      "invalid_request",
      "sources",
    );
  });

  it("without a query gives the newest message first", async () => {
    const { id } = await newSession(kioku.api);
    const messages = [3, 1, 2].map((day) => ({
      role: "user",
      content: `Day ${day}`,
      timestamp: `2026-01-0${day}T00:00:00Z`,
    }));
    await say(kioku.api, id, messages);
    expect(contents(await recallSaid(kioku.api, id))).toEqual(["Day 3", "Day 2", "Day 1"]);
  });

  it("of an unknown session are empty", async () => {
    expect(await recallSaid(kioku.api, fresh("nobody"))).toEqual([]);
  });
});

describe("a message", () => {
  it("is found in its own session by the very next call, every time", async () => {
    const { id: session } = await newSession(kioku.api);
    const missed: number[] = [];
    for (let n = 0; n < 100; n += 1) {
      const id = `m${n}`;
      await say(kioku.api, session, [{ id, role: "user", content: `The marker quokka${n} stands here` }]);
      const [first] = await recallSaid(kioku.api, session, { query: `quokka${n}` });
      if (first?.id !== id) missed.push(n);
    }
    expect(missed).toEqual([]);
  });

  it("is found at once by its meaning too", async () => {
    const { id: session } = await newSession(kioku.api);
    await converse(session, "The harbour lights were repaired", "See the doctor on Tuesday");
    const [first] = await recallSaid(kioku.api, session, { query: "physician", mode: "semantic" });
    expect(first?.content).toBe("See the doctor on Tuesday");
  });

  it("is found at once among the most that one call takes", async () => {
    const { id: session } = await newSession(kioku.api);
    const words = Array.from({ length: 500 }, (_, n) => `walrus${n}`);
    await say(
      kioku.api,
      session,
      words.map((word) => ({ role: "user", content: `Number ${word}` })),
    );
    for (const word of [words[0], words[250], words[499]]) {
      const [first] = await recallSaid(kioku.api, session, { query: word });
      expect(first?.content).toBe(`Number ${word}`);
    }
  });

  it("is found after it has left the window", async () => {
    const token_budget = { total: 1_000, conversation: 100, context: 900 };
    const { id: session } = await newSession(kioku.api, { token_budget });
    const said = (n: number) => ({ role: "user", content: `Statement walrus${n}`, token_count: 40 });
    await say(
      kioku.api,
      session,
      Array.from({ length: 20 }, (_, n) => said(n)),
    );
    const path = `/v1/sessions/${session}/messages?limit=100`;
    const window = contents(bodyOf(await kioku.api.get<Page<Message>>(path), 200).data);
    expect(window).not.toContain("Statement walrus0");
    for (let n = 0; n < 20; n += 1) {
      const asked = { query: `walrus${n}`, mode: "text" };
      expect(contents(await recallSaid(kioku.api, session, asked))[0]).toBe(`Statement walrus${n}`);
    }
    await kioku.indexed();
    for (let n = 0; n < 20; n += 1) {
      const [first] = await recallSaid(kioku.api, session, { query: `walrus${n}` });
      expect(first?.content).toBe(`Statement walrus${n}`);
    }
  });

  it("is found once, however often it was sent", async () => {
    const { id: session } = await newSession(kioku.api);
    const message = { id: "m1", role: "user", content: "Send the walrus home" };
    for (let n = 0; n < 3; n += 1) await say(kioku.api, session, [message]);
    expect(ids(await recallSaid(kioku.api, session, { query: "walrus" }))).toEqual(["m1"]);
  });

  it("is found after its session was closed, and not after it was erased", async () => {
    const agent_id = fresh("agent");
    const { id: session } = await newSession(kioku.api, { agent_id });
    await converse(session, "The walrus went home");
    bodyOf(await kioku.api.post(`/v1/sessions/${session}/close`), 200);
    expect(await recallSaid(kioku.api, session, { query: "walrus" })).toHaveLength(1);
    expect(await recallIn(kioku.api, { agent_id, query: "walrus" })).toHaveLength(1);
    bodyOf(await kioku.api.delete(`/v1/sessions/${session}`), 200);
    for (const mode of ["text", "semantic", "hybrid"])
      expect(await recallIn(kioku.api, { agent_id, query: "walrus", mode })).toEqual([]);
  });

  it("is found by since and until, which read its own timestamp", async () => {
    const { id: session } = await newSession(kioku.api);
    const at = (year: number) => ({
      role: "user",
      content: `Walrus of ${year}`,
      timestamp: `${year}-06-01T00:00:00Z`,
    });
    await say(kioku.api, session, [2022, 2023, 2024].map(at));
    for (const mode of ["text", "semantic", "hybrid"]) {
      const found = async (more: Fields) =>
        contents(await recallSaid(kioku.api, session, { query: "walrus", mode, ...more })).sort();
      expect(await found({ since: "2023-01-01T00:00:00Z" })).toEqual(["Walrus of 2023", "Walrus of 2024"]);
      expect(await found({ until: "2022-06-01T00:00:00Z" })).toEqual(["Walrus of 2022"]);
      expect(await found({ since: "2022-12-31T00:00:00Z", until: "2023-12-31T00:00:00Z" })).toEqual([
        "Walrus of 2023",
      ]);
    }
  });

  it("counts towards the limit: 10 unless told", async () => {
    const { id: session } = await newSession(kioku.api);
    await converse(session, ...Array.from({ length: 60 }, (_, n) => `Walrus number ${n}`));
    for (const query of [{}, { query: "walrus" }]) {
      expect(await recallSaid(kioku.api, session, query)).toHaveLength(10);
      for (const limit of [1, 3, 50])
        expect(await recallSaid(kioku.api, session, { ...query, limit })).toHaveLength(limit);
    }
  });
});

describe("the scope of messages", () => {
  it("reaches from the session to agent, project and tenant, soon after they were sent", async () => {
    const [agent_id, project_id, word] = [fresh("agent"), fresh("project"), newWord()];
    const sessions = {
      here: await newSession(kioku.api, { agent_id, project_id }),
      sameAgent: await newSession(kioku.api, { agent_id }),
      sameProject: await newSession(kioku.api, { project_id }),
      stranger: await newSession(kioku.api),
    };
    for (const [name, { id }] of Object.entries(sessions)) await converse(id, `${word} of ${name}`);
    const reach = async (scope: string) =>
      contents(await recallSaid(kioku.api, sessions.here.id, { scope, query: word, mode: "text" })).sort();
    const said = (...names: (keyof typeof sessions)[]) => names.map((name) => `${word} of ${name}`).sort();
    expect(await reach("session")).toEqual(said("here"));
    await soon(async () => {
      expect(await reach("agent")).toEqual(said("here", "sameAgent"));
      expect(await reach("project")).toEqual(said("here", "sameProject"));
      expect(await reach("tenant")).toEqual(said("here", "sameAgent", "sameProject", "stranger"));
    });
    expect(await recallIn(kioku.api, { agent_id, query: word })).toHaveLength(2);
    expect(await recallIn(kioku.api, { project_id, query: word })).toHaveLength(2);
    expect(await recallIn(kioku.api, { query: word })).toHaveLength(4);
  });

  it("ends at another session, agent, project and tenant, in every mode", async () => {
    const word = newWord();
    const owner = { agent_id: fresh("agent"), project_id: fresh("project") };
    const { id: session } = await newSession(kioku.api, owner);
    await converse(session, `Nobody else knows of ${word}`);
    await soon(async () => expect(await recallIn(kioku.api, { query: word })).toHaveLength(1));
    await kioku.indexed();
    const stranger = await kioku.tenant();
    const theirs = await newSession(stranger, { id: session, ...owner });
    const other = await newSession(kioku.api, { agent_id: fresh("agent"), project_id: fresh("project") });
    for (const mode of ["text", "semantic", "hybrid"]) {
      const query = `Nobody else knows of ${word}`;
      for (const scope of ["session", "agent", "project"])
        expect(await recallSaid(kioku.api, other.id, { query, mode, scope })).toEqual([]);
      for (const scope of ["session", "agent", "project", "tenant"])
        expect(await recallSaid(stranger, theirs.id, { query, mode, scope })).toEqual([]);
      expect(await recallIn(stranger, { query, mode })).toEqual([]);
    }
  });

  it("keeps two sessions with the same message ids apart", async () => {
    const agent_id = fresh("agent");
    const sessions = [await newSession(kioku.api, { agent_id }), await newSession(kioku.api, { agent_id })];
    for (const [n, { id }] of sessions.entries())
      await say(kioku.api, id, [{ id: "m1", role: "user", content: `Walrus of session ${n}` }]);
    for (const [n, { id }] of sessions.entries()) {
      const hits = await recallSaid(kioku.api, id, { query: "walrus", scope: "session" });
      expect(hits).toMatchObject([{ id: "m1", session_id: id, content: `Walrus of session ${n}` }]);
    }
    await soon(async () => {
      const hits = await recallIn(kioku.api, { agent_id, query: "walrus", mode: "hybrid" });
      expect(hits.map(({ id, session_id }) => [id, session_id]).sort()).toEqual(
        sessions.map(({ id }) => ["m1", id]).sort(),
      );
    });
    bodyOf(await kioku.api.delete(`/v1/sessions/${sessions[0]?.id}`), 200);
    const left = await recallIn(kioku.api, { agent_id, query: "walrus", mode: "hybrid" });
    expect(left.map(({ session_id }) => session_id)).toEqual([sessions[1]?.id]);
  });
});

describe("a message is found by more than its words", () => {
  it("by those of the messages around it, when it is short", async () => {
    const { id: session } = await newSession(kioku.api);
    await converse(
      session,
      "Ben: The weather is lovely today",
      "Ben: Are you still taking pottery lessons?",
      "Ada: Yes, since May!",
      "Ben: My train was late again",
    );
    for (const mode of ["text", "hybrid"]) {
      const found = contents(await recallSaid(kioku.api, session, { query: "pottery lessons", mode }));
      expect(found.slice(0, 2).sort()).toEqual(["Are you still taking pottery lessons?", "Yes, since May!"]);
    }
  });

  it("by its speaker: the one whom the question names comes first", async () => {
    const { id: session } = await newSession(kioku.api);
    await converse(
      session,
      "Caroline: I adopted a puppy from the shelter last week",
      "Melanie: I adopted a kitten from the shelter last week",
      "Caroline: Melanie, tell me more about the shelter",
    );
    for (const mode of ["text", "hybrid"]) {
      for (const name of ["Melanie", "Caroline"]) {
        const query = `Which animal did ${name} adopt from the shelter?`;
        const [first] = await recallSaid(kioku.api, session, { query, mode });
        expect(first).toMatchObject({ name, content: expect.stringContaining("adopted") });
        expect(first?.signals.speaker).toEqual(expect.any(Number));
      }
    }
  });

  it("by its month, as the question names it", async () => {
    const { id: session } = await newSession(kioku.api);
    const months = { March: "03", July: "07", November: "11" };
    await say(
      kioku.api,
      session,
      Object.entries(months).map(([id, month]) => ({
        id,
        role: "user",
        content: "We went over the budget once more",
        timestamp: `2025-${month}-12T09:00:00Z`,
      })),
    );
    for (const mode of ["text", "hybrid"]) {
      for (const month of Object.keys(months)) {
        const query = `What did we say about the budget in ${month}?`;
        const [first] = await recallSaid(kioku.api, session, { query, mode });
        expect(first?.id).toBe(month);
        expect(first?.signals.date).toEqual(expect.any(Number));
      }
    }
  });
});
