// Long-term memories by id: with their provenance, as triples, as history; listed; erased.
import { accepts } from "hono/accepts";
import type { Services } from "../../operations/services";
import { FailureError, fail } from "../../platform/errors";
import { Flag, Id, PageQuery, pageOf, z } from "../../schemas/common";
import { type MemoryDetail as Detail, MemoryDetail, MemoryKey, MemoryView } from "../../schemas/memory";
import { MemoryTypeName } from "../../schemas/session";
import { toView } from "../../store/memories/memory-rows";
import { idOf, instance } from "../../store/triples/iri";
import { SYNTAXES, type Syntax, serialise } from "../../store/triples/rdf-syntax";
import { type App, endpoint, servicesOf } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";

const MemoryParams = z.object({ id: Id });
const Cursor = z.object({ timestamp: z.string(), id: z.string() });
const Receipt = z
  .object({
    deleted: z.object({ memories: z.number(), triples: z.number(), vectors: z.number(), links: z.number() }),
  })
  .openapi("MemoryReceipt");
const FullTriples = z.object({
  data: z.array(
    z.object({
      subject: z.string(),
      predicate: z.string(),
      object: z.string(),
      datatype: z.string().optional(),
    }),
  ),
});
const TAG = "Memories";

export function memoryRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories",
      summary: "List memories, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({
        type: MemoryTypeName.optional(),
        session_id: Id.optional(),
        agent_id: Id.optional(),
        project_id: Id.optional(),
        include_superseded: Flag,
        key: MemoryKey.optional().openapi({
          description: "Of the session, agent or project given: only the memory of this topic",
        }),
        key_prefix: MemoryKey.optional().openapi({
          description: "Of the session, agent or project given: only topics whose key begins with this",
        }),
      }),
      answers: { 200: { description: "Memories", schema: pageOf(MemoryView) } },
    },
    async ({ c, caller, query }) => {
      const { store } = servicesOf(c, caller);
      const { type, session_id, agent_id, project_id, include_superseded, limit, cursor } = query;
      const filter = {
        type: type ?? null,
        session_id: session_id ?? null,
        agent_id: agent_id ?? null,
        project_id: project_id ?? null,
        include_superseded,
        key: query.key,
        key_prefix: query.key_prefix,
      };
      const after = decodeCursor(Cursor, cursor);
      const memories = await c.var.timing.measure("store", () =>
        store.list(filter, { limit: limit + 1, after }),
      );
      return c.json(toPage(memories.map(toView), limit, ({ timestamp, id }) => ({ timestamp, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories/{id}",
      summary: "A memory with its provenance",
      tag: TAG,
      scope: "read",
      params: MemoryParams,
      answers: { 200: { description: "The memory", schema: MemoryDetail } },
    },
    async ({ c, caller, params: { id } }) => {
      const services = servicesOf(c, caller);
      return c.json(await c.var.timing.measure("store", () => detailOf(services, id)));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories/{id}/triples",
      summary: "A memory as triples, in the syntax that Accept names",
      description: `By Accept: ${SYNTAXES.join(", ")}.`,
      tag: TAG,
      scope: "read",
      params: MemoryParams,
      answers: { 200: { description: "Its triples, with full IRIs", schema: FullTriples } },
    },
    async ({ c, caller, params: { id } }) => {
      const { store } = servicesOf(c, caller);
      const triples = await c.var.timing.measure("store", () =>
        store.triples({ subject: instance("memory", id) }),
      );
      if (triples.length === 0) throw notFound(id);
      const syntax = accepts(c, {
        header: "Accept",
        supports: [...SYNTAXES],
        default: "application/json",
      }) as Syntax;
      return c.body(await serialise(triples, syntax), 200, {
        "Content-Type": `${syntax}; charset=utf-8`,
        Vary: "Accept",
      });
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/memories/{id}/history",
      summary: "The chain of supersession that a memory is part of, oldest first",
      tag: TAG,
      scope: "read",
      params: MemoryParams,
      answers: { 200: { description: "The chain", schema: z.object({ data: z.array(MemoryView) }) } },
    },
    async ({ c, caller, params: { id } }) => {
      const { store } = servicesOf(c, caller);
      const chain = await c.var.timing.measure("store", () => store.history(id));
      if (chain.length === 0) throw notFound(id);
      return c.json({ data: chain.map(toView) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/memories/{id}",
      summary: "Erase a memory from triples, read model, text index and vectors",
      tag: TAG,
      scope: "write",
      params: MemoryParams,
      answers: { 200: { description: "What was erased", schema: Receipt } },
    },
    async ({ c, caller, params: { id } }) => {
      const { store, later } = servicesOf(c, caller);
      const deleted = await c.var.timing.measure("store", () => store.eraseMemory(id));
      if (deleted.memories === 0) throw notFound(id);
      later(store.wakeIndexer());
      return c.json({ deleted });
    },
  );
}

async function detailOf({ store }: Services, id: string): Promise<Detail> {
  const iri = instance("memory", id);
  const [memory, incoming, outgoing] = await Promise.all([
    store.find(id),
    store.triples({ object: iri }).then((triples) => triples.filter(({ datatype }) => datatype === "")),
    store.triples({ subject: iri }),
  ]);
  if (memory === null) throw notFound(id);
  const link = (predicate: string, direction: "out" | "in", other: string) => {
    const otherId = idOf("memory", other);
    return otherId === null ? [] : [{ relation: predicate.replace("jido:", ""), direction, id: otherId }];
  };
  return {
    ...toView(memory),
    supersedes: incoming.flatMap(({ predicate, subject }) =>
      predicate === "jido:supersededBy" ? (idOf("memory", subject) ?? []) : [],
    ),
    links: [
      ...outgoing.flatMap(({ predicate, object, datatype }) =>
        datatype === "" ? link(predicate, "out", object) : [],
      ),
      ...incoming.flatMap(({ predicate, subject }) => link(predicate, "in", subject)),
    ],
  };
}

function notFound(id: string): FailureError {
  return new FailureError(
    fail("not_found", `Memory not found: ${id}. Check the id; recall lists the ids of what is remembered.`)
      .failure,
  );
}
