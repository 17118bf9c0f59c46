// `npm start`: the whole service on this machine, without an account or network.
// Builds, migrates, serves, and prints a key with a first request that works as printed.
import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { isMissingModule, readMessage } from "./lib/errors.ts";
import type { LocalServer } from "./lib/local-server.ts";
import { root } from "./lib/repository.ts";

type ServerModule = typeof import("./lib/local-server.ts");

interface IndexDescription {
  embedder: string;
  dimensions: number;
  index: string;
}

/** The answer of GET /v1/admin/index, or a problem with its `detail`. */
interface IndexAnswer extends IndexDescription {
  matches: boolean;
  made_with: IndexDescription;
  detail?: string;
}

let server: LocalServer | undefined;
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    // The process ends in any case; workerd is killed with it.
    await server?.dispose().catch(() => {});
    process.exit(0);
  });
}

try {
  // Imported here, so that missing packages are reported in one clear line.
  const { buildWorker } = await import("./lib/build-worker.ts");
  const local = await import("./lib/local-server.ts");

  const port = readPort(process.env.PORT ?? "8787");
  const adminKey = (await local.readAdminKey()) ?? (await writeAdminKey(local));
  // The tests start the service many times and build the Worker once.
  if (process.env.KIOKU_BUILT !== "1") await buildWorker();
  server = await local.startServer({ port, host: process.env.HOST || "127.0.0.1", adminKey });
  const key = await ensureLocalKey(server.url, adminKey, join(local.stateDir, "local-key"));
  console.log(renderBanner(server.url, key, relative(root, local.devVarsPath)));
  await warnAboutEmbedder(server.url, adminKey);
} catch (error) {
  if (!stopping) {
    await server?.dispose().catch(() => {});
    exitWith(error);
  }
}

/** Reports settings that do not work, and vectors of another embedder, which this one cannot search. */
async function warnAboutEmbedder(url: string, adminKey: string): Promise<void> {
  const answer = await fetch(`${url}/v1/admin/index`, { headers: { Authorization: `Bearer ${adminKey}` } });
  const { matches, made_with, embedder, dimensions, index, detail } = await answer.json<IndexAnswer>();
  if (!answer.ok) console.error(`kioku: ${detail}`);
  if (matches !== false) return;
  console.error(
    `kioku: The vectors were made with ${made_with.embedder} (${made_with.dimensions} dimensions, ${made_with.index} ` +
      `index), the service is set to ${embedder} (${dimensions} dimensions, ${index} index). Recall is by text alone ` +
      "until you run: npm run reembed",
  );
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new Error(`PORT is not a port number: ${text}`);
}

/** Creates a key of 256 bits and adds it to .dev.vars, where wrangler finds local secrets too. */
async function writeAdminKey({ devVarsPath, ADMIN_KEY_LINE }: ServerModule): Promise<string> {
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

/** The service shows a key only once, so the key is stored beside the data that it opens. */
async function ensureLocalKey(url: string, adminKey: string, path: string): Promise<string> {
  const stored = await readFile(path, "utf8").catch(() => "");
  if (stored) {
    const answer = await fetch(`${url}/v1/memories`, { headers: { Authorization: `Bearer ${stored}` } });
    if (answer.status === 200) return stored;
  }
  const answer = await fetch(`${url}/v1/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ tenant: "local", name: "local", scopes: ["read", "write"] }),
  });
  if (answer.status !== 201)
    throw new Error(
      `No key for tenant local: POST /v1/keys answered ${answer.status}: ${await answer.text()}`,
    );
  const { key } = await answer.json<{ key: string }>();
  await writeSecret(path, key);
  return key;
}

async function writeSecret(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}

function renderBanner(url: string, key: string, devVars: string): string {
  const bold = (text: string) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);
  const renderCall = (path: string, body: object) =>
    `curl -sS ${url}${path} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return `
  ${bold("Kioku")} is ready at ${bold(url)}

    tenant   local
    key      ${key}
    console  ${url}/#key=${key}
    admin    ADMIN_KEY in ${devVars}

  Remember something, then ask for it:

${renderCall("/v1/sessions/demo/remember", { content: "The project uses Phoenix 1.7", type: "fact" })}

${renderCall("/v1/sessions/demo/recall", { query: "Phoenix" })}

  Ctrl-C stops it; the data stays.
`;
}

function exitWith(error: unknown): never {
  const [message] = readMessage(error).split("\n");
  console.error(`kioku: ${isMissingModule(error) ? "Packages are missing: run npm install." : message}`);
  process.exit(1);
}
