// Keys of a tenant.
import type { Examples } from "./example";

const KEY = {
  id: "key_f57b2c6f9a1c7c2d275d12ac",
  tenant: "acme",
  name: "ada in production",
  scopes: ["read", "write"],
  created_at: "2026-11-16T09:00:00.000Z",
  expires_at: "2099-12-31T23:59:59.000Z",
};

export const keyExamples: Examples = {
  "POST /v1/keys": {
    body: {
      tenant: "acme",
      name: "ada in production",
      scopes: ["read", "write"],
      expires_at: "2099-12-31T23:59:59.000Z",
    },
    answer: { ...KEY, key: "kioku_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" },
  },
  "GET /v1/keys": { answer: { data: [KEY], next_cursor: null } },
  "DELETE /v1/keys/{id}": {},
  "GET /v1/keys/self": { answer: { id: KEY.id, tenant: KEY.tenant, scopes: KEY.scopes } },
};
