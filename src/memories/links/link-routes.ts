// Links between memories and episodes, and the contradictions among them.

import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { CreationPosition, decodeCursor, toPage } from "../../http/pagination";
import { Flag, Id, PageQuery, pageSchema, z } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import { linkMemories, settleContradiction } from "./link-operations";
import {
  CONTRADICTION_EXAMPLE,
  Contradiction,
  ContradictionStatus,
  LINK_EXAMPLE,
  Link,
  LinkCreate,
  LinkDirection,
  LinkedId,
  LinkId,
  RelationFilter,
  ResolveInput,
} from "./link-schemas";

const LinkParams = z.object({ id: LinkId });
const LinkCursor = z.object({ incoming: z.number(), predicate: z.string(), other: z.string() });

export function linkRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Links", stage: "store" });

  routes.post("/v1/links", "createLink", {
    summary: "Link two memories, or a memory with an episode or a resource",
    description:
      "Repeating a link updates its strength. `contradicts` and `related_to` are symmetric. A memory that is superseded " +
      "is no longer recalled, as with forget. A relation of the ontology, such as `hasAlternative`, is checked against " +
      "its domain and range, and is a property of the memory that it leads from. One that leads to a resource, an agent " +
      "or a project, such as `justifiedBy` or `appliesToFile`, has no strength.",
    quota: ["bytes"],
    body: LinkCreate,
    mayBeMissing: true,
    responses: {
      200: { description: "The link already existed", schema: Link },
      201: { description: "The link was created", schema: Link },
    },
    reply: ({ services, body, idempotency }) => linkMemories(services, body, idempotency),
  });

  routes.get("/v1/links", "listLinks", {
    summary: "List the links of a memory, an episode or a resource, in both directions or one",
    audit: { export: "export.links" },
    query: PageQuery.extend({
      of: LinkedId,
      relation: RelationFilter.optional(),
      direction: LinkDirection.optional().openapi({
        description: "Only links that start at `of` (out), or that end there (in)",
      }),
      transitive: Flag.openapi({
        description: "Follow the relation from link to link: dependsOn, blockedBy or refines",
      }),
    }),
    mayBeMissing: true,
    example: { query: { of: "b924eb2b8ea1f386820e4e58919566bf" } },
    responses: { 200: { description: "Links", schema: pageSchema(Link), example: LINK_PAGE } },
    handle: async ({ services: { store }, query }) => {
      const { of, relation = null, direction = null, transitive, limit, cursor } = query;
      const after = decodeCursor(LinkCursor, cursor);
      const filter = { relation, direction, transitive };
      const page = toPage(
        unwrap(await store.links.list(of, filter, { limit: limit + 1, after })),
        limit,
        ({ cursor }) => cursor,
      );
      return { ...page, data: page.data.map(({ link }) => link) };
    },
  });

  routes.delete("/v1/links/{id}", "deleteLink", {
    summary: "Delete a link",
    audit: { action: "link.erase" },
    params: LinkParams,
    handle: async ({ services: { store }, params: { id } }) => {
      unwrap(await store.links.delete(id));
    },
  });

  routes.get("/v1/contradictions", "listContradictions", {
    summary: "List contradictions between memories, newest first",
    limitsReads: true,
    audit: { export: "export.contradictions" },
    query: PageQuery.extend({ project_id: Id.optional(), status: ContradictionStatus.default("open") }),
    responses: { 200: { description: "Contradictions", schema: pageSchema(Contradiction) } },
    handle: async ({ services: { store }, query: { project_id, status, limit, cursor } }) => {
      const after = decodeCursor(CreationPosition, cursor);
      const filter = { project_id: project_id ?? null, status };
      const found = await store.contradictions.list(filter, { limit: limit + 1, after });
      return toPage(found, limit, ({ created_at, id }) => ({ created_at, id }));
    },
  });

  routes.post("/v1/contradictions/{id}/resolve", "resolveContradiction", {
    summary: "Resolve a contradiction",
    quota: { exempt: "It changes a status." },
    params: LinkParams,
    body: ResolveInput,
    responses: {
      200: {
        description: "The resolved contradiction",
        schema: Contradiction,
        example: RESOLVED_CONTRADICTION,
      },
    },
    handle: async ({ services, params: { id }, body, idempotency }) =>
      (await settleContradiction(services, { ...body, id }, idempotency)).body,
  });
}

const LINK_PAGE = {
  data: [
    {
      id: "354979b01367ad670963c7cda20b972f",
      from: "b924eb2b8ea1f386820e4e58919566bf",
      to: "runbook.md",
      relation: "derived_from",
      strength: 1,
      direction: "out",
      created_at: null,
    },
    { ...LINK_EXAMPLE, direction: "in" },
  ],
  next_cursor: null,
};

const RESOLVED_CONTRADICTION = {
  ...CONTRADICTION_EXAMPLE,
  status: "resolved",
  proposal: null,
  resolution: {
    action: "keep_both",
    kept: null,
    reason: "Hotfixes are the exception to the rule",
    resolved_at: "2026-11-16T09:12:00.000Z",
  },
};
