// Namespaces of entries: their list, and the erasure of one.
import { eraseNamespace, listNamespaces } from "../../../operations/policy/manage-namespaces";
import { z } from "../../../schemas/common";
import { NamespacePage, NamespaceQuery, NamespaceReceipt } from "../../../schemas/entries/entry-requests";
import { EntryStoreName } from "../../../schemas/policy";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";

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
    responses: {
      200: {
        description: "Namespaces",
        schema: NamespacePage,
        example: {
          data: [
            {
              namespace: "agent:ada",
              entries: 5,
              first_entry: "2026-11-16T09:04:00.000Z",
              last_entry: "2026-11-16T09:14:00.000Z",
            },
          ],
          next_cursor: null,
        },
      },
    },
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
    responses: {
      200: {
        description: "The number of erased rows",
        schema: NamespaceReceipt,
        example: { deleted: { memories: 5, triples: 71, vectors: 5, links: 0 } },
      },
    },
    handle: async ({ services, params: { namespace }, query: { store } }) => ({
      deleted: await eraseNamespace(services, namespace, store),
    }),
  });
}
