// Everything embedded anew: across a crash, and with another embedder.
import { describe, expect, it, vi } from "vitest";
import { contents, newSession, recall, recallSaid, remember, say } from "../support/actions";
import type { IndexState, Recalled, Reembedded } from "../support/contract";
import { fakeEmbeddings } from "../support/embeddings";
import { bodyOf } from "../support/expectations";
import { ownServer } from "../support/http-service";
import type { Service } from "../support/open-service";

const kioku = ownServer();

async function stateOf({ admin }: Service): Promise<IndexState> {
  return bodyOf(await admin.get<IndexState>("/v1/admin/index"), 200);
}

/** One page of re-embedding. */
async function page({ admin }: Service): Promise<Reembedded> {
  return bodyOf(await admin.post<Reembedded>("/v1/admin/reembed", {}), 200);
}

/** Pages until the end, with something to check after each. */
async function untilFinished(service: Service, check = async () => {}): Promise<Reembedded[]> {
  const pages: Reembedded[] = [];
  do {
    pages.push(await page(service));
    await check();
  } while (pages.at(-1)?.finished === false);
  return pages;
}

describe("re-embedding", () => {
  it("goes on where it was left, even by a crash, and recall works throughout", async () => {
    const { id: session } = await newSession(kioku.api);
    const statements = Array.from({ length: 250 }, (_, n) => `Statement ${n} of many`);
    const memories = statements.map((content) => ({ content, session_id: session }));
    for (let at = 0; at < memories.length; at += 50)
      bodyOf(await kioku.api.post("/v1/memories/batch", { memories: memories.slice(at, at + 50) }), 200);
    await remember(kioku.api, session, "We store everything in PostgreSQL");
    await say(kioku.api, session, [{ role: "user", content: "See the doctor on Tuesday" }]);
    // A recall of messages sends the one that still waits for others.
    await recallSaid(kioku.api, session, { query: "physician" });
    await kioku.indexed();
    const total = statements.length + 2;
    const check = async () => {
      const [memory] = await recall(kioku.api, session, { query: "database", mode: "semantic" });
      expect(memory?.content).toBe("We store everything in PostgreSQL");
      const [said] = await recallSaid(kioku.api, session, { query: "physician", mode: "semantic" });
      expect(said?.content).toBe("See the doctor on Tuesday");
    };

    const first = await page(kioku);
    expect(first).toMatchObject({ total, finished: false });
    expect(first.done).toBeGreaterThan(0);
    expect((await stateOf(kioku)).reembedding).toBe(true);
    await kioku.kill9();
    await kioku.restart();
    await check();
    const rest = await untilFinished(kioku, check);
    expect(rest[0]?.done).toBeGreaterThan(first.done);
    expect(rest.at(-1)).toEqual({ done: total, total, finished: true });
    expect(await stateOf(kioku)).toMatchObject({ reembedding: false, matches: true, waiting: 0 });

    const again = await untilFinished(kioku, check);
    expect(again[0]?.done).toBe(first.done);
    expect(again.at(-1)).toEqual({ done: total, total, finished: true });
  });
});

describe("another embedder", () => {
  const embeddings = fakeEmbeddings();

  async function recalled(session: string, query: string): Promise<Recalled> {
    const asked = { query, mode: "semantic" };
    return bodyOf(await kioku.api.post<Recalled>(`/v1/sessions/${session}/recall`, asked), 200);
  }

  it("is no silent mix: recall is by text and names the command, until everything is embedded anew", async () => {
    const { id: session } = await newSession(kioku.api);
    await remember(kioku.api, session, "We store everything in PostgreSQL");
    await kioku.indexed();
    const before = await stateOf(kioku);
    await kioku.restart(embeddings.settings());
    expect(await stateOf(kioku)).toMatchObject({ matches: false, made_with: before.made_with });
    await vi.waitFor(() => expect(kioku.output()).toContain("npm run reembed"));

    await remember(kioku.api, session, "See the doctor on Tuesday");
    for (const [query, content] of [
      ["postgresql", "We store everything in PostgreSQL"],
      ["doctor", "See the doctor on Tuesday"],
    ] as const) {
      const { memories, degraded } = await recalled(session, query);
      expect(degraded).toContain("npm run reembed");
      expect(contents(memories)).toEqual([content]);
    }

    await untilFinished(kioku, async () => {
      expect(contents((await recalled(session, "postgresql")).memories)).toContain(
        "We store everything in PostgreSQL",
      );
    });
    const after = await stateOf(kioku);
    expect(after).toMatchObject({ matches: true, reembedding: false, waiting: 0 });
    const { index, embedder } = after;
    expect(after.made_with).toEqual({ index, embedder, dimensions: embeddings.dimensions });
    for (const [query, content] of [
      ["database", "We store everything in PostgreSQL"],
      ["physician", "See the doctor on Tuesday"],
    ] as const) {
      const { memories, degraded } = await recalled(session, query);
      expect(degraded).toBeUndefined();
      expect(contents(memories)[0]).toBe(content);
    }
  });

  it("that fails costs no write and no answer, and what it missed is embedded later", async () => {
    const { id: session } = await newSession(kioku.api);
    await kioku.restart(embeddings.settings());
    await untilFinished(kioku);
    embeddings.fail(true);
    await remember(kioku.api, session, "The beverage of choice is espresso");
    const { memories, degraded } = await recalled(session, "espresso");
    expect(degraded).toMatch(/text/);
    expect(contents(memories)).toEqual(["The beverage of choice is espresso"]);
    embeddings.fail(false);
    await kioku.indexed();
    const later = await recalled(session, "coffee");
    expect(later.degraded).toBeUndefined();
    expect(contents(later.memories)[0]).toBe("The beverage of choice is espresso");
  });
});
