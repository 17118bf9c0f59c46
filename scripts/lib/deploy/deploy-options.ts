// The options of `npm run deploy`. A wrong one is refused before anything is asked or made.
import { parseArgs } from "node:util";

export const USAGE = `npm run deploy -- [options]

  --name NAME             of the Worker, its database and its vector index (default: kioku)
  --vectorize             keep vectors in Vectorize; --no-vectorize goes back to the embedded index
  --workers-ai            embed with Workers AI; --no-workers-ai goes back to the embedded embedder
  --var NAME=VALUE        a setting of the Worker, kept by later runs; --var NAME= removes it (may be repeated)
  --admin-key-file FILE   the admin key of a new deployment; without it one is made and shown once
  --dry-run               show every step and change nothing`;

const OPTIONS = {
  name: { type: "string" },
  vectorize: { type: "boolean" },
  "no-vectorize": { type: "boolean" },
  "workers-ai": { type: "boolean" },
  "no-workers-ai": { type: "boolean" },
  var: { type: "string", multiple: true, default: [] },
  "admin-key-file": { type: "string" },
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
};

/** What a Worker, a D1 database and a Vectorize index may all be called. */
const NAME = /^[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
/** These are secrets: as variables they would be readable to all who may see the Worker's settings. */
const SECRETS = ["ADMIN_KEY", "EMBEDDINGS_API_KEY", "LLM_API_KEY"];

/**
 * `vectorize` and `workersAi` are true, false, or undefined for "as it is"; `vars` has null for what is to go.
 */
export function readDeployOptions(argv) {
  const { values } = parse(argv);
  const { name } = values;
  if (name !== undefined && !NAME.test(name))
    throw new Error(`--name takes 2 to 63 small letters, digits and dashes, a letter first: ${name}`);
  return {
    name,
    vectorize: choice(values, "vectorize"),
    workersAi: choice(values, "workers-ai"),
    vars: Object.fromEntries(values.var.map(readVariable)),
    adminKeyFile: values["admin-key-file"],
    dryRun: values["dry-run"],
    help: values.help,
  };
}

function parse(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS });
  } catch (error) {
    throw new Error(`${error.message.split(". ")[0]}.\n\n${USAGE}`, { cause: error });
  }
}

function choice(values, option) {
  if (values[option] && values[`no-${option}`])
    throw new Error(`--${option} and --no-${option} contradict each other: give one of them`);
  if (values[option]) return true;
  return values[`no-${option}`] ? false : undefined;
}

function readVariable(text) {
  const [, name, value] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || !VARIABLE.test(name))
    throw new Error(`--var takes NAME=VALUE, as in RATE_LIMIT_WRITE=600: ${text.split("=")[0]}`);
  if (SECRETS.includes(name))
    throw new Error(`${name} is a secret, not a variable: npx wrangler secret put ${name} --name <worker>`);
  return [name, value === "" ? null : value];
}
