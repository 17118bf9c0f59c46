// Who sees which entry: tenants, agents, sessions and namespaces in every combination, against a model of it.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { scaleCases } from "../../patience";
import { contents, newSession, remember } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Entry } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { entriesOf, note, preflight, setPolicy, takeTurn } from "./policy";

const kioku = serviceUnderTest();

type Scope = "agent" | "session";
/** Whose call it is: an agent with a policy, in a session. */
type Place = {
  agent: string;
  session: string;
  scope: Scope;
  /** A namespace of its own, and whether the policy names it or the call's context. */
  namespace: string | null;
  by: "policy" | "context";
};
type Written = Place & { content: string };

/** More than anybody writes here, so that what is not recalled is not seen. */
const ALL = 50;
const KEY = "customer";

function baseOf({ namespace, agent }: Place): string {
  return namespace ?? `agent:${agent}`;
}

function nameOf(place: Place): string {
  return place.scope === "agent" ? baseOf(place) : `${baseOf(place)}:session:${place.session}`;
}

/** The model: the same namespace, and with session scope the same session. */
function sees(reader: Place, entry: Written): boolean {
  if (baseOf(reader) !== baseOf(entry)) return false;
  return reader.scope === "agent" || nameOf(reader) === nameOf(entry);
}

function listed(name: string, entry: Written): boolean {
  return nameOf(entry) === name || baseOf(entry) === name;
}

function policyOf({ scope, namespace, by }: Place): Record<string, unknown> {
  const own = by === "context" ? { context: KEY } : namespace;
  return {
    scope,
    max_entries: ALL,
    capture: "conversation",
    ...(namespace === null ? {} : { namespace: own }),
  };
}

function contextOf({ namespace, by }: Place): Record<string, unknown> {
  // A context that a policy does not ask for changes nothing.
  return { context: by === "context" && namespace !== null ? { [KEY]: namespace } : { [KEY]: "elsewhere" } };
}

async function write(api: Client, entry: Written): Promise<Entry> {
  await setPolicy(api, entry.agent, policyOf(entry));
  return note(api, entry.agent, entry.content, { session_id: entry.session, ...contextOf(entry) });
}

/** What a turn at this place would be told. */
async function told(api: Client, reader: Place): Promise<string[]> {
  await setPolicy(api, reader.agent, policyOf(reader));
  const { memory } = await preflight(api, reader.session, { agent_id: reader.agent, ...contextOf(reader) });
  expect(memory.namespace).toBe(nameOf(reader));
  return contents(memory.entries).sort();
}

function every<T, U>(items: readonly T[], work: (item: T) => U[]): U[] {
  return items.flatMap(work);
}

describe("two tenants, two agents, two sessions, every policy", () => {
  const [agents, sessions] = [
    [fresh("agent"), fresh("agent")],
    [fresh("session"), fresh("session")],
  ];
  const owns: Pick<Place, "namespace" | "by">[] = [
    { namespace: null, by: "policy" },
    { namespace: "team", by: "policy" },
    { namespace: "acme", by: "context" },
    { namespace: "globex", by: "context" },
    { namespace: "team", by: "context" },
  ];
  const places: Place[] = every(agents, (agent) =>
    every(sessions, (session) =>
      every(["agent", "session"] as const, (scope) => owns.map((own) => ({ agent, session, scope, ...own }))),
    ),
  );
  const tenants: { api: Client; written: Written[]; entries: Entry[] }[] = [];

  beforeAll(async () => {
    for (const name of ["one", "two"]) {
      const written = places.map((place, n) => ({ ...place, content: `Entry ${n} of tenant ${name}` }));
      const api = await kioku.tenant();
      for (const id of sessions) await newSession(api, { id });
      tenants.push({ api, written, entries: [] });
    }
    // In turns, so that what one tenant does could disturb the other.
    for (const n of places.keys()) {
      for (const { api, written, entries } of tenants) {
        const entry = written[n];
        if (entry) entries.push(await write(api, entry));
      }
    }
  });

  it("every entry says where it was written", () => {
    for (const { written, entries } of tenants) {
      expect(
        entries.map(({ namespace, agent_id, session_id, content }) => ({
          ...{ namespace, agent_id, session_id, content },
        })),
      ).toEqual(
        written.map((entry) => ({
          namespace: nameOf(entry),
          agent_id: entry.agent,
          session_id: entry.session,
          content: entry.content,
        })),
      );
    }
  });

  it("every place is told what is its own, and nothing else", async () => {
    for (const { api, written } of tenants) {
      for (const reader of places) {
        const own = contents(written.filter((entry) => sees(reader, entry))).sort();
        expect(own.length).toBeGreaterThan(0);
        expect(await told(api, reader), JSON.stringify(reader)).toEqual(own);
      }
    }
  });

  it("every namespace lists what is its own: an agent's with its sessions, a session's without the agent's", async () => {
    const names = [...new Set(every(places, (place) => [nameOf(place), baseOf(place)]))];
    expect(names).toHaveLength((2 + 3) * 3);
    for (const { api, written } of tenants) {
      for (const name of names) {
        const own = contents(written.filter((entry) => listed(name, entry))).sort();
        expect(contents(await entriesOf(api, name)).sort(), name).toEqual(own);
      }
    }
  });

  it("an input that names what is elsewhere does not fetch it", async () => {
    const [one] = tenants;
    const [reader] = places;
    if (!one || !reader) throw new Error("there is a tenant and a place");
    await setPolicy(one.api, reader.agent, policyOf(reader));
    for (const entry of one.written.filter((other) => !sees(reader, other))) {
      const body = {
        input: `${entry.content} ${nameOf(entry)}`,
        agent_id: reader.agent,
        ...contextOf(reader),
      };
      const { memory } = await preflight(one.api, reader.session, body);
      expect(contents(memory.entries)).not.toContain(entry.content);
    }
  });
});

describe("names that nearly match", () => {
  // Each of these matches another as a prefix, without case, or as a pattern of SQL.
  const agents = ["a_b", "axb", "a_b2", "A_B", "a-b", "a"];
  const sessions = ["s_1", "sx1", "s_10", "S_1"];
  const names = [null, null, "team", "Team", "te_m", "team2", "team:x", "a_b", "agents", "session:s_1"];
  const place = fc.record({
    agent: fc.constantFrom(...agents),
    session: fc.constantFrom(...sessions),
    scope: fc.constantFrom<Scope>("agent", "session"),
    namespace: fc.constantFrom(...names),
    by: fc.constantFrom<Place["by"]>("policy", "context"),
  });
  const way = fc.constantFrom("entry", "turn");

  it("are never mistaken, in whatever order they are written and read", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, way), { minLength: 2, maxLength: 10 }),
        fc.array(place, { minLength: 2, maxLength: 6 }),
        async (writes, readers) => {
          const api = await kioku.tenant();
          for (const id of sessions) await newSession(api, { id });
          const written: Written[] = [];
          for (const [n, [at, how]] of writes.entries()) {
            // Lasting, so that preflight gives it without a question about it.
            const input = `My badge number is ${n}.`;
            const entry = { ...at, content: `User: ${input}\nAssistant: answer ${n}` };
            if (how === "entry") await write(api, entry);
            else {
              await setPolicy(api, at.agent, policyOf(at));
              const more = { agent_id: at.agent, ...contextOf(at) };
              await takeTurn(api, at.session, input, `answer ${n}`, more);
            }
            written.push(entry);
          }
          for (const reader of [...readers, ...written]) {
            const own = contents(written.filter((entry) => sees(reader, entry))).sort();
            expect(await told(api, reader)).toEqual(own);
            expect(contents(await entriesOf(api, nameOf(reader))).sort()).toEqual(
              contents(written.filter((entry) => listed(nameOf(reader), entry))).sort(),
            );
          }
        },
      ),
      { numRuns: scaleCases(25) },
    );
  });
});

describe("a namespace of one's own", () => {
  it("is shared by the agents of a tenant, and with nobody else's", async () => {
    const [api, stranger] = [await kioku.tenant(), await kioku.tenant()];
    for (const client of [api, stranger])
      for (const agent of ["scribe", "guide"]) await setPolicy(client, agent, { namespace: "team" });
    const [one, two] = [await note(api, "scribe", "Of the scribe"), await note(api, "guide", "Of the guide")];
    for (const agent_id of ["scribe", "guide"]) {
      const { memory } = await preflight(api, fresh("session"), { agent_id });
      expect(contents(memory.entries).sort()).toEqual(["Of the guide", "Of the scribe"]);
      expect((await preflight(stranger, fresh("session"), { agent_id })).memory.entries).toEqual([]);
    }
    expect((await entriesOf(api, "team")).map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
    expect(await entriesOf(stranger, "team")).toEqual([]);
  });

  it("may be given with an entry, in place of the policy's", async () => {
    const [api, agent] = [await kioku.tenant(), fresh("agent")];
    await setPolicy(api, agent, { namespace: "team" });
    expect(await note(api, agent, "Elsewhere", { namespace: "library" })).toMatchObject({
      namespace: "library",
    });
    const given = { namespace: { context: "shelf" }, context: { shelf: "poems" } };
    expect(await note(api, agent, "On a shelf", given)).toMatchObject({ namespace: "poems" });
    expect(contents(await entriesOf(api, "library"))).toEqual(["Elsewhere"]);
    expect(contents(await entriesOf(api, "poems"))).toEqual(["On a shelf"]);
    expect(await entriesOf(api, "team")).toEqual([]);
    expect((await preflight(api, fresh("session"), { agent_id: agent })).memory.entries).toEqual([]);
  });

  it("is closed: no wider recall, prompt or tool call shows what is in it", async () => {
    const [api, agent_id, project_id] = [await kioku.tenant(), fresh("agent"), fresh("project")];
    await setPolicy(api, agent_id, { namespace: { context: KEY }, capture: "conversation" });
    const [acme, globex] = [
      await newSession(api, { agent_id, project_id }),
      await newSession(api, { agent_id, project_id }),
    ];
    await takeTurn(api, acme.id, "The vault code?", "It is swordfish", { context: { [KEY]: "acme" } });
    await note(api, agent_id, "The vault is swordfish green", { context: { [KEY]: "acme" } });
    const [query, at] = ["vault swordfish", `/v1/sessions/${globex.id}`];
    const input = { query, scope: "agent" };
    const asked: [string, Record<string, unknown>][] = [
      [`${at}/assemble`, { query }],
      [`${at}/preflight`, { input: query, context: { [KEY]: "globex" } }],
      [
        "/v1/tools/execute",
        { session_id: globex.id, call: { type: "tool_use", id: "c1", name: "recall", input } },
      ],
    ];
    for (const scope of ["session", "agent", "project", "tenant"])
      asked.push([`${at}/recall`, { query, scope, min_confidence: 0 }]);
    for (const by of [{ agent_id }, { project_id }, {}]) asked.push(["/v1/recall", { query, ...by }]);
    for (const [path, body] of asked) {
      const answer = await api.post(path, body);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text, `${path} ${JSON.stringify(body)}`).not.toMatch(/It is swordfish|swordfish green/);
    }
    expect(await entriesOf(api, "acme")).toHaveLength(2);
  });

  it("keeps the agent's other memories out, and its own out of the agent's", async () => {
    const [api, agent] = [await kioku.tenant(), fresh("agent")];
    const { id } = await newSession(api, { agent_id: agent });
    await remember(api, id, "Remembered by the agent");
    await note(api, agent, "Of the team", { namespace: "team" });
    expect(contents((await preflight(api, id)).memory.entries)).toEqual(["Remembered by the agent"]);
    expect(contents(await entriesOf(api, `agent:${agent}`))).toEqual(["Remembered by the agent"]);
    await setPolicy(api, agent, { namespace: "team" });
    expect(contents((await preflight(api, id)).memory.entries)).toEqual(["Of the team"]);
  });
});

describe("session scope", () => {
  it("without a session is an error that names it, and not an empty answer", async () => {
    const agent = fresh("agent");
    for (const policy of [{ scope: "session" }, { scope: "session", namespace: "team" }]) {
      await setPolicy(kioku.api, agent, policy);
      const answer = await kioku.api.post("/v1/entries", { agent_id: agent, content: "Whose?" });
      expectProblem(answer, "invalid_request", "session_id");
    }
    for (const name of [`agent:${agent}`, "team"]) expect(await entriesOf(kioku.api, name)).toEqual([]);
  });

  it("gives what the agent remembered in the session, and not what it did elsewhere", async () => {
    const agent_id = fresh("agent");
    const [here, there] = [
      await newSession(kioku.api, { agent_id }),
      await newSession(kioku.api, { agent_id }),
    ];
    await setPolicy(kioku.api, agent_id, { scope: "session" });
    await remember(kioku.api, here.id, "Remembered here");
    await remember(kioku.api, there.id, "Remembered there");
    bodyOf(await kioku.api.post("/v1/remember", { agent_id, content: "Remembered nowhere" }), 201);
    expect(contents((await preflight(kioku.api, here.id)).memory.entries)).toEqual(["Remembered here"]);
    expect(contents(await entriesOf(kioku.api, `agent:${agent_id}:session:${here.id}`))).toEqual([
      "Remembered here",
    ]);
    await setPolicy(kioku.api, agent_id, { scope: "agent" });
    expect((await preflight(kioku.api, here.id)).memory.entries).toHaveLength(3);
  });
});
