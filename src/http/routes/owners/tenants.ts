// Tenants: their erasure by the holder of ADMIN_KEY.
import { eraseOwner, selectCounts } from "../../../operations/owners/erase-owner";
import { failure } from "../../../platform/errors";
import { Id, z } from "../../../schemas/common";
import { TenantReceipt } from "../../../schemas/owners/erasure";
import type { App } from "../../app-context";
import { groupRoutes, openServices } from "../../endpoint";

export function tenantRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Administration" });

  routes.delete("/v1/tenants/{tenant}", "deleteTenant", {
    summary: "Erase a tenant: its keys, and everything that is stored for it",
    description:
      "For ADMIN_KEY alone. The tenant's keys stop working first, so that nothing is written meanwhile. After a 503, " +
      "send the same call again: it continues where the first one stopped, and its receipt counts what it erased itself.",
    scope: "admin",
    audit: { action: "tenant.erase" },
    stage: "store",
    params: z.object({ tenant: Id }),
    responses: {
      200: {
        description: "The number of erased rows",
        schema: TenantReceipt,
        example: {
          deleted: {
            ...{ sessions: 3, messages: 8, memories: 12, episodes: 2, items: 1, triples: 187, vectors: 23 },
            ...{ ledgers: 1, handoffs: 1, policies: 1, skill_proposals: 0, privacy_policies: 1, keys: 2 },
          },
        },
      },
    },
    handle: async ({ c, caller, params: { tenant } }) => {
      if (caller.tenant !== null) throw failure("forbidden", "Only ADMIN_KEY may erase a tenant.");
      const services = openServices(c, { ...caller, tenant });
      const erased = await eraseOwner(services, { kind: "tenant" });
      return { deleted: selectCounts(erased, TenantReceipt.shape.deleted.keyof().options) };
    },
  });
}
