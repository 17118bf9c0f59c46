// Creates the configuration that is deployed: wrangler.toml with the names, the database and the bindings of one
// deployment. Each run creates it again from the account's state, in a folder that git ignores. wrangler.toml keeps its
// placeholder: a database id belongs to an account, and an edited file would conflict with the next pull.
import { join, relative } from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";

export type { RawConfig };

/** The id in wrangler.toml, which is that of the local database. */
export const PLACEHOLDER_ID = "00000000-0000-0000-0000-000000000000";

/** The KV namespace that switches OAuth on. */
export const OAUTH_BINDING = "OAUTH_KV";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Variables of the Worker. wrangler.toml may also set other values than text. */
export type Vars = NonNullable<RawConfig["vars"]>;

export interface Deployment {
  name: string;
  /** The databases `DB`, `DB_1` and so on, each with the Vectorize index to bind for it, or null. */
  databases: readonly { name: string; id: string; index: string | null }[];
  workersAi: boolean;
  /** The id of the KV namespace of OAuth, or null. */
  namespace: string | null;
  vars: Vars;
  root: string;
  /** The folder of the configuration, from which its paths are relative. */
  folder: string;
}

export function createDeployConfig(base: RawConfig, deployment: Deployment): RawConfig {
  const { name, databases, workersAi, namespace, vars, root, folder } = deployment;
  for (const { id } of databases)
    if (id === PLACEHOLDER_ID || !UUID.test(id)) throw new Error(`${id} is not the id of a D1 database`);
  const { ai: _ai, vectorize: _vectorize, vars: _vars, kv_namespaces = [], ...rest } = base;
  const { main, assets, d1_databases: [database, ...others] = [] } = base;
  const migrations = database?.migrations_dir;
  if (!main || !assets?.directory || !migrations)
    throw new Error("wrangler.toml must have main, assets.directory and a D1 database with migrations_dir");
  const vectorize = databases.flatMap(({ index }, i) =>
    index === null ? [] : [{ binding: toShardBinding("VECTORIZE", i), index_name: index }],
  );
  const namespaces = [
    ...kv_namespaces.filter(({ binding }) => binding !== OAUTH_BINDING),
    ...(namespace === null ? [] : [{ binding: OAUTH_BINDING, id: namespace }]),
  ];
  const toRelative = (path: string) => relative(folder, join(root, path));
  return {
    ...rest,
    name,
    main: toRelative(main),
    assets: { ...assets, directory: toRelative(assets.directory) },
    d1_databases: [
      ...databases.map((one, i) => ({
        ...database,
        binding: toShardBinding("DB", i),
        database_name: one.name,
        database_id: one.id,
        migrations_dir: toRelative(migrations),
      })),
      ...others,
    ],
    ...(workersAi && { ai: { binding: "AI" } }),
    ...(vectorize.length > 0 && { vectorize }),
    ...(namespaces.length > 0 && { kv_namespaces: namespaces }),
    vars,
  };
}

/** Returns the binding of a database, or of its vector index, by its number. */
export function toShardBinding(kind: "DB" | "VECTORIZE", number: number): string {
  return number === 0 ? kind : `${kind}_${number}`;
}

/** Merges layers of variables: later ones win, and null removes a variable. */
export function mergeVars(...layers: Vars[]): Vars {
  const merged: Vars = Object.assign({}, ...layers);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}
