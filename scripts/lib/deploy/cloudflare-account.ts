// Reads the account's state: the login, and the settings of the deployed Worker. Nothing here changes anything.
import { OAUTH_BINDING } from "./deploy-config.ts";
import { DeployError, type Wrangler } from "./run-wrangler.ts";

const LOG_IN =
  "Log in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token with the permissions Workers Scripts: " +
  "Edit, D1: Edit and Account Settings: Read (and Vectorize: Edit for --vectorize, Workers KV Storage: Edit for --oauth).";

const WORKERS_FIX = "A token needs the permission Workers Scripts: Edit. Put it right and run this again.";

/** Matches wrangler's errors for a Worker, or its deployments, that do not exist. */
const NO_WORKER = /Worker "[^"]*" not found|Worker does not exist|has no deployments|code: 100(07|90)/i;

interface WhoAmI {
  loggedIn: boolean;
  accounts?: { id: string; name: string }[];
}

interface Binding {
  type: string;
  name: string;
  text?: string;
  index_name?: string;
  namespace_id?: string;
}

interface Deployment {
  versions: { version_id: string; percentage: number }[];
}

/** The settings of the deployed Worker. */
export interface DeployedWorker {
  exists: boolean;
  hasAdminKey: boolean;
  /** The bound Vectorize index. */
  index: string | null;
  workersAi: boolean;
  /** The bound KV namespace of OAuth. */
  namespace: string | null;
  vars: Record<string, string>;
}

export const NO_DEPLOYED_WORKER: DeployedWorker = {
  exists: false,
  hasAdminKey: false,
  index: null,
  workersAi: false,
  namespace: null,
  vars: {},
};

interface LoginOptions {
  /** Missing credentials are an error. */
  required: boolean;
  accountId: string | undefined;
}

/** Whether there are credentials. Several accounts need a choice. */
export async function isLoggedIn(wrangler: Wrangler, { required, accountId }: LoginOptions) {
  const absent = /"loggedIn"\s*:\s*false/;
  const user = await wrangler.read<WhoAmI>(["whoami", "--json"], { fix: LOG_IN, absent });
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

/** Reads the settings of the deployed Worker, which later runs keep, on whatever machine they run. */
export async function readDeployedWorker(wrangler: Wrangler, name: string): Promise<DeployedWorker> {
  const options = { fix: WORKERS_FIX, absent: NO_WORKER };
  const secrets = await wrangler.read<{ name: string }[]>(["secret", "list", "--name", name], options);
  if (secrets === null) return NO_DEPLOYED_WORKER;
  const status = ["deployments", "status", "--name", name, "--json"];
  const deployment = await wrangler.read<Deployment>(status, options);
  const bindings = deployment === null ? [] : await readBindings(wrangler, name, deployment);
  const index = bindings.find(({ type, name }) => type === "vectorize" && name === "VECTORIZE");
  const namespace = bindings.find(({ type, name }) => type === "kv_namespace" && name === OAUTH_BINDING);
  const vars = bindings.filter(({ type }) => type === "plain_text");
  return {
    exists: true,
    hasAdminKey: secrets.some((secret) => secret.name === "ADMIN_KEY"),
    index: index?.index_name ?? null,
    workersAi: bindings.some(({ type }) => type === "ai"),
    namespace: namespace?.namespace_id ?? null,
    vars: Object.fromEntries(vars.map(({ name, text = "" }) => [name, text])),
  };
}

/** A gradual deployment has two versions: the one with most of the traffic counts. */
async function readBindings(wrangler: Wrangler, name: string, { versions }: Deployment): Promise<Binding[]> {
  const [current] = versions.toSorted((a, b) => b.percentage - a.percentage);
  if (current === undefined) return [];
  const view = ["versions", "view", current.version_id, "--name", name, "--json"];
  const { resources } = await wrangler.read<{ resources: { bindings: Binding[] } }>(view, {
    fix: WORKERS_FIX,
  });
  return resources.bindings;
}
