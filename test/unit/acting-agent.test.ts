// The agent that makes a call in a session.
import { expect, it } from "vitest";
import { selectActingAgent } from "../../src/domain/reach";

const owner = { user_id: null, project_id: null };

it.each([
  ["the session's own", { agent_id: "ada" }, null, "ada"],
  ["the session's own, although another is named", { agent_id: "ada" }, "bea", "ada"],
  ["a named one that participates", { agent_id: "ada", participating_agents: ["bea"] }, "bea", "bea"],
  ["the named one of a session without an agent", { agent_id: null }, "bea", "bea"],
  ["nobody", { agent_id: null, participating_agents: ["bea"] }, null, null],
])("is %s", (_what, session, named, expected) => {
  expect(selectActingAgent({ ...owner, ...session }, named)).toBe(expected);
});
