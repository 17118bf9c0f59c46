// What every memory store must do, whatever it is made of. A new one is given to `describeStore` in stores.test.ts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseContent } from "../../../src/language/normalise-text";
import type { MetadataFilter } from "../../../src/memories/memory-fields";
import {
  createNamespace,
  type ResolvedNamespace,
  type SearchTarget,
} from "../../../src/memories/store/namespace";
import type { EntryPageQuery, EntryStore, EntryWrite } from "../../../src/policy/entry-store";
import type { Entry, RecalledEntry } from "../../../src/policy/policy-schemas";
import { scaleCases } from "../../patience";
import { freshId } from "../support";

/** The store of a tenant, at the suite's clock. Opened twice, it holds the same. */
export type OpenStore = (tenant: string, now: () => number) => EntryStore;

type Who = { agent: string; session: string };

/** The four kinds of namespaces. */
const ofAgent = ({ agent }: Pick<Who, "agent">) => createNamespace(`agent:${agent}`, null, agent);
const ofSession = ({ agent, session }: Who) => createNamespace(`agent:${agent}`, session, agent);
const shared = (name: string) => createNamespace(name, null, null);
const sharedInSession = (name: string, session: string) => createNamespace(name, session, null);

const contents = (entries: readonly Entry[]) => entries.map(({ content }) => content);
const sorted = (entries: readonly Entry[]) => contents(entries).toSorted();

export function describeStore(name: string, open: OpenStore): void {
  function setUp() {
    const clock = { now: Date.parse("2026-03-01T12:00:00.000Z") };
    const now = () => clock.now;
    const [me, you] = [freshId("tenant"), freshId("tenant")];

    const on = (tenant: string) => {
      const store = open(tenant, now);
      return {
        store,
        /** A minute later than whatever came before. */
        write(namespace: ResolvedNamespace | null, content: string, more: Partial<EntryWrite> = {}) {
          clock.now += 60_000;
          const { session_id = null, agent_id = null } = namespace ?? {};
          const metadata = {};
          const source = "manual";
          const op = freshId("op");
          return store.write({ namespace, agent_id, session_id, content, metadata, source, op, ...more });
        },
        recall: (namespace: ResolvedNamespace, query: string, limit = 10) =>
          store.recall({ scope: { kind: "namespace", ...namespace }, query, limit }),
        search: (scope: SearchTarget, query: string, limit = 10) => store.recall({ scope, query, limit }),
        list: (namespace: ResolvedNamespace, limit = 100) =>
          store.list_entries({ namespace, limit, after: null }),
      };
    };

    return {
      clock,
      on,
      other: on(you),
      agent: ofAgent({ agent: freshId("agent") }),
      tenant: me,
      ...on(me),
    };
  }

  describe(`${name}: entries`, () => {
    it("that are written are recalled and listed as they were written", async () => {
      const { write, recall, list, agent, clock } = setUp();
      const { entry, created } = await write(agent, "The user prefers the name Alex", {
        metadata: { kind: "preference", weight: 0.5, tags: ["a", null, { deep: true }] },
      });
      expect(created).toBe(true);
      expect(entry).toEqual({
        id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
        namespace: agent.name,
        user_id: null,
        agent_id: agent.agent_id,
        session_id: null,
        content: "The user prefers the name Alex",
        metadata: { kind: "preference", weight: 0.5, tags: ["a", null, { deep: true }] },
        source: "manual",
        lasting: true,
        created_at: new Date(clock.now).toISOString(),
      });
      expect(await list(agent)).toEqual([entry]);
      expect(await recall(agent, "Which name?")).toEqual([
        {
          ...entry,
          score: expect.any(Number),
          signals: expect.objectContaining({ mode: expect.any(String) }),
        },
      ]);
    });

    it("say whether they were captured or written by hand", async () => {
      const { write, list, recall, agent } = setUp();
      await write(agent, "User: hi\nAssistant: Hello!", { source: "conversation" });
      await write(agent, "By hand", { source: "manual" });
      expect((await list(agent)).map(({ source }) => source)).toEqual(["manual", "conversation"]);
      expect((await recall(agent, "hello")).map(({ source }) => source)).toEqual(["conversation", "manual"]);
    });

    it("may be in any script, and hold any character", async () => {
      const { write, recall, list, agent } = setUp();
      const texts = [
        "東京タワーは赤い",
        "Здравствуй, дивный мир",
        "crème brûlée 👩‍👩‍👧",
        `'; DROP TABLE memories; -- "NEAR(x) * ^`,
        "two\nlines\tand a tab \\ \u2028",
      ];
      for (const content of texts) await write(agent, content, { metadata: { [content]: content } });
      const listed = await list(agent);
      expect(sorted(listed)).toEqual(texts.toSorted());
      for (const { content, metadata } of listed) expect(metadata).toEqual({ [content]: content });
      expect(contents(await recall(agent, "дивный", 1))).toEqual(["Здравствуй, дивный мир"]);
      expect(contents(await recall(agent, "東京", 1))).toEqual(["東京タワーは赤い"]);
    });

    it("with the same content are one, with what was said of it first", async () => {
      const { write, list, recall, agent } = setUp();
      const first = await write(agent, "Tea at four", { metadata: { by: "hand" } });
      const again = await write(agent, " tea  at FOUR.", {
        metadata: { by: "turn" },
        source: "conversation",
      });
      expect(again).toEqual({ entry: first.entry, created: false });
      expect(await list(agent)).toEqual([first.entry]);
      expect(await recall(agent, "tea")).toHaveLength(1);
    });

    it("with the same content keep what was only said the second time", async () => {
      const { write, list, agent } = setUp();
      const first = await write(agent, "Tea at four");
      await write(agent, "Tea at four", { metadata: { by: "hand" } });
      expect(await list(agent)).toEqual([{ ...first.entry, metadata: { by: "hand" } }]);
    });

    it.each([
      ["outside sessions", null],
      ["in a session", "s1"],
    ])("of the same operation are written once, %s", async (_where, session) => {
      const { write, list, agent } = setUp();
      const once = { op: freshId("op"), session_id: session };
      const first = await write(agent, "Tea at four", once);
      expect(await write(agent, "Tea at four", once)).toEqual(first);
      expect(await write(agent, "Another cup", once)).toEqual(first);
      expect(await list(agent)).toEqual([first.entry]);
    });

    it("of the same operation are one when they come at once", async () => {
      const { write, list, agent } = setUp();
      const op = freshId("op");
      const all = await Promise.all([1, 2, 3].map(() => write(agent, "Tea at four", { op })));
      expect(new Set(all.map(({ entry }) => entry.id)).size).toBe(1);
      expect(await list(agent)).toHaveLength(1);
    });

    it("belong to whoever opens the store again", async () => {
      const { write, on, tenant, agent } = setUp();
      const { entry } = await write(agent, "Tea at four");
      expect(await on(tenant).list(agent)).toEqual([entry]);
    });
  });

  describe(`${name}: recall`, () => {
    it("of a namespace that holds nothing is empty, and no error", async () => {
      const { recall, list, agent } = setUp();
      for (const namespace of [agent, shared("nobody"), sharedInSession("nobody", "s1")]) {
        expect(await recall(namespace, "anything")).toEqual([]);
        expect(await list(namespace)).toEqual([]);
      }
    });

    it("gives what matches best first, whatever is newer", async () => {
      const { write, recall, agent } = setUp();
      await write(agent, "The amber lantern hangs at the harbour");
      await write(agent, "The harbour opens at nine");
      await write(agent, "Invoices are due in thirty days");
      const found = await recall(agent, "amber lantern harbour");
      expect(contents(found)).toEqual([
        "The amber lantern hangs at the harbour",
        "The harbour opens at nine",
        "Invoices are due in thirty days",
      ]);
      const [best, next] = found;
      expect(best?.score).toBeGreaterThan(next?.score ?? Number.POSITIVE_INFINITY);
    });

    it("is not filled up with entries that are not lasting, which are found by the input", async () => {
      const { write, recall, list, agent } = setUp();
      await write(agent, "Likes tea");
      const { entry } = await write(agent, "User: hello\nAssistant: Hi!", {
        source: "conversation",
        lasting: false,
      });
      expect(entry).toMatchObject({ lasting: false });
      expect((await list(agent)).map(({ lasting }) => lasting)).toEqual([false, true]);
      expect(contents(await recall(agent, ""))).toEqual(["Likes tea"]);
      expect(contents(await recall(agent, "hello"))).toEqual(["User: hello\nAssistant: Hi!", "Likes tea"]);
    });

    it("is filled up with the newest, which have no score", async () => {
      const { write, recall, agent } = setUp();
      await write(agent, "Amber");
      for (const word of ["one", "two", "three", "four"]) await write(agent, `Number ${word}`);
      const filled: Partial<RecalledEntry> = { score: null, signals: null };
      expect(await recall(agent, "amber", 3)).toMatchObject([
        { content: "Amber", score: expect.any(Number) },
        { content: "Number four", ...filled },
        { content: "Number three", ...filled },
      ]);
    });

    it.each([
      "hello",
      "",
      " ",
      "?!",
      "🙂",
    ])("of what nothing matches gives the newest: %j", async (greeting) => {
      const { write, recall, agent } = setUp();
      for (const content of ["Oats are in the barn", "Ponies eat oats", "Saddles need oil"])
        await write(agent, content);
      expect(contents(await recall(agent, greeting, 2))).toEqual(["Saddles need oil", "Ponies eat oats"]);
    });

    it("gives no more than it is asked for, and nothing twice", async () => {
      const { write, recall, agent } = setUp();
      for (let i = 1; i <= 8; i += 1) await write(agent, `${i % 2 ? "Amber" : "Violet"} ${i}`);
      for (const limit of [1, 3, 4, 6, 8, 50]) {
        const found = await recall(agent, "amber", limit);
        expect(found).toHaveLength(Math.min(limit, 8));
        expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
        const matching = contents(found).map((content) => content.startsWith("Amber"));
        expect(matching).toEqual(found.map((_, i) => i < 4));
      }
    });

    it("gives once what was said in two sessions", async () => {
      const { write, recall, list, agent } = setUp();
      const { agent_id } = agent;
      for (const session of ["s1", "s2"])
        await write(ofSession({ agent: agent_id ?? "", session }), "Tea at four");
      await write(agent, "Cake at five");
      expect(sorted(await recall(agent, "tea"))).toEqual(["Cake at five", "Tea at four"]);
      expect(sorted(await list(agent))).toEqual(["Cake at five", "Tea at four", "Tea at four"]);
    });
  });

  describe(`${name}: lists`, () => {
    it("are newest first, and come page by page without a gap or a repetition", async () => {
      const { write, store, list, agent, clock } = setUp();
      const written: string[] = [];
      for (let i = 0; i < 7; i += 1) {
        // Three of them at the very same time.
        if (i > 2 && i < 5) clock.now -= 60_000;
        written.push((await write(agent, `Number ${i}`)).entry.id);
      }
      const all = await list(agent);
      expect(all.map(({ id }) => id).toSorted()).toEqual(written.toSorted());
      const times = all.map(({ created_at }) => created_at);
      expect(times).toEqual(times.toSorted().toReversed());
      for (const limit of [1, 2, 3, 7]) {
        const pages: Entry[] = [];
        for (;;) {
          const after = pages.at(-1) ?? null;
          const page = await store.list_entries({ namespace: agent, limit, after });
          if (page.length === 0) break;
          expect(page.length).toBeLessThanOrEqual(limit);
          pages.push(...page);
        }
        expect(pages).toEqual(all);
      }
    });

    it("are of all namespaces and of none, unless one is named; or of one user, agent or session", async () => {
      const { write, store, agent, other } = setUp();
      const { agent_id } = agent;
      const session_id = freshId("s");
      await write(agent, "One", { user_id: "ann" });
      await write(ofSession({ agent: agent_id ?? "", session: session_id }), "Two");
      await write(shared("team"), "Three");
      await write(null, "Four", { session_id: freshId("s") });
      await other.write(shared("team"), "Five");
      const all = (narrowing: Partial<EntryPageQuery> = {}) =>
        store.list_entries({ namespace: null, limit: 10, after: null, ...narrowing });
      expect(contents(await all())).toEqual(["Four", "Three", "Two", "One"]);
      expect(contents(await all({ user_id: "ann" }))).toEqual(["One"]);
      expect(contents(await all({ agent_id }))).toEqual(["Two", "One"]);
      expect(contents(await all({ session_id }))).toEqual(["Two"]);
      expect(contents(await all({ namespace: agent, user_id: "ann" }))).toEqual(["One"]);
    });

    it("go on where they were when something is written in between", async () => {
      const { write, store, agent } = setUp();
      for (const content of ["one", "two", "three"]) await write(agent, content);
      const [first] = await store.list_entries({ namespace: agent, limit: 1, after: null });
      await write(agent, "four");
      const rest = await store.list_entries({ namespace: agent, limit: 10, after: first ?? null });
      expect(contents(rest)).toEqual(["two", "one"]);
    });
  });

  describe(`${name}: filters`, () => {
    it("narrow recall and lists by source and metadata, alike", async () => {
      const { write, store, agent } = setUp();
      await write(agent, "Amber one", { metadata: { kind: "fact", n: 1, tags: ["a", "b"], open: true } });
      await write(agent, "Amber two", { metadata: { kind: "preference", n: 2, nested: { n: 2 } } });
      await write(agent, "Amber three", { source: "conversation" });
      const scope = { kind: "namespace", ...agent } as const;
      const cases: [MetadataFilter, string[]][] = [
        [{}, ["Amber one", "Amber three", "Amber two"]],
        [{ source: "manual" }, ["Amber one", "Amber two"]],
        [{ source: { $nin: ["manual"] } }, ["Amber three"]],
        [{ "metadata.kind": "fact" }, ["Amber one"]],
        [{ "metadata.kind": { $ne: "fact" } }, ["Amber three", "Amber two"]],
        [{ "metadata.n": { $gte: 2 } }, ["Amber two"]],
        [{ "metadata.n": "2" }, []],
        [{ "metadata.nested": '{"n":2}' }, []],
        [{ "metadata.tags": { $in: ["b", "c"] }, "metadata.open": true }, ["Amber one"]],
      ];
      for (const [filter, expected] of cases) {
        expect(
          sorted(await store.list_entries({ namespace: agent, filter, limit: 10, after: null })),
        ).toEqual(expected);
        for (const query of ["amber", ""])
          expect(sorted(await store.recall({ scope, query, filter, limit: 10 }))).toEqual(expected);
      }
    });

    it("leave out the newest if they are not to fill up", async () => {
      const { write, store, agent } = setUp();
      await write(agent, "The lantern is amber");
      await write(agent, "Saddles need oil");
      const scope = { kind: "namespace", ...agent } as const;
      const only = await store.recall({ scope, query: "amber lantern", limit: 10, fill: false });
      expect(contents(only)).toEqual(["The lantern is amber"]);
    });
  });

  describe(`${name}: long turns`, () => {
    it("are one entry, whole, however long", async () => {
      const { write, recall, list, agent, clock } = setUp();
      const content = `User: ${"The valley has many farms. ".repeat(200)}\nAssistant: zanzibar ${"x".repeat(5_000)}`;
      const turn = { source: "conversation", session_id: freshId("s") } as const;
      const { entry, created } = await write(agent, content, turn);
      expect(created).toBe(true);
      expect(entry).toMatchObject({
        content,
        source: "conversation",
        created_at: new Date(clock.now).toISOString(),
      });
      expect(await list(agent)).toEqual([entry]);
      for (const query of ["zanzibar", "valley farms", ""])
        expect(await recall(agent, query)).toMatchObject([{ id: entry.id, content }]);
      expect(await write(agent, content, turn)).toEqual({ entry, created: false });
      await write(agent, "Another", { metadata: { n: 1 } });
      expect(contents(await list(agent))).toEqual(["Another", content]);
    });
  });

  describe(`${name}: namespaces`, () => {
    it("are listed by name, with their sessions", async () => {
      const { write, store, agent } = setUp();
      const { agent_id } = agent;
      await write(agent, "One");
      const session = ofSession({ agent: agent_id ?? "", session: freshId("s") });
      await write(session, "Two");
      await write(shared("team"), "Three", { agent_id });
      await write(shared("team:x"), "Four", { agent_id });
      const page = (after: string, limit: number, prefix = "") =>
        store.list_namespaces?.({ prefix, after, limit });
      const all = await page("", 10);
      expect(all?.map((one) => [one.namespace, one.entries])).toEqual([
        [agent.name, 2],
        ["team", 1],
        ["team:x", 1],
      ]);
      expect(await page("team", 10)).toEqual(all?.slice(2));
      expect(await page("", 1)).toEqual(all?.slice(0, 1));
      expect(await page("", 10, "team")).toEqual(all?.slice(1));
      const sessions = await page("", 10, `${agent.name}:session:`);
      expect(sessions?.map((one) => [one.namespace, one.entries])).toEqual([[session.name, 1]]);
    });

    it("are erased with their sessions, in steps, and nothing else is", async () => {
      const { write, store, list, agent, other } = setUp();
      for (const n of [1, 2, 3]) await write(shared("team"), `Number ${n}`);
      await write(sharedInSession("team", freshId("s")), "Number 4");
      await write(shared("team2"), "Number 5");
      await write(agent, "Number 6");
      await other.write(shared("team"), "Number 7");
      const erase = (limit: number) => store.erase_namespace?.({ namespace: shared("team"), limit });
      expect(await erase(3)).toMatchObject({ memories: 3 });
      expect(await erase(3)).toMatchObject({ memories: 1 });
      expect(await erase(3)).toMatchObject({ memories: 0, triples: 0, vectors: 0 });
      expect(await list(shared("team"))).toEqual([]);
      expect(
        [await list(shared("team2")), await list(agent), await other.list(shared("team"))].flat(),
      ).toHaveLength(3);
    });
  });

  describe(`${name}: owners`, () => {
    const queries = ["lantern", "", "nothing like it"];

    it("of one agent see nothing of each other, found or filled up, and the agent has it all", async () => {
      const { write, search, list, agent } = setUp();
      const users = ["ann", "ben", "cem"];
      for (const user_id of users) {
        await write(agent, `lantern of ${user_id}`, { user_id });
        await write(agent, "lantern of everyone", { user_id });
        await write(agent, `harbour of ${user_id}`, { user_id, session_id: freshId("s") });
      }
      await write(agent, "lantern of nobody");
      for (const query of queries)
        for (const id of users) {
          const found = await search({ kind: "user", id }, query, 50);
          expect(sorted(found)).toEqual(
            [`harbour of ${id}`, `lantern of ${id}`, "lantern of everyone"].sort(),
          );
          expect(new Set(found.map(({ user_id }) => user_id))).toEqual(new Set([id]));
        }
      expect(await search({ kind: "user", id: "nobody" }, "lantern")).toEqual([]);
      expect(await list(agent)).toHaveLength(10);
    });

    it("with the same content have an entry each, except in a namespace that they share", async () => {
      const { write, store, agent } = setUp();
      const first = await write(agent, "Tea at four", { user_id: "ann" });
      const second = await write(agent, "Tea at four", { user_id: "ben" });
      expect([first.created, second.created]).toEqual([true, true]);
      expect(second.entry).toMatchObject({ user_id: "ben", content: "Tea at four" });
      expect(await write(agent, "tea at FOUR", { user_id: "ann" })).toEqual({ ...first, created: false });
      for (const user_id of ["ann", "ben"]) {
        const mine = await store.list_entries({ namespace: agent, user_id, limit: 10, after: null });
        expect(mine).toEqual([user_id === "ann" ? first.entry : second.entry]);
        await write(shared("team"), "Cake at five", { user_id });
      }
      const team = await store.list_entries({ namespace: shared("team"), limit: 10, after: null });
      expect(team).toHaveLength(1);
    });

    it("are a session, a user, an agent, a project or the tenant", async () => {
      const { write, search, other, agent } = setUp();
      const [session_id, project_id] = [freshId("s"), freshId("project")];
      const { agent_id } = agent;
      await write(agent, "lantern of the agent");
      await write(agent, "lantern of the project", { project_id, session_id: freshId("s"), user_id: "ben" });
      await write(agent, "lantern of ann", { user_id: "ann", session_id, project_id });
      await write(null, "lantern of a visit", { user_id: "ann", session_id: freshId("s"), project_id });
      await write(shared("customer"), "lantern of a customer", { user_id: "ann", session_id, agent_id });
      await other.write(agent, "lantern of another tenant", { user_id: "ann", project_id });
      const cases: [SearchTarget, string[]][] = [
        [{ kind: "session", id: session_id }, ["ann", "a customer"]],
        [{ kind: "user", id: "ann" }, ["ann", "a visit", "a customer"]],
        [{ kind: "agent", id: agent_id ?? "" }, ["the agent", "the project", "ann"]],
        [{ kind: "project", id: project_id }, ["the project", "ann", "a visit"]],
        [{ kind: "tenant" }, ["the agent", "the project", "ann", "a visit"]],
      ];
      for (const [scope, whose] of cases)
        for (const query of queries)
          expect([scope.kind, sorted(await search(scope, query, 50))]).toEqual([
            scope.kind,
            whose.map((one) => `lantern of ${one}`).toSorted(),
          ]);
    });
  });

  describe(`${name}: namespaces`, () => {
    /** Found and listed; the same, whatever is asked. */
    async function seen(
      { recall, list }: ReturnType<ReturnType<typeof setUp>["on"]>,
      namespace: ResolvedNamespace,
    ) {
      const listed = sorted(await list(namespace));
      for (const query of ["lantern", "nothing like it"])
        expect(sorted(await recall(namespace, query, 50))).toEqual(listed);
      return listed;
    }

    it("of a session hold that session's entries, and the agent's hold them all; never the reverse", async () => {
      const home = setUp();
      const agent = freshId("agent");
      const [s1, s2] = [freshId("s"), freshId("s")];
      await home.write(ofSession({ agent, session: s1 }), "lantern of s1");
      await home.write(ofSession({ agent, session: s2 }), "lantern of s2");
      await home.write(ofAgent({ agent }), "lantern of the agent");
      // Written by the agent within a session, into the agent's memory.
      await home.write(ofAgent({ agent }), "lantern from s1", { session_id: s1 });
      expect(await seen(home, ofSession({ agent, session: s1 }))).toEqual(["lantern of s1"]);
      expect(await seen(home, ofSession({ agent, session: s2 }))).toEqual(["lantern of s2"]);
      expect(await seen(home, ofSession({ agent, session: freshId("s") }))).toEqual([]);
      expect(await seen(home, ofAgent({ agent }))).toEqual([
        "lantern from s1",
        "lantern of s1",
        "lantern of s2",
        "lantern of the agent",
      ]);
    });

    it("with a name are shared by agents, by session if so written, and are no agent's own", async () => {
      const home = setUp();
      const [a, b] = [freshId("agent"), freshId("agent")];
      const [s1, s2] = [freshId("s"), freshId("s")];
      await home.write(shared("customer-7"), "lantern of a", { agent_id: a });
      await home.write(shared("customer-7"), "lantern of b", { agent_id: b, session_id: s2 });
      await home.write(sharedInSession("customer-7", s1), "lantern of a in s1", { agent_id: a });
      await home.write(shared("customer-70"), "lantern of another customer", { agent_id: a });
      await home.write(shared("customer"), "lantern of all customers", { agent_id: a });
      expect(await seen(home, shared("customer-7"))).toEqual([
        "lantern of a",
        "lantern of a in s1",
        "lantern of b",
      ]);
      expect(await seen(home, sharedInSession("customer-7", s1))).toEqual(["lantern of a in s1"]);
      expect(await seen(home, sharedInSession("customer-7", s2))).toEqual([]);
      expect(await seen(home, shared("customer"))).toEqual(["lantern of all customers"]);
      for (const agent of [a, b]) {
        expect(await seen(home, ofAgent({ agent }))).toEqual([]);
        for (const session of [s1, s2]) expect(await seen(home, ofSession({ agent, session }))).toEqual([]);
      }
      const [entry] = await home.recall(sharedInSession("customer-7", s1), "lantern");
      expect(entry).toMatchObject({ namespace: `customer-7:session:${s1}`, agent_id: a, session_id: s1 });
    });

    it("of two agents, two sessions and two tenants have nothing in common", async () => {
      const home = setUp();
      const agents = ["agent-1", "agent-2"];
      const sessions = ["one", "two"];
      // The same ids and partly the same words for both tenants.
      const tenants = { mine: home, theirs: home.other };
      const everywhere = Object.entries(tenants).flatMap(([whose, tenant]) =>
        agents.flatMap((agent) =>
          sessions.map((part) => {
            const namespace = ofSession({ agent, session: `${agent}-${part}` });
            return { tenant, namespace, said: `lantern of ${whose} ${namespace.name}` };
          }),
        ),
      );
      for (const { tenant, namespace, said } of everywhere) {
        await tenant.write(namespace, said);
        await tenant.write(namespace, "lantern of everyone");
      }
      for (const { tenant, namespace, said } of everywhere)
        expect(await seen(tenant, namespace)).toEqual(["lantern of everyone", said]);
      for (const tenant of Object.values(tenants))
        for (const agent of agents) {
          const own = ofAgent({ agent });
          const mine = everywhere.filter((one) => one.tenant === tenant && one.namespace.base === own.name);
          expect(sorted(await tenant.list(own))).toEqual(
            mine.flatMap(({ said }) => [said, "lantern of everyone"]).toSorted(),
          );
        }
    });

    it("hold what was written to them, after any writes in any order", async () => {
      // A session has one agent.
      const agents = ["a1", "a2"];
      const sessionsOf = (agent: string) => [`${agent}-s1`, `${agent}-s2`];
      const namespaces = [
        shared("team"),
        shared("team:x"),
        ...agents.map((agent) => ofAgent({ agent })),
        ...agents.flatMap((agent) =>
          sessionsOf(agent).flatMap((session) => [
            ofSession({ agent, session }),
            sharedInSession("team", session),
          ]),
        ),
      ];
      const writes = agents.flatMap((agent_id) =>
        namespaces
          .filter((one) => (one.agent_id ?? agent_id) === agent_id)
          .flatMap((namespace) =>
            namespace.session_id === null
              ? [null, ...sessionsOf(agent_id)].map((session_id) => ({ namespace, agent_id, session_id }))
              : sessionsOf(agent_id).includes(namespace.session_id)
                ? [{ namespace, agent_id, session_id: namespace.session_id }]
                : [],
          ),
      );
      const call = fc.record({
        tenant: fc.constantFrom("mine", "theirs"),
        where: fc.constantFrom(...writes),
        content: fc.constantFrom("Amber lantern", "amber LANTERN.", "Violet meadow", "Harbour"),
      });
      const law = fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 10 }),
        fc.constantFrom(...namespaces),
        async (calls, recalled) => {
          const home = setUp();
          const tenants = { mine: home, theirs: home.other };
          const model: { whose: string; namespace: ResolvedNamespace; said: string }[] = [];
          for (const { tenant: whose, where, content } of calls) {
            const { namespace } = where;
            const said = normaliseContent(content);
            const known = model.some(
              (one) => one.whose === whose && one.namespace.name === namespace.name && one.said === said,
            );
            const { created } = await tenants[whose].write(namespace, content, where);
            expect(created).toBe(!known);
            if (!known) model.push({ whose, namespace, said });
          }
          for (const [whose, tenant] of Object.entries(tenants)) {
            const expected = ({ base, session_id }: ResolvedNamespace) =>
              model
                .filter(({ namespace }) => namespace.base === base)
                .filter(({ namespace }) => session_id === null || namespace.session_id === session_id)
                .filter((one) => one.whose === whose)
                .map(({ said }) => said);
            const texts = (entries: readonly Entry[]) => contents(entries).map(normaliseContent).toSorted();
            for (const namespace of namespaces)
              expect(texts(await tenant.list(namespace))).toEqual(expected(namespace).toSorted());
            expect(texts(await tenant.recall(recalled, "lantern"))).toEqual(
              [...new Set(expected(recalled))].toSorted(),
            );
          }
        },
      );
      await fc.assert(law, { numRuns: scaleCases(8) });
    });
  });
}
