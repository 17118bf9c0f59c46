// Plants secrets in every text of every write route of the OpenAPI document, and looks for them in everything that is
// stored. A route that does not exist yet is walked when it does.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionObject } from "../../../durable-objects/session";
import { type Client, callWith, newClient, sessionStub } from "../support";

const TOKEN = "ghp_Qm3vT8wZr1XyLk5NbC7dJf0HsGaPeUo2Ri4W";
const PASSWORD = "Tr0ub4dor&3xyz";
const PLANTED = ` The deploy token is ${TOKEN}, the database password: ${PASSWORD}`;

type Operation = {
  parameters?: { name: string; in: string; example?: string; schema?: { example?: string } }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
};
type Write = { method: string; path: string; template: string; body: unknown };

/** Ids, names, times and choices stay as they are; everything that reads like text gets the secrets. */
function plant(value: unknown, name = ""): unknown {
  if (typeof value === "string") {
    const isText =
      / /.test(value) || /^(?:content|text|value|summary|reason|rationale|input|output)$/.test(name);
    return isText && !/(?:^|_)(?:id|ids|at|type)$/.test(name) ? value + PLANTED : value;
  }
  if (Array.isArray(value)) return value.map((item) => plant(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plant(item, key)]));
}

async function listWrites(client: Client): Promise<Write[]> {
  const { body: document } = await client.call("GET", "/openapi.json");
  const paths = document.paths as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
      const example = requestBody?.content["application/json"]?.example;
      if (example === undefined || method === "get" || template === "/v1/keys") return [];
      const path = parameters
        .filter((parameter) => parameter.in === "path")
        .reduce(
          (filled, { name, example = "sample", schema }) =>
            filled.replace(`{${name}}`, schema?.example ?? example),
          template,
        );
      return [{ method: method.toUpperCase(), path, template, body: plant(example) }];
    }),
  );
}

/** Everything that D1 holds, but the contents of its text indexes. */
async function dumpD1(): Promise<{ table: string; rows: string }[]> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ name: string }>();
  return Promise.all(
    tables.results.map(async ({ name }) => ({
      table: name,
      rows: JSON.stringify((await env.DB.prepare(`SELECT * FROM "${name}"`).all()).results),
    })),
  );
}

async function searchTextIndexes(word: string): Promise<string[]> {
  const tables = await env.DB.prepare("SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5%'").all<{
    name: string;
  }>();
  const found = await Promise.all(
    tables.results.map(async ({ name }) => {
      const { results } = await env.DB.prepare(`SELECT rowid FROM "${name}" WHERE "${name}" MATCH ?`)
        .bind(`"${word}"`)
        .all();
      return results.length === 0 ? [] : [name];
    }),
  );
  return found.flat();
}

/** The tables of a session's object, by whether they are its window and thread. */
async function dumpSession(tenant: string, id: string): Promise<{ own: string; others: string }> {
  return runInDurableObject(sessionStub(tenant, id), (_: SessionObject, state) => {
    const names = state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => name);
    const own = new Set(["messages", "thread", "thread_segments"]);
    const dump = (which: string[]) =>
      which
        .map((name) => JSON.stringify(state.storage.sql.exec(`SELECT * FROM "${name}"`).toArray()))
        .join("\n");
    return {
      own: dump(names.filter((name) => own.has(name))),
      others: dump(names.filter((name) => !own.has(name))),
    };
  });
}

/** Calls that end the session, or work on the whole service. */
const LEFT_OUT = /\/(?:pause|close|resume)$|^\/v1\/(?:keys|admin|privacy)|\/privacy$/;

/** Routes whose examples have a text, and which answer with what they masked. */
const MASKING = [
  ...["messages", "pending", "tasks", "thread", "directives", "remember", "spaces/{name}/ops"].map(
    (call) => `POST /v1/sessions/{id}/${call}`,
  ),
  ...["PATCH /v1/sessions/{id}/memory", "PUT /v1/sessions/{id}/spaces/{name}"],
  ...["POST /v1/remember", "POST /v1/memories/batch"],
  ...["POST /v1/sessions/{id}/forget", "POST /v1/graph/create_entities", "POST /v1/graph/add_observations"],
  ...["POST /v1/entries", "POST /v1/sessions/{id}/turns", "POST /v1/episodes", "POST /v1/patterns"],
  ...[
    "POST /v1/learnings",
    "PUT /v1/skills/{slug}",
    "POST /v1/skills",
    "PUT /v1/ledgers/{agent_id}",
    "POST /v1/handoffs",
  ],
];

let client: Client;
const masked = new Map<string, unknown>();
const echoing: string[] = [];

beforeAll(async () => {
  client = await newClient();
  const remember = async (content: string) =>
    (await client.call("POST", "/v1/remember", { content, project_id: "shop" })).body.memory_id as string;
  for (const { method, path, template, body } of await listWrites(client)) {
    if (LEFT_OUT.test(template)) continue;
    // Memories that exist take the place of those of the examples.
    const id = await remember(`Walked by ${method} ${template}.`);
    const filled = path.replace(/(?<=\/memories\/)[0-9a-f]{32}/, id);
    const sent = JSON.stringify(body).replaceAll(/"(memory_id|from)":"[0-9a-f]{32}"/g, `"$1":"${id}"`);
    const answer = await callWith(client.key, method, filled, sent, {
      "Idempotency-Key": crypto.randomUUID(),
    });
    expect(answer.status, `${method} ${template}`).toBeLessThan(500);
    // The prompt of a session has its own window in it.
    if (JSON.stringify(answer.body).includes(TOKEN) && !/\/(?:assemble|preflight)$/.test(template))
      echoing.push(`${method} ${template}`);
    masked.set(`${method} ${template}`, answer.body.masked);
  }
  // What is derived from the window and the thread: facts, tasks, the summary, candidates, memories.
  for (const name of ["facts", "tasks", "summary", "vectors"])
    await client.call("POST", `/v1/sessions/checkout-fix/projectors/${name}/run`);
  await client.call("POST", "/v1/sessions/checkout-fix/promote");
  await client.call("POST", "/v1/consolidate", { project_id: "shop" });
});

describe("secrets in every text of every write route", () => {
  it.each(MASKING)("%s says what it masked", (route) => {
    expect(masked.get(route)).toEqual(
      expect.arrayContaining([
        { kind: "github_token", count: expect.any(Number) },
        { kind: "password", count: expect.any(Number) },
      ]),
    );
  });

  it("are in no answer to a write", () => expect(echoing).toEqual([]));

  it("are nowhere in D1", async () => {
    for (const { table, rows } of await dumpD1()) {
      expect(rows.includes(TOKEN), `${table} has the token`).toBe(false);
      expect(rows.includes(PASSWORD), `${table} has the password`).toBe(false);
    }
    expect(await searchTextIndexes(TOKEN)).toEqual([]);
  });

  it("are in the window and the thread of the session, and in nothing else of it", async () => {
    const { own, others } = await dumpSession(client.tenant, "checkout-fix");
    expect(own).toContain(TOKEN);
    expect(others).toContain("[secret:github_token]");
    expect(others.includes(TOKEN)).toBe(false);
    expect(others.includes(PASSWORD)).toBe(false);
  });
});
