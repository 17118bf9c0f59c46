// Helpers of the integration tests: the Worker called over HTTP inside workerd, with fresh tenants and ids.
import { env, exports } from "cloudflare:workers";
import { expect, type MockInstance, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { getIndexer } from "../../src/recall/vectors/semantic-services";

export const ADMIN_KEY = "test-admin-key";

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test says it is
export type Answer = { status: number; headers: Headers; body: any };

export type Client = {
  tenant: string;
  key: string;
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
};

export function freshId(prefix = "id"): string {
  return `${prefix}-${crypto.randomUUID()}`;
}

export async function callWith(
  key: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await exports.default.fetch(`https://kioku.test${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /\bjson/.test(response.headers.get("Content-Type") ?? "");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A client of a tenant of its own. */
export async function newClient(
  scopes: string[] = ["read", "write"],
  tenant = freshId("tenant"),
): Promise<Client> {
  const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant, scopes });
  const key: string = body.key;
  return { tenant, key, call: (method, path, sent, headers) => callWith(key, method, path, sent, headers) };
}

/** What was logged of one kind: other work, of indexers too, may log at any time. */
export function eventsIn({ mock }: MockInstance<typeof console.log>, event: string): { event: string }[] {
  return mock.calls.map(([line]) => JSON.parse(String(line))).filter((logged) => logged.event === event);
}

/** Waits until the vector index shows everything of a tenant. */
export async function untilIndexed(tenant: string): Promise<void> {
  await vi.waitFor(async () => expect(await getIndexer(env, tenant).drain(tenant)).toBe(0), {
    interval: 20,
  });
}

/** Ends at once every wait of the service that is this long, until `vi.restoreAllMocks`. */
export function skipWaits(length: number): MockInstance<typeof scheduler.wait> {
  const wait = scheduler.wait.bind(scheduler);
  return vi
    .spyOn(scheduler, "wait")
    .mockImplementation((ms, options) => wait(ms === length ? 0 : ms, options));
}

/** The object behind a session, for tests that evict it, run its alarm or set its clock. */
export function sessionStub(tenant: string, id: string): DurableObjectStub<SessionObject> {
  return env.SESSIONS.getByName(`${tenant}/${id}`) as unknown as DurableObjectStub<SessionObject>;
}
