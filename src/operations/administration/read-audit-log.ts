// Reads the audit log: a tenant's administrator that of its tenant, the holder of ADMIN_KEY that of any.
import { openDatabase } from "../../platform/d1";
import type { Bindings } from "../../platform/env";
import { failure } from "../../platform/errors";
import type { AuditQuery, AuditRecord } from "../../schemas/administration";
import { ALL_TENANTS, type AuditPosition, listAuditRecords } from "../../store/audit-log";

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
