// The scope of a bound key: what it asks for and what it is bound to both hold.
import { expect, it } from "vitest";
import { narrowScope } from "../../../src/recall/search/corpus";

it.each([
  ["the tenant by a user", { kind: "tenant" }, { user_id: "u" }, { kind: "user", id: "u" }, { user_id: "u" }],
  [
    "a project by an agent",
    { kind: "project", id: "p" },
    { agent_id: "a" },
    { kind: "agent", id: "a" },
    { agent_id: "a", project_id: "p" },
  ],
  [
    "a user by a project",
    { kind: "user", id: "u" },
    { project_id: "p" },
    { kind: "user", id: "u" },
    { user_id: "u", project_id: "p" },
  ],
  [
    "a session by nothing",
    { kind: "session", id: "s" },
    { user_id: "u" },
    { kind: "session", id: "s" },
    { user_id: "u" },
  ],
  ["anything for a key without a binding", { kind: "tenant" }, {}, { kind: "tenant" }, {}],
] as const)("narrows %s", (_, requested, binding, scope, within) => {
  expect(narrowScope(requested, binding)).toEqual({ scope, within });
});
