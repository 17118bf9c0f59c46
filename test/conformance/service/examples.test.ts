// The examples of the OpenAPI document, lived through: each request is sent as it stands, and is answered as it says.
import { expect, it } from "vitest";
import { type Answer, type Client, fresh } from "../support/client";
import { openApi, type Route, routesOf } from "../support/routes";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

type Media = Record<string, { example?: unknown }>;
type Operation = {
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
};

/** What takes something away comes after what uses it. */
const LATER = [
  "POST /v1/sessions/{id}/forget",
  "POST /v1/forget",
  "DELETE /v1/sessions/{id}/context/{key}",
  "DELETE /v1/sessions/{id}/spaces/{name}",
  "DELETE /v1/sessions/{id}/tasks/{task_id}",
  "POST /v1/sessions/{id}/close",
  "DELETE /v1/links/{id}",
  "DELETE /v1/episodes/{id}",
  "DELETE /v1/memories/{id}",
  "DELETE /v1/sessions/{id}",
  "DELETE /mem0/v1/memories/{id}",
  "DELETE /mem0/v1/memories",
  "DELETE /mem0/v2/entities/{type}/{name}",
  "DELETE /v1/users/{id}",
  "DELETE /v1/resources/{class}/{id}",
  "DELETE /v1/namespaces/{namespace}",
  "DELETE /v1/agents/{agent_id}/policy",
  "DELETE /v1/ledgers/{agent_id}",
  "DELETE /v1/handoffs/{id}",
  "DELETE /v1/agents/{agent_id}",
  "DELETE /v1/projects/{project_id}",
  "DELETE /v1/keys/{id}",
  "DELETE /v1/webhooks/{id}",
  "DELETE /v1/tenants/{tenant}",
];

/**
 * The first would embed anew what other tests are looking for; the second needs two databases; the third retries a delivery
 * that has failed for hours; the others decide on what a strong pattern proposed.
 */
const LEFT_OUT = [
  "POST /v1/admin/reembed",
  "POST /v1/tenants/{tenant}/move",
  "POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry",
  "POST /v1/skills/{slug}/accept",
  "POST /v1/skills/{slug}/dismiss",
];

const nameOf = ({ method, template }: Route) => `${method} ${template}`;

function inOrder(routes: Route[]): Route[] {
  return routes
    .filter((route) => !LEFT_OUT.includes(nameOf(route)))
    .toSorted((a, b) => LATER.indexOf(nameOf(a)) - LATER.indexOf(nameOf(b)));
}

/** Ids that the service gives are others here than in the story: learnt where they first appear, and used from then on. */
function learn(told: unknown, lived: unknown, ids: Map<string, string>): void {
  if (typeof told === "string" && typeof lived === "string") {
    if (/^(?:key_|wh_)?[0-9a-f-]{24,36}$/.test(told) && !ids.has(told)) ids.set(told, lived);
  } else if (typeof told === "object" && told !== null && typeof lived === "object" && lived !== null)
    for (const [key, value] of Object.entries(told))
      learn(value, (lived as Record<string, unknown>)[key], ids);
}

function send(client: Client, route: Route, ids: Map<string, string>): Promise<Answer<unknown>> {
  const { parameters = [], requestBody } = route.operation as Operation;
  const own = (text: string) =>
    [...ids].reduce((whole, [told, lived]) => whole.replaceAll(told, lived), text);
  const given = parameters.filter(({ example }) => example !== undefined);
  const path = given.reduce(
    (whole, { name, example }) => whole.replace(`{${name}}`, own(String(example))),
    route.template,
  );
  const query = new URLSearchParams(
    given.flatMap(({ name, in: place, example }) =>
      place === "query" ? [[name, own(String(example))]] : [],
    ),
  );
  const body = requestBody?.content["application/json"]?.example;
  return client.call(route.method, `${path}?${query}`, {
    ...(body === undefined ? {} : { raw: own(JSON.stringify(body)) }),
  });
}

type Problems = { components: { responses: Record<string, { content: Record<string, ProblemMedia> }> } };
type ProblemMedia = { examples: Record<string, { value: unknown }> };

it("the problems of the OpenAPI document are told in the service's own words", async () => {
  const { components } = (await openApi(kioku.anonymous)) as unknown as Problems;
  const told = (name: string, which: string) =>
    components.responses[name]?.content["application/problem+json"]?.examples[which]?.value;
  const reader = await kioku.tenant({ scopes: ["read"] });
  const about = { agent_id: "ada", content: "Mia reviews payments" };
  const stranger = { authorization: "Bearer kioku_nobody" };
  const keyed = { "idempotency-key": fresh("once") };
  await kioku.api.post("/v1/remember", about, keyed);
  for (const [name, which, answer] of [
    ["InvalidRequest", "missing", await kioku.api.post("/v1/remember", { agent_id: "ada" })],
    ["InvalidRequest", "unknown", await kioku.api.post("/v1/remember", { ...about, contents: "" })],
    ["Unauthorized", "missing", await kioku.anonymous.post("/v1/remember", about)],
    ["Unauthorized", "unknown", await kioku.anonymous.post("/v1/remember", about, stranger)],
    ["Forbidden", "scope", await reader.post("/v1/remember", about)],
    ["NotFound", "memory", await kioku.api.get(`/v1/memories/${"0".repeat(32)}`)],
    ["Conflict", "idempotency", await kioku.api.post("/v1/remember", { ...about, type: "fact" }, keyed)],
  ] as const)
    expect(answer.body, `${name} ${which}`).toEqual(told(name, which));
});

it("the examples of the OpenAPI document are one story that can be lived", async () => {
  const ids = new Map<string, string>();
  const document = await openApi(kioku.anonymous);
  const owner = await kioku.tenant({ scopes: ["read", "write", "admin"] });
  for (const route of inOrder(routesOf(document))) {
    const name = nameOf(route);
    const client = /^\/v1\/(?:keys|admin|audit|tenants)/.test(route.template) ? kioku.admin : owner;
    const { status, text, body } = await send(client, route, ids);
    const answer = (route.operation as Operation).responses[status];
    expect(answer, `${name} answered ${status}: ${text.slice(0, 300)}`).toBeDefined();
    expect(status, `${name}: ${text.slice(0, 300)}`).toBeLessThan(300);
    const told = answer?.content?.["application/json"]?.example;
    if (told === undefined) continue;
    expect(Object.keys(Object(body)), name).toEqual(expect.arrayContaining(Object.keys(Object(told))));
    learn(told, body, ids);
  }
});
