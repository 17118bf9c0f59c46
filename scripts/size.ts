// `npm run size`: what a deployment would upload, measured on wrangler's own bundle, without an account.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "./lib/worker.mjs";

/** A Worker of the free plan may be 3 MB compressed. */
const LIMIT = 3 * 1024 * 1024;
const outdir = join(root, "dist/check");

rmSync(outdir, { recursive: true, force: true });
// The program itself, not its launcher: the launcher refuses Node 20, on which this much works.
const wrangler = createRequire(import.meta.url).resolve("wrangler");
const { status, stderr, stdout } = spawnSync(
  process.execPath,
  [wrangler, "deploy", "--dry-run", "--outdir", outdir],
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

// Source maps and wrangler's notes lie in the folder too, and are not uploaded.
const uploaded = readdirSync(outdir).filter((file) =>
  [".js", ".mjs", ".wasm", ".bin"].includes(extname(file)),
);
const contents = uploaded.map((file) => readFileSync(join(outdir, file)));
const raw = contents.reduce((sum, file) => sum + file.byteLength, 0);
const gzip = gzipSync(Buffer.concat(contents)).byteLength;

const kib = (n) => `${(n / 1024).toFixed(1)} KiB`;
console.log(`${uploaded.join(", ")}: ${kib(raw)} raw, ${kib(gzip)} gzip (limit ${kib(LIMIT)})`);
if (gzip > LIMIT) {
  console.error(`kioku: the Worker is ${kib(gzip - LIMIT)} over the limit.`);
  process.exitCode = 1;
}
