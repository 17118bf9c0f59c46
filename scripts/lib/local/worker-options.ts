// Reads what miniflare needs to serve the built Worker: its modules, and its bindings from wrangler's configuration.
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { V4WorkerOptionsShape } from "miniflare";
import wrangler from "wrangler";
import type { Installation } from "../installation.ts";
import { MODULE_TYPES } from "../module-types.ts";

export interface LocalWorker {
  name: string;
  cron: string | undefined;
  /** The binding and the id of the first database. */
  database: { binding: string; id: string };
  migrationsDir: string;
  migrationsTable: string;
  assets: { binding: string; path: string };
  bindings: V4WorkerOptionsShape;
}

/** Variables come from `devVarsPath`, too. */
export function readLocalWorker({ root, configPath }: Installation, devVarsPath: string): LocalWorker {
  const config = wrangler.unstable_readConfig({ config: configPath }, { hideWarnings: true });
  // wrangler reads `envFiles`, but its types do not list it.
  const options = { envFiles: [devVarsPath], overrides: {} };
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(config, undefined, options);
  const { modulesRules: _rules, assets: _assets, ...bindings } = workerOptions;
  const { name, assets, triggers } = config;
  const [database] = config.d1_databases;
  if (!name || !database || !assets?.binding || !assets.directory)
    throw new Error(
      `${basename(configPath)} must have a name, a D1 database, and assets with a binding and a directory`,
    );
  const {
    binding,
    database_id,
    migrations_dir = "migrations",
    migrations_table = "d1_migrations",
  } = database;
  return {
    name,
    cron: triggers.crons?.[0],
    database: { binding, id: database_id ?? binding },
    migrationsDir: join(root, migrations_dir),
    migrationsTable: migrations_table,
    assets: { binding: assets.binding, path: join(root, assets.directory) },
    bindings: bindings as V4WorkerOptionsShape,
  };
}

/** Returns the id of each database by its binding. */
export function nameDatabases({ database }: LocalWorker, shards: number): Record<string, string> {
  const { binding, id } = database;
  const further = Array.from({ length: shards }, (_, i) => [`${binding}_${i + 1}`, `${id}-${i + 1}`]);
  return { [binding]: id, ...Object.fromEntries(further) };
}

export async function readModules({ workerPath }: Installation) {
  const folder = dirname(workerPath);
  const files = await readdir(folder).catch((): string[] => []);
  if (!files.includes(basename(workerPath))) throw new Error(`${workerPath} is missing: npm run build`);
  const extra = files.filter((file) => extname(file) in MODULE_TYPES);
  return Promise.all(
    [basename(workerPath), ...extra].map(async (file) => ({
      type: MODULE_TYPES[extname(file)] ?? ("ESModule" as const),
      path: join(folder, file),
      contents: await readFile(join(folder, file)),
    })),
  );
}
