// Turns that are longer than a memory: kept whole as linked parts, captured once, and forgotten and erased together.
import { describe, expect, it } from "vitest";
import { forget, memoriesOf, recall } from "../support/actions";
import type { Entry } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { agentWith, entriesOf, preflight, systemText, takeTurn } from "./policy";

const kioku = serviceUnderTest();

/** About 9,000 characters, with one sentence that stands out. */
function writeStory(marker: string): string {
  const paragraphs = Array.from(
    { length: 90 },
    (_, n) => `Paragraph ${n} tells of the valley and its ${n} farms, at length and in detail.`,
  );
  paragraphs.splice(60, 0, marker);
  return paragraphs.join("\n\n");
}

const render = (input: string, output: string) => `User: ${input}\nAssistant: ${output}`;

async function captured() {
  const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
  const [input, output] = [
    writeStory("The zanzibar lantern hangs at the harbour."),
    "I have read it all. 記録".repeat(300),
  ];
  const turn = await takeTurn(kioku.api, session, input, output, { request_id: "r1" });
  return { agent, session, input, output, turn, namespace: `agent:${agent}` };
}

describe("a long turn", () => {
  it("is kept whole: its parts are memories, and the list shows one entry", async () => {
    const { session, input, output, turn, namespace } = await captured();
    expect(turn).toMatchObject({ captured: true, entry_id: turn.entry_ids?.[0] });
    expect(turn.entry_ids?.length).toBeGreaterThan(4);
    const entries = await entriesOf(kioku.api, namespace);
    expect(entries).toMatchObject([{ id: turn.entry_id, parts: turn.entry_ids, source: "conversation" }]);
    expect(entries[0]?.content).toBe(render(input, output));
    const memories = await memoriesOf(kioku.api, session);
    for (const { content } of memories) expect([...content].length).toBeLessThanOrEqual(2_000);
    expect(memories).toHaveLength(turn.entry_ids?.length ?? 0);
  });

  it("is captured once under its request id, and once if it comes again", async () => {
    const { session, input, output, turn, namespace } = await captured();
    expect(await takeTurn(kioku.api, session, input, output, { request_id: "r1" })).toEqual(turn);
    expect(await takeTurn(kioku.api, session, "Another", "turn", { request_id: "r1" })).toEqual(turn);
    expect((await takeTurn(kioku.api, session, input, output, { request_id: "r2" })).entry_id).toBe(
      turn.entry_id,
    );
    expect(await entriesOf(kioku.api, namespace)).toHaveLength(1);
    // A short turn is not continued by a longer one under its request id.
    const short = await takeTurn(kioku.api, session, "Short", "turn", { request_id: "r3" });
    expect(await takeTurn(kioku.api, session, `${input} again`, output, { request_id: "r3" })).toEqual(short);
    expect(await entriesOf(kioku.api, namespace)).toHaveLength(2);
  });

  it("is found by any of its parts, and injected as a whole, once", async () => {
    const { session, input, output, turn } = await captured();
    const hits = await recall(kioku.api, session, { query: "zanzibar lantern", scope: "session" });
    expect(turn.entry_ids).toContain(hits[0]?.id);
    const { memory, ...shown } = await preflight(kioku.api, session, {
      input: "Where is the zanzibar lantern?",
    });
    expect(memory.entries).toMatchObject([{ id: turn.entry_id, content: render(input, output) }]);
    expect(systemText({ memory, ...shown }).split("zanzibar").length).toBe(2);
  });

  it("that does not fit the budget is injected as the part that matches", async () => {
    const { session, turn } = await captured();
    bodyOf(
      await kioku.api.patch(`/v1/sessions/${session}`, {
        token_budget: { total: 6_000, conversation: 3_000, context: 3_000 },
      }),
      200,
    );
    const shown = await preflight(kioku.api, session, { input: "Where is the zanzibar lantern?" });
    expect(systemText(shown)).toContain("zanzibar lantern");
    expect(shown.memory.entries).toMatchObject([{ id: turn.entry_id }]);
    expect(shown.memory.tokens.used).toBeLessThanOrEqual(shown.memory.tokens.budget);
    expect(shown.memory.left_out).toEqual([
      { id: turn.entry_id, reason: expect.stringContaining("excerpt") },
    ]);
  });

  it("of identical parts keeps them all", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const input = "x".repeat(7_000);
    const { entry_ids = [] } = await takeTurn(kioku.api, session, input, "Noted.");
    expect(new Set(entry_ids).size).toBe(4);
    const [entry] = await entriesOf(kioku.api, `agent:${agent}`);
    expect(entry?.content).toBe(render(input, "Noted."));
  });

  it.each(["forgotten", "erased"])("is %s with any of its parts", async (how) => {
    const { session, turn, namespace } = await captured();
    const part = turn.entry_ids?.[2] ?? "";
    if (how === "forgotten") await forget(kioku.api, session, part);
    else {
      const { deleted } = bodyOf(
        await kioku.api.delete<{ deleted: { memories: number } }>(`/v1/memories/${part}`),
        200,
      );
      expect(deleted.memories).toBe(turn.entry_ids?.length);
    }
    expect(await entriesOf(kioku.api, namespace)).toEqual([]);
    expect(await recall(kioku.api, session, { query: "zanzibar lantern", scope: "session" })).toEqual([]);
    expect(await memoriesOf(kioku.api, session)).toEqual([]);
  });

  it("may be as long as a body", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const [input, output] = ["ä".repeat(150_000), '"word" '.repeat(70_000).trim()];
    const { captured: isCaptured } = await takeTurn(kioku.api, session, input, output);
    expect(isCaptured).toBe(true);
    const [entry] = await entriesOf(kioku.api, `agent:${agent}`);
    expect(entry?.content === render(input, output)).toBe(true);
    const { deleted } = bodyOf(
      await kioku.api.delete<{ deleted: { memories: number } }>(`/v1/namespaces/agent%3A${agent}`),
      200,
    );
    expect(deleted.memories).toBe((entry as Entry).parts?.length);
  });
});
