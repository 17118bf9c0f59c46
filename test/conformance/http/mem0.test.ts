// Kioku in the place of mem0's platform, through mem0's own client.
import { beforeAll, describe, expect, it, vi } from "vitest";
import { fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { sharedServer } from "../support/http-service";

// Read when the client is loaded: nothing of it may leave the machine.
vi.stubEnv("MEM0_TELEMETRY", "false");
const { MemoryClient, MemoryNotFoundError, ValidationError, AuthenticationError } = await import("mem0ai");
type MemoryClient = InstanceType<typeof MemoryClient>;

const kioku = sharedServer();
let mem0: MemoryClient;

beforeAll(() => {
  mem0 = new MemoryClient({ apiKey: kioku.api.key ?? "", host: kioku.api.url("/mem0") });
});

type Added = {
  status: string;
  message: string;
  results: { id: string; memory: string; event: string; categories: string[] }[];
};

/** What the platform answers is more than the client's types say. */
async function add(client: MemoryClient, ...[messages, options]: Parameters<MemoryClient["add"]>) {
  return (await client.add(messages, options)) as unknown as Added;
}

const said = (content: string, role: "user" | "assistant" = "user") => ({ role, content });

async function found(query: string, filters: Record<string, unknown>, client = mem0): Promise<unknown[]> {
  return (await client.search(query, { filters })).results.map(({ memory }) => memory);
}

describe("add and search", () => {
  it("a fact that a user tells is found by the next search, and the answer says how it was chosen", async () => {
    const userId = fresh("user");
    const added = await add(
      mem0,
      [
        said("Hi there! I'm allergic to peanuts. What a day."),
        said("Noted, I will avoid them.", "assistant"),
      ],
      { userId },
    );
    expect(added.status).toBe("SUCCEEDED");
    expect(added.results.map(({ memory, event }) => [memory, event])).toEqual([
      ["I'm allergic to peanuts.", "ADD"],
    ]);
    expect(added.message).toContain("without a language model");
    const { results } = await mem0.search("Which food is dangerous for the user?", {
      filters: { user_id: userId },
    });
    expect(results[0]).toMatchObject({
      id: added.results[0]?.id,
      memory: "I'm allergic to peanuts.",
      userId,
    });
    expect(results[0]?.score).toBeGreaterThan(0);
  });

  it("without inference each message of the user and the assistant is kept as said", async () => {
    const userId = fresh("user");
    const added = await add(
      mem0,
      [
        said("Is it  raining?\n"),
        said("Yes.", "assistant"),
        { role: "system" as "user", content: "Be kind." },
      ],
      { userId, infer: false },
    );
    expect(added.results.map(({ memory }) => memory)).toEqual(["Is it  raining?", "Yes."]);
  });

  it("small talk leaves nothing behind", async () => {
    const added = await add(mem0, [said("hello, how are you?")], { userId: fresh("user") });
    expect(added).toMatchObject({ status: "SUCCEEDED", results: [] });
  });

  it("the same words again are the same memory", async () => {
    const options = { userId: fresh("user"), infer: false };
    const first = await add(mem0, [said("I live in Basel")], options);
    const again = await add(mem0, [said("I live in Basel.")], options);
    expect(again.results).toEqual([{ ...first.results[0], memory: "I live in Basel.", event: "NOOP" }]);
  });

  it("a changed fact replaces the old one of the same user, and the user's profile has it", async () => {
    const [userId, other] = [fresh("user"), fresh("user")];
    await add(mem0, [said("I live in Basel.")], { userId });
    await add(mem0, [said("I live in Basel.")], { userId: other });
    await add(mem0, [said("I have moved to Bern.")], { userId });
    expect(await found("Basel or Bern?", { user_id: userId })).toEqual(["I have moved to Bern."]);
    expect(await found("Basel or Bern?", { user_id: other })).toEqual(["I live in Basel."]);
    const profile = bodyOf(await kioku.api.get<{ facts: { content: string }[] }>(`/v1/users/${userId}`), 200);
    expect(profile.facts.map(({ content }) => content)).toEqual(["I have moved to Bern."]);
  });

  it("metadata and the time come back as they were given", async () => {
    const userId = fresh("user");
    const metadata = { source_file: "a.md", deepTag: { someKey: 1 } };
    const { results } = await add(mem0, [said("My dentist is Dr Roth")], {
      userId,
      metadata,
      infer: false,
      timestamp: 1_700_000_000,
    });
    expect(await mem0.get(results[0]?.id ?? "")).toMatchObject({
      metadata,
      userId,
      createdAt: "2023-11-14T22:13:20.000Z",
    });
  });

  it("top_k and threshold bound what comes back", async () => {
    const userId = fresh("user");
    const filters = { user_id: userId };
    await add(mem0, [said("Tea is at four"), said("Tea is green"), said("Dinner is at eight")], {
      userId,
      infer: false,
    });
    expect((await mem0.search("tea", { filters, topK: 1 })).results).toHaveLength(1);
    const [best] = (await mem0.search("tea is green", { filters })).results;
    const bounded = await mem0.search("tea is green", { filters, threshold: best?.score ?? 0 });
    expect(bounded.results.map(({ id }) => id)).toEqual([best?.id]);
  });
});

describe("whose memories they are", () => {
  it("two users, two tenants and an agent of the same name never see each other's", async () => {
    const id = fresh("same");
    const other = await kioku.tenant();
    const stranger = new MemoryClient({ apiKey: other.key ?? "", host: other.url("/mem0") });
    await add(mem0, [said("The code word of the user is heron")], { userId: id, infer: false });
    await add(mem0, [said("The code word of the agent is raven")], { agentId: id, infer: false });
    await add(mem0, [said("The code word of another is finch")], { userId: `${id}2`, infer: false });
    expect(await found("code word", { user_id: id })).toEqual(["The code word of the user is heron"]);
    expect(await found("code word", { agent_id: id })).toEqual(["The code word of the agent is raven"]);
    expect(await found("code word", { user_id: id }, stranger)).toEqual([]);
    expect(await found("code word", { OR: [{ user_id: id }, { agent_id: id }] })).toHaveLength(2);
  });

  it("what is kept for a user is not recalled by anybody who does not name the user", async () => {
    const word = fresh("word");
    await add(mem0, [said(`The secret is ${word}`)], { userId: fresh("user"), infer: false });
    const { body } = await kioku.api.post<{ count: number }>("/v1/recall", { query: word, scope: "tenant" });
    expect(body.count).toBe(0);
  });

  it("runs and agents tell a user's memories apart, and the user has them all", async () => {
    const userId = fresh("user");
    for (const runId of ["r1", "r2"])
      await add(mem0, [said("Milk is out"), said(`We are in ${runId}`)], { userId, runId, infer: false });
    const both = { AND: [{ user_id: userId }, { run_id: "r2" }] };
    const { results: hits } = await mem0.search("Is there milk?", { filters: both });
    expect(hits.map(({ memory, runId }) => [memory, runId])).toEqual([["Milk is out", "r2"]]);
    const { count, results } = await mem0.getAll({ filters: both });
    expect([count, results.map(({ runId }) => runId)]).toEqual([2, ["r2", "r2"]]);
    expect((await mem0.getAll({ filters: { user_id: userId } })).count).toBe(4);
    expect((await mem0.getAll({ filters: { user_id: userId, run_id: { in: ["r1", "r3"] } } })).count).toBe(2);
  });

  it("all conditions of an AND hold, also two on the same metadata", async () => {
    const userId = fresh("user");
    for (const team of ["red", "blue"])
      await add(mem0, [said(`We are ${team}`)], { userId, infer: false, metadata: { team, floor: 1 } });
    const list = async (...parts: object[]) => {
      const filters = { AND: [{ user_id: userId }, ...parts] };
      expect(await found("We are", filters)).toHaveLength((await mem0.getAll({ filters })).count);
      return found("We are", filters);
    };
    const [red, blue, floor] = [{ team: "red" }, { team: "blue" }, { floor: 1 }];
    expect(await list({ metadata: red }, { metadata: floor })).toEqual(["We are red"]);
    expect(await list({ metadata: red }, { metadata: blue })).toEqual([]);
    expect(await list({ metadata: { team: null } }, { metadata: blue })).toEqual([]);
    expect(await list({ OR: [{ metadata: red }, { metadata: blue }] }, { metadata: blue })).toEqual([
      "We are blue",
    ]);
    expect(await list({ user_id: fresh("user") })).toEqual([]);
  });

  it("ids and metadata of any characters are kept apart", async () => {
    const ids = ["a/b", "a%2Fb", "a:session:b", "ä@x.y", "a b"].map((id) => `${fresh("odd")} ${id}`);
    for (const userId of ids)
      await add(mem0, [said("I am here")], { userId, infer: false, metadata: { mine: userId } });
    for (const userId of ids) {
      const { results } = await mem0.getAll({ filters: { user_id: userId, metadata: { mine: userId } } });
      expect(results.map((memory) => memory.userId)).toEqual([userId]);
    }
    const names = (await mem0.users()).results.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(ids));
  });
});

describe("the rest of the client", () => {
  it("lists by pages, newest first", async () => {
    const userId = fresh("user");
    const filters = { user_id: userId };
    for (const n of [1, 2, 3])
      await add(mem0, [said(`Note ${n}`)], { userId, infer: false, timestamp: 1_700_000_000 + n });
    const first = await mem0.getAll({ filters, page: 1, pageSize: 2 });
    const second = await mem0.getAll({ filters, page: 2, pageSize: 2 });
    expect([...first.results, ...second.results].map(({ memory }) => memory)).toEqual([
      "Note 3",
      "Note 2",
      "Note 1",
    ]);
    expect([first.count, first.next === null, second.next, second.previous === null]).toEqual([
      3,
      false,
      null,
      false,
    ]);
  });

  it("an update changes the text where it stands, and is what search finds", async () => {
    const userId = fresh("user");
    const added = await add(mem0, [said("I drive a Volvo")], { userId, infer: false });
    const id = added.results[0]?.id ?? "";
    await mem0.update(id, { text: "I ride a bicycle", metadata: { checked: true } });
    expect(await mem0.get(id)).toMatchObject({ id, memory: "I ride a bicycle", metadata: { checked: true } });
    expect(await found("bicycle", { user_id: userId })).toEqual(["I ride a bicycle"]);
  });

  it("what is deleted is gone: one memory, a run, a user", async () => {
    const userId = fresh("user");
    const options = { userId, infer: false };
    const { results } = await add(mem0, [said("One"), said("Two")], options);
    await add(mem0, [said("Three")], { ...options, runId: "r" });
    const left = async () =>
      (await mem0.getAll({ filters: { user_id: userId } })).results.map(({ memory }) => memory).toSorted();
    await mem0.delete(results[0]?.id ?? "");
    expect(await left()).toEqual(["Three", "Two"]);
    await mem0.deleteAll({ userId, runId: "r" });
    expect(await left()).toEqual(["Two"]);
    await mem0.deleteUsers({ userId });
    expect(await left()).toEqual([]);
    await expect(mem0.get(results[1]?.id ?? "")).rejects.toThrow(MemoryNotFoundError);
  });
});

describe("what is refused", () => {
  it("a call that does not say whose memories are meant, and deletes nothing", async () => {
    const userId = fresh("user");
    await add(mem0, [said("Stay")], { userId, infer: false });
    await expect(add(mem0, [said("Whose?")])).rejects.toThrow(/user_id/);
    await expect(mem0.search("x")).rejects.toThrow(/user_id/);
    await expect(mem0.deleteAll()).rejects.toThrow(ValidationError);
    const typo = { userId, runid: "r" } as Parameters<MemoryClient["deleteAll"]>[0];
    await expect(mem0.deleteAll(typo)).rejects.toThrow(ValidationError);
    expect((await mem0.getAll({ filters: { user_id: userId } })).count).toBe(1);
  });

  it.each([
    ["filters.created_at", { user_id: "u", created_at: { gte: "2024-01-01" } }],
    ["filters.user_id", { user_id: "*" }],
    ["filters.AND.0.metadata", { AND: [{ metadata: { a: { b: 1 } } }, { user_id: "u" }] }],
    ["filters.OR", { OR: [] }],
  ])("a filter that cannot be kept to is named: %s", async (path, filters) => {
    const answer = await kioku.api.post("/mem0/v3/memories/search/", { query: "x", filters });
    expect(expectProblem(answer, "invalid_request").errors?.map((error) => error.path)).toEqual([path]);
  });

  it.each([
    ["custom_instructions", { custom_instructions: "only food" }],
    ["expiration_date", { expiration_date: "2030-01-01" }],
    ["messages.0.content", { messages: [{ role: "user", content: { type: "image_url" } }] }],
  ])("what cannot be done is refused by name: %s", async (path, more) => {
    const messages = [said("I live in Basel")];
    const answer = await kioku.api.post("/mem0/v3/memories/add/", { messages, user_id: "u", ...more });
    expect(expectProblem(answer, "invalid_request").errors?.map((error) => error.path)).toEqual([path]);
  });

  it("memories that mem0's clients did not make are not theirs to read, change or delete", async () => {
    const { body } = await kioku.api.post<{ memory_id: string }>("/v1/remember", {
      content: "Kioku's own",
      project_id: fresh("project"),
    });
    await expect(mem0.get(body.memory_id)).rejects.toThrow(MemoryNotFoundError);
    await expect(mem0.update(body.memory_id, { text: "Mine" })).rejects.toThrow(MemoryNotFoundError);
    await expect(mem0.delete(body.memory_id)).rejects.toThrow(MemoryNotFoundError);
  });

  it("a wrong key, and mem0's way of sending a key anywhere else", async () => {
    const wrong = await kioku.anonymous.call("GET", "/mem0/v1/ping/", {
      headers: { authorization: "Token nope" },
    });
    expectProblem(wrong, "unauthorized");
    const elsewhere = await kioku.anonymous.call("GET", "/v1/memories", {
      headers: { authorization: `Token ${kioku.api.key}` },
    });
    expectProblem(elsewhere, "unauthorized");
    const silent = vi.spyOn(console, "error").mockImplementation(() => {});
    const stranger = new MemoryClient({ apiKey: "nope", host: kioku.api.url("/mem0") });
    await expect(stranger.ping()).rejects.toThrow(AuthenticationError);
    silent.mockRestore();
  });
});
