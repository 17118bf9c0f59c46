// Resolves the service and the key of a command: options first, then the environment, then the service that runs on this
// machine. The keys of the local service are only sent to its own address, while it runs.
import { DEFAULT_URL, Kioku } from "../client/index";
import { CommandError } from "./failures";
import { findLocalService, isLoopback } from "./local-service";

export type Environment = Record<string, string | undefined>;

export type ConnectionOptions = {
  url?: string | undefined;
  key?: string | undefined;
  cwd: string;
  env: Environment;
};

export type Connection = {
  url: string;
  /** Returns a client with a tenant's key. */
  api: () => Kioku;
  /** Returns a client with the admin key. */
  admin: () => Kioku;
  apiKey: string | null;
  adminKey: string | null;
  /** The tenant of a local service whose admin key was found. */
  localTenant: string | undefined;
  /** The file of the key, if it is the local service's. The key itself is only read while the service runs. */
  keyFile: string | null;
};

/** Few, because a person waits: an unreachable service is reported after about a second. */
const RETRIES = 2;

export function createConnection({ url: given, key, cwd, env }: ConnectionOptions): Connection {
  const local = findLocalService(cwd);
  const url = given || env.KIOKU_URL || local?.url || DEFAULT_URL;
  const running = local?.url && isSameAddress(url, local.url) ? local : null;
  const chosen = key || env.KIOKU_API_KEY || null;
  const apiKey = chosen ?? running?.apiKey ?? null;
  const givenAdminKey = key || env.KIOKU_ADMIN_KEY;
  const adminKey = givenAdminKey || running?.adminKey || env.KIOKU_API_KEY || null;
  const keyFile = chosen === null && isLoopback(url) ? (local?.keyFile ?? null) : null;
  const open = (used: string | null, missing: string) => {
    if (used === null) throw new CommandError(missing);
    return new Kioku({ url, key: used, retries: RETRIES });
  };
  return {
    url,
    apiKey,
    adminKey,
    localTenant: !givenAdminKey && running?.adminKey ? "local" : undefined,
    keyFile,
    api: () => open(apiKey, describeMissingKey({ url, keyFile })),
    admin: () => open(adminKey, "No admin key. Set KIOKU_ADMIN_KEY to the service's ADMIN_KEY."),
  };
}

export function describeMissingKey({ url, keyFile }: Pick<Connection, "url" | "keyFile">): string {
  if (keyFile !== null)
    return `The service with the key in ${keyFile} is not running at ${url}. Start it, or set KIOKU_API_KEY.`;
  const how = isLoopback(url)
    ? "In the folder of a local service its key is found: npm start or npx kioku-server start makes one."
    : "With KIOKU_ADMIN_KEY set, kioku keys create <tenant> makes one.";
  return `No key for ${url}. Set KIOKU_API_KEY to a key of your service. ${how}`;
}

/** Another process may listen on another port of this machine. */
function isSameAddress(url: string, local: string): boolean {
  return isLoopback(url) && new URL(url).port === new URL(local).port;
}
