// `npm run deploy` against an account in memory: what it makes, in which order, and that it can be repeated and
// stopped anywhere. The configuration it writes is also given to wrangler itself, which bundles the Worker with it.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import wrangler from "wrangler";
import { PLACEHOLDER_ID } from "../../scripts/lib/deploy/deploy-config";
import { readDeployOptions } from "../../scripts/lib/deploy/deploy-options";
import { deployService } from "../../scripts/lib/deploy/deploy-service";
import { METADATA_INDEXES } from "../../scripts/lib/deploy/vectorize-index";
import { importSource } from "../../scripts/lib/import-source";
import { createVectorizeIndex } from "../../src/recall/vectors/vectorize-index";
import { FakeVectorize } from "../fakes/vectorize";
import { createAccount } from "./deploy-account";
import { runToEnd } from "./kioku-command";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { rawConfig } = wrangler.experimental_readRawConfig({ config: join(root, "wrangler.toml") });
const VERSION = "9.9.9";
const GIVEN_KEY = "a-key-of-my-own-that-is-long-enough";

let folder: string;
let account: ReturnType<typeof createAccount>;
let said: string[];

beforeEach(() => {
  // Inside the repository, since the configuration's paths are relative to it; git ignores the folder.
  mkdirSync(join(root, ".wrangler"), { recursive: true });
  folder = mkdtempSync(join(root, ".wrangler", "deploy-"));
  account = createAccount(root);
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A service that answers as the old version once, as one does while an update spreads. */
function healthService(versions: string[] = ["0.0.1", VERSION]): typeof fetch {
  return async (input) => {
    expect(String(input)).toBe("https://kioku.example.workers.dev/health");
    const version = versions.length > 1 ? versions.shift() : versions[0];
    return Response.json({ status: "ok", version });
  };
}

function run(
  argv: string[] = [],
  {
    accountId,
    base = rawConfig,
    get = healthService(),
  }: { accountId?: string; base?: typeof rawConfig; get?: typeof fetch } = {},
) {
  return deployService(readDeployOptions(argv), {
    base: { ...base },
    baseName: "wrangler.toml",
    version: VERSION,
    root,
    cwd: root,
    folder,
    reembedCommand: "npm run reembed",
    loadSelectModule: () => importSource("src/models/embedders/select-embedder.ts"),
    ...(accountId !== undefined && { accountId }),
    run: account.run,
    say: (line) => said.push(line),
    get,
    wait: async () => {},
  });
}

function worker(name = "kioku") {
  const found = account.workers.get(name);
  const version = found?.versions.at(-1);
  if (!found || !version) throw new Error(`${name} was not deployed`);
  return { ...version, secrets: found.secrets };
}

const output = () => said.join("\n");
const shownKeys = () => output().match(/ADMIN_KEY [0-9a-f]{64}/g) ?? [];
const without = (changes: string[], command: string) =>
  changes.filter((change) => !change.startsWith(command));

describe("a fresh account", () => {
  it("gets a database, its schema, an admin key and the Worker, and the address is told", async () => {
    expect(await run()).toBe("https://kioku.example.workers.dev");
    expect(account.databases.get("kioku")?.migrated).toBe(true);
    expect(worker().config.d1_databases[0].database_id).toBe(account.databases.get("kioku")?.uuid);
    expect(output()).toContain(`ADMIN_KEY ${worker().secrets.get("ADMIN_KEY")}`);
  });

  it("gets no Vectorize index and no Workers AI unless they are asked for", async () => {
    await run();
    expect(account.indexes.size).toBe(0);
    expect(worker().bindings).toEqual([]);
  });

  it("keeps no copy of the admin key on disk once it was shown", async () => {
    await run();
    expect(readdirSync(folder)).toEqual(["kioku.json"]);
  });

  it("has its schema before the code that reads it, and its metadata indexes before both", async () => {
    await run(["--vectorize"]);
    const order = account.changes.map((change) => change.split(" ").slice(0, 2).join(" "));
    expect(order).toEqual([
      "vectorize create",
      ...Object.keys(METADATA_INDEXES).map(() => "vectorize create-metadata-index"),
      "d1 create",
      "d1 migrations",
      "deploy --config",
    ]);
  });

  it("is given the admin key with the code, so that no version runs without one", async () => {
    await run();
    expect(account.workers.get("kioku")?.versions).toHaveLength(1);
    expect(account.changes.at(-1)).toContain("--secrets-file");
  });

  it("takes an admin key from a file, and does not print it", async () => {
    const path = join(folder, "mine");
    writeFileSync(path, `${GIVEN_KEY}\n`);
    await run(["--admin-key-file", path]);
    expect(worker().secrets.get("ADMIN_KEY")).toBe(GIVEN_KEY);
    expect(output()).not.toContain(GIVEN_KEY);
  });

  it("gets further databases, each with a Vectorize index of its own, all with their schema", async () => {
    await run(["--vectorize", "--shards", "2"]);
    expect([...account.databases.keys()]).toEqual(["kioku", "kioku-shard-1", "kioku-shard-2"]);
    expect([...account.databases.values()].every(({ migrated }) => migrated)).toBe(true);
    const { d1_databases, vectorize } = worker().config;
    expect(d1_databases.map(({ binding, database_name }) => [binding, database_name])).toEqual([
      ["DB", "kioku"],
      ["DB_1", "kioku-shard-1"],
      ["DB_2", "kioku-shard-2"],
    ]);
    expect(vectorize).toEqual([
      { binding: "VECTORIZE", index_name: "kioku" },
      { binding: "VECTORIZE_1", index_name: "kioku-shard-1" },
      { binding: "VECTORIZE_2", index_name: "kioku-shard-2" },
    ]);
    for (const { metadata } of account.indexes.values()) expect(metadata.size).toBe(8);
    account.changes.length = 0;
    await run();
    expect(worker().config).toMatchObject({ d1_databases, vectorize });
    expect(without(without(account.changes, "d1 migrations"), "deploy")).toEqual([]);
  });

  it("keeps the vectors of a database in the index that has them when it gets another one", async () => {
    await run(["--vectorize", "--shards", "1", "--one-index"]);
    expect([...account.indexes.keys()]).toEqual(["kioku"]);
    await run(["--shards", "2"]);
    expect(worker().config.vectorize).toEqual([
      { binding: "VECTORIZE", index_name: "kioku" },
      { binding: "VECTORIZE_2", index_name: "kioku-shard-2" },
    ]);
  });

  it("gets an index for every database when it changes to Vectorize, also after an interrupted run", async () => {
    await run(["--shards", "1"]);
    account.failOnce("deploy", "The service is unavailable [code: 10013]");
    await expect(run(["--vectorize"])).rejects.toThrow("unavailable");
    await run(["--vectorize"]);
    expect(worker().config.vectorize.map(({ index_name }) => index_name)).toEqual(["kioku", "kioku-shard-1"]);
  });

  it("holds two deployments of different names that share nothing", async () => {
    await run();
    await run(["--name", "kioku-staging", "--vectorize"]);
    expect([...account.databases.keys()]).toEqual(["kioku", "kioku-staging"]);
    expect([...account.indexes.keys()]).toEqual(["kioku-staging"]);
    const [first, second] = [worker(), worker("kioku-staging")];
    expect(first.config.d1_databases[0].database_id).not.toBe(second.config.d1_databases[0].database_id);
    expect(first.secrets.get("ADMIN_KEY")).not.toBe(second.secrets.get("ADMIN_KEY"));
  });
});

describe("vectors", () => {
  it.each([
    { argv: ["--vectorize"], dimensions: 512 },
    { argv: ["--vectorize", "--workers-ai"], dimensions: 1_024 },
    {
      argv: ["--vectorize", "--workers-ai", "--var", "EMBEDDING_MODEL=@cf/baai/bge-small-en-v1.5"],
      dimensions: 384,
    },
  ])("$argv make an index of $dimensions dimensions, which is bound", async ({ argv, dimensions }) => {
    await run(argv);
    expect(account.indexes.get("kioku")).toMatchObject({ dimensions, metric: "cosine" });
    expect(worker().config.vectorize).toEqual([{ binding: "VECTORIZE", index_name: "kioku" }]);
  });

  it("have a metadata index of the right type for everything that is stored with them but their owner", async () => {
    const binding = new FakeVectorize({ dimensions: 2 });
    const index = createVectorizeIndex(binding, { tenant: "t", embedder: "e" });
    await index.upsert("memory", [
      {
        ...{ id: "m", vector: new Float32Array([1, 0]), session: "s", user: "u" },
        ...{ agent: "a", project: "p" },
        ...{ type: "fact", live: true, timestamp: 1 },
      },
    ]);
    binding.settle();
    const [stored] = await binding.getByIds(["m"]);
    const { owner: _, ...metadata } = stored?.metadata ?? {};
    const types = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, typeof value]));
    expect(types).toEqual(METADATA_INDEXES);
    await run(["--vectorize"]);
    expect(Object.fromEntries(account.indexes.get("kioku")?.metadata ?? [])).toEqual(METADATA_INDEXES);
  });

  it("are embedded by Workers AI when that is asked for, with its binding", async () => {
    await run(["--workers-ai"]);
    expect(worker().config.ai).toEqual({ binding: "AI" });
    expect(worker().config.vars).toEqual({ EMBEDDER: "workers-ai" });
  });

  it("of another length in an index that is there already are refused before anything is made", async () => {
    account.indexes.set("kioku", { dimensions: 768, metric: "cosine", vectors: 0, metadata: new Map() });
    await expect(run(["--vectorize"])).rejects.toThrow(
      /768 dimensions.*needs 512[\s\S]*vectorize delete kioku/,
    );
    expect(account.changes).toEqual([]);
  });

  it("that were inserted before a metadata index was there are refused, with what to do", async () => {
    const metadata = new Map(Object.entries(METADATA_INDEXES).slice(1));
    account.indexes.set("kioku", { dimensions: 512, metric: "cosine", vectors: 7, metadata });
    await expect(run(["--vectorize"])).rejects.toThrow(/holds 7 vectors.*kind[\s\S]*npm run reembed/);
    expect(account.changes).toEqual([]);
  });

  it("get what is missing in an index that is still empty", async () => {
    const metadata = new Map(Object.entries(METADATA_INDEXES).slice(2));
    account.indexes.set("kioku", { dimensions: 512, metric: "cosine", vectors: 0, metadata });
    await run(["--vectorize"]);
    expect(account.indexes.get("kioku")?.metadata.size).toBe(Object.keys(METADATA_INDEXES).length);
  });
});

describe("OAuth", () => {
  const bound = () => worker().config.kv_namespaces;

  it("gets a KV namespace when it is asked for, which later runs keep and --no-oauth unbinds", async () => {
    await run();
    expect(bound()).toEqual([]);
    await run(["--oauth"]);
    const [id] = account.namespaces.values();
    expect(account.namespaces.has("kioku-oauth")).toBe(true);
    expect(bound()).toEqual([{ binding: "OAUTH_KV", id }]);
    await run();
    expect(bound()).toEqual([{ binding: "OAUTH_KV", id }]);
    expect(account.namespaces.size).toBe(1);
    await run(["--no-oauth"]);
    expect(bound()).toEqual([]);
    await run(["--oauth"]);
    expect(bound()).toEqual([{ binding: "OAUTH_KV", id }]);
  });

  it("keeps the namespace that is bound, whatever its name: another one would end all connections", async () => {
    await run(["--oauth"]);
    const [id = ""] = account.namespaces.values();
    account.namespaces.delete("kioku-oauth");
    account.namespaces.set("of-my-own", id);
    await run();
    expect(bound()).toEqual([{ binding: "OAUTH_KV", id }]);
    expect([...account.namespaces.keys()]).toEqual(["of-my-own"]);
  });

  it("uses the namespace of the configuration", async () => {
    const own = { binding: "OAUTH_KV", id: "0f2ac74b498b48028cb68387c421e279" };
    await run([], { base: { ...rawConfig, kv_namespaces: [own] } });
    expect(bound()).toEqual([own]);
    expect(account.namespaces.size).toBe(0);
  });

  it("is shown by a dry run, which makes nothing", async () => {
    await run(["--oauth", "--dry-run"]);
    expect(output()).toContain("would run: wrangler kv namespace create kioku-oauth");
    expect(account.namespaces.size).toBe(0);
  });
});

describe("a second run", () => {
  it("makes nothing but the next version, with the same database and key", async () => {
    await run(["--vectorize", "--workers-ai"]);
    const [first, made] = [worker(), account.changes.length];
    said = [];
    await run();
    expect(without(account.changes.slice(made), "d1 migrations")).toEqual([
      expect.stringMatching(/^deploy /),
    ]);
    expect(worker()).toEqual(first);
    expect(shownKeys()).toEqual([]);
  });

  it("keeps bindings and variables that were chosen once, wherever it is made", async () => {
    await run(["--vectorize", "--workers-ai", "--var", "RATE_LIMIT_WRITE=600"]);
    rmSync(join(folder, "kioku.json"));
    await run();
    expect(worker().config).toMatchObject({
      vectorize: [{ index_name: "kioku" }],
      ai: { binding: "AI" },
      vars: { EMBEDDER: "workers-ai", RATE_LIMIT_WRITE: "600" },
    });
    expect(output()).not.toContain("npm run reembed");
  });

  it("takes them away when asked to, and says that the vectors must be made anew", async () => {
    await run(["--vectorize", "--workers-ai", "--var", "RATE_LIMIT_WRITE=600"]);
    await run(["--no-vectorize", "--no-workers-ai", "--var", "RATE_LIMIT_WRITE="]);
    expect(worker().bindings).toEqual([]);
    expect(output()).toContain("npm run reembed");
  });

  it("leaves an admin key that is set, and says how to replace it", async () => {
    await run();
    const key = worker().secrets.get("ADMIN_KEY");
    const path = join(folder, "mine");
    writeFileSync(path, GIVEN_KEY);
    await run(["--admin-key-file", path]);
    expect(worker().secrets.get("ADMIN_KEY")).toBe(key);
    expect(output()).toContain("wrangler secret put ADMIN_KEY --name kioku");
  });
});

describe("a run that fails in the middle", () => {
  it.each([
    "whoami",
    "secret list",
    "d1 list",
    "d1 create",
    "vectorize list",
    "vectorize create kioku",
    "vectorize create-metadata-index kioku --property-name live",
    "d1 migrations apply",
    "deploy",
  ])("at `wrangler %s` says why and what to do, and the next one goes on", async (command) => {
    account.failOnce(command, "Authentication error [code: 10000]");
    await expect(run(["--vectorize"])).rejects.toThrow(
      /failed: Authentication error \[code: 10000\]\n.*(run this again|Log in)/,
    );
    expect(account.workers.size).toBe(0);
    await run(["--vectorize"]);
    expect(account.databases.size).toBe(1);
    expect(account.indexes.get("kioku")?.metadata.size).toBe(Object.keys(METADATA_INDEXES).length);
    expect(shownKeys()).toEqual([`ADMIN_KEY ${worker().secrets.get("ADMIN_KEY")}`]);
  });

  it("keeps the admin key of the first attempt in a file that only its owner reads, until it was shown", async () => {
    account.failOnce("deploy", "Internal error");
    await expect(run()).rejects.toThrow("Internal error");
    const path = join(folder, "kioku.admin-key.json");
    const kept: { ADMIN_KEY: string } = JSON.parse(readFileSync(path, "utf8"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await run();
    expect(worker().secrets.get("ADMIN_KEY")).toBe(kept.ADMIN_KEY);
    expect(existsSync(path)).toBe(false);
  });

  it("after the code was up, but before its key was shown, shows that key the next time", async () => {
    await run();
    const key = worker().secrets.get("ADMIN_KEY");
    writeFileSync(join(folder, "kioku.admin-key.json"), JSON.stringify({ ADMIN_KEY: key }));
    said = [];
    await run();
    expect(shownKeys()).toEqual([`ADMIN_KEY ${key}`]);
  });

  it("does not take a service for updated that answers as another version", async () => {
    await expect(run([], { get: healthService(["0.0.1"]) })).rejects.toThrow(
      /did not answer as version 9.9.9: version 0.0.1/,
    );
    expect(await run()).toBe("https://kioku.example.workers.dev");
  });

  it("takes the database that another run created meanwhile", async () => {
    const uuid = "1234abcd-0000-4000-8000-00000000000f";
    account.failOnce("d1 create", "A database with the name 'kioku' already exists [code: 7502]", () => {
      account.databases.set("kioku", { uuid, migrated: false });
    });
    await run();
    expect(worker().config.d1_databases[0].database_id).toBe(uuid);
  });
});

describe("what is refused, before anything is made", () => {
  afterEach(() => expect(account.changes).toEqual([]));

  it("a run without credentials, which says how to get them", async () => {
    account.logOut();
    await expect(run()).rejects.toThrow(/not logged in.\n.*wrangler login.*CLOUDFLARE_API_TOKEN/);
  });

  it("one of several accounts, unless it is named", async () => {
    account.addAccount("account-2", "Theirs");
    await expect(run()).rejects.toThrow(/CLOUDFLARE_ACCOUNT_ID[\s\S]*account-2 {2}Theirs/);
    await run(["--dry-run"], { accountId: "account-2" });
  });

  it.each([
    [["--vectorise"], /Unknown option '--vectorise'[\s\S]*--vectorize/],
    [["--name", "Kioku_1"], /--name takes/],
    [["--var", "rate=1"], /--var takes NAME=VALUE/],
    [["--var", "ADMIN_KEY=hunter2"], /^ADMIN_KEY is a secret(?!.*hunter2)/],
    [["--vectorize", "--no-vectorize"], /contradict/],
  ])("%j", async (argv, message) => {
    await expect(async () => run(argv)).rejects.toThrow(message);
  });

  it("settings that the embedder does not take", async () => {
    await expect(run(["--var", "EMBEDDING_MODEL=x"])).rejects.toThrow(/EMBEDDING_MODEL has no effect.*--var/);
    await expect(run(["--vectorize", "--var", "EMBEDDER=none"])).rejects.toThrow("EMBEDDER is none");
  });

  it("an admin key that is short, or a file that is not there", async () => {
    writeFileSync(join(folder, "short"), "hunter2");
    await expect(run(["--admin-key-file", join(folder, "short")])).rejects.toThrow(/at least 32 characters/);
    await expect(run(["--admin-key-file", join(folder, "none")])).rejects.toThrow(
      /cannot be read \(ENOENT\)/,
    );
  });
});

describe("the configuration that is deployed", () => {
  it("is wrangler.toml with other names, the account's database and paths that hold from its folder", async () => {
    await run(["--name", "kioku-staging"]);
    const { config } = worker("kioku-staging");
    expect(config).toMatchObject({
      durable_objects: rawConfig.durable_objects,
      migrations: rawConfig.migrations,
      triggers: rawConfig.triggers,
    });
    expect(existsSync(join(folder, config.main))).toBe(true);
  });

  it("never has the placeholder of wrangler.toml for a database", async () => {
    account.databases.set("kioku", { uuid: PLACEHOLDER_ID, migrated: false });
    await expect(run()).rejects.toThrow("is not the id of a D1 database");
    expect(account.changes).toEqual([]);
    expect(readFileSync(join(root, "wrangler.toml"), "utf8")).toContain(PLACEHOLDER_ID);
  });

  it("is one with which wrangler bundles the Worker", async () => {
    await run(["--vectorize", "--workers-ai"]);
    const { out, err, code } = await runToEnd(
      process.execPath,
      [
        createRequire(import.meta.url).resolve("wrangler"),
        ...["deploy", "--dry-run", "--config", join(folder, "kioku.json")],
        ...["--outdir", join(folder, "bundle")],
      ],
      { env: { ...offline(), WRANGLER_LOG: "log" } },
    );
    expect(code, err).toBe(0);
    for (const binding of ["DB", "VECTORIZE", "AI", "SESSIONS", "ASSETS"])
      expect(out).toContain(`env.${binding}`);
    expect(out).not.toContain(PLACEHOLDER_ID);
  });
});

describe("a dry run", () => {
  it("shows every command that a run then makes, and changes nothing", async () => {
    expect(await run(["--vectorize", "--dry-run"])).toBeNull();
    expect(account.changes).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    const shown = said.flatMap((line) => /would run: wrangler (.*)/.exec(line)?.[1] ?? []);
    await run(["--vectorize"]);
    expect(account.changes).toEqual(shown);
  });

  it("does not offer to make what is there already", async () => {
    await run(["--vectorize"]);
    said = [];
    await run(["--dry-run"]);
    expect(output()).not.toMatch(/would (be created|get)/);
    expect(output()).toContain("ADMIN_KEY: set already");
  });

  it("works through npm without credentials, as on an empty account, and with a quiet wrangler", async () => {
    const home = mkdtempSync(join(tmpdir(), "kioku-home-"));
    const args = ["run", "--silent", "deploy", "--", "--dry-run", "--name", "kioku-dry-run"];
    const env = { ...offline(), HOME: home, WRANGLER_LOG: "error" };
    const { code, out: text, err } = await runToEnd("npm", args, { env });
    rmSync(home, { recursive: true });
    expect(code, err).toBe(0);
    expect(text).toContain("no credentials");
    expect(text).toContain("would run: wrangler d1 create kioku-dry-run");
    expect(text).toContain("would run: wrangler deploy --config .kioku/kioku-dry-run.json");
    expect(existsSync(join(root, ".kioku/kioku-dry-run.json"))).toBe(false);
  });
});

/** The environment of somebody who has no account at hand. */
function offline(): NodeJS.ProcessEnv {
  const { CLOUDFLARE_API_TOKEN: _token, CLOUDFLARE_API_KEY: _key, ...rest } = process.env;
  return { ...rest, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" };
}
