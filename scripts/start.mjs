// `npm start`: the whole service on this machine, with no account and no network.
// Builds, migrates, serves, and prints a key with a first request that works as it stands.
import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

if (Number.parseInt(process.versions.node, 10) < 20) {
  exitWith(new Error(`Node ${process.versions.node} is too old: Kioku needs 20 or newer.`));
}

let server;
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    await server?.dispose().catch(() => {});
    process.exit(0);
  });
}

try {
  // Not imported above, so that an old Node or a missing install ends in one clear line.
  const { buildWorker, root } = await import("./lib/worker.mjs");
  const local = await import("./lib/server.mjs");

  const port = readPort(process.env.PORT ?? "8787");
  const adminKey = (await local.readAdminKey()) ?? (await writeAdminKey(local));
  // Who starts it again and again, like the tests, builds it once.
  if (process.env.KIOKU_BUILT !== "1") await buildWorker();
  server = await local.startServer({ port, host: process.env.HOST || "127.0.0.1", adminKey });
  const key = await localKey(server.url, adminKey, join(local.stateDir, "local-key"));
  console.log(banner(server.url, key, relative(root, local.devVarsPath)));
  await warnOfEmbedder(server.url, adminKey);
} catch (error) {
  if (!stopping) {
    await server?.dispose().catch(() => {});
    exitWith(error);
  }
}

/** A setting may be wrong, and vectors of another embedder are of no use to this one. */
async function warnOfEmbedder(url, adminKey) {
  const answer = await fetch(`${url}/v1/admin/index`, { headers: { Authorization: `Bearer ${adminKey}` } });
  const { matches, made_with, embedder, dimensions, index, detail } = await answer.json();
  if (!answer.ok) console.error(`kioku: ${detail}`);
  if (matches !== false) return;
  console.error(
    `kioku: The vectors were made with ${made_with.embedder} (${made_with.dimensions} dimensions, ${made_with.index} ` +
      `index), the service is set to ${embedder} (${dimensions} dimensions, ${index} index). Recall is by text alone ` +
      "until you run: npm run reembed",
  );
}

function readPort(text) {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new Error(`PORT is not a port number: ${text}`);
}

/** Makes a key of 256 bits and adds it to .dev.vars, where wrangler looks for local secrets too. */
async function writeAdminKey({ devVarsPath, ADMIN_KEY_LINE }) {
  const key = randomBytes(32).toString("hex");
  const line = `ADMIN_KEY=${key}`;
  const text = await readFile(devVarsPath, "utf8").catch(() => "");
  const others = text && !text.endsWith("\n") ? `${text}\n` : text;
  await writeSecret(
    devVarsPath,
    ADMIN_KEY_LINE.test(text) ? text.replace(ADMIN_KEY_LINE, line) : `${others}${line}\n`,
  );
  return key;
}

/** The service shows a key only once, so it is kept beside the data it opens. */
async function localKey(url, adminKey, path) {
  const kept = await readFile(path, "utf8").catch(() => "");
  if (kept) {
    const answer = await fetch(`${url}/v1/memories`, { headers: { Authorization: `Bearer ${kept}` } });
    if (answer.status === 200) return kept;
  }
  const answer = await fetch(`${url}/v1/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ tenant: "local", name: "local", scopes: ["read", "write"] }),
  });
  if (answer.status !== 201)
    throw new Error(`No key for tenant local: POST /v1/keys answered ${answer.status}.`);
  const { key } = await answer.json();
  await writeSecret(path, key);
  return key;
}

async function writeSecret(path, text) {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}

function banner(url, key, devVars) {
  const bold = (text) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);
  const call = (path, body) =>
    `curl -sS ${url}${path} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return `
  ${bold("Kioku")} is ready at ${bold(url)}

    tenant   local
    key      ${key}
    admin    ADMIN_KEY in ${devVars}

  Remember something, then ask for it:

${call("/v1/sessions/demo/remember", { content: "The project uses Phoenix 1.7", type: "fact" })}

${call("/v1/sessions/demo/recall", { query: "Phoenix" })}

  Ctrl-C stops it; the data stays.
`;
}

function exitWith(error) {
  const uninstalled = error.code === "ERR_MODULE_NOT_FOUND";
  console.error(
    `kioku: ${uninstalled ? "Packages are missing: run npm install." : error.message.split("\n")[0]}`,
  );
  process.exit(1);
}
