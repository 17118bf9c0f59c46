// mem0's API at /mem0, for its own clients: `new MemoryClient({ apiKey, host: "https://…/mem0" })`.
import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { z } from "../../schemas/common";
import { eraseMem0Memories, listMem0Entities } from "./mem0-memories";
import { linkPages, mem0MemoryRoutes, ONLY_PAGE } from "./mem0-memory-routes";
import { MEM0_OWNERS, Mem0Deleted, Mem0Entities, Mem0Page } from "./mem0-schemas";

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
