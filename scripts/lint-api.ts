// `npm run lint:api`: writes the OpenAPI document to dist/openapi.json, and lints it with Redocly by redocly.yaml.
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readOpenApiDocument } from "./lib/read-api.ts";
import { root } from "./lib/repository.ts";

const path = join(root, "dist/openapi.json");
await mkdir(dirname(path), { recursive: true });
await writeFile(path, JSON.stringify(await readOpenApiDocument(), null, 2));

const redocly = createRequire(import.meta.url).resolve("@redocly/cli/package.json");
const { status } = spawnSync(
  process.execPath,
  [join(dirname(redocly), "bin/cli.js"), "lint", path, "--max-problems", "1000", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  },
);
process.exitCode = status ?? 1;
