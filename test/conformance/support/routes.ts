// The routes of the service as its OpenAPI document lists them, and a plausible request for each, so that
// a check over every route covers routes that do not exist yet.
import type { Client } from "./client";
import { bodyOf } from "./expectations";

export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
type Content = { content?: Record<string, { schema?: Schema }> };
type Operation = {
  requestBody?: Content;
  responses?: Record<string, unknown>;
  security?: Record<string, string[]>[];
};
export type OpenApi = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};
export type Route = { method: string; template: string; operation: Operation };

/** What one tenant owns, by the name a field or a path parameter has for it. */
export type Belongings = Record<string, unknown>;

const METHODS = ["get", "post", "put", "patch", "delete"];
const OPEN = ["/health", "/openapi.json", "/docs", "/ontology"];

export async function openApi(client: Client): Promise<OpenApi> {
  return bodyOf(await client.get<OpenApi>("/openapi.json"), 200);
}

export function routesOf(document: OpenApi): Route[] {
  return Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
  );
}

/** Every route but those the contract opens to everybody. */
export function guardedRoutes(document: OpenApi): Route[] {
  return routesOf(document).filter((route) => !OPEN.some((path) => route.template.startsWith(path)));
}

export function resolve(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}

/** The scope that the key of a call needs; undefined if any key will do. */
export function scopeOf({ operation }: Route): string | undefined {
  return operation.security?.flatMap((scheme) => Object.values(scheme).flat())[0];
}

/** A value the schema accepts, made of the belongings wherever a field bears their name. */
export function sample(document: OpenApi, given: Schema, own: Belongings, depth = 0): unknown {
  const schema = resolve(document, given);
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (choice) return sample(document, choice, own, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" && depth < 6) {
    const properties = Object.entries(schema.properties ?? {}).filter(
      ([name]) => name in own || schema.required?.includes(name),
    );
    return Object.fromEntries(
      properties.map(([name, property]) => [name, own[name] ?? sample(document, property, own, depth + 1)]),
    );
  }
  if (type === "array")
    return schema.items && schema.minItems ? [sample(document, schema.items, own, depth + 1)] : [];
  if (type === "number" || type === "integer") return schema.minimum ?? 1;
  if (type === "boolean") return false;
  return schema.format === "date-time" ? "2026-01-31T12:00:00.000Z" : "sample";
}

export function sampleBody(document: OpenApi, route: Route, own: Belongings): unknown {
  const schema = route.operation.requestBody?.content?.["application/json"]?.schema;
  return schema === undefined ? undefined : sample(document, schema, own);
}

/** What `{id}` means, by the collection that it is in; elsewhere a session. */
const IDS: Record<string, string> = {
  memories: "memory_id",
  episodes: "episode_id",
  users: "user_id",
  patterns: "pattern_id",
  handoffs: "handoff_id",
  resources: "resource_id",
  links: "link_id",
  contradictions: "link_id",
  mem0: "mem0_id",
};

/** The path with its parameters filled. */
export function fillPath(template: string, own: Belongings): string {
  const [, surface = "", resource = ""] = template.split("/");
  const collection = surface === "mem0" ? surface : resource;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const field = name === "id" ? (IDS[collection] ?? "session_id") : name;
    return String(own[field] ?? "sample");
  });
}

/** A template with its parameters' names left out, to compare with the contract's. */
export function shapeOf(template: string): string {
  return template.replace(/\{\w+\}/g, "{}");
}

const SESSION_CALLS = ["pause", "resume", "close", "messages", "pending", "promote", "assemble"];
const TOOLS = ["remember", "recall", "forget"];

/** The routes the contract fixes for keys, sessions, tools, memories, the ontology, cognition, policies, experience. */
export const CONTRACT_ROUTES: string[] = [
  "GET /health",
  ...["POST /v1/keys", "GET /v1/keys", "DELETE /v1/keys/{}"],
  ...["POST /v1/sessions", "GET /v1/sessions"],
  ...["GET", "PATCH", "DELETE"].map((method) => `${method} /v1/sessions/{}`),
  ...[...SESSION_CALLS, ...TOOLS].map((call) => `POST /v1/sessions/{}/${call}`),
  ...["messages", "pending", "context"].map((list) => `GET /v1/sessions/{}/${list}`),
  ...["PUT", "GET", "DELETE"].map((method) => `${method} /v1/sessions/{}/context/{}`),
  ...TOOLS.map((tool) => `POST /v1/${tool}`),
  ...["GET /v1/tools", "POST /v1/tools/execute"],
  ...["GET /v1/memories", "GET /v1/memories/{}", "DELETE /v1/memories/{}"],
  ...["GET /v1/memories/{}/triples", "GET /v1/memories/{}/history", "GET /v1/ontology"],
  ...["memory", "tasks", "tasks/next", "thread", "projectors", "signals"].map(
    (part) => `GET /v1/sessions/{}/${part}`,
  ),
  ...["PUT", "GET", "DELETE"].map((method) => `${method} /v1/sessions/{}/spaces/{}`),
  ...["spaces/{}/ops", "tasks", "tasks/{}/complete", "thread", "projectors/{}/run", "directives"].map(
    (call) => `POST /v1/sessions/{}/${call}`,
  ),
  ...["PUT /v1/sessions/{}/tasks/order", "DELETE /v1/sessions/{}/tasks/{}"],
  ...["PUT /v1/agents/{}/policy", "GET /v1/agents/{}/policy", "POST /v1/entries", "GET /v1/entries"],
  ...["GET /v1/users", "GET /v1/users/{}", "DELETE /v1/users/{}"],
  ...["POST /v1/sessions/{}/preflight", "POST /v1/sessions/{}/turns"],
  ...["episodes", "patterns", "links", "learnings", "handoffs"].flatMap((list) =>
    ["POST", "GET"].map((method) => `${method} /v1/${list}`),
  ),
  ...["GET /v1/episodes/{}", "GET /v1/patterns/{}", "POST /v1/handoffs/{}/acknowledge"],
  ...["PUT /v1/skills/{}", "GET /v1/skills/{}", "GET /v1/skills", "POST /v1/skills"],
  ...["agents", "projects", "tenants", "ledgers", "handoffs"].map((owner) => `DELETE /v1/${owner}/{}`),
  "DELETE /v1/agents/{}/policy",
  ...["PUT /v1/ledgers/{}", "GET /v1/ledgers/{}", "GET /v1/ledgers/{}/history"],
  ...["POST /v1/consolidate", "POST /v1/prime", "POST /v1/maintenance", "GET /v1/sessions/{}/continuity"],
];
