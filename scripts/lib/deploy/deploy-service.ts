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
import { planDeployment } from "./plan-deployment.ts";
import {
  createWrangler,
  DeployError,
  type OutputEntry,
  type RunWrangler,
  type Say,
  type Wrangler,
} from "./run-wrangler.ts";
import { ensureIndex } from "./vectorize-index.ts";
import { type HealthProbe, waitForHealth } from "./wait-for-health.ts";

const AGAIN = "Put it right and run this again: it goes on from here.";
const D1_FIX = `A token needs the permission D1: Edit. ${AGAIN}`;
const EXISTS = /already exists/i;

export interface DeployContext extends HealthProbe {
  /** wrangler.toml, parsed. */
  base: RawConfig;
  version: string;
  root: string;
  /** The folder of generated files. */
  folder: string;
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
  const { base, version, root, folder, accountId, run, say, get, wait } = context;
  const { dryRun, adminKeyFile } = options;
  const name = options.name ?? base.name;
  if (name === undefined) throw new DeployError("The Worker has no name: give one with --name.");
  const files = { config: join(folder, `${name}.json`), key: join(folder, `${name}.admin-key.json`) };
  const shown = { config: relative(root, files.config), key: relative(root, files.key) };
  const wrangler = createWrangler({ run, say, dryRun });
  const ownKey = adminKeyFile === undefined ? null : await readKeyFile(adminKeyFile);

  const known = await isLoggedIn(wrangler, { required: !dryRun, accountId: accountId ?? base.account_id });
  say(known ? "Account: logged in" : "Account: no credentials, so what it holds already is not known");

  const before = known ? await readDeployedWorker(wrangler, name) : NO_DEPLOYED_WORKER;
  const action = `${dryRun ? "would" : "will"} be ${before.exists ? "updated" : "created"}`;
  say(`Worker ${name}: ${before.exists ? "there already, " : ""}${action}`);

  const plan = await planDeployment(options, base, before, name);
  say(`Embedder: ${plan.embedder === null ? "none" : plan.embedder.name}`);

  // First, because an index of the wrong shape ends the run: then nothing has been created.
  if (plan.index)
    await ensureIndex({ wrangler, say, name: plan.index, embedder: plan.embedder, known, dryRun });
  const databases = await ensureDatabases({ wrangler, say, name, dryRun }, known, options.shards ?? 0);

  say(`Configuration: ${shown.config}, made from wrangler.toml`);
  if (!dryRun) {
    const config = createDeployConfig(base, { ...plan, name, databases, root, folder });
    await mkdir(folder, { recursive: true });
    await replaceFile(files.config, `${JSON.stringify(config, null, 2)}\n`);
  }

  for (const number of databases.keys())
    await applyMigrations(wrangler, say, { binding: toShardBinding(number), config: shown.config });

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
    say(`The vectors must be made anew: KIOKU_URL=${url} ADMIN_KEY=… npm run reembed`);
  return url;
}

/** Returns the databases that there are, with those of an earlier run. In a dry run a new one has no id. */
async function ensureDatabases(
  { wrangler, say, name, dryRun }: StepOptions,
  known: boolean,
  shards: number,
): Promise<{ name: string; id: string }[]> {
  const list = async () => {
    const found = await wrangler.read<{ name: string; uuid: string }[]>(["d1", "list", "--json"], {
      fix: D1_FIX,
    });
    return new Map(found.map((database) => [database.name, database.uuid]));
  };
  const present = known ? await list() : new Map<string, string>();
  const toName = (number: number) => (number === 0 ? name : `${name}-shard-${number}`);
  const names: string[] = [];
  while (names.length <= shards || present.has(toName(names.length))) names.push(toName(names.length));
  for (const database of names) {
    const id = present.get(database);
    if (id !== undefined) {
      say(`D1 database ${database}: there already (${id})`);
      continue;
    }
    say(`D1 database ${database}: ${dryRun ? "would be created" : "creating it"}`);
    await wrangler.change(["d1", "create", database], { fix: D1_FIX, absent: EXISTS });
  }
  const isComplete = names.every((database) => present.has(database));
  const created = dryRun || isComplete ? present : await list();
  return names.map((database) => {
    const id = created.get(database);
    if (id === undefined && !dryRun)
      throw new DeployError(
        `The D1 database ${database} was created, but is not in the account's list yet. ${AGAIN}`,
      );
    return { name: database, id: id ?? "" };
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
