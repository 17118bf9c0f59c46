import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { buildModel } from "./scripts/lib/model.mjs";

// The Worker's assets must be there when its runtime starts, on a fresh clone too.
await buildModel();

export default defineConfig({
  test: {
    coverage: {
      provider: "istanbul",
      include: ["src/**", "durable-objects/**"],
      exclude: ["**/*.generated.ts"],
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
        },
      },
      {
        // Black box: the built server in its own process, over HTTP; and the repository's own files.
        test: {
          name: "node",
          include: ["test/{conformance,project}/**/*.test.ts"],
          globalSetup: ["test/conformance/setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
