// The rules of a tenant for everything that is written: its privacy policies and its ontology.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../kernel/databases/d1";
import {
  parseTenantOntology,
  selectCurrentExtensions,
  type TenantOntology,
} from "../ontology/tenant-ontology";
import type { PrivacyRules } from "./privacy/privacy-policy";
import { parsePrivacyRules } from "./privacy/privacy-repository";

export type TenantRules = { privacy: PrivacyRules; ontology: TenantOntology };

/** Reads the rules of a tenant, for work that no call has started. */
export async function readTenantRules(db: Database, tenant: string): Promise<TenantRules> {
  const [row] = await readAll<{ rules: string | null; extensions: string }>(
    db,
    sql`SELECT (SELECT rules FROM privacy_policies WHERE tenant = ${tenant}) AS rules,
      (SELECT json_group_array(json_object('name', name, 'version', version, 'turtle', turtle))
        FROM (${selectCurrentExtensions(tenant)})) AS extensions`,
  );
  return {
    privacy: parsePrivacyRules(row?.rules ?? null),
    ontology: parseTenantOntology(row?.extensions ?? "[]"),
  };
}
