import { existsSync, statfsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { buildAssets } from "./scripts/lib/build-assets.ts";
import { LongestFirst } from "./test/longest-first.ts";

// The tests' databases are temporary files. On disk every write waits milliseconds for fsync, which no test needs, so they
// are kept in memory if there is room.
const MEMORY_DISK = "/dev/shm";
const NEEDED_BYTES = 2 ** 32;
if (existsSync(MEMORY_DISK)) {
  const { bavail, bsize } = statfsSync(MEMORY_DISK);
  if (bavail * bsize > NEEDED_BYTES) process.env.TMPDIR = MEMORY_DISK;
}

// The first flag as in scripts/lib/local-server.ts, for the runtimes of the workerd tests. The second makes garbage
// collections fewer, which takes a tenth less processor time.
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--single-threaded-gc --min-semi-space-size=32";

// The Worker's assets must be there when its runtime starts, on a fresh clone too.
await buildAssets();

/** Loads WebAssembly imports as compiled modules, as workerd does. */
const wasmModules: Plugin = {
  name: "wasm-modules",
  enforce: "pre",
  async load(id) {
    if (!id.endsWith(".wasm")) return null;
    const bytes = await readFile(id, "base64");
    return `export default new WebAssembly.Module(Buffer.from("${bytes}", "base64"));`;
  },
};

/** Generous, for busy machines. test/patience.ts sets shorter timeouts for polling and properties. */
const timeouts = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

const provide = {
  /** The seed of the property tests. A fixed one makes a run repeatable; another one looks for new counterexamples. */
  propertySeed: Number(process.env.PROPERTY_SEED ?? 20261117),
  /** Whether every case is tried: see test/patience.ts. */
  fullRun: process.env.FULL === "1",
};

/** The service that the conformance tests call instead of the Worker in their own runtime. */
const { KIOKU_TEST_URL, KIOKU_TEST_ADMIN_KEY = "" } = process.env;
const outsideService = KIOKU_TEST_URL
  ? { url: KIOKU_TEST_URL.replace(/\/$/, ""), adminKey: KIOKU_TEST_ADMIN_KEY }
  : null;

export default defineConfig({
  test: {
    // Five files at a time on two cores: a test and its runtime or server wait for each other, and for alarms. The number
    // is the same for all projects, so that one begins while the last files of another still run.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    // The service logs every request: only the logs of failed tests are shown.
    silent: "passed-only",
    coverage: {
      provider: "istanbul",
      include: ["src/**/*.ts", "durable-objects/**/*.ts"],
      // Generated modules, and the kernels, which are AssemblyScript and run as WebAssembly.
      exclude: ["**/*.generated.ts", "**/*.as.ts"],
      reporter: ["text-summary", "html", "json-summary"],
      // Of the unit and workerd tests alone: the black-box tests run the built Worker in a process of its own.
      thresholds: { lines: 85 },
    },
    projects: [
      {
        // Pure modules, in plain Node.
        plugins: [wasmModules],
        resolve: {
          alias: { "cloudflare:workers": `${import.meta.dirname}/test/fakes/workers.ts` },
        },
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          setupFiles: ["test/patience.ts", "test/unit-globals.ts"],
          pool: "threads",
          isolate: false,
          // The single files of n3 import each other without extensions, which Node does not resolve.
          server: { deps: { inline: [/\/n3\/src\//] } },
          provide,
          ...timeouts,
        },
      },
      {
        // Everything that needs workerd: the Worker, D1, Durable Objects, alarms.
        plugins: [
          cloudflareTest(async () => ({
            remoteBindings: false,
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              // Further databases, bound under names that the service does not know.
              d1Databases: { SPARE_DB: "spare", REPLICA_DB: "replica" },
              // OAuth is on: test/integration/oauth has a test of the service without it.
              kvNamespaces: ["OAUTH_KV"],
              bindings: {
                ADMIN_KEY: "test-admin-key",
                TEST_MIGRATIONS: await readD1Migrations("migrations"),
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/{integration,faults,conformance}/**/*.test.ts"],
          exclude: ["test/conformance/http/**"],
          setupFiles: [
            "test/quiet-console.ts",
            "test/keep-main-module.ts",
            "test/patience.ts",
            "test/apply-migrations.ts",
            "test/cache-embeddings.ts",
          ],
          // Files share a runtime, since starting one takes longer than most files. The set-up empties the storage before
          // each; module state survives, so files must not mock modules.
          isolate: false,
          provide: { ...provide, outsideService },
          ...timeouts,
        },
      },
      {
        // Black box: the built server in its own process, over HTTP; and the repository's own files.
        plugins: [wasmModules],
        test: {
          name: "node",
          include: ["test/{conformance/http,repo,console}/**/*.test.ts"],
          // Its ES modules import each other without extensions, which Node does not resolve.
          server: { deps: { inline: ["jsonc-parser"] } },
          globalSetup: ["test/repo/package.ts", "test/conformance/setup.ts"],
          // Files share a process: each uses its own tenant, and none changes module state.
          isolate: false,
          setupFiles: ["test/patience.ts", "test/no-keep-alive.ts"],
          provide,
          ...timeouts,
        },
      },
    ],
  },
});
