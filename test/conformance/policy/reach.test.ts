// Whose memory a turn sees: the reach of its session, and the owner that a call names for a session that does not exist yet.
import { describe, expect, it } from "vitest";
import { contents, newSession, readSession, remember } from "../support/actions";
import { fresh } from "../support/client";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { agentWith, entriesOf, note, preflight, setPolicy, systemText, takeTurn } from "./policy";

const kioku = serviceUnderTest();

const QUERIES = ["Where do I live?", "hello", ""];

/** An agent that captures turns, and two users of it who have told it where they live. */
async function agentOfTwo() {
  const api = await kioku.tenant();
  const agent_id = fresh("agent");
  await setPolicy(api, agent_id, { capture: "conversation", max_entries: 50 });
  const [ann, ben] = [`${fresh("ann")}@example.com`, fresh("auth0|ben")];
  for (const [user_id, city] of [
    [ann, "Lisbon"],
    [ben, "Oslo"],
  ] as const) {
    const { id } = await newSession(api, { user_id, agent_id, project_id: "shop" });
    await takeTurn(api, id, `I live in ${city}.`, "Noted.");
    await takeTurn(api, id, "I work as a nurse.", "Noted.");
    await remember(api, id, `The user's dentist is in ${city}`);
    await note(api, agent_id, `Written of ${city}`, { user_id });
  }
  return { api, agent_id, ann, ben };
}

describe("two users of one agent", () => {
  it("never see each other's memory, found or filled up", async () => {
    const { api, agent_id, ann, ben } = await agentOfTwo();
    for (const [user_id, own, other] of [
      [ann, "Lisbon", "Oslo"],
      [ben, "Oslo", "Lisbon"],
    ] as const) {
      const { id } = await newSession(api, { user_id, agent_id, project_id: "shop" });
      for (const input of QUERIES) {
        const ready = await preflight(api, id, { input });
        expect(JSON.stringify(ready)).not.toContain(other);
        expect(contents(ready.memory.entries).sort()).toEqual(
          [
            `User: I live in ${own}.\nAssistant: Noted.`,
            "User: I work as a nurse.\nAssistant: Noted.",
            `The user's dentist is in ${own}`,
            `Written of ${own}`,
          ].sort(),
        );
        expect(new Set(ready.memory.entries.map((entry) => entry.user_id))).toEqual(new Set([user_id]));
        expect(ready.memory).toMatchObject({ namespace: `user:${user_id}`, reach: "user" });
      }
    }
    // The agent's namespace still lists them all.
    expect(await entriesOf(api, `agent:${agent_id}`)).toHaveLength(8);
  });

  it("get nothing of each other when they have nothing of their own, and are told what to do", async () => {
    const { api, agent_id } = await agentOfTwo();
    const user_id = fresh("cem");
    const { id } = await newSession(api, { user_id, agent_id });
    for (const input of QUERIES) {
      const { memory } = await preflight(api, id, { input });
      expect(memory.entries).toEqual([]);
      expect(memory.hint).toContain(`user:${user_id}`);
    }
    await setPolicy(api, agent_id, { scope: "session" });
    const { memory } = await preflight(api, id);
    expect(memory.entries).toEqual([]);
    expect(memory.hint).not.toContain("other sessions");
  });

  it("see each other where the reach is wider, or a namespace is shared on purpose", async () => {
    const { api, agent_id, ann } = await agentOfTwo();
    for (const reach of ["agent", "project", "tenant"]) {
      const { id } = await newSession(api, { user_id: ann, agent_id, project_id: "shop", reach });
      const ready = await preflight(api, id, { input: "Where do I live?" });
      expect(ready.memory.reach).toBe(reach);
      expect(systemText(ready)).toContain("Lisbon");
      expect(systemText(ready)).toContain("Oslo");
    }
    const { id } = await newSession(api, { user_id: ann, agent_id, policy: { namespace: "team" } });
    await note(api, agent_id, "Of the team", { namespace: "team" });
    const { memory } = await preflight(api, id);
    expect(memory).toMatchObject({ namespace: "team", reach: null });
    expect(contents(memory.entries)).toEqual(["Of the team"]);
  });

  it("are told apart by the call alone, in a session without a user", async () => {
    const { api, agent_id, ann } = await agentOfTwo();
    const { id } = await newSession(api, { agent_id });
    const { memory } = await preflight(api, id, { user_id: ann });
    expect(memory).toMatchObject({ namespace: `user:${ann}`, reach: "user" });
    expect(JSON.stringify(memory.entries)).not.toContain("Oslo");
  });

  it("have a turn each, though they say the same", async () => {
    const { api, agent_id } = await agentOfTwo();
    const users = [fresh("dan"), fresh("eve")];
    const ids = [];
    for (const user_id of users) {
      const { id } = await newSession(api, { user_id, agent_id });
      ids.push((await takeTurn(api, id, "My favourite tea is oolong.", "Noted.")).entry_id);
      const { memory } = await preflight(api, id);
      expect(memory.entries).toMatchObject([{ id: ids.at(-1), user_id }]);
    }
    expect(new Set(ids).size).toBe(2);
  });
});

describe("the reach of a session", () => {
  it("is its project without a user and an agent, and itself without any owner", async () => {
    const api = await kioku.tenant();
    const project_id = fresh("project");
    const [one, two] = [await newSession(api, { project_id }), await newSession(api, { project_id })];
    await remember(api, one.id, "The project ships on Fridays");
    expect((await preflight(api, two.id)).memory).toMatchObject({
      namespace: `project:${project_id}`,
      reach: "project",
      entries: [{ content: "The project ships on Fridays", namespace: expect.any(String) }],
    });
    const [own, other] = [await newSession(api), await newSession(api)];
    await remember(api, own.id, "Only said here");
    expect((await preflight(api, own.id)).memory).toMatchObject({
      namespace: `session:${own.id}`,
      reach: "session",
      entries: [{ content: "Only said here", namespace: `session:${own.id}` }],
    });
    const { memory } = await preflight(api, other.id);
    expect(memory.entries).toEqual([]);
    expect(memory.hint).toMatch(/user_id, agent_id or project_id/);
  });

  it("holds what a user without an agent said, too", async () => {
    const api = await kioku.tenant();
    const user_id = fresh("ann");
    const policy = { capture: "conversation" };
    const { id } = await newSession(api, { user_id, policy });
    const { entry_id } = await takeTurn(api, id, "I live in Lisbon.", "Noted.");
    const next = await newSession(api, { user_id });
    expect((await preflight(api, next.id)).memory.entries).toMatchObject([
      { id: entry_id, namespace: `user:${user_id}`, user_id, agent_id: null, source: "conversation" },
    ]);
  });

  it("may be the session alone, whoever its owner is", async () => {
    const { api, agent_id, ann } = await agentOfTwo();
    const { id } = await newSession(api, { user_id: ann, agent_id, reach: "session" });
    expect((await preflight(api, id)).memory).toMatchObject({ reach: "session", entries: [] });
  });
});

describe("a session that does not exist yet", () => {
  it("gets what the owner in the call knows, and is not made by that", async () => {
    const { api, agent_id, ann } = await agentOfTwo();
    const session = fresh("new");
    for (const input of QUERIES) {
      const ready = await preflight(api, session, { input, user_id: ann, agent_id });
      expect(systemText(ready)).toContain("Lisbon");
      expect(JSON.stringify(ready)).not.toContain("Oslo");
    }
    expect((await preflight(api, session, { agent_id })).memory).toMatchObject({ reach: "agent" });
    const { memory } = await preflight(api, session, { project_id: "shop" });
    expect(memory).toMatchObject({ namespace: "project:shop", reach: "project" });
    expect(memory.entries.length).toBeGreaterThan(0);
    expectProblem(await api.get(`/v1/sessions/${session}`), "not_found");
  });

  it("gets nothing without an owner, and the hint says what to give", async () => {
    const { api } = await agentOfTwo();
    const { messages, memory } = await preflight(api, fresh("new"), { instructions: "Be terse." });
    expect(messages).toEqual([
      { role: "system", content: "Be terse." },
      { role: "user", content: "hello" },
    ]);
    expect(memory).toMatchObject({
      entries: [],
      hint: expect.stringMatching(/user_id, agent_id or project_id/),
    });
  });

  it("is made by its first turn, for the owner that the turn names", async () => {
    const { api, agent_id, ann } = await agentOfTwo();
    const session = fresh("new");
    const owner = { user_id: ann, agent_id, project_id: "shop" };
    const { entry_id } = await takeTurn(api, session, "My cat is called Mia.", "Lovely.", owner);
    expect(await readSession(api, session)).toMatchObject({ ...owner, reach: "user" });
    const next = await preflight(api, fresh("next"), { input: "What is my cat called?", ...owner });
    expect(next.memory.entries[0]).toMatchObject({ id: entry_id, user_id: ann, session_id: session });
  });
});

describe("the owner that a call names", () => {
  it.each(["user_id", "agent_id", "project_id"])("must be the session's: %s", async (field) => {
    const { session, agent } = await agentWith(kioku.api);
    const owner = { user_id: fresh("ann"), agent_id: agent, project_id: fresh("shop") };
    const { id } = await newSession(kioku.api, owner);
    expect(session).not.toBe(id);
    await preflight(kioku.api, id, owner);
    const wrong = { ...owner, [field]: "another" };
    const call = async (path: string, body: object) =>
      expectProblem(await kioku.api.post(`/v1/sessions/${id}/${path}`, body), "invalid_request", field);
    await call("preflight", { input: "hello", ...wrong });
    await call("turns", { input: "Hi", output: "Hello", ...wrong });
  });
});
