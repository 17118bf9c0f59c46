// Takes an account from nothing to a running service, and a running one to this version. Every step finds out what is
// there and makes only what is missing, so that a run can be repeated, or stopped and begun again, at any point.
//
// The order is what makes it safe: indexes of metadata before the first vector, the schema before the code that reads
// it, the admin key with the code, so that no version is ever up without one.
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { isLoggedIn, NO_WORKER_YET, readWorker } from "./deploy-account.mjs";
import { forgetKey, pendingKey, prepareKey, readGivenKey } from "./deploy-admin-key.mjs";
import { deployConfig, mergeVars } from "./deploy-config.mjs";
import { loadEmbedders } from "./deploy-embedder.mjs";
import { waitForHealth } from "./deploy-health.mjs";
import { ensureIndex } from "./deploy-vectorize.mjs";
import { createWrangler, DeployError } from "./deploy-wrangler.mjs";
import { replaceFile } from "./replace-file.mjs";

const AGAIN = "Put it right and run this again: it goes on from here.";
const D1_FIX = `A token needs the permission D1: Edit. ${AGAIN}`;
const EXISTS = /already exists/i;

/**
 * Deploys `base`, which is wrangler.toml as parsed, under the options' name. `run` runs wrangler, `get` is fetch,
 * `wait` takes milliseconds; generated files go into `folder`. Gives the service's address, null in a dry run.
 */
export async function deploy(options, { base, version, root, folder, accountId, run, say, get, wait }) {
  const { dryRun, adminKeyFile } = options;
  const name = options.name ?? base.name;
  const files = { config: join(folder, `${name}.json`), key: join(folder, `${name}.admin-key.json`) };
  const shown = { config: relative(root, files.config), key: relative(root, files.key) };
  const wrangler = createWrangler({ run, say, dryRun });
  const givenKey = adminKeyFile === undefined ? null : await readGivenKey(adminKeyFile);

  const known = await isLoggedIn(wrangler, { required: !dryRun, accountId: accountId ?? base.account_id });
  say(known ? "Account: logged in" : "Account: no credentials, so what it holds already is not known");

  const before = known ? await readWorker(wrangler, name) : NO_WORKER_YET;
  const fate = `${dryRun ? "would" : "will"} be ${before.exists ? "updated" : "created"}`;
  say(`Worker ${name}: ${before.exists ? "there already, " : ""}${fate}`);

  const after = await plan(options, base, before, name);
  say(`Embedder: ${after.embedder === null ? "none" : after.embedder.name}`);

  // First, since an index that does not fit ends the run: then nothing has been made.
  if (after.index)
    await ensureIndex({ wrangler, say, name: after.index, embedder: after.embedder, known, dryRun });
  const databaseId = await ensureDatabase({ wrangler, say, name, known, dryRun });

  say(`Configuration: ${shown.config}, made from wrangler.toml`);
  if (!dryRun) {
    const config = deployConfig(base, { ...after, name, databaseId, root, folder });
    await mkdir(folder, { recursive: true });
    await replaceFile(files.config, `${JSON.stringify(config, null, 2)}\n`);
  }

  await migrate({ wrangler, say, config: shown.config });

  const key = await adminKey({ before, givenKey, files, say, name, dryRun });
  say(`Version ${version}: ${dryRun ? "would be deployed" : "deploying it"}`);
  const secrets = key.sent ? ["--secrets-file", shown.key] : [];
  const output = await wrangler.changeWithOutput(["deploy", "--config", shown.config, ...secrets], {
    fix: `A token needs the permission Workers Scripts: Edit. ${AGAIN}`,
  });
  if (dryRun) {
    say("Then: wait until /health answers with this version. Nothing was changed.");
    return null;
  }
  // At once, before anything else can fail: it is shown only here.
  if (key.shown) say(`\n  ADMIN_KEY ${key.shown}\n  Keep it: it is not shown again.\n`);
  await forgetKey(files.key);

  const url = addressOf(output);
  say(`Waiting for ${url}/health`);
  await waitForHealth(url, version, { get, wait });
  if (after.othersVectors) say(`The vectors must be made anew: KIOKU_URL=${url} ADMIN_KEY=… npm run reembed`);
  return url;
}

/**
 * What the Worker will run with: what it runs with now, what wrangler.toml says, what was asked for; and whether the
 * vectors there are now were made by another embedder, or are in another index.
 */
async function plan(options, base, before, name) {
  const workersAi = options.workersAi ?? (before.workersAi || base.ai !== undefined);
  const vectorize = options.vectorize ?? (before.index !== null || base.vectorize !== undefined);
  // The binding alone may be there for a language model: the embedder is changed by the option only.
  const without = before.vars.EMBEDDER === "workers-ai" ? { EMBEDDER: null } : {};
  const chosen = { true: { EMBEDDER: "workers-ai" }, false: without }[options.workersAi] ?? {};
  const vars = mergeVars(before.vars, base.vars, chosen, options.vars);
  const index = vectorize ? (before.index ?? name) : null;
  const embedderOf = await loadEmbedders();
  const embedder = chosenEmbedder(embedderOf, vars, workersAi);
  const othersVectors =
    before.exists &&
    embedder !== null &&
    (before.index !== index || embedder.name !== formerName(embedderOf, before));
  return { workersAi, vars, embedder, index, othersVectors };
}

function chosenEmbedder(embedderOf, vars, workersAi) {
  try {
    return embedderOf(vars, workersAi);
  } catch (error) {
    throw new DeployError(`The embedder cannot be set up: ${error.message}. Change its settings with --var.`);
  }
}

/** Settings that are wrong now made no vectors. */
function formerName(embedderOf, before) {
  try {
    return embedderOf(before.vars, before.workersAi)?.name;
  } catch {
    return undefined;
  }
}

async function ensureDatabase({ wrangler, say, name, known, dryRun }) {
  const list = () => wrangler.read(["d1", "list", "--json"], { fix: D1_FIX });
  const find = (databases) => databases.find((database) => database.name === name)?.uuid;
  const there = known ? find(await list()) : undefined;
  if (there) {
    say(`D1 database ${name}: there already (${there})`);
    return there;
  }
  say(`D1 database ${name}: ${dryRun ? "would be created" : "creating it"}`);
  await wrangler.change(["d1", "create", name], { fix: D1_FIX, absent: EXISTS });
  if (dryRun) return null;
  const id = find(await list());
  if (id) return id;
  throw new DeployError(
    `The D1 database ${name} was created, but is not in the account's list yet. ${AGAIN}`,
  );
}

async function migrate({ wrangler, say, config }) {
  const apply = ["d1", "migrations", "apply", "DB", "--remote", "--config", config];
  const output = await wrangler.change(apply, {
    fix: `A migration that failed was rolled back, and the service runs on as it was. ${D1_FIX}`,
  });
  const applied = [...new Set(output?.match(/\d{4}_\w+\.sql/g))];
  if (output !== null)
    say(`Migrations: ${applied.length > 0 ? `applied ${applied.join(", ")}` : "none to apply"}`);
}

/** `sent` says whether a key goes up with this deployment, `shown` is the key its owner has not seen yet. */
async function adminKey({ before, givenKey, files, say, name, dryRun }) {
  const pending = await pendingKey(files.key);
  if (before.hasAdminKey && pending === null) {
    const replace = `to replace it: npx wrangler secret put ADMIN_KEY --name ${name}`;
    say(`Secret ADMIN_KEY: set already, left as it is${givenKey === null ? "" : `; ${replace}`}`);
    return { sent: false, shown: null };
  }
  const source = givenKey !== null ? "taken from the file" : pending ? "of the interrupted run" : "made now";
  say(`Secret ADMIN_KEY: ${source}, set together with the code`);
  if (dryRun) return { sent: true, shown: null };
  const key = await prepareKey(files.key, givenKey);
  return { sent: true, shown: givenKey === null ? key : null };
}

/** The first address among what wrangler says it deployed to; schedules are among them too. */
function addressOf(output) {
  const targets = output.find((entry) => entry.type === "deploy")?.targets ?? [];
  const hosts = targets.flatMap((target) => {
    const [, scheme = "https://", host] = /^(https?:\/\/)?([\w-]+(?:\.[\w-]+)+(?::\d+)?)/.exec(target) ?? [];
    return host === undefined ? [] : [`${scheme}${host}`];
  });
  if (hosts.length === 0)
    throw new DeployError(
      "It is deployed, but has no address: set workers_dev = true in wrangler.toml, or give it a custom domain.",
    );
  return hosts[0];
}
