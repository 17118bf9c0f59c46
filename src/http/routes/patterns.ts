// Patterns: what several episodes have in common, and what to avoid; and learnings, what went wrong and why.

import { toLearning } from "../../domain/experience/learning-memory";
import { isPattern, toPattern } from "../../domain/experience/pattern-memory";
import { writePattern } from "../../operations/experience/write-pattern";
import { learn } from "../../operations/learn";
import type { Services } from "../../operations/services";
import { NO_TARGET } from "../../operations/tools/tool";
import { type FailureError, failure } from "../../platform/errors";
import { Flag, Id, PageQuery, pageOf, z } from "../../schemas/common";
import { Pattern, PatternCreate } from "../../schemas/experience";
import { Learning, LearningCreate } from "../../schemas/learning";
import { idOf } from "../../store/triples/iri";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once, step } from "../idempotency";
import { decodeCursor, toPage } from "../pagination";

const TAG = "Experience";
const Cursor = z.object({ timestamp: z.string(), id: z.string() });

export function patternRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/patterns",
      summary: "Write a pattern, or an anti-pattern",
      tag: TAG,
      scope: "write",
      body: PatternCreate,
      answers: {
        200: { description: "The pattern, which was there before", schema: Pattern },
        201: { description: "The new pattern", schema: Pattern },
      },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const { store } = services;
      const reply = await c.var.timing.measure("store", () =>
        once(store, idempotency, async () => {
          const now = new Date(services.now()).toISOString();
          const { id, created } = await writePattern(store, body, step(idempotency, "write"), now);
          return { status: created ? 201 : 200, body: await patternOf(services, id) };
        }),
      );
      services.later(store.wakeIndexer());
      return c.json(reply.body, reply.status as 200 | 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/patterns",
      summary: "List patterns, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({
        project_id: Id.optional(),
        category: z.string().min(1).max(500).optional(),
        include_superseded: Flag,
      }),
      answers: { 200: { description: "Patterns", schema: pageOf(Pattern) } },
    },
    async ({ c, caller, query }) => {
      const { store } = servicesOf(c, caller);
      const { limit, cursor, project_id, category, include_superseded } = query;
      const filter = { project_id: project_id ?? null, category: category ?? null, include_superseded };
      const after = decodeCursor(Cursor, cursor);
      const patterns = await c.var.timing.measure("store", async () => {
        const memories = await store.listMarked("category", filter, { limit: limit + 1, after });
        const links = await store.linksFrom(memories.map(({ id }) => id));
        return memories.map((memory) => toPattern(memory, links.get(memory.id) ?? []));
      });
      return c.json(toPage(patterns, limit, ({ created_at, id }) => ({ timestamp: created_at, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/patterns/{id}",
      summary: "A pattern, by its id or by the name that it was given",
      tag: TAG,
      scope: "read",
      params: z.object({ id: Id }),
      answers: { 200: { description: "The pattern", schema: Pattern } },
    },
    async ({ c, caller, params: { id } }) => {
      const services = servicesOf(c, caller);
      return c.json(await c.var.timing.measure("store", () => patternOf(services, id)));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/learnings",
      summary: "Tell what went wrong, why, what put it right and what prevents it",
      tag: TAG,
      scope: "write",
      body: LearningCreate,
      answers: {
        200: { description: "It was known, and has happened once more", schema: Learning },
        201: { description: "The new learning", schema: Learning },
      },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const reply = await c.var.timing.measure("store", () =>
        once(services.store, idempotency, () =>
          learn.run(services, NO_TARGET, body, step(idempotency, "write")),
        ),
      );
      return c.json(reply.body, reply.status as 200 | 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/learnings",
      summary: "List learnings, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({ project_id: Id.optional() }),
      answers: { 200: { description: "Learnings", schema: pageOf(Learning) } },
    },
    async ({ c, caller, query: { limit, cursor, project_id } }) => {
      const { store } = servicesOf(c, caller);
      const filter = { project_id: project_id ?? null, category: null, include_superseded: false };
      const after = decodeCursor(Cursor, cursor);
      const memories = await c.var.timing.measure("store", () =>
        store.listMarked("trigger", filter, { limit: limit + 1, after }),
      );
      const page = memories.map(toLearning);
      return c.json(toPage(page, limit, ({ created_at, id }) => ({ timestamp: created_at, id })));
    },
  );
}

async function patternOf({ store }: Services, id: string): Promise<Pattern> {
  const [end = null] = await store.findEnds([id]);
  const memoryId = end === null ? null : idOf("memory", end);
  const memory = memoryId === null ? null : await store.find(memoryId);
  if (memory === null || !isPattern(memory)) throw notFound(id);
  const links = await store.linksFrom([memory.id]);
  return toPattern(memory, links.get(memory.id) ?? []);
}

function notFound(id: string): FailureError {
  return failure("not_found", `Pattern not found: ${id}. Check the id; GET /v1/patterns lists them.`);
}
