// What the agent believes of its task.
import type { Examples } from "./example";

const SPACE = {
  name: "hypotheses",
  kind: "map",
  rev: 1,
  data: { cause: "Guests have no customer id" },
  metadata: {},
  memory_rev: 1,
};

const MEMORY = {
  id: "checkout-fix",
  rev: 5,
  spaces: {
    tasks: {
      kind: "list",
      rev: 3,
      data: [{ id: "guest-test", text: "Write a test for the guest checkout", status: "done" }],
      metadata: {},
    },
    world: { kind: "map", rev: 0, data: {}, metadata: {} },
    hypotheses: {
      kind: "map",
      rev: 2,
      data: {
        cause: "Guests have no customer id",
        proof: "test/shop/guest_checkout_test.exs",
        ruled_out: ["session timeout"],
      },
      metadata: {},
    },
  },
  created_at: "2026-11-16T09:01:00.000Z",
  updated_at: "2026-11-16T09:15:00.000Z",
  metadata: {},
};

export const spaceExamples: Examples = {
  "PUT /v1/sessions/{id}/spaces/{name}": {
    body: { data: { cause: "Guests have no customer id" } },
    answer: SPACE,
  },
  "GET /v1/sessions/{id}/spaces/{name}": { answer: SPACE },
  "GET /v1/sessions/{id}/spaces/{name}/keys/{key}": {
    answer: { key: "cause", value: "Guests have no customer id" },
  },
  "POST /v1/sessions/{id}/spaces/{name}/ops": {
    body: {
      ops: [
        { op: "put", key: "proof", value: "test/shop/guest_checkout_test.exs" },
        { op: "put", key: "ruled_out", value: ["session timeout"] },
      ],
      expected_rev: 1,
    },
    answer: {
      rev: 2,
      memory_rev: 2,
      data: {
        cause: "Guests have no customer id",
        proof: "test/shop/guest_checkout_test.exs",
        ruled_out: ["session timeout"],
      },
    },
  },
  "GET /v1/sessions/{id}/memory": { answer: MEMORY },
  "PATCH /v1/sessions/{id}/memory": {
    body: { metadata: { plan: "SHOP-412" } },
    answer: { ...MEMORY, rev: 6, updated_at: "2026-11-16T09:16:00.000Z", metadata: { plan: "SHOP-412" } },
  },
  "DELETE /v1/sessions/{id}/spaces/{name}": {},
};
