// The privacy policies of a tenant, one row with all of them: every call reads it together with its key.

import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../kernel/databases/d1";
import { declareMethods } from "../../kernel/declare-methods";
import { failure } from "../../kernel/errors";
import { parseJson } from "../../kernel/json";
import { forgetKeys } from "../../kernel/known-keys";
import { LIMITS } from "../../kernel/limits";
import type { StoreContext } from "../../kernel/store-context";
import { DEFAULT_PRIVACY_RULES, type PrivacyRules } from "./privacy-policy";
import type { PrivacyPolicy, PrivacyPut } from "./privacy-schemas";

/** Returns stored policies, the defaults for a tenant that has none. */
export function parsePrivacyRules(stored: string | null): PrivacyRules {
  return stored === null
    ? DEFAULT_PRIVACY_RULES
    : { ...DEFAULT_PRIVACY_RULES, ...parseJson<Partial<PrivacyRules>>(stored) };
}

async function readPrivacyRules(db: Database, tenant: string): Promise<PrivacyRules> {
  const [row] = await readAll<{ rules: string }>(
    db,
    sql`SELECT rules FROM privacy_policies WHERE tenant = ${tenant}`,
  );
  return parsePrivacyRules(row?.rules ?? null);
}

export function createPrivacyRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  const { removes, writes } = declareMethods(context);

  /** Sets or removes a member of the tenant's row; concurrent changes of other members are kept. */
  const change = (expression: SQL): SQL[] => [
    sql`INSERT INTO privacy_policies (tenant, rules, updated_at) VALUES (${tenant}, '{"projects":{}}', ${now()})
      ON CONFLICT DO NOTHING`,
    sql`UPDATE privacy_policies SET rules = ${expression}, updated_at = ${now()} WHERE tenant = ${tenant}`,
  ];
  // Calls that reach no database have the new policies at once in this isolate.
  const write = (statements: SQL[]) => runBatch(db, statements).finally(() => forgetKeys({ tenant }));
  return {
    saveTenant: writes(async (policy: PrivacyPolicy): Promise<void> => {
      await write(change(sql`json_set(rules, '$.tenant', json(${JSON.stringify(policy)}))`));
    }),

    /** Replaces the policy of a project. */
    saveProject: writes(async (projectId: string, policy: PrivacyPut): Promise<void> => {
      const { projects } = await readPrivacyRules(db, tenant);
      if (!Object.hasOwn(projects, projectId) && Object.keys(projects).length >= LIMITS.projectPolicies)
        throw failure(
          "limit_exceeded",
          `${LIMITS.projectPolicies} projects have a privacy policy of their own, which is the limit. Delete one that is not needed, or use the tenant's policy.`,
        );
      // A patch merges objects: the old policy is removed first, in the same batch.
      await write([...change(patchProject(projectId, null)), ...change(patchProject(projectId, policy))]);
    }),

    /** Removes the policy of a project, which then has the tenant's. Returns whether it had one. */
    deleteProject: removes(async (projectId: string): Promise<boolean> => {
      const { projects } = await readPrivacyRules(db, tenant);
      if (!Object.hasOwn(projects, projectId)) return false;
      await write(change(patchProject(projectId, null)));
      return true;
    }),
  };
}

/** Finds the policy that a project has of its own. */
export function selectProjectPolicy(tenant: string, projectId: string): SQL {
  return sql`SELECT 1 FROM privacy_policies p, json_each(p.rules, '$.projects') j
    WHERE p.tenant = ${tenant} AND j.key = ${projectId}`;
}

export function removeProjectPolicy(tenant: string, projectId: string): SQL {
  return sql`UPDATE privacy_policies SET rules = ${patchProject(projectId, null)} WHERE tenant = ${tenant}`;
}

function patchProject(projectId: string, policy: PrivacyPut | null): SQL {
  const patch = JSON.stringify({ projects: { [projectId]: policy } });
  return sql`json_patch(rules, ${patch})`;
}
