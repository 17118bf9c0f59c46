// Resolves the service and the key of a command: options first, then the environment. For a local service, also reads
// the admin key that `npm start` writes to .dev.vars.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Kioku } from "../client/index";
import { CommandError } from "./failures";

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
};

const DEFAULT_URL = "http://127.0.0.1:8787";
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** Few, because a person waits: an unreachable service is reported after about a second. */
const RETRIES = 2;

export function createConnection({ url: given, key, cwd, env }: ConnectionOptions): Connection {
  const url = given || env.KIOKU_URL || DEFAULT_URL;
  const local = isLocal(url) ? readLocalAdminKey(cwd) : null;
  const apiKey = key || env.KIOKU_API_KEY || null;
  const adminKey = key || env.KIOKU_ADMIN_KEY || local || env.KIOKU_API_KEY || null;
  const open = (used: string | null, missing: string) => {
    if (used === null) throw new CommandError(missing);
    return new Kioku({ url, key: used, retries: RETRIES });
  };
  return {
    url,
    apiKey,
    adminKey,
    api: () => open(apiKey, describeMissingKey(local !== null)),
    admin: () => open(adminKey, "No admin key. Set KIOKU_ADMIN_KEY to the service's ADMIN_KEY."),
  };
}

function describeMissingKey(canMakeOne: boolean): string {
  const how = canMakeOne
    ? "The ADMIN_KEY in .dev.vars makes one: npx kioku keys create local"
    : "npm start prints one; kioku keys create makes one, with KIOKU_ADMIN_KEY set";
  return `No key. Set KIOKU_API_KEY to a key of your service. ${how}.`;
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}

function readLocalAdminKey(cwd: string): string | null {
  try {
    const text = readFileSync(join(cwd, ".dev.vars"), "utf8");
    const line = /^[ \t]*(?:export[ \t]+)?ADMIN_KEY[ \t]*=[ \t]*(["']?)([^"'#\s]+)\1/m.exec(text);
    return line?.[2] ?? null;
  } catch {
    // Without the file, this is not the folder of a local service.
    return null;
  }
}
