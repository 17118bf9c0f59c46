// The extensions of a tenant's ontology: listed, saved and removed, each version checked against what is stored.
import { type SQL, sql } from "drizzle-orm";
import { readAll, retryConflicts, runBatch } from "../kernel/databases/d1";
import { assertThat } from "../kernel/databases/statements";
import { declareMethods } from "../kernel/declare-methods";
import { fail, ok, type Result } from "../kernel/errors";
import { forgetKeys } from "../kernel/known-keys";
import { LIMITS } from "../kernel/limits";
import type { StoreContext } from "../kernel/store-context";
import { findOffenders } from "../memories/store/check-memory";
import type { Extension } from "../ontology/extension-schemas";
import type { ExtensionDocument } from "../ontology/read-extension";
import { selectCurrentExtensions, type TenantOntology } from "../ontology/tenant-ontology";

export function createExtensionRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  const { reads, unmasked } = declareMethods(context);

  const columns = sql`name, version, turtle, created_at, current = 1 AS is_current`;
  const toExtension = ({
    is_current,
    ...row
  }: Omit<Extension, "current"> & { is_current: number }): Extension => ({
    ...row,
    current: is_current === 1,
  });
  const listDocuments = () => readAll<ExtensionDocument>(db, selectCurrentExtensions(tenant));
  /** Changes an extension if those that hold are still the ones that the change was checked with. */
  const write = (documents: readonly ExtensionDocument[], statements: SQL[]) => {
    const known = JSON.stringify(documents.map(({ name, version }) => [name, version]));
    const holds = sql`(SELECT json_group_array(json_array(name, version)) FROM (${selectCurrentExtensions(tenant)})) = ${known}`;
    return runBatch(db, [assertThat(holds), ...statements]).finally(() => forgetKeys({ tenant }));
  };
  const end = (name: string) =>
    sql`UPDATE ontology_extensions SET current = 0 WHERE tenant = ${tenant} AND name = ${name} AND current = 1`;

  return {
    /** Returns the stored memories that would not conform to an ontology. */
    findOffenders: reads((ontology: TenantOntology) => findOffenders(context, ontology)),

    listDocuments: reads(listDocuments),

    list: reads(async (): Promise<Extension[]> => {
      const rows = await readAll<Parameters<typeof toExtension>[0]>(
        db,
        sql`SELECT ${columns} FROM ontology_extensions WHERE tenant = ${tenant} AND current = 1 ORDER BY name`,
      );
      return rows.map(toExtension);
    }),

    /** Returns a version of an extension, the one that holds if none is named; null if there is none. */
    find: reads(async (name: string, version: number | null): Promise<Extension | null> => {
      const which = version === null ? sql`current = 1` : sql`version = ${version}`;
      const [row] = await readAll<Parameters<typeof toExtension>[0]>(
        db,
        sql`SELECT ${columns} FROM ontology_extensions WHERE tenant = ${tenant} AND name = ${name} AND ${which}`,
      );
      return row === undefined ? null : toExtension(row);
    }),

    listVersions: reads(async (name: string): Promise<number[]> => {
      const rows = await readAll<{ version: number }>(
        db,
        sql`SELECT version FROM ontology_extensions WHERE tenant = ${tenant} AND name = ${name} ORDER BY version`,
      );
      return rows.map(({ version }) => version);
    }),

    /**
     * Stores a new version of an extension, which holds from then on. `check` is given the extensions that would hold, and
     * returns a failure if they cannot. The oldest versions beyond the limit are deleted. Terms are not masked: a masked
     * term would be another term.
     */
    save: unmasked(
      (
        { name, turtle, expected }: { name: string; turtle: string; expected: number | null },
        check: (documents: readonly ExtensionDocument[]) => Promise<Result<null>>,
      ): Promise<Result<Extension>> => {
        return retryConflicts(async () => {
          const documents = await listDocuments();
          const [latest] = await readAll<{ version: number | null }>(
            db,
            sql`SELECT max(version) AS version FROM ontology_extensions WHERE tenant = ${tenant} AND name = ${name}`,
          );
          const current = documents.find((one) => one.name === name)?.version ?? 0;
          if (expected !== null && expected !== current)
            return fail(
              "conflict",
              `expected_version is ${expected}, but version ${current} of ${name} holds (0: none). Read it, and send the change again.`,
            );
          const others = documents.filter((one) => one.name !== name);
          if (others.length >= LIMITS.ontologyExtensions)
            return fail(
              "limit_exceeded",
              `The tenant has ${LIMITS.ontologyExtensions} extensions, which is the limit. Delete one, or put the terms into one of them.`,
            );
          const version = (latest?.version ?? 0) + 1;
          const checked = await check([...others, { name, version, turtle }]);
          if (!checked.ok) return checked;
          const created_at = now();
          await write(documents, [
            end(name),
            sql`INSERT INTO ontology_extensions (tenant, name, version, turtle, created_at, current)
            VALUES (${tenant}, ${name}, ${version}, ${turtle}, ${created_at}, 1)`,
            sql`DELETE FROM ontology_extensions WHERE tenant = ${tenant} AND name = ${name}
            AND version <= ${version - LIMITS.extensionVersions}`,
          ]);
          return ok({ name, version, turtle, created_at, current: true });
        });
      },
    ),

    /** Ends an extension; its versions stay readable. `check` is as above. Returns null if it does not hold. */
    remove: unmasked(
      async (
        name: string,
        check: (documents: readonly ExtensionDocument[]) => Promise<Result<null>>,
      ): Promise<Result<null> | null> => {
        return retryConflicts(async () => {
          const documents = await listDocuments();
          const others = documents.filter((one) => one.name !== name);
          if (others.length === documents.length) return null;
          const checked = await check(others);
          if (checked.ok) await write(documents, [end(name)]);
          return checked;
        });
      },
    ),
  };
}
