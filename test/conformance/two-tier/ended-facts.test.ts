// What no longer holds is not recalled by the words in which it was said, either.
import { describe, expect, it } from "vitest";
import { newSession, remember, say } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Memory, Recalled } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

const HOME = "I live in Lisbon.";

/** A user who said where they live, in a session that is closed. */
async function resident(said = HOME) {
  const api = await kioku.tenant();
  const user_id = fresh("user");
  const { id } = await newSession(api, { user_id });
  await say(api, id, [{ id: "m1", role: "user", content: said }]);
  bodyOf(await api.post(`/v1/sessions/${id}/close`, {}), 200);
  const { data } = bodyOf(await api.get<{ data: Memory[] }>(`/v1/memories?user_id=${user_id}`), 200);
  return { api, user_id, memories: data };
}

async function recallContents(api: Client, user_id: string, more: object = {}): Promise<string[]> {
  const body = { user_id, query: "Lisbon", ...more };
  return bodyOf(await api.post<Recalled>("/v1/recall", body), 200).memories.map(({ content }) => content);
}

describe("a message from which a memory was extracted", () => {
  it("is left out of a plain recall once the fact has changed, and found when it is asked for", async () => {
    const { api, user_id } = await resident();
    expect(await recallContents(api, user_id)).toContain(HOME);
    const { id } = await newSession(api, { user_id });
    await remember(api, id, "I live in Porto now");
    expect(await recallContents(api, user_id)).not.toContain(HOME);
    expect(await recallContents(api, user_id, { sources: ["messages"] })).toEqual([HOME]);
    expect(await recallContents(api, user_id, { include_superseded: true })).toContain(HOME);
    const assembled = await api.post<{ prompt: string }>(`/v1/sessions/${id}/assemble`, { query: "Lisbon" });
    expect(bodyOf(assembled, 200).prompt).not.toContain(HOME);
  });

  it("is left out once the memory is forgotten", async () => {
    const { api, user_id, memories } = await resident();
    bodyOf(await api.post("/v1/forget", { memory_id: memories[0]?.id, user_id }), 200);
    expect(await recallContents(api, user_id)).toEqual([]);
  });

  it("stays while another memory that was extracted from it holds", async () => {
    const said = `${HOME} I keep bees in Lisbon.`;
    const { api, user_id, memories } = await resident(said);
    const home = memories.find(({ content }) => content === HOME);
    bodyOf(await api.post("/v1/forget", { memory_id: home?.id, user_id }), 200);
    expect(await recallContents(api, user_id)).toContain(said);
  });
});

describe("a question about a fact that has changed", () => {
  const QUESTIONS = ["Where do I live?", "Where does the user live?", "Which city does Alex live in?"];

  async function recall(api: Client, user_id: string, query: string) {
    return bodyOf(await api.post<Recalled & { confidence: string }>("/v1/recall", { user_id, query }), 200);
  }

  it.each(QUESTIONS)("finds the new value first, in whatever words it was told: %s", async (query) => {
    const api = await kioku.tenant();
    const user_id = fresh("alex");
    const { id } = await newSession(api, { user_id });
    await say(
      api,
      id,
      ["Hi there!", HOME, "I am allergic to peanuts."].map((content) => ({ role: "user", content })),
    );
    bodyOf(await api.post(`/v1/sessions/${id}/close`, {}), 200);
    const { id: next } = await newSession(api, { user_id });
    await remember(api, next, "I have moved to Porto", { source_type: "user" });
    const { memories } = await recall(api, user_id, query);
    expect(memories[0]?.content).toBe("I have moved to Porto");
  });

  it.each([
    ["I work at Initech.", "I joined Globex last week.", "Where do I work?"],
    ["I live in Lisbon.", "I moved to Porto last week.", "Where do I live?"],
  ])("also without messages: %s %s", async (old, changed, query) => {
    const api = await kioku.tenant();
    const user_id = fresh("user");
    const { id } = await newSession(api, { user_id });
    await remember(api, id, old, { source_type: "user" });
    await remember(api, id, changed, { source_type: "user" });
    const { memories, confidence } = await recall(api, user_id, query);
    expect(memories.map(({ content }) => content)).toEqual([changed]);
    expect(confidence).toBe("good");
  });
});

it("messages cannot name a user whom their session does not know", async () => {
  const { id } = await newSession(kioku.api);
  const body = { user_id: "cleo", messages: [{ role: "user", content: "My llama is called Pedro." }] };
  expectProblem(await kioku.api.post(`/v1/sessions/${id}/messages`, body), "invalid_request", "user_id");
});

it("a hint does not lead from one user's memory to that of others", async () => {
  const { api } = await resident();
  const { hint, count } = bodyOf(
    await api.post<Recalled & { hint?: string }>("/v1/recall", { user_id: fresh("user"), query: "Lisbon" }),
    200,
  );
  expect({ hint, count }).toEqual({ hint: undefined, count: 0 });
});
