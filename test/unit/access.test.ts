// Whose memory a call covers: laws of bindings and scopes, the scope of a call in a session, the agent that acts in it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Binding,
  findWiderScope,
  getDefaultScope,
  inheritOwner,
  isBound,
  isWiderScope,
  isWithinBinding,
  NO_OWNER,
  OWNER_IDS,
  type Owner,
  resolveScope,
  selectActingAgent,
  toOwner,
  UNBOUND,
} from "../../src/kernel/access";
import { SCOPES, type Scope } from "../../src/kernel/common";

const id = fc.constantFrom("a", "b");
const owners: fc.Arbitrary<Required<Owner>> = fc.record({
  session_id: fc.option(id),
  user_id: fc.option(id),
  agent_id: fc.option(id),
  project_id: fc.option(id),
});
const bindings: fc.Arbitrary<Binding> = fc.record(
  { session_id: id, user_id: id, agent_id: id, project_id: id },
  { requiredKeys: [] },
);
const scopes = fc.constantFrom(...SCOPES);

describe("a binding", () => {
  it("without an id excludes nothing", () => {
    fc.assert(fc.property(owners, (owner) => isWithinBinding(UNBOUND, owner)));
    expect(isBound(UNBOUND)).toBe(false);
  });

  it("holds for an owner exactly if each of its ids holds alone", () => {
    fc.assert(
      fc.property(bindings, owners, (binding, owner) => {
        const alone = OWNER_IDS.every((name) => isWithinBinding({ [name]: binding[name] }, owner));
        expect(isWithinBinding(binding, owner)).toBe(alone);
      }),
    );
  });

  it("narrows: one with more ids admits no more owners", () => {
    fc.assert(
      fc.property(bindings, bindings, owners, (narrow, more, owner) => {
        fc.pre(isWithinBinding({ ...more, ...narrow }, owner));
        expect(isWithinBinding(narrow, owner)).toBe(true);
      }),
    );
  });

  it("excludes nobody's things, and those of another owner", () => {
    fc.assert(
      fc.property(bindings, (binding) => {
        expect(isWithinBinding(binding, NO_OWNER)).toBe(!isBound(binding));
        const { session_id: _, ...key } = binding;
        expect(isWithinBinding(key, toOwner(key))).toBe(true);
      }),
    );
  });
});

describe("scopes", () => {
  it("have a strict order, from a session to the tenant", () => {
    fc.assert(
      fc.property(scopes, scopes, scopes, (a, b, c) => {
        expect(Number(isWiderScope(a, b)) + Number(isWiderScope(b, a))).toBe(a === b ? 0 : 1);
        if (isWiderScope(a, b) && isWiderScope(b, c)) expect(isWiderScope(a, c)).toBe(true);
      }),
    );
    expect(SCOPES.every((one) => one === "tenant" || isWiderScope("tenant", one))).toBe(true);
  });

  it("default to the narrowest owner that is named", () => {
    fc.assert(
      fc.property(owners, (owner) => {
        const scope = getDefaultScope(owner);
        for (const one of ["user", "agent", "project"] as const)
          if (owner[`${one}_id`] !== null)
            expect(scope === "session" || isWiderScope(scope, one)).toBe(false);
      }),
    );
  });

  it("widen to a known owner, and to the tenant only without a user", () => {
    fc.assert(
      fc.property(owners, scopes, (owner, scope) => {
        const wider = findWiderScope(owner, scope);
        if (wider === null) return;
        expect(isWiderScope(wider, scope)).toBe(true);
        expect(wider === "tenant" ? owner.user_id === null : owner[`${wider}_id`] !== null).toBe(true);
      }),
    );
  });
});

describe("the owner of a call in a session", () => {
  it("has the session's ids, completed by those of the call", () => {
    fc.assert(
      fc.property(owners, owners, (session, named) => {
        const differs =
          session.user_id !== null && named.user_id !== null && session.user_id !== named.user_id;
        if (differs) expect(() => inheritOwner(session, named)).toThrow(/user_id/);
        else
          expect(inheritOwner(session, named)).toEqual({
            user_id: session.user_id ?? named.user_id,
            agent_id: session.agent_id ?? named.agent_id,
            project_id: session.project_id ?? named.project_id,
          });
      }),
    );
  });

  it.each([
    ["the session's own", { agent_id: "ada" }, null, "ada"],
    ["the session's own, although another is named", { agent_id: "ada" }, "bea", "ada"],
    ["a named one that participates", { agent_id: "ada", participating_agents: ["bea"] }, "bea", "bea"],
    ["the named one of a session without an agent", { agent_id: null }, "bea", "bea"],
    ["nobody", { agent_id: null, participating_agents: ["bea"] }, null, null],
  ])("acts through %s", (_what, session, named, expected) => {
    expect(selectActingAgent(session, named)).toBe(expected);
  });
});

const [USER, AGENT, PROJECT] = [{ user_id: "u" }, { agent_id: "a" }, { project_id: "p" }];

function createSession(reach: Scope, more: Partial<Owner> = {}) {
  return { ...NO_OWNER, ...more, reach };
}

describe("the scope of a call", () => {
  it.each<[string, ReturnType<typeof createSession> | null, Partial<Owner>, Scope]>([
    ["an unknown session is that of its owner", null, { ...USER, ...AGENT }, "user"],
    ["an unknown session without an owner is the session", null, {}, "session"],
    ["a session is its own", createSession("project", { ...AGENT, ...PROJECT }), {}, "project"],
    ["a session is not widened by its own user", createSession("session", USER), USER, "session"],
    [
      "a session without a user is narrowed to the user in the call",
      createSession("agent", AGENT),
      USER,
      "user",
    ],
    [
      "a session of a project is narrowed to the agent in the call",
      createSession("project", PROJECT),
      AGENT,
      "agent",
    ],
    ["a session is not widened by an id in the call", createSession("user", USER), PROJECT, "user"],
    ["a narrow session of a project stays so", createSession("session", PROJECT), AGENT, "session"],
    ["a session without an owner is set by the call", createSession("session"), AGENT, "agent"],
    ["a wide session without an owner stays so", createSession("tenant"), {}, "tenant"],
    ["a wide session without an owner is narrowed by the call", createSession("tenant"), USER, "user"],
  ])("in %s", (_case, known, named, scope) => {
    expect(resolveScope(known, { ...NO_OWNER, ...known, ...named })).toBe(scope);
  });
});
