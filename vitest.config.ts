import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { buildAssets } from "./scripts/lib/build-assets.ts";

// The Worker's assets must be there when its runtime starts, on a fresh clone too.
await buildAssets();

export default defineConfig({
  test: {
    // Two files at a time: a file is a test and a runtime that wait for each other, and one would leave cores idle.
    maxWorkers: 2,
    coverage: {
      provider: "istanbul",
      include: ["src/**", "durable-objects/**"],
      exclude: ["**/*.generated.ts", "**/*.wasm"],
    },
    projects: [
      {
        // Everything that runs inside workerd: pure modules, the Worker, D1, Durable Objects, alarms.
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
          include: ["test/{unit,integration,faults}/**/*.test.ts"],
          setupFiles: ["test/apply-migrations.ts"],
          // Files share a runtime: starting one and loading the Worker takes longer than most files do. The set-up
          // empties the storage before each, but what a module keeps in memory stays, so a file must not mock modules.
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        // Black box: the built server in its own process, over HTTP; and the repository's own files.
        test: {
          name: "node",
          include: ["test/{conformance,repo}/**/*.test.ts"],
          globalSetup: ["test/repo/package.ts", "test/conformance/setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // After the others, whose runtimes are kept only while nothing else comes between their files.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
