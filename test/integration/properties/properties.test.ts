// Laws that hold for any input: promoting twice is promoting once, and a budget is never exceeded.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionObject } from "../../../durable-objects/session";
import { normaliseContent } from "../../../src/language/normalise-text";
import { countMessageTokens, countTokens } from "../../../src/language/token-count";
import { HOUR, setClock } from "../../faults/support";
import { scaleCases } from "../../patience";
import { freshId, newClient, sessionStub } from "../support";

/** Everything D1 holds of a tenant's long-term memory. */
async function stateOf(tenant: string) {
  const all = async (query: string) => (await env.DB.prepare(query).bind(tenant).all()).results;
  return {
    memories: await all("SELECT * FROM memories WHERE tenant = ? ORDER BY id"),
    triples: await all(
      `SELECT subject, predicate, object, datatype FROM triples WHERE tenant = ? AND subject LIKE 'jido:memory%'
       ORDER BY subject, predicate, object`,
    ),
  };
}

describe("promotion", () => {
  // Few contents in several spellings, so that candidates meet each other and what is remembered already.
  const content = fc.constantFrom(
    "Tea at four",
    "tea at FOUR ",
    "Tea  at four",
    "No coffee",
    "Milk first",
    "Cake",
  );
  const candidate = fc.record({
    content,
    memory_type: fc.constantFrom("fact", "decision", "risk"),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    importance_score: fc.double({ min: 0, max: 1, noNaN: true }),
    suggested_by: fc.constantFrom("implicit", "agent"),
    evidence: fc.uniqueArray(fc.constantFrom("a", "b", "https://c.example/?d=e f"), { maxLength: 3 }),
  });
  const item = fc.record({
    key: fc.constantFrom(
      "framework",
      "user_intent",
      "pending_questions",
      "active_errors",
      "topic.1",
      "topic:2",
    ),
    put: fc.record({
      value: fc.oneof(content, fc.integer(), fc.array(content, { maxLength: 2 }), fc.constant(null)),
      source: fc.constantFrom("inferred", "explicit", "tool"),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      memory_type: fc.constantFrom("fact", "decision"),
    }),
  });

  it("twice is promotion once, however many runs, deliveries and ends follow", async () => {
    const session = fc.record({
      remembered: fc.array(content, { maxLength: 2 }),
      candidates: fc.array(candidate, { maxLength: 8 }),
      items: fc.array(item, { maxLength: 6 }),
      threshold: fc.double({ min: 0, max: 1, noNaN: true }),
      max_per_run: fc.integer({ min: 1, max: 5 }),
    });
    const law = fc.asyncProperty(session, async ({ remembered, candidates, items, ...promotion }) => {
      const client = await newClient();
      const id = freshId("session");
      const path = `/v1/sessions/${id}`;
      const stub = sessionStub(client.tenant, id);
      await setClock(stub, Date.now() + HOUR);
      await client.call("POST", "/v1/sessions", { id, promotion });
      for (const text of remembered) await client.call("POST", `${path}/remember`, { content: text });
      for (const body of candidates)
        expect((await client.call("POST", `${path}/pending`, body)).status).toBe(201);
      for (const { key, put } of items)
        expect((await client.call("PUT", `${path}/context/${key}`, put)).status).toBe(200);
      const promote = async () => (await client.call("POST", `${path}/promote`)).body.promoted.length;
      while ((await promote()) > 0);
      const once = await stateOf(client.tenant);
      expect(await promote()).toBe(0);
      await runInDurableObject<SessionObject, unknown>(stub, (instance) =>
        Promise.all([instance.alarm(), instance.alarm()]),
      );
      expect((await client.call("POST", `${path}/pause`)).body.promoted).toBe(0);
      expect(await stateOf(client.tenant)).toEqual(once);

      // What the agent decided, and what reached the threshold, is there: one live memory each.
      const identity = (type: string, text: string) => `${type} ${normaliseContent(text)}`;
      const live = once.memories.filter((row) => row.live === 1);
      const identities = live.map((row) => identity(String(row.type), String(row.content)));
      expect(new Set(identities).size).toBe(identities.length);
      const due = candidates.filter(
        ({ suggested_by, importance_score }) =>
          suggested_by === "agent" || importance_score >= promotion.threshold,
      );
      for (const { memory_type, content: text } of due)
        expect(identities).toContain(identity(memory_type, text));
    });
    await fc.assert(law, { numRuns: scaleCases(12) });
  });
});

describe("an assembled context", () => {
  const words = fc.array(
    fc.constantFrom("tea", "因果", "https://x.example/y", "# Heading", "decided", "\n", "🙂", "of"),
    {
      minLength: 1,
      maxLength: 120,
    },
  );
  const text = words.map((list) => list.join(" "));
  /** Larger than any budget below. */
  const huge = "We decided on tea. ".repeat(1_500);
  const conversation = fc.record({
    messages: fc.array(
      fc.record({
        role: fc.constantFrom("user", "assistant", "system", "tool"),
        content: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.constant(huge) }),
      }),
      { minLength: 1, maxLength: 30 },
    ),
    context: fc.array(text, { maxLength: 8 }),
    memories: fc.array(text, { maxLength: 6 }),
    endsHuge: fc.boolean(),
    budgets: fc.array(fc.integer({ min: 1_000, max: 4_000 }), { minLength: 1, maxLength: 3 }),
    query: fc.option(text, { nil: undefined }),
  });

  it("never exceeds its budget, and names all that it left out", async () => {
    const law = fc.asyncProperty(
      conversation,
      async ({ messages, endsHuge, context, memories, budgets, query }) => {
        const client = await newClient();
        const id = freshId("session");
        const path = `/v1/sessions/${id}`;
        // A window that holds all of it: what is cut, the assembly cuts.
        const token_budget = { total: 200_000, conversation: 150_000, context: 50_000 };
        await client.call("POST", "/v1/sessions", { id, token_budget });
        const last = endsHuge ? [{ role: "user", content: huge }] : [];
        const sent = [...messages, ...last].map((message, n) => ({ ...message, id: `m${n}` }));
        expect((await client.call("POST", `${path}/messages`, { messages: sent })).status).toBe(201);
        for (const [n, value] of context.entries())
          await client.call("PUT", `${path}/context/k${n}`, { value, memory_type: "fact" });
        for (const content of memories)
          if (content.trim() !== "")
            await client.call("POST", `${path}/remember`, { content: [...content].slice(0, 2_000).join("") });

        for (const budget of budgets) {
          const { status, body } = await client.call("POST", `${path}/assemble`, {
            token_budget: budget,
            ...(query === undefined ? {} : { query: [...query].slice(0, 1_000).join("") }),
          });
          expect(status).toBe(200);
          expect(body.tokens.budget).toBe(budget);
          const { conversation: said, working, long_term, total } = body.tokens;
          expect(total).toBe(said + working + long_term);
          expect(total).toBeLessThanOrEqual(budget);
          // By the tokenizer itself, whatever the answer says of itself.
          const counted = body.messages.reduce(
            (sum: number, message: { content: string }) => sum + countMessageTokens(message.content, null),
            countTokens(body.prompt),
          );
          expect(counted).toBeLessThanOrEqual(budget);

          const leftOut = (part: string) =>
            body.left_out.flatMap((left: { part: string; id: string }) =>
              left.part === part ? [left.id] : [],
            );
          const shown = body.messages.flatMap((message: { id: string | null }) => message.id ?? []);
          expect([...leftOut("conversation"), ...shown].toSorted()).toEqual(
            sent.map(({ id }) => id).toSorted(),
          );
          const { body: items } = await client.call("GET", `${path}/context?limit=100`);
          expect([...leftOut("working"), ...Object.keys(body.working_context)].toSorted()).toEqual(
            items.data.map(({ key }: { key: string }) => key),
          );
        }
      },
    );
    await fc.assert(law, { numRuns: scaleCases(10) });
  });
});
