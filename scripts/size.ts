// `npm run size`: measures the upload of a deployment, on wrangler's own bundle, without an account.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { formatKib } from "./lib/build-worker.ts";
import { root } from "./lib/repository.ts";

/** A Worker of the free plan may be 3 MB compressed. */
const LIMIT = 3 * 1024 * 1024;
const outdir = join(root, "dist/check");

rmSync(outdir, { recursive: true, force: true });
const { status, stderr, stdout } = spawnSync(
  process.execPath,
  [createRequire(import.meta.url).resolve("wrangler"), "deploy", "--dry-run", "--outdir", outdir],
  {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false", CI: "true" },
  },
);
if (status !== 0) {
  console.error(stderr || stdout);
  process.exit(1);
}

// Source maps and wrangler's notes are in the folder too, and are not uploaded.
const uploaded = readdirSync(outdir).filter((file) =>
  [".js", ".mjs", ".wasm", ".bin"].includes(extname(file)),
);
const contents = uploaded.map((file) => readFileSync(join(outdir, file)));
const raw = contents.reduce((sum, file) => sum + file.byteLength, 0);
const gzip = gzipSync(Buffer.concat(contents)).byteLength;

console.log(
  `${uploaded.join(", ")}: ${formatKib(raw)} raw, ${formatKib(gzip)} gzip (limit ${formatKib(LIMIT)})`,
);
if (gzip > LIMIT) {
  console.error(`kioku: the Worker is ${formatKib(gzip - LIMIT)} over the limit.`);
  process.exitCode = 1;
}
