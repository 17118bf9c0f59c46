// A Cloudflare account in memory, behind commands that answer as wrangler's documented ones do: lists in JSON, errors
// that name what is there already. It refuses what the account would refuse, and can fail a command once.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

type Answer = { status: number; stdout: string; stderr: string };
type Index = { dimensions: number; metric: string; vectors: number; metadata: Map<string, string> };
type Binding = { type: string; name: string; text?: string; index_name?: string; namespace_id?: string };
type Worker = { secrets: Map<string, string>; versions: Version[] };
type Version = { config: DeployedConfig; bindings: Binding[] };

const databaseBinding = z.looseObject({
  binding: z.string(),
  database_name: z.string(),
  database_id: z.string(),
});

/** What is read of a configuration that is deployed. */
const deployedConfig = z.looseObject({
  name: z.string(),
  main: z.string(),
  d1_databases: z.tuple([databaseBinding]).rest(databaseBinding),
  vectorize: z.array(z.object({ binding: z.string(), index_name: z.string() })).default([]),
  kv_namespaces: z.array(z.object({ binding: z.string(), id: z.string() })).default([]),
  ai: z.object({ binding: z.string() }).optional(),
  vars: z.record(z.string(), z.string()),
});
type DeployedConfig = z.infer<typeof deployedConfig>;

export function createAccount(root: string, address = "kioku.example.workers.dev") {
  const databases = new Map<string, { uuid: string; migrated: boolean }>();
  const indexes = new Map<string, Index>();
  /** The KV namespaces, from title to id. */
  const namespaces = new Map<string, string>();
  const workers = new Map<string, Worker>();
  /** Every command that changed something, in order. */
  const changes: string[] = [];
  let loggedIn = true;
  let accounts = [{ id: "account-1", name: "Mine" }];
  let failing: { command: string; stderr: string; meanwhile: () => void } | null = null;

  const ok = (value: unknown): Answer => ({
    status: 0,
    stdout: typeof value === "string" ? value : JSON.stringify(value),
    stderr: "",
  });
  const failed = (message: string): Answer => ({
    status: 1,
    stdout: "",
    stderr: `\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1m${message}\u001b[0m\n\n🪵  Logs were written to "/home/me/wrangler.log"\n`,
  });

  const commands: Record<string, (words: string[], env: Record<string, string>) => Answer> = {
    "whoami --json": () =>
      loggedIn ? ok({ loggedIn: true, accounts }) : { ...ok({ loggedIn: false }), status: 1 },
    "d1 list": () => ok([...databases].map(([name, { uuid }]) => ({ name, uuid, version: "production" }))),
    "d1 create": ([name = ""]) => {
      if (databases.has(name))
        return failed(`A database with the name '${name}' already exists [code: 7502]`);
      const uuid = `1234abcd-0000-4000-8000-${String(databases.size + 1).padStart(12, "0")}`;
      databases.set(name, { uuid, migrated: false });
      return ok(`✅ Successfully created DB '${name}'`);
    },
    "d1 migrations": (words) => {
      const config = readConfig(option(words, "--config"));
      const bound = config.d1_databases.find(({ binding }) => words.includes(binding));
      const database = [...databases.values()].find(({ uuid }) => uuid === bound?.database_id);
      if (!database) return failed("The database does not exist [code: 7404]");
      if (database.migrated) return ok("✅ No migrations to apply!");
      database.migrated = true;
      return ok("Migrations to be applied: 0001_schema.sql ✅");
    },
    "kv namespace": ([action, title = ""]) => {
      if (action === "list") return ok([...namespaces].map(([title, id]) => ({ id, title })));
      if (namespaces.has(title)) return failed(`A KV namespace with the title "${title}" already exists.`);
      namespaces.set(title, `0f0f${String(namespaces.size + 1).padStart(28, "0")}`);
      return ok("✨ Success!");
    },
    "vectorize list": () =>
      ok([...indexes].map(([name, { dimensions, metric }]) => ({ name, config: { dimensions, metric } }))),
    "vectorize create": ([name = "", ...words]) => {
      if (indexes.has(name)) return failed("A vector index with this name already exists [code: 3002]");
      const dimensions = Number(option(words, "--dimensions"));
      indexes.set(name, { dimensions, metric: option(words, "--metric"), vectors: 0, metadata: new Map() });
      return ok(`✅ Successfully created a new Vectorize index: '${name}'`);
    },
    "vectorize info": ([name = ""]) => ok({ vectorCount: indexOf(name).vectors }),
    "vectorize list-metadata-index": ([name = ""]) =>
      ok(
        [...indexOf(name).metadata].map(([propertyName, type]) => ({
          propertyName,
          indexType: type.charAt(0).toUpperCase() + type.slice(1),
        })),
      ),
    "vectorize create-metadata-index": ([name = "", ...words]) => {
      indexOf(name).metadata.set(option(words, "--property-name"), option(words, "--type"));
      return ok("✅ Successfully enqueued metadata index creation request.");
    },
    "secret list": (words) => {
      const worker = workers.get(option(words, "--name"));
      if (!worker) return failed(`Worker "${option(words, "--name")}" not found.`);
      return ok([...worker.secrets.keys()].map((name) => ({ name, type: "secret_text" })));
    },
    "deployments status": (words) => {
      const count = workers.get(option(words, "--name"))?.versions.length ?? 0;
      return ok({ versions: [{ version_id: String(count), percentage: 100 }] });
    },
    "versions view": ([id = "", ...words]) => {
      const version = workers.get(option(words, "--name"))?.versions[Number(id) - 1];
      return ok({ id, resources: { bindings: version?.bindings ?? [] } });
    },
    "deploy --config": ([path = "", ...words], env) => {
      const config = readConfig(path);
      const worker: Worker = workers.get(config.name) ?? { secrets: new Map(), versions: [] };
      const secrets = words.includes("--secrets-file") ? option(words, "--secrets-file") : null;
      if (secrets !== null)
        for (const [name, value] of Object.entries(z.record(z.string(), z.string()).parse(readJson(secrets))))
          worker.secrets.set(name, value);
      worker.versions.push({ config, bindings: listBindings(config) });
      workers.set(config.name, worker);
      const entry = { type: "deploy", targets: ["schedule: */5 * * * *", address] };
      writeFileSync(env.WRANGLER_OUTPUT_FILE_PATH ?? "", `${JSON.stringify(entry)}\n`);
      return ok("Deployed");
    },
  };

  const CHANGING =
    /^(d1 create|d1 migrations|kv namespace create|vectorize create|vectorize create-metadata-index|deploy)\b/;

  function indexOf(name: string): Index {
    const index = indexes.get(name);
    if (!index) throw new Error(`no index ${name}: the command would have failed`);
    return index;
  }
  function readJson(path: string): unknown {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  }
  function readConfig(path: string): DeployedConfig {
    return deployedConfig.parse(readJson(path));
  }

  return {
    databases,
    indexes,
    namespaces,
    workers,
    changes,
    logOut: () => {
      loggedIn = false;
    },
    addAccount: (id: string, name: string) => {
      accounts = [...accounts, { id, name }];
    },
    /** The next command that begins so fails, once, while something else happens. */
    failOnce: (command: string, message: string, meanwhile = () => {}) => {
      failing = { command, stderr: failed(message).stderr, meanwhile };
    },
    async run(args: string[], env: Record<string, string>): Promise<Answer> {
      const line = args.join(" ");
      if (failing && line.startsWith(failing.command)) {
        const { stderr, meanwhile } = failing;
        failing = null;
        meanwhile();
        return { status: 1, stdout: "", stderr };
      }
      const name = args.slice(0, 2).join(" ");
      const command = commands[name];
      if (!command) throw new Error(`wrangler has no such command here: ${line}`);
      if (CHANGING.test(line)) changes.push(line);
      return command(args.slice(2), env);
    },
  };
}

function option(words: string[], name: string): string {
  const value = words[words.indexOf(name) + 1];
  if (!words.includes(name) || value === undefined) throw new Error(`${name} is missing: ${words.join(" ")}`);
  return value;
}

function listBindings({ vars, vectorize, kv_namespaces, ai }: DeployedConfig): Binding[] {
  return [
    ...Object.entries(vars).map(([name, text]) => ({ type: "plain_text", name, text })),
    ...vectorize.map(({ binding, index_name }) => ({ type: "vectorize", name: binding, index_name })),
    ...kv_namespaces.map(({ binding, id }) => ({ type: "kv_namespace", name: binding, namespace_id: id })),
    ...(ai ? [{ type: "ai", name: ai.binding }] : []),
  ];
}
