// What the account holds already: who is logged in, and what the Worker runs with. Nothing here changes anything.
import { DeployError } from "./deploy-wrangler.mjs";

const LOG_IN =
  "Log in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token with the permissions Workers Scripts: " +
  "Edit, D1: Edit and Account Settings: Read (and Vectorize: Edit for --vectorize).";

const WORKERS_FIX = "A token needs the permission Workers Scripts: Edit. Put it right and run this again.";

/** The codes that wrangler gives for a Worker, or its deployments, that are not there. */
const NO_WORKER = /Worker "[^"]*" not found|Worker does not exist|has no deployments|code: 100(07|90)/i;

/** Whether there are credentials; with `required`, none is an error. Several accounts want a choice. */
export async function isLoggedIn(wrangler, { required, accountId }) {
  const user = await wrangler.read(["whoami", "--json"], { fix: LOG_IN, absent: /"loggedIn"\s*:\s*false/ });
  if (!user?.loggedIn) {
    if (required) throw new DeployError(`wrangler is not logged in.\n${LOG_IN}`);
    return false;
  }
  const accounts = user.accounts ?? [];
  if (accounts.length > 1 && !accountId)
    throw new DeployError(
      `You have ${accounts.length} accounts. Set CLOUDFLARE_ACCOUNT_ID to the one to use:\n` +
        accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n"),
    );
  return true;
}

/** What a Worker that is not there runs with. */
export const NO_WORKER_YET = { exists: false, hasAdminKey: false, index: null, workersAi: false, vars: {} };

/** What the Worker of this name runs with now: later runs keep it, on whatever machine they are made. */
export async function readWorker(wrangler, name) {
  const options = { fix: WORKERS_FIX, absent: NO_WORKER };
  const secrets = await wrangler.read(["secret", "list", "--name", name], options);
  if (secrets === null) return NO_WORKER_YET;
  const deployment = await wrangler.read(["deployments", "status", "--name", name, "--json"], options);
  const bindings = deployment === null ? [] : await readBindings(wrangler, name, deployment);
  const ofType = (type) => bindings.filter((binding) => binding.type === type);
  return {
    exists: true,
    hasAdminKey: secrets.some((secret) => secret.name === "ADMIN_KEY"),
    index: ofType("vectorize").find((binding) => binding.name === "VECTORIZE")?.index_name ?? null,
    workersAi: ofType("ai").length > 0,
    vars: Object.fromEntries(ofType("plain_text").map((binding) => [binding.name, binding.text])),
  };
}

/** During a gradual deployment there are two versions: the one with most of the traffic counts. */
async function readBindings(wrangler, name, { versions }) {
  const [current] = versions.toSorted((a, b) => b.percentage - a.percentage);
  const view = ["versions", "view", current.version_id, "--name", name, "--json"];
  const { resources } = await wrangler.read(view, { fix: WORKERS_FIX });
  return resources.bindings;
}
