// The write door: every way that stores a memory passes the same rules. A way that skips the door fails here.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { applySteps } from "../../../src/experience/consolidation/consolidate";
import { applyLearning } from "../../../src/experience/consolidation/plan-learnings";
import { FailureError, failure } from "../../../src/kernel/errors";
import { createOntology } from "../../../src/ontology/tenant-ontology";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { newMemory } from "../../fakes/records";
import { withSettings } from "../limits/limits-support";
import { type Client, callWith, freshId, newClient } from "../support";

const TOKEN = "ghp_Qm3vT8wZr1XyLk5NbC7dJf0HsGaPeUo2Ri4W";
const LONG = "All of the lamps of the harbour are green, ".repeat(12);
/** A shape of every memory, which a long content violates. */
const SHORT_CONTENT = `@prefix ext: <https://jido.ai/ontology/extension#> .
@prefix jido: <https://jido.ai/ontology#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
ext:ShortShape a sh:NodeShape ; sh:targetClass jido:MemoryItem ;
  sh:property [ sh:path jido:summary ; sh:maxLength 300 ; sh:message "A memory is short." ] .`;

type Sent = { status: number; code?: string | undefined };
/** `origin` is a memory of low rank that the new one rests on. */
type Stated = { text: string; origin?: string };
type Home = Pick<Client, "tenant" | "call">;
type Way = {
  send: (home: Home, stated: Stated) => Promise<Sent>;
  /** Whether a caller can name what the memory rests on. */
  hasEvidence: boolean;
  /** Whether the write may still be refused for a quota: what a session or a project has accepted is always written. */
  hasQuota: boolean;
};

const list = (origin: string | undefined) => (origin === undefined ? [] : [origin]);
const toSent = ({ status, body }: Awaited<ReturnType<Home["call"]>>): Sent => ({ status, code: body.code });

/** Runs work of a project's object, and reports a failure as an answer would. */
async function runInProject(
  tenant: string,
  work: (store: ReturnType<typeof createLongTermMemory>["store"]) => Promise<void>,
): Promise<Sent> {
  const ontology = createOntology([{ name: "short", version: 1, turtle: SHORT_CONTENT }]);
  try {
    await work(createLongTermMemory(env, tenant, { now: Date.now, ontology: () => ontology }).store);
    return { status: 201 };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return { status: 422, code: error.failure.code };
  }
}

const toMemory = ({ text, origin }: Stated) =>
  newMemory({
    content: text,
    session_id: null,
    project_id: "lab",
    source_type: "user",
    evidence: list(origin),
  });

const WAYS: Readonly<Record<string, Way>> = {
  "remember without a session": {
    hasEvidence: true,
    hasQuota: true,
    send: async ({ call }, { text, origin }) =>
      toSent(
        await call("POST", "/v1/remember", { content: text, project_id: "lab", evidence: list(origin) }),
      ),
  },
  "remember in a session": {
    hasEvidence: true,
    hasQuota: true,
    send: async ({ call }, { text, origin }) =>
      toSent(
        await call("POST", `/v1/sessions/${freshId("session")}/remember`, {
          content: text,
          evidence: list(origin),
        }),
      ),
  },
  "a batch": {
    hasEvidence: true,
    hasQuota: true,
    async send({ call }, { text, origin }) {
      const memories = [{ content: text, project_id: "lab", evidence: list(origin) }];
      const { status, body } = await call("POST", "/v1/memories/batch", { memories });
      const code = body.results?.[0].error?.code ?? body.code;
      return { status: code === undefined ? status : 422, code };
    },
  },
  "a promotion": {
    hasEvidence: true,
    hasQuota: false,
    async send({ call }, { text, origin }) {
      const path = `/v1/sessions/${freshId("session")}`;
      const importance_score = 0.9;
      await call("POST", `${path}/pending`, {
        content: text,
        memory_type: "fact",
        importance_score,
        evidence: list(origin),
      });
      return toSent(await call("POST", `${path}/promote`));
    },
  },
  "an entry": {
    hasEvidence: false,
    hasQuota: true,
    send: async ({ call }, { text }) =>
      toSent(await call("POST", "/v1/entries", { agent_id: "ada", content: text })),
  },
  "an entry in a session": {
    hasEvidence: false,
    hasQuota: true,
    send: async ({ call }, { text }) =>
      toSent(
        await call("POST", "/v1/entries", {
          agent_id: "ada",
          content: text,
          session_id: freshId("session"),
        }),
      ),
  },
  mem0: {
    hasEvidence: false,
    hasQuota: true,
    send: async ({ call }, { text }) =>
      toSent(
        await call("POST", "/mem0/v3/memories/add", {
          messages: [{ role: "user", content: text }],
          user_id: "maria",
          infer: false,
        }),
      ),
  },
  "a pattern": {
    hasEvidence: true,
    hasQuota: true,
    send: async ({ call }, { text, origin }) =>
      toSent(
        await call("POST", "/v1/patterns", {
          pattern: text,
          project_id: "lab",
          links: list(origin).map((to) => ({ to, relation: "derived_from" })),
        }),
      ),
  },
  "a learning": {
    hasEvidence: true,
    hasQuota: true,
    send: async ({ call }, { text, origin }) =>
      toSent(
        await call("POST", "/v1/learnings", {
          trigger: text,
          root_cause: "It was dark",
          fix: "Turn on the light",
          prevention: "Check the bulb",
          project_id: "lab",
          evidence: list(origin),
        }),
      ),
  },
  "a consolidation": {
    hasEvidence: true,
    hasQuota: false,
    send: ({ tenant }, stated) =>
      runInProject(tenant, (store) =>
        applySteps(store, [{ kind: "create", memory: toMemory(stated) }], { id: freshId("run"), done: 0 }),
      ),
  },
  "a learning of a consolidation": {
    hasEvidence: true,
    hasQuota: false,
    send: ({ tenant }, stated) =>
      runInProject(tenant, (store) =>
        applyLearning(store, { kind: "learn", id: null, memory: toMemory(stated) }, freshId("op")),
      ),
  },
};

const ALL = Object.entries(WAYS).map(([name, way]) => [name, way] as const);

/** The newest memory of the tenant, with the number of all. */
async function readNewest(tenant: string) {
  const { results } = await env.DB.prepare(
    "SELECT id, content, rationale, properties, source_type FROM memories WHERE tenant = ? ORDER BY seq DESC",
  )
    .bind(tenant)
    .all<Record<"id" | "content" | "source_type", string>>();
  return { newest: results[0], count: results.length };
}

describe("a memory that is stored by", () => {
  it.each(ALL)("%s violates no shape", async (_name, { send }) => {
    const { key, ...home } = await newClient(["read", "write", "admin"]);
    const put = await callWith(key, "PUT", "/v1/ontology/extensions/short", SHORT_CONTENT, {
      "Content-Type": "text/turtle",
    });
    expect(put.status, JSON.stringify(put.body)).toBeLessThan(300);
    expect(await send(home, { text: LONG })).toEqual({ status: 422, code: "unprocessable" });
    expect((await readNewest(home.tenant)).count).toBe(0);
    expect((await send(home, { text: "The lamps of the harbour are green" })).status).toBeLessThan(300);
    expect((await readNewest(home.tenant)).count).toBe(1);
  });

  it.each(ALL)("%s has no secret in it", async (_name, { send }) => {
    const home = await newClient();
    const { status } = await send(home, { text: `The deploy token is ${TOKEN} as of today` });
    expect(status).toBeLessThan(300);
    const { newest, count } = await readNewest(home.tenant);
    expect(count).toBe(1);
    expect(newest?.content).toContain("The deploy token is");
    expect(JSON.stringify(newest)).not.toContain(TOKEN);
  });

  it.each(
    ALL.filter(([, { hasEvidence }]) => hasEvidence),
  )("%s has at most the rank of what it rests on", async (_name, { send }) => {
    const home = await newClient();
    const { body } = await home.call("POST", "/v1/remember", {
      content: "The manual says that the lamps are green",
      project_id: "lab",
      source_type: "external_document",
    });
    const sent = await send(home, { text: "All lamps of the harbour are green", origin: body.memory_id });
    expect(sent.status, JSON.stringify(sent)).toBeLessThan(300);
    const { newest, count } = await readNewest(home.tenant);
    expect(count).toBe(2);
    expect(newest?.source_type).toBe("external_document");
  });

  it.each(ALL.filter(([, { hasQuota }]) => hasQuota))("%s fits the quota", async (_name, { send }) => {
    const client = await newClient();
    const call = withSettings(client, { QUOTA_MEMORIES: "1" });
    const home = { tenant: client.tenant, call };
    await client.call("POST", "/v1/remember", { content: "The first one", project_id: "lab" });
    expect((await send(home, { text: "All lamps of the harbour are green" })).code).toBe("limit_exceeded");
    expect((await readNewest(client.tenant)).count).toBe(1);
  });

  it("a caller of the store fits the quota", async () => {
    const { tenant } = await newClient();
    const { store } = createLongTermMemory(env, tenant, {
      now: Date.now,
      requireQuota: (...kinds) => {
        throw failure("limit_exceeded", kinds.join(" and "));
      },
    });
    const memory = toMemory({ text: "All lamps of the harbour are green" });
    const sent = store.memories.commit([{ op: freshId("op"), memory }]);
    await expect(sent).rejects.toMatchObject({ failure: { detail: "memories and bytes" } });
    expect((await readNewest(tenant)).count).toBe(0);
  });
});
