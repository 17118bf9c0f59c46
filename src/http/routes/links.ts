// Links between memories and episodes, and the contradictions among them.
import { unwrap } from "../../platform/errors";
import { Id, PageQuery, pageOf, z } from "../../schemas/common";
import { Contradiction, ContradictionStatus, Link, LinkCreate, ResolveInput } from "../../schemas/link";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once, step } from "../idempotency";
import { decodeCursor, toPage } from "../pagination";

const TAG = "Links";
const LinkParams = z.object({ id: Id });
const LinkCursor = z.object({ incoming: z.number(), predicate: z.string(), other: z.string() });
const ContradictionCursor = z.object({ created_at: z.string(), id: z.string() });

export function linkRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/links",
      summary: "Link two memories, or a memory and an episode",
      description:
        "The same link again gets the strength. What contradicts or is related to another does so from either end; " +
        "what supersedes another takes its place, as with forget.",
      tag: TAG,
      scope: "write",
      body: LinkCreate,
      answers: {
        200: { description: "The link, which was there before", schema: Link },
        201: { description: "The new link", schema: Link },
      },
    },
    async ({ c, caller, body, idempotency }) => {
      const { store, later } = servicesOf(c, caller);
      const outcome = await c.var.timing.measure("store", () => store.link(body, idempotency));
      const { link, created } = unwrap(outcome);
      if (link.relation === "superseded_by") later(store.wakeIndexer());
      return c.json(link, created ? 201 : 200);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/links",
      summary: "The links from a memory or an episode, and those to it",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({ of: Id }),
      answers: { 200: { description: "Links", schema: pageOf(Link) } },
    },
    async ({ c, caller, query: { of, limit, cursor } }) => {
      const { store } = servicesOf(c, caller);
      const after = decodeCursor(LinkCursor, cursor);
      const work = () => store.linksOf(of, { limit: limit + 1, after });
      const page = toPage(unwrap(await c.var.timing.measure("store", work)), limit, ({ place }) => place);
      return c.json({ ...page, data: page.data.map(({ link }) => link) });
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/links/{id}",
      summary: "Take a link back",
      tag: TAG,
      scope: "write",
      params: LinkParams,
      answers: { 204: { description: "Gone", schema: null } },
    },
    async ({ c, caller, params: { id } }) => {
      const { store } = servicesOf(c, caller);
      unwrap(await c.var.timing.measure("store", () => store.unlink(id)));
      return c.body(null, 204);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/contradictions",
      summary: "Memories that contradict each other, newest first",
      tag: TAG,
      scope: "read",
      query: PageQuery.extend({
        project_id: Id.optional(),
        status: ContradictionStatus.default("open"),
      }),
      answers: { 200: { description: "Contradictions", schema: pageOf(Contradiction) } },
    },
    async ({ c, caller, query: { project_id, status, limit, cursor } }) => {
      const { store } = servicesOf(c, caller);
      const after = decodeCursor(ContradictionCursor, cursor);
      const filter = { project_id: project_id ?? null, status };
      const work = () => store.contradictions(filter, { limit: limit + 1, after });
      const found = await c.var.timing.measure("store", work);
      return c.json(toPage(found, limit, ({ created_at, id }) => ({ created_at, id })));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/contradictions/{id}/resolve",
      summary: "Settle a contradiction",
      tag: TAG,
      scope: "write",
      params: LinkParams,
      body: ResolveInput,
      answers: { 200: { description: "The contradiction, resolved", schema: Contradiction } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const { store, later } = servicesOf(c, caller);
      const reply = await c.var.timing.measure("store", () =>
        once(store, idempotency, async () => {
          const settled = await store.resolveContradiction({ ...body, id }, step(idempotency, "resolve"));
          return { status: 200, body: unwrap(settled) };
        }),
      );
      later(store.wakeIndexer());
      return c.json(reply.body);
    },
  );
}
