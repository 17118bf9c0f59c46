import { existsSync, statfsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { buildAssets } from "./scripts/lib/assets.mjs";

// Databases and objects of the tests are temporary files. On a disk every write waits milliseconds to be there for good,
// which no test needs: where there is room in memory, they are there.
const MEMORY = "/dev/shm";
const ROOM = 2 ** 32;
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > ROOM) process.env.TMPDIR = MEMORY;
}

// The Worker's assets must be there when its runtime starts, on a fresh clone too.
await buildAssets();

/** Imports of WebAssembly are compiled modules, as in workerd. */
const wasmModules: Plugin = {
  name: "wasm-modules",
  enforce: "pre",
  async load(id) {
    if (!id.endsWith(".wasm")) return null;
    const bytes = await readFile(id, "base64");
    return `export default new WebAssembly.Module(Buffer.from("${bytes}", "base64"));`;
  },
};

/** Less would fail tests on a machine that has other things to do; test/patience.ts has to be shorter. */
const patience = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

export default defineConfig({
  test: {
    // Two files at a time: a file is a test and a runtime that wait for each other, and one would leave cores idle.
    maxWorkers: 2,
    coverage: {
      provider: "istanbul",
      include: ["src/**", "durable-objects/**"],
      exclude: ["**/*.generated.ts", "**/*.wasm"],
    },
    // Projects run one after another: a shared runtime is kept only while nothing else comes between its files.
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
          ...patience,
        },
      },
      {
        // Everything that needs workerd: the Worker, D1, Durable Objects, alarms.
        plugins: [
          cloudflareTest(async () => ({
            remoteBindings: false,
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                ADMIN_KEY: "test-admin-key",
                TEST_MIGRATIONS: await readD1Migrations("migrations"),
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/{integration,faults}/**/*.test.ts"],
          setupFiles: ["test/patience.ts", "test/apply-migrations.ts"],
          // Files share a runtime: starting one and loading the Worker takes longer than most files do. The set-up
          // empties the storage before each, but what a module keeps in memory stays, so a file must not mock modules.
          isolate: false,
          ...patience,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Black box: the built server in its own process, over HTTP; and the repository's own files.
        test: {
          name: "node",
          include: ["test/{conformance,project}/**/*.test.ts"],
          globalSetup: ["test/project/package.ts", "test/conformance/setup.ts"],
          // Files share a process: each has its own tenant, and none changes what a module keeps for others.
          isolate: false,
          setupFiles: ["test/patience.ts"],
          ...patience,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
