// mem0's calls at /mem0, for its own clients: `new MemoryClient({ apiKey, host: "https://…/mem0" })`.

import type { App, AppContext } from "../../http/app-context";
import { endpoint } from "../../http/endpoint";
import { deriveStep, runIdempotent } from "../../operations/run-idempotent";
import type { Services } from "../../operations/services";
import { type FailureError, failure } from "../../platform/errors";
import { AnyJson, Id, z } from "../../schemas/common";
import type { Memory } from "../../schemas/memory";
import { addMessages } from "./add-memories";
import { changed, isMem0, toRecord } from "./mem0-record";
import {
  Mem0Add,
  Mem0Added,
  Mem0Entities,
  Mem0Found,
  Mem0Ids,
  Mem0List,
  Mem0Memories,
  Mem0Memory,
  Mem0Page,
  Mem0Search,
  Mem0Told,
  Mem0Update,
  OWNERS,
} from "./mem0-schemas";
import { placeNamed } from "./mem0-scope";
import { listEntities, listMemories, searchMemories } from "./search-memories";

const TAG = "mem0";
const Params = z.object({ id: Id });

export function mem0Routes(app: App): void {
  // mem0's clients send their key as `Token <key>`; it is the same key, and here only.
  app.use("/mem0/*", async (c, next) => {
    const token = /^Token\s+(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
    if (token !== undefined) {
      const headers = new Headers(c.req.raw.headers);
      headers.set("Authorization", `Bearer ${token}`);
      c.req.raw = new Request(c.req.raw, { headers });
    }
    await next();
  });

  endpoint(
    app,
    {
      method: "get",
      path: "/mem0/v1/ping",
      operationId: "mem0Ping",
      summary: "Whether the key works",
      description: "As `ping` of mem0's clients, which send it first.",
      tag: TAG,
      scope: "any",
      responses: {
        200: {
          description: "It does",
          schema: z.object({ status: z.literal("ok") }),
          example: { status: "ok" },
        },
      },
    },
    async ({ c }) => c.json({ status: "ok" }),
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/mem0/v3/memories/add",
      operationId: "mem0Add",
      summary: "Remember messages",
      description:
        "As `add`. Answers when they are stored. By default the service's own rules choose the sentences that are " +
        "worth keeping, without a model; with `infer: false` each message is kept as said.",
      tag: TAG,
      scope: "write",
      stage: "store",
      body: Mem0Add,
      example: {
        body: {
          messages: [
            { role: "user", content: "I prefer small commits." },
            { role: "assistant", content: "I will keep them small." },
          ],
          user_id: "mia",
          metadata: { topic: "commits" },
        },
      },
      responses: {
        200: {
          description: "What was kept",
          schema: Mem0Added,
          example: {
            status: "SUCCEEDED",
            message:
              "1 new memories. Sentences were chosen by fixed rules, without a language model; send infer false to keep each message as said.",
            results: [{ id: ID, memory: "I prefer small commits.", event: "ADD", categories: ["fact"] }],
          },
        },
      },
    },
    async ({ c, services, body, idempotency }) => {
      const work = async () => ({
        status: 200,
        body: await addMessages(services, body, deriveStep(idempotency, "add")),
      });
      const reply = await runIdempotent(services.store, idempotency, work);
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/mem0/v3/memories/search",
      operationId: "mem0Search",
      summary: "Search an owner's memories",
      description: "As `search`. Scores are the service's own, from 0 to 1.",
      tag: TAG,
      scope: "read",
      stage: "store",
      body: Mem0Search,
      example: { body: { query: "How large should a commit be?", filters: { user_id: "mia" }, top_k: 3 } },
      responses: {
        200: {
          description: "What was found, best first",
          schema: Mem0Found,
          example: { results: [{ ...MEMORY, score: 0.782 }] },
        },
      },
    },
    async ({ c, services, body }) => {
      const results = await searchMemories(services, body);
      return c.json({ results });
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/mem0/v3/memories",
      operationId: "mem0GetAll",
      summary: "List an owner's memories, newest first",
      description: "As `getAll`.",
      tag: TAG,
      scope: "read",
      stage: "store",
      query: Mem0Page,
      body: Mem0List,
      example: { body: { filters: { user_id: "mia" } } },
      responses: {
        200: { description: "Memories", schema: Mem0Memories, example: { ...ONLY_PAGE, results: [MEMORY] } },
      },
    },
    async ({ c, services, body, query }) => {
      const found = await listMemories(services, body, query);
      return c.json({ ...found, ...neighbours(c, query, found.count) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/mem0/v1/memories",
      operationId: "mem0DeleteAll",
      summary: "Erase an owner's memories",
      description: "As `deleteAll`. With more ids than the owner's, only what bears them all.",
      tag: TAG,
      scope: "write",
      stage: "store",
      query: Mem0Ids.extend({ org_id: AnyJson.optional(), project_id: AnyJson.optional() }).strict(),
      example: { query: { user_id: "mia" } },
      responses: {
        200: {
          description: "They are gone, from every index",
          schema: Mem0Told,
          example: { message: "Memories deleted successfully!" },
        },
      },
    },
    async ({ c, services, query }) => {
      const place = placeNamed(query);
      await services.store.namespaces.eraseMemories([place]);
      services.later(services.indexing.wake());
      return c.json({ message: "Memories deleted successfully!" });
    },
  );

  memoryRoutes(app);
  entityRoutes(app);
}

function memoryRoutes(app: App): void {
  const path = "/mem0/v1/memories/{id}";

  endpoint(
    app,
    {
      method: "get",
      path,
      operationId: "mem0Get",
      summary: "A memory",
      description: "As `get`.",
      tag: TAG,
      scope: "read",
      stage: "store",
      params: Params,
      responses: { 200: { description: "The memory", schema: Mem0Memory, example: MEMORY } },
    },
    async ({ c, services, params: { id } }) => {
      return c.json(toRecord(await find(services, id)));
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path,
      operationId: "mem0Update",
      summary: "Change a memory's text or metadata",
      description: "As `update`. It is changed in place, and keeps its id and its time.",
      tag: TAG,
      scope: "write",
      stage: "store",
      params: Params,
      body: Mem0Update,
      example: { body: { text: "I prefer small commits with a test." } },
      responses: {
        200: {
          description: "The memory as it is now",
          schema: Mem0Memory,
          example: {
            ...MEMORY,
            memory: "I prefer small commits with a test.",
            updated_at: "2026-11-16T09:32:00.000Z",
          },
        },
      },
    },
    async ({ c, services, params: { id }, body }) => {
      const at = new Date(services.now()).toISOString();
      const memory = await (async () => {
        await find(services, id);
        return services.store.memories.change(id, (before) => changed(before, body, at));
      })();
      if (memory === null) throw notFound(id);
      services.later(services.indexing.wake());
      return c.json(toRecord(memory));
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path,
      operationId: "mem0Delete",
      summary: "Erase a memory",
      description:
        "As `delete`. A memory is changed in place, so nothing is linked to it that could be left.",
      tag: TAG,
      scope: "write",
      stage: "store",
      params: Params,
      query: z.object({ delete_linked: z.string().optional() }),
      responses: {
        200: {
          description: "It is gone, from every index",
          schema: Mem0Told,
          example: { message: "Memory deleted successfully!" },
        },
      },
    },
    async ({ c, services, params: { id } }) => {
      await (async () => {
        await find(services, id);
        await services.store.memories.erase(id);
      })();
      services.later(services.indexing.wake());
      return c.json({ message: "Memory deleted successfully!" });
    },
  );
}

function entityRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/mem0/v1/entities",
      operationId: "mem0Users",
      summary: "Users, agents, apps and runs that have memories",
      description: "As `users`.",
      tag: TAG,
      scope: "read",
      stage: "store",
      query: Mem0Page,
      responses: {
        200: { description: "Owners, by name", schema: Mem0Entities, example: MEM0_USERS_RESPONSE },
      },
    },
    async ({ c, services, query }) => {
      const found = await listEntities(services, query);
      return c.json({ ...found, ...neighbours(c, query, found.count) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/mem0/v2/entities/{type}/{name}",
      operationId: "mem0DeleteUsers",
      summary: "Erase everything of a user, an agent, an app or a run",
      description: "As `deleteUsers`.",
      tag: TAG,
      scope: "write",
      stage: "store",
      params: z.object({ type: z.enum(OWNERS), name: z.string() }),
      responses: {
        200: {
          description: "It is gone, from every index",
          schema: Mem0Told,
          example: { message: "Entity deleted successfully!" },
        },
      },
    },
    async ({ c, services, params: { type, name } }) => {
      const place = placeNamed({ [`${type}_id`]: name });
      await services.store.namespaces.eraseMemories([place]);
      services.later(services.indexing.wake());
      return c.json({ message: "Entity deleted successfully!" });
    },
  );
}

/** The pages before and after, as addresses. */
function neighbours(c: AppContext, { page, page_size }: Mem0Page, count: number) {
  const at = (number: number) => {
    const url = new URL(c.req.url);
    url.searchParams.set("page", `${number}`);
    url.searchParams.set("page_size", `${page_size}`);
    return url.href;
  };
  return {
    next: page * page_size < count ? at(page + 1) : null,
    previous: page > 1 ? at(page - 1) : null,
  };
}

async function find({ store }: Services, id: string): Promise<Memory> {
  const memory = await store.memories.find(id);
  if (memory === null || !isMem0(memory)) throw notFound(id);
  return memory;
}

function notFound(id: string): FailureError {
  return failure("not_found", `Memory not found: ${id}. Check the id; search lists the ids of memories.`);
}

const ID = "cba7dc502ec791d8f32ae808fe6261bd";

const MEMORY = {
  id: ID,
  memory: "I prefer small commits.",
  user_id: "mia",
  agent_id: null,
  app_id: null,
  run_id: null,
  metadata: { topic: "commits" },
  categories: ["fact"],
  created_at: "2026-11-16T09:31:00.000Z",
  updated_at: "2026-11-16T09:31:00.000Z",
};

const ONLY_PAGE = { count: 1, next: null, previous: null };

const MEM0_USERS_RESPONSE = {
  ...ONLY_PAGE,
  results: [
    {
      id: "mia",
      name: "mia",
      type: "user",
      owner: "local",
      total_memories: 1,
      created_at: "2026-11-16T09:31:00.000Z",
      updated_at: "2026-11-16T09:32:00.000Z",
    },
  ],
};
