// mem0's API at /mem0, for its own clients: `new MemoryClient({ apiKey, host: "https://…/mem0" })`.
import type { App, AppContext } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import { AnyJson, z } from "../kernel/common";
import {
  addMem0Messages,
  eraseMem0Memories,
  eraseMem0Memory,
  listMem0Entities,
  listMem0Memories,
  readMem0Memory,
  searchMem0Memories,
  updateMem0Memory,
} from "./mem0-memories";
import {
  MEM0_OWNERS,
  Mem0Add,
  Mem0Added,
  Mem0Deleted,
  Mem0Entities,
  Mem0Found,
  Mem0Ids,
  Mem0List,
  Mem0Memories,
  Mem0Memory,
  Mem0Page,
  Mem0Search,
  Mem0Update,
} from "./mem0-schemas";

// mem0's calls on memories: add, search, list, read, update and delete.

const DeleteAllQuery = Mem0Ids.extend({
  org_id: AnyJson.optional(),
  project_id: AnyJson.optional(),
}).strict();

function mem0MemoryRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "mem0", stage: "store" });

  routes.post("/mem0/v3/memories/add", "mem0Add", {
    summary: "Add memories from messages",
    description:
      "mem0's `add`. Returns when the memories are stored. By default fixed rules choose the sentences to store, " +
      "without a language model; with `infer: false` each message is stored as it is.",
    quota: ["memories", "bytes"],
    capability: "CanWriteMemory",
    body: Mem0Add,
    responses: {
      200: {
        description: "The stored memories",
        schema: Mem0Added,
        example: {
          status: "SUCCEEDED",
          message:
            "1 new memories. Sentences were chosen by fixed rules, without a language model; send infer false to keep each message as said.",
          results: [{ id: ID, memory: "I prefer small commits.", event: "ADD", categories: ["fact"] }],
        },
      },
    },
    handle: ({ services, body, idempotency }) => addMem0Messages(services, body, idempotency),
  });

  routes.post("/mem0/v3/memories/search", "mem0Search", {
    summary: "Search an owner's memories",
    description: "mem0's `search`. Scores are from 0 to 1 and are not comparable to mem0's.",
    scope: "read",
    capability: "CanQueryMemory",
    body: Mem0Search,
    responses: {
      200: {
        description: "The matching memories, best first",
        schema: Mem0Found,
        example: { results: [{ ...MEMORY, score: 0.782 }] },
      },
    },
    handle: async ({ services, body }) => ({ results: await searchMem0Memories(services, body) }),
  });

  routes.post("/mem0/v3/memories", "mem0GetAll", {
    summary: "List an owner's memories, newest first",
    description: "mem0's `getAll`.",
    scope: "read",
    limitsReads: true,
    audit: { export: "export.memories" },
    capability: "CanQueryMemory",
    query: Mem0Page,
    body: Mem0List,
    responses: {
      200: { description: "Memories", schema: Mem0Memories, example: { ...ONLY_PAGE, results: [MEMORY] } },
    },
    handle: async ({ c, services, body, query }) => {
      const found = await listMem0Memories(services, body, query);
      return { ...found, ...linkPages(c, query, found.count) };
    },
  });

  routes.delete("/mem0/v1/memories", "mem0DeleteAll", {
    summary: "Erase an owner's memories",
    description: "mem0's `deleteAll`. With several ids, only memories that have all of them.",
    audit: { action: "memory.erase", personal: DeleteAllQuery.keyof().options },
    query: DeleteAllQuery,
    example: { query: { user_id: "mia" } },
    responses: { 200: { description: "The memories are erased from every index", schema: Mem0Deleted } },
    handle: async ({ services, query }) => {
      await eraseMem0Memories(services, query);
      return { message: "Memories deleted successfully!" };
    },
  });

  const path = "/mem0/v1/memories/{id}";

  routes.get(path, "mem0Get", {
    summary: "Read a memory",
    description: "mem0's `get`.",
    responses: { 200: { description: "The memory", schema: Mem0Memory, example: MEMORY } },
    handle: ({ services, params: { id } }) => readMem0Memory(services, id),
  });

  routes.put(path, "mem0Update", {
    summary: "Change a memory's text or metadata",
    description: "mem0's `update`. The memory is changed in place and keeps its id and creation time.",
    quota: ["bytes"],
    body: Mem0Update,
    responses: {
      200: {
        description: "The updated memory",
        schema: Mem0Memory,
        example: {
          ...MEMORY,
          memory: "I prefer small commits with a test.",
          updated_at: "2026-11-16T09:32:00.000Z",
        },
      },
    },
    handle: ({ services, params: { id }, body }) => updateMem0Memory(services, id, body),
  });

  routes.delete(path, "mem0Delete", {
    summary: "Erase a memory",
    description: "mem0's `delete`. Memories are changed in place, so there are no linked versions to delete.",
    audit: { action: "memory.erase" },
    query: z.object({ delete_linked: z.string().optional() }),
    responses: {
      200: {
        description: "Erased from every index",
        schema: Mem0Deleted,
        example: { message: "Memory deleted successfully!" },
      },
    },
    handle: async ({ services, params: { id } }) => {
      await eraseMem0Memory(services, id);
      return { message: "Memory deleted successfully!" };
    },
  });
}

/** Returns the URLs of the next and the previous page. */
function linkPages(c: AppContext, { page, page_size }: Mem0Page, count: number) {
  const toUrl = (number: number) => {
    const url = new URL(c.req.url);
    url.searchParams.set("page", `${number}`);
    url.searchParams.set("page_size", `${page_size}`);
    return url.href;
  };
  return {
    next: page * page_size < count ? toUrl(page + 1) : null,
    previous: page > 1 ? toUrl(page - 1) : null,
  };
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

export function mem0Routes(app: App): void {
  const routes = groupRoutes(app, { tag: "mem0" });

  // mem0's clients send the key as `Token <key>`.
  app.use("/mem0/*", async (c, next) => {
    const token = /^Token\s+(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
    if (token !== undefined) {
      const headers = new Headers(c.req.raw.headers);
      headers.set("Authorization", `Bearer ${token}`);
      c.req.raw = new Request(c.req.raw, { headers });
    }
    await next();
  });

  routes.get("/mem0/v1/ping", "mem0Ping", {
    summary: "Check the key",
    description: "mem0's `ping`, the first call of its clients.",
    scope: "any",
    responses: {
      200: {
        description: "The key is valid",
        schema: z.object({ status: z.literal("ok") }),
        example: { status: "ok" },
      },
    },
    handle: () => ({ status: "ok" }),
  });

  mem0MemoryRoutes(app);

  routes.get("/mem0/v1/entities", "mem0Users", {
    summary: "List users, agents, apps and runs that have memories",
    description: "mem0's `users`.",
    limitsReads: true,
    audit: { export: "export.users" },
    stage: "store",
    query: Mem0Page,
    responses: { 200: { description: "Owners, by name", schema: Mem0Entities, example: ENTITIES } },
    handle: async ({ c, services, query }) => {
      const found = await listMem0Entities(services, query);
      return { ...found, ...linkPages(c, query, found.count) };
    },
  });

  routes.delete("/mem0/v2/entities/{type}/{name}", "mem0DeleteUsers", {
    summary: "Erase all memories of a user, an agent, an app or a run",
    description: "mem0's `deleteUsers`.",
    audit: { action: "user.erase", personal: ["name"] },
    stage: "store",
    params: z.object({ type: z.enum(MEM0_OWNERS), name: z.string() }),
    responses: {
      200: {
        description: "Erased from every index",
        schema: Mem0Deleted,
        example: { message: "Entity deleted successfully!" },
      },
    },
    handle: async ({ services, params: { type, name } }) => {
      await eraseMem0Memories(services, { [`${type}_id`]: name });
      return { message: "Entity deleted successfully!" };
    },
  });
}

const ENTITIES = {
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
