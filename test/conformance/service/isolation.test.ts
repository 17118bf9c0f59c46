// Nobody gets in without a key, and nobody sees another tenant: over every route the service lists.
import { beforeAll, describe, expect, it } from "vitest";
import { entriesOf, entriesPath, preflight, setPolicy } from "../policy/policy";
import { allPages, contents, ids, newSession, recall, remember, say } from "../support/actions";
import { type Answer, type Client, fresh } from "../support/client";
import type { Memory, Recalled, Session } from "../support/contract";
import { fillEstate, listNamespaces, matchWritten, readEstate, sendTo } from "../support/estate";
import { bodyOf, expectProblem } from "../support/expectations";
import {
  type Belongings,
  CONTRACT_ROUTES,
  fillPath,
  guardedRoutes,
  type OpenApi,
  openApi,
  type Route,
  shapeOf,
} from "../support/routes";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();
const SECRET = `secret${Math.random().toString(36).slice(2)}`;

let document: OpenApi;
let routes: Route[] = [];
let owner: Client;
let own: Belongings = {};

function named(route: Route): string {
  return `${route.method} ${shapeOf(route.template)}`;
}

function send(client: Client, route: Route): Promise<Answer<unknown>> {
  return sendTo(client, document, route, own);
}

beforeAll(async () => {
  document = await openApi(kioku.anonymous);
  routes = guardedRoutes(document);
  owner = await kioku.tenant();
  own = await fillEstate(owner, SECRET, { agent_id: fresh("agent"), project_id: fresh("project") });
});

describe("without a good key", () => {
  it("every route but the open ones answers 401", async () => {
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      for (const key of [undefined, "Bearer wrong"]) {
        const headers = key === undefined ? {} : { authorization: key };
        const body = route.method === "GET" || route.method === "DELETE" ? {} : { body: {} };
        const answer = await kioku.anonymous.call(route.method, fillPath(route.template, own), {
          headers,
          ...body,
        });
        expect(answer.status, named(route)).toBe(401);
        expectProblem(answer, "unauthorized");
      }
    }
  });

  it("a deleted key opens no route", async () => {
    const made = bodyOf(
      await kioku.admin.post<{ id: string; key: string }>("/v1/keys", { tenant: fresh("tenant") }),
      201,
    );
    bodyOf(await kioku.admin.delete(`/v1/keys/${made.id}`), 204);
    for (const route of routes) {
      const headers = { authorization: `Bearer ${made.key}` };
      const answer = await kioku.anonymous.call(route.method, fillPath(route.template, own), { headers });
      expect(answer.status, named(route)).toBe(401);
    }
  });
});

describe("a read-only key", () => {
  const reads = ["recall", "assemble", "execute", "preflight", "prime"];

  it("is refused by every route of the contract that writes", async () => {
    const reader = await kioku.tenant({ scopes: ["read"] });
    const writes = routes.filter((route) => {
      const call = route.template.split("/").at(-1) ?? "";
      return CONTRACT_ROUTES.includes(named(route)) && route.method !== "GET" && !reads.includes(call);
    });
    expect(writes.length).toBeGreaterThan(15);
    for (const route of writes) {
      const answer = await send(reader, route);
      expect(answer.status, named(route)).toBe(403);
      expectProblem(answer, "forbidden");
    }
  });

  it("is refused by every route that puts, patches or deletes", async () => {
    const reader = await kioku.tenant({ scopes: ["read"] });
    for (const route of routes.filter(({ method }) => ["PUT", "PATCH", "DELETE"].includes(method))) {
      expect((await send(reader, route)).status, named(route)).toBe(403);
    }
  });
});

describe("another tenant", () => {
  const absent = ["pause", "resume", "close", "promote", "projectors", "acknowledge"];
  const collections = ["sessions", "memories", "episodes", "patterns", "skills", "ledgers", "handoffs"];
  /** Calls on a part of a session that only the owner's has. */
  const onParts = [
    ...["DELETE /v1/sessions/{}/spaces/{}", "POST /v1/sessions/{}/spaces/{}/ops"],
    ...["DELETE /v1/sessions/{}/tasks/{}", "POST /v1/sessions/{}/tasks/{}/complete"],
  ];

  /** Routes of which the contract says that an object of another tenant is a 404. */
  function mustBeAbsent(route: Route): boolean {
    const [, , collection, parameter, ...rest] = route.template.split("/");
    if (!parameter || !collections.includes(collection ?? "")) return false;
    if (!CONTRACT_ROUTES.includes(named(route))) return false;
    return (
      route.method === "GET" ||
      (route.method === "DELETE" && rest.length === 0) ||
      onParts.includes(named(route)) ||
      absent.includes(rest[0] ?? "")
    );
  }

  it("sees and changes nothing over any route, whatever ids it knows", async () => {
    const before = await readEstate(owner, own);
    expect(before).toContain(SECRET);
    for (const route of routes) {
      const stranger = await kioku.tenant();
      const answer = await send(stranger, route);
      // The caller's own query may come back; what the owner wrote may not.
      expect(answer.text, named(route)).not.toMatch(matchWritten(SECRET));
      // Refused for its scope is refused for the owner too; refused for the object would be a leak.
      if (answer.status === 403) expect((await send(owner, route)).status, named(route)).toBe(403);
      expect(answer.status, named(route)).toBeLessThan(500);
      if (mustBeAbsent(route)) expect(answer.status, named(route)).toBe(404);
    }
    expect(await readEstate(owner, own)).toBe(before);
  });

  it("finds nothing by searching or listing", async () => {
    const stranger = await kioku.tenant();
    const everything = { query: SECRET, scope: "tenant", include_superseded: true, min_confidence: 0 };
    for (const body of [
      everything,
      {},
      { agent_id: own.agent_id },
      { project_id: own.project_id, query: SECRET },
    ]) {
      expect(bodyOf(await stranger.post<Recalled>("/v1/recall", body), 200)).toEqual({
        count: 0,
        confidence: "none",
        memories: [],
      });
    }
    for (const filter of ["", `?agent_id=${own.agent_id}`, `?project_id=${own.project_id}`]) {
      expect(await allPages(stranger, `/v1/sessions${filter}`)).toEqual([]);
      expect(await allPages(stranger, `/v1/memories${filter}`)).toEqual([]);
    }
    expect(await allPages(stranger, `/v1/memories?session_id=${own.session_id}`)).toEqual([]);
    const everywhere = { query: SECRET, scope: "tenant", sources: ["memories", "messages", "episodes"] };
    expect(bodyOf(await stranger.post<Recalled>("/v1/recall", everywhere), 200).count).toBe(0);
    for (const list of ["episodes", "patterns", "learnings", "skills", "handoffs"])
      expect(await allPages(stranger, `/v1/${list}`)).toEqual([]);
    expectProblem(await stranger.get(`/v1/links?of=${own.pattern_id}`), "not_found");
    for (const name of listNamespaces(own)) expect(await entriesOf(stranger, name)).toEqual([]);
    const asked = { agent_id: own.agent_id, input: SECRET };
    for (const policy of [{ scope: "agent" }, { scope: "session" }, { namespace: own.namespace }]) {
      await setPolicy(stranger, String(own.agent_id), policy);
      expect((await preflight(stranger, String(own.session_id), asked)).memory.entries).toEqual([]);
    }
  });

  it("gets nothing out of a cursor that was not made for it", async () => {
    for (const n of [1, 2]) await remember(owner, String(own.session_id), `${SECRET} page ${n}`);
    const entries = `${entriesPath(`agent:${own.agent_id}`)}&limit=1`;
    for (const path of ["/v1/memories?limit=1", `/v1/sessions/${own.session_id}/messages?limit=1`, entries]) {
      const page = bodyOf(await owner.get<{ next_cursor: string | null }>(path), 200);
      const cursor = encodeURIComponent(page.next_cursor ?? "none");
      const answer = await (await kioku.tenant()).get(`${path}&cursor=${cursor}`);
      expect([200, 400, 404]).toContain(answer.status);
      expect(answer.text).not.toContain(SECRET);
    }
  });

  it("may use the same ids and words, and both keep their own", async () => {
    const [one, two] = [await kioku.tenant(), await kioku.tenant()];
    const id = fresh("session");
    const stored: Record<string, string> = {};
    for (const [name, client] of [
      ["one", one],
      ["two", two],
    ] as const) {
      bodyOf(await client.post<Session>("/v1/sessions", { id, agent_id: "scribe", metadata: { name } }), 201);
      stored[name] = (
        await remember(client, id, "The same words", { key: "topic", rationale: name })
      ).memory_id;
      expect((await say(client, id, [{ id: "m1", role: "user", content: name }])).added).toBe(1);
    }
    for (const [name, client] of [
      ["one", one],
      ["two", two],
    ] as const) {
      expect(bodyOf(await client.get<Session>(`/v1/sessions/${id}`), 200).metadata).toEqual({ name });
      const memories = await allPages<Memory>(client, "/v1/memories?include_superseded=true");
      expect(memories.map((memory) => memory.rationale)).toEqual([name]);
      expect(ids(memories)).toEqual([stored[name]]);
      expect(contents(await recall(client, id, { scope: "tenant" }))).toEqual(["The same words"]);
    }
    bodyOf(await one.delete(`/v1/sessions/${id}?memories=true`), 200);
    expect(contents(await recall(two, id))).toEqual(["The same words"]);
  });

  it("cannot be forgotten, replaced or erased by its id", async () => {
    const stranger = await kioku.tenant();
    const { id } = await newSession(stranger);
    const mine = await remember(stranger, id, "Mine");
    const theirs = own.memory_id;
    expectProblem(await stranger.post(`/v1/sessions/${id}/forget`, { memory_id: theirs }), "not_found");
    const body = { memory_id: mine.memory_id, replacement_id: theirs };
    expectProblem(await stranger.post(`/v1/sessions/${id}/forget`, body), "not_found");
    expectProblem(await stranger.delete(`/v1/memories/${theirs}`), "not_found");
    bodyOf(await owner.get(`/v1/memories/${theirs}`), 200);
    expect(contents(await recall(stranger, id))).toEqual(["Mine"]);
  });
});
