// Entries: memories of an agent in a namespace; and the namespaces, with the erasure of one.
import { createAccess } from "../calls/call-access";
import { runIdempotent } from "../calls/run-idempotent";
import type { App } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import { CreationPosition, decodeCursor, NamePosition, toPage } from "../http/pagination";
import { validate } from "../http/read-request";
import { OwnerIds, pageSchema, z } from "../kernel/common";
import { unwrap } from "../kernel/errors";
import type { Services } from "../services/services";
import { eraseNamespace, listNamespaces, recallEntries, writeEntry } from "./entry-operations";
import {
  EntryFilter,
  EntryListQuery,
  EntrySearch,
  NamespacePage,
  NamespaceQuery,
  NamespaceReceipt,
  RecallEntriesAnswer,
  RecallEntriesInput,
} from "./entry-schemas";
import { combineEntryFilter, readMetadataQuery } from "./filter-entries";
import { Entry, EntryCreate, EntryStoreName } from "./policy-schemas";
import { parseNamespace } from "./resolve-policy";
import { selectEntryStore } from "./select-entry-store";

export function entryRoutes(app: App): void {
  const routes = groupRoutes(app, {
    tag: "Policy and turns",
    stage: "store",
    bound: "owner",
    capability: "CanQueryMemory",
  });

  routes.post("/v1/entries", "createEntry", {
    summary: "Write an entry to an agent's memory",
    quota: ["memories", "bytes"],
    capability: "CanWriteMemory",
    body: EntryCreate,
    responses: {
      200: { description: "The entry already existed", schema: Entry },
      201: { description: "The entry was created", schema: Entry },
    },
    reply: async ({ services, body, idempotency }) => {
      const entries = selectEntryStore(services, body.store);
      return runIdempotent(services.store, idempotency, async () => {
        const { entry, created } = await writeEntry(services, entries, body, idempotency);
        return { status: created ? 201 : 200, body: entry };
      });
    },
  });

  routes.get("/v1/entries", "listEntries", {
    summary: "List entries, newest first: all, or those of a namespace",
    description:
      "A parameter `metadata.<key>=<value>` narrows the list to entries whose metadata has that value: " +
      "`metadata.kind=preference`. It matches the text, and the number or boolean written so.",
    limitsReads: true,
    audit: { export: "export.entries" },
    bound: "handler",
    query: EntryListQuery,
    example: { query: { namespace: "agent:ada" } },
    responses: { 200: { description: "Entries", schema: pageSchema(Entry) } },
    handle: async ({ services, query }) => {
      const filter = validate(EntryFilter, readMetadataQuery(query), "query");
      return await listPage(services, { ...query, filter });
    },
  });

  routes.post("/v1/entries/search", "searchEntries", {
    summary: "List the entries that pass a filter, newest first",
    scope: "read",
    limitsReads: true,
    audit: { export: "export.entries" },
    bound: "handler",
    body: EntrySearch,
    responses: { 200: { description: "Entries", schema: pageSchema(Entry) } },
    handle: ({ services, body }) => listPage(services, body),
  });

  routes.post("/v1/entries/recall", "recallEntries", {
    summary: "Recall the entries of a namespace, without a turn",
    description:
      "Looks in the named namespace; without one, where a preflight of the session or the owner would. No match is an " +
      "empty list.",
    scope: "read",
    stage: "recall",
    body: RecallEntriesInput.safeExtend(OwnerIds.shape).openapi("RecallEntriesRequest"),
    example: { body: { agent_id: "ada", query: "Who reviews the payment step?", limit: 1 } },
    responses: { 200: { description: "The entries, best first", schema: RecallEntriesAnswer } },
    handle: async ({ services, body }) => {
      const { session_id = null, user_id = null, agent_id = null, project_id = null, ...input } = body;
      const owner = { session_id, user_id, agent_id, project_id };
      return (await recallEntries(services, createAccess(services, owner), input)).body;
    },
  });
}

/** Returns a page of the entries that meet the conditions of a call. */
async function listPage(services: Services, request: z.output<typeof EntrySearch>) {
  const { namespace: name, user_id, agent_id, session_id, limit, cursor, store, ...conditions } = request;
  const namespace = name === undefined ? null : unwrap(parseNamespace(name));
  const after = decodeCursor(CreationPosition, cursor) ?? null;
  const found = await selectEntryStore(services, store).list_entries({
    namespace,
    user_id: user_id ?? null,
    agent_id: agent_id ?? null,
    session_id: session_id ?? null,
    filter: combineEntryFilter(conditions),
    limit: limit + 1,
    after,
  });
  return toPage(found, limit, ({ id, created_at }) => ({ id, created_at }));
}

export function namespaceRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Policy and turns", stage: "store", bound: "handler" });

  routes.get("/v1/namespaces", "listNamespaces", {
    summary: "List the namespaces that have entries, by name",
    description:
      "The entries of `<namespace>:session:<session>` count towards `<namespace>`; the prefix `<namespace>:session:` " +
      "lists the sessions.",
    limitsReads: true,
    audit: { export: "export.namespaces" },
    capability: "CanQueryMemory",
    query: NamespaceQuery,
    responses: { 200: { description: "Namespaces", schema: NamespacePage } },
    handle: async ({ services, query: { prefix, limit, cursor, store } }) => {
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const found = await listNamespaces(services, { prefix, after, limit: limit + 1 }, store);
      return toPage(found, limit, ({ namespace }) => ({ after: namespace }));
    },
  });

  routes.delete("/v1/namespaces/{namespace}", "deleteNamespace", {
    summary: "Erase everything in a namespace",
    description:
      "Erases what a list of the namespace shows, with `:session:*` below it, and what was superseded or forgotten in " +
      "it, from triples, read model, text index and vectors. `agent:<id>` includes the agent's memories outside of " +
      "namespaces. Encode the name in the path: `agent%3Aada`. After a 503, send the same call again: it continues.",
    audit: { action: "namespace.erase", personal: ["namespace"] },
    capability: "CanWriteMemory",
    params: z.object({ namespace: z.string() }),
    query: z.object({ store: EntryStoreName }),
    responses: { 200: { description: "The number of erased rows", schema: NamespaceReceipt } },
    handle: async ({ services, params: { namespace }, query: { store } }) => ({
      deleted: await eraseNamespace(services, namespace, store),
    }),
  });
}
