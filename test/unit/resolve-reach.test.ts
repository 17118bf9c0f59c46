import { describe, expect, it } from "vitest";
import type { LastingOwner } from "../../src/domain/reach";
import { resolveReach } from "../../src/operations/resolve-reach";
import type { Scope } from "../../src/schemas/common";

function owner(more: Partial<LastingOwner> = {}): LastingOwner {
  return { user_id: null, agent_id: null, project_id: null, ...more };
}

function session(reach: Scope, more: Partial<LastingOwner> = {}) {
  return { ...owner(more), reach };
}

const [USER, AGENT, PROJECT] = [{ user_id: "u" }, { agent_id: "a" }, { project_id: "p" }];

describe("the reach of a call", () => {
  it.each<[string, ReturnType<typeof session> | null, Partial<LastingOwner>, Scope]>([
    ["an unknown session is that of its owner", null, { ...USER, ...AGENT }, "user"],
    ["an unknown session without an owner is the session", null, {}, "session"],
    ["a session is its own", session("project", { ...AGENT, ...PROJECT }), {}, "project"],
    ["a session is not widened by its own user", session("session", USER), USER, "session"],
    ["a session without a user is narrowed to the user in the call", session("agent", AGENT), USER, "user"],
    [
      "a session of a project is narrowed to the agent in the call",
      session("project", PROJECT),
      AGENT,
      "agent",
    ],
    ["a session is not widened by an id in the call", session("user", USER), PROJECT, "user"],
    ["a narrow session of a project stays so", session("session", PROJECT), AGENT, "session"],
    ["a session without an owner is set by the call", session("session"), AGENT, "agent"],
    ["a wide session without an owner stays so", session("tenant"), {}, "tenant"],
    ["a wide session without an owner is narrowed by the call", session("tenant"), USER, "user"],
  ])("in %s", (_case, known, named, reach) => {
    const { user_id, agent_id, project_id } = { ...owner(), ...known, ...named };
    expect(resolveReach(known, { user_id, agent_id, project_id })).toBe(reach);
  });
});
