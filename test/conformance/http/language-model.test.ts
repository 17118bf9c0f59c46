// A server with a language model: it writes the summary, on its own time, and a prompt that is too short for the
// conversation gets that summary. When it fails, there is a summary all the same.
import { afterAll, describe, expect, it, vi } from "vitest";
import { quietSession } from "../support/actions";
import { CHAT_MODEL, startChatCompletions } from "../support/chat-completions";
import { type Client, fresh } from "../support/client";
import { bodyOf } from "../support/expectations";
import { ownServer } from "../support/http-service";

const WRITTEN = "Alice is moving the index to SQLite.";
const chat = await startChatCompletions(() => WRITTEN);
afterAll(() => chat.close());

/** The requests for a summary; the extraction of memories asks the model, too. */
const listAsked = () =>
  chat.asked.filter(({ request }) => request.messages[0]?.content?.includes("running summary"));

type World = { data: { summary?: { text: string; by: string; covers: { from: number; to: number } } } };
type Assembled = { messages: { role: string; content: string }[]; left_out: { reason: string }[] };

async function summaryOf(api: Client, session: string) {
  return bodyOf(await api.get<World>(`/v1/sessions/${session}/spaces/world`), 200).data.summary;
}

async function talk(api: Client, session: string): Promise<void> {
  const messages = Array.from({ length: 40 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `Point ${n}: ${"the index of the library has to be moved to another machine. ".repeat(4)}`,
  }));
  bodyOf(await api.post(`/v1/sessions/${session}/messages`, { messages }), 201);
}

describe("a language model", () => {
  const kioku = ownServer({ env: chat.settings });

  it("writes the summary, and the assembled prompt uses it", async () => {
    const { id: session } = await quietSession(kioku.api);
    await talk(kioku.api, session);
    bodyOf(await kioku.api.post(`/v1/sessions/${session}/projectors/summary/run`, {}), 200);
    expect(await summaryOf(kioku.api, session)).toMatchObject({
      text: WRITTEN,
      by: `openai:${CHAT_MODEL}`,
      covers: { from: 1, to: 40 },
    });
    const { request, authorization } = listAsked().at(-1) ?? {};
    expect(authorization).toBe("Bearer chat-key");
    expect(request?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(request?.messages[1]?.content).toContain("Point 39:");
    const { messages, left_out } = bodyOf(
      await kioku.api.post<Assembled>(`/v1/sessions/${session}/assemble`, { token_budget: 1_500 }),
      200,
    );
    expect(messages[0]).toMatchObject({ role: "user", content: expect.stringContaining(WRITTEN) });
    expect(new Set(left_out.map(({ reason }) => reason))).toEqual(new Set(["summarised"]));
    // What was said since is not in it: then the sentences themselves stand in.
    bodyOf(
      await kioku.api.patch(`/v1/sessions/${session}/projectors/summary`, { trigger: { after: null } }),
      200,
    );
    await talk(kioku.api, session);
    const later = bodyOf(
      await kioku.api.post<Assembled>(`/v1/sessions/${session}/assemble`, { token_budget: 1_500 }),
      200,
    );
    expect(later.messages[0]?.content).not.toContain(WRITTEN);
  });

  it("that fails is asked again, and in the end done without", async () => {
    const { id: session } = await quietSession(kioku.api);
    await talk(kioku.api, session);
    const path = `/v1/sessions/${session}/projectors/summary/run`;
    const before = listAsked().length;
    for (let tried = 0; tried < 3; tried += 1) {
      chat.fail(1, 401);
      expect((await kioku.api.post(path, {})).status).toBe(503);
      expect(await summaryOf(kioku.api, session)).toBeUndefined();
    }
    expect(listAsked().length - before).toBe(3);
    bodyOf(await kioku.api.post(path, {}), 200);
    expect(await summaryOf(kioku.api, session)).toMatchObject({ by: "extract", covers: { from: 1, to: 40 } });
    expect(kioku.output()).not.toContain("the index of the library");
  });

  it("is asked by the alarm, while writes and the end of a session wait for no one", async () => {
    const session = fresh("session");
    bodyOf(await kioku.api.post("/v1/sessions", { id: session, promotion: { interval_ms: 1_000 } }), 201);
    const before = listAsked().length;
    await talk(kioku.api, session);
    expect(await summaryOf(kioku.api, session)).toBeUndefined();
    await vi.waitFor(
      async () => expect(await summaryOf(kioku.api, session)).toMatchObject({ text: WRITTEN }),
      { interval: 100 },
    );
    const asked = listAsked().length;
    expect(asked).toBe(before + 1);
    const { id: other } = await quietSession(kioku.api);
    await talk(kioku.api, other);
    bodyOf(await kioku.api.post(`/v1/sessions/${other}/close`, {}), 200);
    expect(await summaryOf(kioku.api, other)).toMatchObject({ by: "extract" });
    expect(listAsked().length).toBe(asked);
  });
});
