// Takes an account from nothing to a running service, or a running service to this version. Every step finds out the
// present state and creates only what is missing, so that a run can be repeated or interrupted at any point.
//
// The order makes it safe: metadata indexes before the first vector, the schema before the code that reads it, the
// admin key together with the code, so that no version runs without one.
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { replaceFile } from "../replace-file.ts";
import { readKeyFile, readPendingKey, removePendingKey, writePendingKey } from "./admin-key.ts";
import {
  type DeployedWorker,
  isLoggedIn,
  NO_DEPLOYED_WORKER,
  readDeployedWorker,
} from "./cloudflare-account.ts";
import { createDeployConfig, type RawConfig, toShardBinding } from "./deploy-config.ts";
import type { DeployOptions } from "./deploy-options.ts";
import { ensureNamespace } from "./oauth-namespace.ts";
import { type DeploymentPlan, type LoadSelectModule, planDeployment } from "./plan-deployment.ts";
import {
  createWrangler,
  DeployError,
  type OutputEntry,
  type RunWrangler,
  type Say,
  type Wrangler,
} from "./run-wrangler.ts";
import { ensureIndex, listIndexNames } from "./vectorize-index.ts";
import { type HealthProbe, waitForHealth } from "./wait-for-health.ts";

const AGAIN = "Put it right and run this again: it goes on from here.";
const D1_FIX = `A token needs the permission D1: Edit. ${AGAIN}`;
const EXISTS = /already exists/i;

export interface DeployContext extends HealthProbe {
  /** wrangler.toml, parsed, and the name of the file. */
  base: RawConfig;
  baseName: string;
  version: string;
  /** The folder from which the configuration's paths are relative. */
  root: string;
  /** The folder in which wrangler runs. */
  cwd: string;
  /** The folder of generated files. */
  folder: string;
  /** The command that makes all vectors anew. */
  reembedCommand: string;
  loadSelectModule: LoadSelectModule;
  accountId?: string | undefined;
  run: RunWrangler;
  say: Say;
}

/** What most steps need. */
interface StepOptions {
  wrangler: Wrangler;
  say: Say;
  name: string;
  dryRun: boolean;
}

/** Deploys under the options' name, and returns the service's address; null in a dry run. */
export async function deployService(options: DeployOptions, context: DeployContext): Promise<string | null> {
  const { base, version, root, cwd, folder, accountId, reembedCommand, run, say, get, wait } = context;
  const { dryRun, adminKeyFile } = options;
  const name = options.name ?? base.name;
  if (name === undefined) throw new DeployError("The Worker has no name: give one with --name.");
  const files = { config: join(folder, `${name}.json`), key: join(folder, `${name}.admin-key.json`) };
  const shown = { config: relative(cwd, files.config), key: relative(cwd, files.key) };
  const wrangler = createWrangler({ run, say, dryRun });
  const ownKey = adminKeyFile === undefined ? null : await readKeyFile(adminKeyFile);

  const known = await isLoggedIn(wrangler, { required: !dryRun, accountId: accountId ?? base.account_id });
  say(known ? "Account: logged in" : "Account: no credentials, so what it holds already is not known");

  const before = known ? await readDeployedWorker(wrangler, name) : NO_DEPLOYED_WORKER;
  const action = `${dryRun ? "would" : "will"} be ${before.exists ? "updated" : "created"}`;
  say(`Worker ${name}: ${before.exists ? "there already, " : ""}${action}`);

  const plan = await planDeployment(options, base, before, name, context.loadSelectModule);
  say(`Embedder: ${plan.embedder === null ? "none" : plan.embedder.name}`);

  const step = { wrangler, say, name, dryRun };
  const planned = await planDatabases(step, known, options.shards ?? 0);
  // First, because an index of the wrong shape ends the run: then nothing has been created.
  const indexes = await ensureIndexes(step, plan, {
    known,
    planned,
    isNew: before.index === null,
    reembedCommand,
    ...options,
  });
  const ids = await ensureDatabases(step, planned);
  const databases = planned.map(({ name: database }, i) => ({
    name: database,
    id: ids[i] ?? "",
    index: indexes[i] ?? null,
  }));

  const namespace = plan.oauth ? await ensureNamespace({ ...step, known, bound: plan.knownNamespace }) : null;

  say(`Configuration: ${shown.config}, made from ${context.baseName}`);
  if (!dryRun) {
    const config = createDeployConfig(base, { ...plan, name, databases, namespace, root, folder });
    await mkdir(folder, { recursive: true });
    await replaceFile(files.config, `${JSON.stringify(config, null, 2)}\n`);
  }

  for (const number of databases.keys())
    await applyMigrations(wrangler, say, { binding: toShardBinding("DB", number), config: shown.config });

  const key = await prepareAdminKey({ say, name, dryRun }, before, ownKey, files.key);
  say(`Version ${version}: ${dryRun ? "would be deployed" : "deploying it"}`);
  const secrets = key.sent ? ["--secrets-file", shown.key] : [];
  const output = await wrangler.changeWithOutput(["deploy", "--config", shown.config, ...secrets], {
    fix: `A token needs the permission Workers Scripts: Edit. ${AGAIN}`,
  });
  if (dryRun) {
    say("Then: wait until /health answers with this version. Nothing was changed.");
    return null;
  }
  // Immediately, before another step can fail: the key is shown only here.
  if (key.shown) say(`\n  ADMIN_KEY ${key.shown}\n  Keep it: it is not shown again.\n`);
  await removePendingKey(files.key);

  const url = findAddress(output);
  say(`Waiting for ${url}/health`);
  await waitForHealth(url, version, { get, wait });
  if (plan.needsReembedding)
    say(`The vectors must be made anew: KIOKU_URL=${url} KIOKU_ADMIN_KEY=… ${reembedCommand}`);
  return url;
}

/** A database to bind; `id` is null if it does not exist yet. */
interface PlannedDatabase {
  name: string;
  id: string | null;
}

const toShardName = (name: string, number: number) => (number === 0 ? name : `${name}-shard-${number}`);

async function listDatabases(wrangler: Wrangler): Promise<Map<string, string>> {
  const list = ["d1", "list", "--json"];
  const found = await wrangler.read<{ name: string; uuid: string }[]>(list, { fix: D1_FIX });
  return new Map(found.map((database) => [database.name, database.uuid]));
}

/** Returns the databases that are wanted, with those of an earlier run. */
async function planDatabases(
  { wrangler, name }: StepOptions,
  known: boolean,
  shards: number,
): Promise<PlannedDatabase[]> {
  const present = known ? await listDatabases(wrangler) : new Map<string, string>();
  const planned: PlannedDatabase[] = [];
  for (let number = 0; number <= shards || present.has(toShardName(name, number)); number += 1) {
    const database = toShardName(name, number);
    planned.push({ name: database, id: present.get(database) ?? null });
  }
  return planned;
}

/**
 * Creates the Vectorize index of each database, and returns their names. A database that there is without one keeps its
 * vectors in the index of the first: another index would have to be filled before it is used.
 */
async function ensureIndexes(
  { wrangler, say, dryRun }: StepOptions,
  { index, embedder }: DeploymentPlan,
  options: {
    known: boolean;
    planned: readonly PlannedDatabase[];
    isNew: boolean;
    oneIndex: boolean;
    reembedCommand: string;
  },
): Promise<(string | null)[]> {
  const { known, planned, isNew, oneIndex, reembedCommand } = options;
  if (index === null) return [];
  const present = known && planned.length > 1 ? await listIndexNames(wrangler) : [];
  const names = planned.map(({ id }, number) => {
    const own = toShardName(index, number);
    const isAdded = (id === null || isNew) && !oneIndex;
    return number === 0 || present.includes(own) || isAdded ? own : null;
  });
  for (const name of names)
    if (name !== null) await ensureIndex({ wrangler, say, name, embedder, known, dryRun, reembedCommand });
  return names;
}

/** Creates the databases that are missing, and returns the ids of all. In a dry run a new one has none. */
async function ensureDatabases(
  { wrangler, say, dryRun }: StepOptions,
  planned: readonly PlannedDatabase[],
): Promise<string[]> {
  for (const { name, id } of planned) {
    if (id !== null) {
      say(`D1 database ${name}: there already (${id})`);
      continue;
    }
    say(`D1 database ${name}: ${dryRun ? "would be created" : "creating it"}`);
    await wrangler.change(["d1", "create", name], { fix: D1_FIX, absent: EXISTS });
  }
  const isComplete = dryRun || planned.every(({ id }) => id !== null);
  const created = isComplete ? new Map<string, string>() : await listDatabases(wrangler);
  return planned.map(({ name, id }) => {
    const found = id ?? created.get(name) ?? "";
    if (found === "" && !dryRun)
      throw new DeployError(
        `The D1 database ${name} was created, but is not in the account's list yet. ${AGAIN}`,
      );
    return found;
  });
}

async function applyMigrations(
  wrangler: Wrangler,
  say: Say,
  { binding, config }: { binding: string; config: string },
): Promise<void> {
  const apply = ["d1", "migrations", "apply", binding, "--remote", "--config", config];
  const output = await wrangler.change(apply, {
    fix: `A migration that failed was rolled back, and the service runs on as it was. ${D1_FIX}`,
  });
  if (output === null) return;
  const applied = [...new Set(output.match(/\d{4}_\w+\.sql/g))];
  const which = binding === "DB" ? "" : ` of ${binding}`;
  say(`Migrations${which}: ${applied.length > 0 ? `applied ${applied.join(", ")}` : "none to apply"}`);
}

interface PreparedKey {
  /** A key is uploaded with this deployment. */
  sent: boolean;
  /** The key that its owner has not seen yet. */
  shown: string | null;
}

async function prepareAdminKey(
  { say, name, dryRun }: Omit<StepOptions, "wrangler">,
  before: DeployedWorker,
  ownKey: string | null,
  path: string,
): Promise<PreparedKey> {
  const pending = await readPendingKey(path);
  if (before.hasAdminKey && pending === null) {
    const replace = `to replace it: npx wrangler secret put ADMIN_KEY --name ${name}`;
    say(`Secret ADMIN_KEY: set already, left as it is${ownKey === null ? "" : `; ${replace}`}`);
    return { sent: false, shown: null };
  }
  const source = ownKey !== null ? "taken from the file" : pending ? "of the interrupted run" : "made now";
  say(`Secret ADMIN_KEY: ${source}, set together with the code`);
  if (dryRun) return { sent: true, shown: null };
  const key = await writePendingKey(path, ownKey);
  return { sent: true, shown: ownKey === null ? key : null };
}

/** Returns the first address among wrangler's targets, which also list schedules. */
function findAddress(output: OutputEntry[]): string {
  const targets = output.find((entry) => entry.type === "deploy")?.targets ?? [];
  const [address] = targets.flatMap((target) => {
    const [, scheme = "https://", host] = /^(https?:\/\/)?([\w-]+(?:\.[\w-]+)+(?::\d+)?)/.exec(target) ?? [];
    return host === undefined ? [] : [`${scheme}${host}`];
  });
  if (address !== undefined) return address;
  throw new DeployError(
    "It is deployed, but has no address: set workers_dev = true in wrangler.toml, or give it a custom domain.",
  );
}
