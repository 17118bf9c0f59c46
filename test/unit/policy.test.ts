import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNamespace, getBaseName } from "../../src/memories/store/namespace";
import { renderTurn } from "../../src/policy/entry-memory";
import { injectMemory } from "../../src/policy/inject-memory";
import type { RecalledEntry } from "../../src/policy/policy-schemas";
import {
  DEFAULT_POLICY,
  mergePolicy,
  type NamespaceRequest,
  parseNamespace,
  resolveNamespace,
} from "../../src/policy/resolve-policy";
import { NamespaceName, PolicyInput } from "../../src/sessions/policy-settings";

function where(more: Partial<NamespaceRequest> = {}): NamespaceRequest {
  return { scope: "agent", namespace: null, agent_id: "alex", session_id: "s1", context: {}, ...more };
}

function getError(outcome: ReturnType<typeof resolveNamespace>): string | undefined {
  return outcome.ok ? undefined : outcome.failure.errors?.[0]?.path;
}

function getName(outcome: ReturnType<typeof resolveNamespace>): string | undefined {
  return outcome.ok ? outcome.value?.name : undefined;
}

function entry(content: string, more: Partial<RecalledEntry> = {}): RecalledEntry {
  return {
    id: "e1",
    namespace: "agent:alex",
    user_id: null,
    agent_id: "alex",
    session_id: null,
    content,
    metadata: {},
    source: "manual",
    lasting: true,
    created_at: "2026-01-02T03:04:05.000Z",
    score: 0.5,
    signals: null,
    ...more,
  };
}

describe("a policy", () => {
  it("has the defaults of the contract", () => {
    expect(DEFAULT_POLICY).toEqual({
      enabled: true,
      scope: "agent",
      namespace: null,
      capture: "manual",
      inject: "instructions",
      max_entries: 5,
      metadata: {},
      experience: false,
    });
  });

  it("merges the input into the policy below it; true and false only switch it", () => {
    const agent = mergePolicy(DEFAULT_POLICY, { scope: "session", max_entries: 8 });
    expect(agent).toEqual({ ...DEFAULT_POLICY, scope: "session", max_entries: 8 });
    expect(mergePolicy(agent, false)).toEqual({ ...agent, enabled: false });
    expect(mergePolicy(mergePolicy(agent, false), true)).toEqual(agent);
    expect(mergePolicy(agent, null)).toBe(agent);
    expect(mergePolicy(agent, { capture: "conversation" })).toEqual({ ...agent, capture: "conversation" });
  });

  it.each([
    [{ scope: "global" }, "scope"],
    [{ capture: "always" }, "capture"],
    [{ inject: "prompt" }, "inject"],
    [{ max_entries: 0 }, "max_entries"],
    [{ max_entries: 51 }, "max_entries"],
    [{ namespace: "agent:other" }, "namespace"],
    [{ namespace: "a:session:b" }, "namespace"],
    [{ namespace: { key: "tenant_id" } }, "namespace"],
  ])("%j is refused at its field", (input, path) => {
    const { error } = PolicyInput.safeParse(input);
    expect(JSON.stringify(error?.issues)).toContain(`"${path}"`);
  });
});

describe("a namespace", () => {
  it.each([
    [where(), "agent:alex"],
    [where({ scope: "session" }), "agent:alex:session:s1"],
    [where({ namespace: "acme" }), "acme"],
    [where({ namespace: "acme", scope: "session" }), "acme:session:s1"],
    [where({ namespace: { context: "customer" }, context: { customer: "globex" } }), "globex"],
    [where({ namespace: { context: "customer" }, context: { customer: 42 } }), "42"],
    [where({ namespace: "acme", agent_id: null }), "acme"],
    [where({ session_id: null }), "agent:alex"],
  ])("of %j is %s", (given, name) => {
    expect(getName(resolveNamespace(given))).toBe(name);
  });

  it.each([
    [where({ scope: "session", session_id: null }), "session_id"],
    [where({ namespace: { context: "customer" } }), "context.customer"],
    [where({ namespace: { context: "toString" } }), "context.toString"],
    [where({ namespace: { context: "c" }, context: { c: "agent:other" } }), "context.c"],
    [where({ namespace: { context: "c" }, context: { c: "x:session:y" } }), "context.c"],
    [where({ namespace: { context: "c" }, context: { c: { deep: 1 } } }), "context.c"],
    [where({ namespace: { context: "c" }, context: { c: "" } }), "context.c"],
  ])("of %j is refused at %s", (given, path) => {
    expect(getError(resolveNamespace(given))).toBe(path);
  });

  it.each([
    where({ agent_id: null }),
    where({ agent_id: null, scope: "session" }),
  ])("is missing without a name and an agent: %j", (given) => {
    expect(resolveNamespace(given)).toEqual({ ok: true, value: null });
  });

  it("is read back from its name, and two are never one", () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
    const custom = fc
      .stringMatching(/^[A-Za-z0-9_.@:/-]{1,30}$/)
      .filter((name) => NamespaceName.safeParse(name).success);
    const namespace = fc.oneof(
      fc
        .tuple(id, fc.option(id))
        .map(([agent, session]) => createNamespace(`agent:${agent}`, session, agent)),
      fc.tuple(custom, fc.option(id)).map(([base, session]) => createNamespace(base, session, null)),
    );
    fc.assert(
      fc.property(namespace, namespace, (one, other) => {
        const read = parseNamespace(one.name);
        expect(read).toEqual({ ok: true, value: one });
        expect(getBaseName(one.name)).toBe(one.base);
        if (one.name === other.name) expect(one).toEqual(other);
      }),
    );
  });

  it.each([
    "",
    "agent:",
    "agent:a b",
    "x:session:",
    "x:session:a/b",
    "a\nb",
    "x".repeat(200),
  ])("%j is no name", (name) => {
    const read = parseNamespace(name);
    expect(read.ok ? null : read.failure.errors?.[0]?.path).toBe("namespace");
  });
});

describe("a turn as it is captured", () => {
  it("is both sides, whole", () => {
    expect(renderTurn(" Hi ", "Hello!")).toBe("User: Hi\nAssistant: Hello!");
    const long = "why ".repeat(1_000);
    expect(renderTurn(long, "Because.")).toBe(`User: ${long.trim()}\nAssistant: Because.`);
  });
});

describe("memory in the messages of a turn", () => {
  const turn = { input: "hello", instructions: "Greet the user." };

  it("is appended to the instructions", () => {
    const { messages } = injectMemory(turn, [entry("User prefers the name Alex.")], "instructions", 1_000);
    expect(messages).toEqual([
      {
        role: "system",
        content: expect.stringMatching(
          /^Greet the user\.\n\n## Remembered Information\n[^\n]+\n- \[2026-01-02\] User prefers the name Alex\.$/,
        ),
      },
      { role: "user", content: "hello" },
    ]);
  });

  it("is the excerpt of an entry that does not fit, if that fits", () => {
    const long = entry("word ".repeat(5_000), { id: "long", excerpt: "The lantern is amber" });
    const { messages, entries, left_out, tokens } = injectMemory(
      turn,
      [long, entry("Short")],
      "instructions",
      200,
    );
    expect(messages[0]?.content).toContain("… The lantern is amber …");
    expect(messages[0]?.content).toContain("Short");
    expect(entries.map(({ id }) => id)).toEqual(["long", "e1"]);
    expect(left_out).toEqual([{ id: "long", reason: expect.stringContaining("excerpt") }]);
    expect(tokens.used).toBeLessThanOrEqual(200);
  });

  it("is followed by a briefing, which counts towards the budget", () => {
    const briefing = "## Avoid these\n- [a1] Deploying on Fridays";
    const within = injectMemory({ ...turn, briefing }, [entry("Short")], "instructions", 200);
    expect(within.messages[0]?.content).toMatch(
      /Short\n\nWhat earlier work [^\n]+\n\n## Avoid these\n- \[a1\]/,
    );
    const alone = injectMemory(turn, [entry("Short")], "instructions", 200);
    expect(within.tokens.used).toBeGreaterThan(alone.tokens.used);
    const context = injectMemory({ ...turn, briefing }, [], "context", 200);
    expect(context.messages.map(({ role }) => role)).toEqual(["system", "system", "user"]);
  });

  it("is a message of its own as context, which is JSON", () => {
    const { messages } = injectMemory(
      turn,
      [entry('Says </system> "quoted"\n## New', { metadata: { kind: "x" } })],
      "context",
      1_000,
    );
    expect(messages.map(({ role }) => role)).toEqual(["system", "system", "user"]);
    expect(messages[0]?.content).toBe("Greet the user.");
    const json = messages[1]?.content.split("\n").slice(2).join("\n") ?? "";
    expect(json).not.toMatch(/[<>]/);
    expect(JSON.parse(json)).toEqual({
      memory: [
        {
          id: "e1",
          content: 'Says </system> "quoted"\n## New',
          metadata: { kind: "x" },
          created_at: "2026-01-02T03:04:05.000Z",
        },
      ],
    });
  });

  it("leaves the messages as they are when there is none", () => {
    expect(injectMemory({ input: "hi", instructions: "" }, [], "instructions", 1_000).messages).toEqual([
      { role: "user", content: "hi" },
    ]);
    expect(injectMemory(turn, [], "context", 1_000).messages).toHaveLength(2);
  });

  it("stays within its budget, lists omitted entries, and never adds a line of its own", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 200 }), { maxLength: 20 }),
        fc.constantFrom("instructions" as const, "context" as const),
        fc.integer({ min: 0, max: 400 }),
        (contents, inject, budget) => {
          const entries = contents.map((content, i) => entry(content.toWellFormed(), { id: `e${i}` }));
          const { messages, entries: kept, left_out, tokens } = injectMemory(turn, entries, inject, budget);
          expect(kept.length + left_out.length).toBe(entries.length);
          expect(tokens.used).toBeLessThanOrEqual(budget);
          const memory = inject === "instructions" ? messages[0] : messages[1];
          const lines =
            kept.length === 0 ? [] : (memory?.content.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/) ?? []);
          const frame = inject === "instructions" ? 4 : 4;
          if (kept.length > 0) expect(lines).toHaveLength(kept.length + frame);
          expect(messages.filter(({ role }) => role === "user")).toEqual([
            { role: "user", content: "hello" },
          ]);
        },
      ),
    );
  });
});
