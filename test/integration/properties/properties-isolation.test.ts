// One tenant never sees another, nor changes anything of it: over every route of the OpenAPI document, with the
// other tenant's ids in the path and in the body, in any order.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { HOUR, setClock } from "../../faults/support";
import { scaleCases } from "../../patience";
import { ADMIN_KEY, type Answer, type Client, callWith, freshId, newClient, sessionStub } from "../support";

/** In everything the owner stores, and in no id, since a 404 may repeat the id it was asked for. */
const MARKER = "zanzibar-4711";

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Operation = {
  requestBody?: { content: Record<string, { schema: Schema }> };
  security?: unknown[];
  parameters?: { name: string; in: string }[];
};
/** `query` has the names of the parameters that it takes. */
type Route = { method: string; path: string; schema: Schema | undefined; query: string[] };

type Owned = {
  client: Client;
  session: string;
  agent: string;
  project: string;
  memory: string;
  key: string;
  episode: string;
  pattern: string;
  link: string;
  handoff: string;
};

async function newOwner(): Promise<Owned> {
  const client = await newClient(["read", "write", "admin"]);
  const [session, agent, project] = [freshId("session"), freshId("agent"), freshId("project")];
  const path = `/v1/sessions/${session}`;
  // A clock that stands still, ahead, and rare promotions: nothing of the owner's changes by itself.
  await setClock(sessionStub(client.tenant, session), Date.now() + HOUR);
  const made = [
    await client.call("POST", "/v1/sessions", {
      id: session,
      agent_id: agent,
      project_id: project,
      metadata: { note: MARKER },
      promotion: { interval_ms: HOUR },
    }),
    await client.call("POST", `${path}/messages`, {
      messages: [{ role: "user", content: `About ${MARKER}` }],
    }),
    // Sends the message to D1: later it would arrive there by itself.
    await client.call("POST", `${path}/recall`, { sources: ["messages"] }),
    await client.call("PUT", `${path}/context/framework`, { value: MARKER, source: "tool" }),
    await client.call("POST", `${path}/pending`, { content: `Maybe ${MARKER}`, memory_type: "fact" }),
    await client.call("PUT", `${path}/spaces/plain`, { data: { framework: MARKER } }),
    await client.call("POST", `${path}/tasks`, { text: `Look at ${MARKER}` }),
    await client.call("POST", `${path}/directives`, {
      type: "upsert",
      provider: "d1",
      items: [{ key: "plain", value: MARKER }],
    }),
    await client.call("POST", `${path}/directives`, { type: "query", provider: "d1", keys: ["plain"] }),
    await client.call("PUT", `/v1/agents/${agent}/policy`, { metadata: { note: MARKER } }),
    await client.call("PUT", `/v1/agents/${agent}`, { properties: { agentName: MARKER } }),
    await client.call("PUT", `/v1/projects/${project}`, { properties: { projectName: MARKER } }),
    await client.call("PUT", `/v1/resources/source_file/${session}`, {
      project_id: project,
      properties: { filePath: MARKER },
    }),
    await client.call("POST", "/v1/entries", { agent_id: agent, content: `Entries of ${MARKER}` }),
    await client.call("POST", "/v1/remember", {
      content: `Agents of ${MARKER}`,
      agent_id: agent,
      key: "topic",
    }),
    await client.call("POST", `${path}/remember`, { content: `Surely ${MARKER}`, rationale: MARKER }),
  ];
  const about = { project_id: project, agent };
  const [episode, pattern, handoff, ...rest] = [
    await client.call("POST", "/v1/episodes", {
      ...about,
      context: { goal: `Reach ${MARKER}` },
      outcome: "success",
    }),
    await client.call("POST", "/v1/patterns", { pattern: `Always ${MARKER}`, project_id: project }),
    await client.call("POST", "/v1/handoffs", {
      ...{ from_agent: agent, to_agent: agent, project_id: project },
      context: { what_was_done: MARKER },
    }),
    await client.call("POST", "/v1/learnings", {
      ...{ trigger: `Lost ${MARKER}`, root_cause: MARKER, fix: MARKER, prevention: MARKER },
      project_id: project,
    }),
    await client.call("PUT", "/v1/skills/plain", { name: `Find ${MARKER}`, steps: [MARKER] }),
    await client.call("PUT", `/v1/ledgers/${agent}`, { current_task: MARKER }),
  ];
  const link = await client.call("POST", "/v1/links", {
    ...{ from: pattern.body.id, to: episode.body.id, relation: "contradicts" },
  });
  for (const { status, body } of [...made, episode, pattern, handoff, link, ...rest])
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  await vi.waitFor(async () =>
    expect((await client.call("GET", `${path}/signals`)).body.data).toHaveLength(2),
  );
  // An object that is loaded again has the real clock, by which a projector with something to do is due.
  const { body: projectors } = await client.call("GET", `${path}/projectors`);
  for (const { name } of projectors.data)
    expect((await client.call("POST", `${path}/projectors/${name}/run`)).status, name).toBe(200);
  const { body: keys } = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${client.tenant}`);
  return {
    ...{ client, session, agent, project, memory: made.at(-1)?.body.memory_id, key: keys.data[0].id },
    ...{ episode: episode.body.id, pattern: pattern.body.id, link: link.body.id, handoff: handoff.body.id },
  };
}

/** Everything that is stored of a tenant. */
async function everything({ client, session }: Owned) {
  const tables = [
    "memories",
    "messages",
    "triples",
    "sessions",
    "api_keys",
    "operations",
    "items",
    "policies",
    "episodes",
    "ledgers",
    "handoffs",
  ];
  const rows = await Promise.all(
    tables.map((table) =>
      env.DB.prepare(`SELECT * FROM ${table} WHERE tenant = ?`).bind(client.tenant).all(),
    ),
  );
  const parts = ["", "/messages", "/context", "/pending", "/memory", "/thread", "/projectors", "/signals"];
  const views = await Promise.all(parts.map((part) => client.call("GET", `/v1/sessions/${session}${part}`)));
  const [record, ...rest] = views.map(({ body }) => body);
  // An object that is loaded again has the real clock, by which it computes its next run anew.
  const { next_run: _recomputed, ...promotion } = record.promotion;
  return [rows.map(({ results }) => results), { ...record, promotion }, ...rest];
}

async function allRoutes(): Promise<{ routes: Route[]; schemas: Record<string, Schema> }> {
  const { body } = await callWith(null, "GET", "/openapi.json");
  const routes: Route[] = [];
  for (const [path, methods] of Object.entries<Record<string, Operation>>(body.paths)) {
    for (const [method, { requestBody, security, parameters = [] }] of Object.entries(methods)) {
      if (security?.length === 0) continue;
      const schema = requestBody?.content["application/json"]?.schema;
      const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
      routes.push({ method: method.toUpperCase(), path, schema, query });
    }
  }
  return { routes, schemas: body.components.schemas };
}

/** A body that the schema takes, with the owner's ids wherever one fits. */
function bodyFor(schema: Schema, name: string, owned: Owned, schemas: Record<string, Schema>): unknown {
  const ids: Record<string, unknown> = {
    tenant: owned.client.tenant,
    session_id: owned.session,
    agent_id: owned.agent,
    project_id: owned.project,
    memory_id: owned.memory,
    continues: owned.session,
    from: owned.pattern,
    to: owned.episode,
    keep: owned.pattern,
    text: "plain",
    pattern: "plain",
    query: schema.type === "string" ? MARKER.slice(0, 8) : undefined,
    provider: "d1",
    url: "https://hooks.example.com/kioku",
    keys: ["plain"],
    sources: ["memories", "messages", "episodes"],
  };
  if (ids[name] !== undefined) return ids[name];
  if (schema.$ref !== undefined)
    return bodyFor(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, name, owned, schemas);
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice !== undefined) return bodyFor(choice, name, owned, schemas);
  if (schema.enum !== undefined) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object") {
    const wanted = Object.entries(schema.properties ?? {}).filter(
      ([key]) => ids[key] !== undefined || schema.required?.includes(key),
    );
    return Object.fromEntries(wanted.map(([key, part]) => [key, bodyFor(part, key, owned, schemas)]));
  }
  if (type === "array") return [bodyFor(schema.items ?? {}, name, owned, schemas)];
  if (type === "number" || type === "integer") return schema.minimum ?? 1;
  return type === "boolean" ? true : "plain";
}

/** A query that would find everything. */
const ALL_TRIPLES = "SELECT * { ?s ?p ?o }";

/** Bodies in languages that a schema does not describe. */
const WRITTEN_BODIES: Readonly<Record<string, object>> = {
  // Steps are optional only with instructions.
  "PUT /v1/skills/{slug}": { name: "Plain", steps: ["Begin"] },
  "POST /v1/skills": { slug: "plain", name: "Plain", steps: ["Begin"] },
  "POST /v1/sparql": { query: ALL_TRIPLES },
  "POST /v1/import": {
    format: "jsonl",
    data: '{"kind":"kioku","format":2}\n{"kind":"end","lines":0,"counts":{}}\n',
  },
  "PUT /v1/ontology/extensions/{name}": {
    turtle: `@prefix jido: <https://jido.ai/ontology#> .
      @prefix ext: <https://jido.ai/ontology/extension#> .
      @prefix owl: <http://www.w3.org/2002/07/owl#> .
      @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
      ext:Invoice a owl:Class ; rdfs:subClassOf jido:Fact ; rdfs:label "invoice" ; rdfs:comment "A bill." .`,
  },
};

function callOf(
  by: Client,
  { method, path, schema, query }: Route,
  owned: Owned,
  schemas: Record<string, Schema>,
) {
  const [, collection = ""] = /(\w+)\/\{id\}/.exec(path) ?? [];
  const ids: Record<string, string> = {
    ...{ memories: owned.memory, keys: owned.key, episodes: owned.episode, patterns: owned.pattern },
    ...{ handoffs: owned.handoff, links: owned.link, contradictions: owned.link },
  };
  const id = ids[collection] ?? owned.session;
  const filled = path
    .replace("{id}", id)
    .replace("{key}", "framework")
    .replace("{type}", "agent")
    .replace("{class}", "source_file")
    .replace("{project_id}", owned.project)
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => (name.startsWith("agent") ? owned.agent : "plain"));
  const filters: Record<string, string> = {
    session_id: owned.session,
    agent_id: owned.agent,
    project_id: owned.project,
    tenant: owned.client.tenant,
    memories: "true",
    namespace: `agent:${owned.agent}`,
    of: owned.pattern,
    query: ALL_TRIPLES,
  };
  const given =
    WRITTEN_BODIES[`${method} ${path}`] ??
    (schema === undefined ? undefined : bodyFor(schema, "", owned, schemas));
  // A graph is an agent's or a project's, not both.
  const body = path.startsWith("/v1/graph/") ? { ...(given as object), project_id: undefined } : given;
  const parameters = query.flatMap((name) => (name in filters ? [[name, filters[name] ?? ""]] : []));
  const search = new URLSearchParams(parameters).toString();
  return by.call(method, method === "GET" || method === "DELETE" ? `${filled}?${search}` : filled, body);
}

function expectNothing({ status, body }: Answer, route: Route): void {
  const name = `${route.method} ${route.path}`;
  expect(JSON.stringify(body), name).not.toContain(MARKER);
  expect(status, name).toBeLessThan(500);
}

describe("a tenant", () => {
  it("finds nothing of another's on any route: 404, or a list without it", async () => {
    const owner = await newOwner();
    const { routes, schemas } = await allRoutes();
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      const stranger = await newClient(["read", "write", "admin"]);
      const answer = await callOf(stranger, route, owner, schemas);
      expectNothing(answer, route);
      const { status, body } = answer;
      const name = `${route.method} ${route.path} ${status} ${JSON.stringify(body).slice(0, 200)}`;
      if (status >= 400) {
        // A tenant may be named, and is then refused: that says nothing of what it holds.
        const namesTenant = /^\/v1\/(keys$|admin|tenants|audit)/.test(route.path);
        expect([404, ...(namesTenant ? [403] : [])], name).toContain(status);
      } else if (Array.isArray(body.data)) {
        const own = route.path === "/v1/keys" ? 1 : 0;
        expect(body.data, name).toHaveLength(own);
      } else if (route.path.endsWith("/recall")) expect(body.count, name).toBe(0);
    }
  });

  it("changes nothing of another's, in whatever order it calls", async () => {
    const { routes, schemas } = await allRoutes();
    const named = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
    const anyOrder = fc.shuffledSubarray([...named.keys()], { minLength: named.size });
    const law = fc.asyncProperty(anyOrder, async (order) => {
      const owner = await newOwner();
      const before = await everything(owner);
      const stranger = await newClient(["read", "write", "admin"]);
      for (const name of order) {
        const route = named.get(name);
        if (route !== undefined) expectNothing(await callOf(stranger, route, owner, schemas), route);
      }
      expect(await everything(owner)).toEqual(before);
    });
    await fc.assert(law, { numRuns: scaleCases(5) });
  });

  it("can do all of that to its own: the same calls find and change what is theirs", async () => {
    const { routes, schemas } = await allRoutes();
    const owner = await newOwner();
    const reads = routes.filter(
      ({ method, path }) =>
        method === "GET" &&
        // A privacy policy contains no text of the owner's.
        !path.endsWith("/privacy") &&
        // Nothing rests on the owner's memory.
        !path.endsWith("/impact") &&
        /^\/v1\/.*(sessions\/\{id\}(?!\/projectors|\/triples)|memories|agents|projects|resources|policy|entries|episodes|patterns|learnings|skills|ledgers|handoffs|contradictions)/.test(
          path,
        ),
    );
    for (const route of reads) {
      const answer = await callOf(owner.client, route, owner, schemas);
      expect([answer.status, JSON.stringify(answer.body).includes(MARKER)], route.path).toEqual([200, true]);
    }
  });
});
