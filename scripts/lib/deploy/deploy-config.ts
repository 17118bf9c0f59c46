// The configuration that is deployed: wrangler.toml with the names, the database and the bindings of one deployment.
// It is made anew by each run from what the account holds, and lies in a folder git ignores. wrangler.toml keeps its
// placeholder: a database id belongs to an account, and an edited file would be in the way of the next pull.
import { join, relative } from "node:path";

/** The id in wrangler.toml, which is that of the local database. */
export const PLACEHOLDER_ID = "00000000-0000-0000-0000-000000000000";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * `base` is wrangler.toml as it was parsed; `index` the Vectorize index to bind, or null. Paths are rewritten for a
 * file in `folder`.
 */
export function deployConfig(base, { name, databaseId, index, workersAi, vars, root, folder }) {
  if (databaseId === PLACEHOLDER_ID || !UUID.test(databaseId))
    throw new Error(`${databaseId} is not the id of a D1 database`);
  const [database, ...others] = base.d1_databases;
  const { ai: _ai, vectorize: _vectorize, vars: _vars, ...rest } = base;
  const fromFolder = (path) => relative(folder, join(root, path));
  return {
    ...rest,
    name,
    main: fromFolder(base.main),
    assets: { ...base.assets, directory: fromFolder(base.assets.directory) },
    d1_databases: [
      {
        ...database,
        database_name: name,
        database_id: databaseId,
        migrations_dir: fromFolder(database.migrations_dir),
      },
      ...others,
    ],
    ...(workersAi && { ai: { binding: "AI" } }),
    ...(index && { vectorize: [{ binding: "VECTORIZE", index_name: index }] }),
    vars,
  };
}

/** The variables of the Worker: what it runs with, under what wrangler.toml says, under what was asked for now. */
export function mergeVars(...layers) {
  const merged = Object.assign({}, ...layers);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}
