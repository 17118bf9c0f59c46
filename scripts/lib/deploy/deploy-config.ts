// Creates the configuration that is deployed: wrangler.toml with the names, the database and the bindings of one
// deployment. Each run creates it again from the account's state, in a folder that git ignores. wrangler.toml keeps its
// placeholder: a database id belongs to an account, and an edited file would conflict with the next pull.
import { join, relative } from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";

export type { RawConfig };

/** The id in wrangler.toml, which is that of the local database. */
export const PLACEHOLDER_ID = "00000000-0000-0000-0000-000000000000";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Variables of the Worker. wrangler.toml may also set other values than text. */
export type Vars = NonNullable<RawConfig["vars"]>;

export interface Deployment {
  name: string;
  databaseId: string;
  /** The Vectorize index to bind, or null. */
  index: string | null;
  workersAi: boolean;
  vars: Vars;
  root: string;
  /** The folder of the configuration, from which its paths are relative. */
  folder: string;
}

export function createDeployConfig(base: RawConfig, deployment: Deployment): RawConfig {
  const { name, databaseId, index, workersAi, vars, root, folder } = deployment;
  if (databaseId === PLACEHOLDER_ID || !UUID.test(databaseId))
    throw new Error(`${databaseId} is not the id of a D1 database`);
  const { ai: _ai, vectorize: _vectorize, vars: _vars, ...rest } = base;
  const { main, assets, d1_databases: [database, ...others] = [] } = base;
  if (!main || !assets?.directory || !database?.migrations_dir)
    throw new Error("wrangler.toml must have main, assets.directory and a D1 database with migrations_dir");
  const toRelative = (path: string) => relative(folder, join(root, path));
  return {
    ...rest,
    name,
    main: toRelative(main),
    assets: { ...assets, directory: toRelative(assets.directory) },
    d1_databases: [
      {
        ...database,
        database_name: name,
        database_id: databaseId,
        migrations_dir: toRelative(database.migrations_dir),
      },
      ...others,
    ],
    ...(workersAi && { ai: { binding: "AI" } }),
    ...(index && { vectorize: [{ binding: "VECTORIZE", index_name: index }] }),
    vars,
  };
}

/** Merges layers of variables: later ones win, and null removes a variable. */
export function mergeVars(...layers: Vars[]): Vars {
  const merged: Vars = Object.assign({}, ...layers);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}
