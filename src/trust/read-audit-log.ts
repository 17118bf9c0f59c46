// Reads the audit log: a tenant's administrator that of its tenant, the holder of ADMIN_KEY that of any.
import { openDatabase } from "../kernel/databases/d1";
import type { Bindings } from "../kernel/env";
import { failure } from "../kernel/errors";
import { ALL_TENANTS, type AuditPosition, listAuditRecords } from "./audit-log";
import type { AuditQuery, AuditRecord } from "./keys/administration-schemas";

export function readAuditLog(
  env: Bindings,
  administrator: { tenant: string | null },
  { tenant, ...filter }: Omit<AuditQuery, "limit" | "cursor">,
  page: { limit: number; after: AuditPosition | null },
): Promise<(AuditRecord & AuditPosition)[]> {
  if (administrator.tenant !== null && tenant !== undefined && tenant !== administrator.tenant)
    throw failure("forbidden", "tenant: this key reads the audit log of its own tenant only. Leave it out.");
  return listAuditRecords(openDatabase(env.DB), administrator.tenant ?? tenant ?? ALL_TENANTS, filter, page);
}
