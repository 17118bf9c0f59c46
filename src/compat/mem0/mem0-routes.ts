// mem0's calls at /mem0, for its own clients: `new MemoryClient({ apiKey, host: "https://…/mem0" })`.

import type { AppContext } from "../../http/context";
import { type App, endpoint, servicesOf } from "../../http/endpoint";
import { once, step } from "../../http/idempotency";
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
      summary: "Whether the key works",
      description: "As `ping` of mem0's clients, which send it first.",
      tag: TAG,
      scope: "any",
      answers: { 200: { description: "It does", schema: z.object({ status: z.literal("ok") }) } },
    },
    async ({ c }) => c.json({ status: "ok" }),
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/mem0/v3/memories/add",
      summary: "Remember messages",
      description:
        "As `add`. Answers when they are stored. By default the service's own rules choose the sentences that are " +
        "worth keeping, without a model; with `infer: false` each message is kept as said.",
      tag: TAG,
      scope: "write",
      body: Mem0Add,
      answers: { 200: { description: "What was kept", schema: Mem0Added } },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const work = async () => ({
        status: 200,
        body: await addMessages(services, body, step(idempotency, "add")),
      });
      const reply = await c.var.timing.measure("store", () => once(services.store, idempotency, work));
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/mem0/v3/memories/search",
      summary: "Search an owner's memories",
      description: "As `search`. Scores are the service's own, from 0 to 1.",
      tag: TAG,
      scope: "read",
      body: Mem0Search,
      answers: { 200: { description: "What was found, best first", schema: Mem0Found } },
    },
    async ({ c, caller, body }) => {
      const services = servicesOf(c, caller);
      const results = await c.var.timing.measure("store", () => searchMemories(services, body));
      return c.json({ results });
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/mem0/v3/memories",
      summary: "List an owner's memories, newest first",
      description: "As `getAll`.",
      tag: TAG,
      scope: "read",
      query: Mem0Page,
      body: Mem0List,
      answers: { 200: { description: "Memories", schema: Mem0Memories } },
    },
    async ({ c, caller, body, query }) => {
      const services = servicesOf(c, caller);
      const found = await c.var.timing.measure("store", () => listMemories(services, body, query));
      return c.json({ ...found, ...neighbours(c, query, found.count) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/mem0/v1/memories",
      summary: "Erase an owner's memories",
      description: "As `deleteAll`. With more ids than the owner's, only what bears them all.",
      tag: TAG,
      scope: "write",
      query: Mem0Ids.extend({ org_id: AnyJson.optional(), project_id: AnyJson.optional() }).strict(),
      answers: { 200: { description: "They are gone, from every index", schema: Mem0Told } },
    },
    async ({ c, caller, query }) => {
      const services = servicesOf(c, caller);
      const place = placeNamed(query);
      await c.var.timing.measure("store", () => services.store.places.erase([place]));
      services.later(services.store.wakeIndexer());
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
      summary: "A memory",
      description: "As `get`.",
      tag: TAG,
      scope: "read",
      params: Params,
      answers: { 200: { description: "The memory", schema: Mem0Memory } },
    },
    async ({ c, caller, params: { id } }) => {
      const services = servicesOf(c, caller);
      return c.json(toRecord(await c.var.timing.measure("store", () => find(services, id))));
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path,
      summary: "Change a memory's text or metadata",
      description: "As `update`. It is changed in place, and keeps its id and its time.",
      tag: TAG,
      scope: "write",
      params: Params,
      body: Mem0Update,
      answers: { 200: { description: "The memory as it is now", schema: Mem0Memory } },
    },
    async ({ c, caller, params: { id }, body }) => {
      const services = servicesOf(c, caller);
      const at = new Date(services.now()).toISOString();
      const memory = await c.var.timing.measure("store", async () => {
        await find(services, id);
        return services.store.change(id, (before) => changed(before, body, at));
      });
      if (memory === null) throw notFound(id);
      services.later(services.store.wakeIndexer());
      return c.json(toRecord(memory));
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path,
      summary: "Erase a memory",
      description:
        "As `delete`. A memory is changed in place, so nothing is linked to it that could be left.",
      tag: TAG,
      scope: "write",
      params: Params,
      query: z.object({ delete_linked: z.string().optional() }),
      answers: { 200: { description: "It is gone, from every index", schema: Mem0Told } },
    },
    async ({ c, caller, params: { id } }) => {
      const services = servicesOf(c, caller);
      await c.var.timing.measure("store", async () => {
        await find(services, id);
        await services.store.eraseMemory(id);
      });
      services.later(services.store.wakeIndexer());
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
      summary: "Users, agents, apps and runs that have memories",
      description: "As `users`.",
      tag: TAG,
      scope: "read",
      query: Mem0Page,
      answers: { 200: { description: "Owners, by name", schema: Mem0Entities } },
    },
    async ({ c, caller, query }) => {
      const services = servicesOf(c, caller);
      const found = await c.var.timing.measure("store", () => listEntities(services, query));
      return c.json({ ...found, ...neighbours(c, query, found.count) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/mem0/v2/entities/{type}/{name}",
      summary: "Erase everything of a user, an agent, an app or a run",
      description: "As `deleteUsers`.",
      tag: TAG,
      scope: "write",
      params: z.object({ type: z.enum(OWNERS), name: z.string() }),
      answers: { 200: { description: "It is gone, from every index", schema: Mem0Told } },
    },
    async ({ c, caller, params: { type, name } }) => {
      const services = servicesOf(c, caller);
      const place = placeNamed({ [`${type}_id`]: name });
      await c.var.timing.measure("store", () => services.store.places.erase([place]));
      services.later(services.store.wakeIndexer());
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
  const memory = await store.find(id);
  if (memory === null || !isMem0(memory)) throw notFound(id);
  return memory;
}

function notFound(id: string): FailureError {
  return failure("not_found", `Memory not found: ${id}. Check the id; search lists the ids of memories.`);
}
