// Reads the options of a deployment. A wrong one is refused before the account is queried or changed.
import { parseArgs } from "node:util";
import { readMessage } from "../errors.ts";

/** `command` is the line without its options. */
export const renderDeployUsage = (command: string) => `${command} [options]

  --name NAME             of the Worker, its database and its vector index (default: kioku)
  --vectorize             keep vectors in Vectorize; --no-vectorize goes back to the embedded index
  --workers-ai            embed with Workers AI; --no-workers-ai goes back to the embedded embedder
  --oauth                 let MCP clients sign in: docs/oauth.md; --no-oauth switches it off
  --shards N              databases besides the first one, for many tenants: docs/scaling.md. Later runs keep them
  --one-index             with --vectorize, databases that --shards adds share the index of the first one
  --var NAME=VALUE        a setting of the Worker, kept by later runs; --var NAME= removes it (may be repeated)
  --admin-key-file FILE   the admin key of a new deployment; without it one is made and shown once
  --dry-run               show every step and change nothing`;

const OPTIONS = {
  name: { type: "string" },
  vectorize: { type: "boolean" },
  "no-vectorize": { type: "boolean" },
  "workers-ai": { type: "boolean" },
  "no-workers-ai": { type: "boolean" },
  oauth: { type: "boolean" },
  "no-oauth": { type: "boolean" },
  shards: { type: "string" },
  "one-index": { type: "boolean", default: false },
  var: { type: "string", multiple: true, default: [] as string[] },
  "admin-key-file": { type: "string" },
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Values = ReturnType<typeof parseOptions>;

export interface DeployOptions {
  name: string | undefined;
  /** Undefined keeps the present setting, here and below. */
  vectorize: boolean | undefined;
  workersAi: boolean | undefined;
  oauth: boolean | undefined;
  shards: number | undefined;
  /** Databases that are added get no vector index of their own. */
  oneIndex: boolean;
  /** Null removes a variable. */
  vars: Record<string, string | null>;
  adminKeyFile: string | undefined;
  dryRun: boolean;
  help: boolean;
}

/** A name that Cloudflare accepts for a Worker, a D1 database and a Vectorize index. */
const NAME = /^[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
/** Secrets: as variables, everyone who may see the Worker's settings could read them. */
const SECRETS = ["ADMIN_KEY", "EMBEDDINGS_API_KEY", "RERANKER_KEY", "LLM_API_KEY"];

export function readDeployOptions(argv: readonly string[], command = "npm run deploy --"): DeployOptions {
  const values = parseOptions(argv, command);
  const { name } = values;
  if (name !== undefined && !NAME.test(name))
    throw new Error(`--name takes 2 to 63 small letters, digits and dashes, a letter first: ${name}`);
  return {
    name,
    vectorize: readSwitch(values, "vectorize"),
    workersAi: readSwitch(values, "workers-ai"),
    oauth: readSwitch(values, "oauth"),
    shards: readShards(values.shards),
    oneIndex: values["one-index"],
    vars: Object.fromEntries(values.var.map(readVariable)),
    adminKeyFile: values["admin-key-file"],
    dryRun: values["dry-run"],
    help: values.help,
  };
}

function parseOptions(argv: readonly string[], command: string) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (error) {
    const [reason] = readMessage(error).split(". ");
    throw new Error(`${reason}.\n\n${renderDeployUsage(command)}`, { cause: error });
  }
}

/** A Worker has no more bindings than this has room for. */
const MAX_SHARDS = 500;

function readShards(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_SHARDS) return Number(text);
  throw new Error(`--shards takes a whole number up to ${MAX_SHARDS}: ${text}`);
}

function readSwitch(values: Values, option: "vectorize" | "workers-ai" | "oauth"): boolean | undefined {
  const [on, off] = [values[option], values[`no-${option}`]];
  if (on && off) throw new Error(`--${option} and --no-${option} contradict each other: give one of them`);
  if (on) return true;
  return off ? false : undefined;
}

function readVariable(text: string): [string, string | null] {
  const [, name, value = ""] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || !VARIABLE.test(name))
    throw new Error(`--var takes NAME=VALUE, as in RATE_LIMIT_WRITE=600: ${text.split("=")[0]}`);
  if (SECRETS.includes(name))
    throw new Error(`${name} is a secret, not a variable: npx wrangler secret put ${name} --name <worker>`);
  return [name, value === "" ? null : value];
}
