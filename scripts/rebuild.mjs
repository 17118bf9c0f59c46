// `npm run rebuild [-- --tenant x]`: makes the read model and the indexes anew from the triples, page by page.
// Uses the server that is running; with none, serves the local data itself for as long as it takes.
import { parseArgs } from "node:util";

let server;
try {
  const { values } = parseArgs({ options: { tenant: { type: "string" } } });
  const local = await import("./lib/server.mjs");
  const adminKey = process.env.ADMIN_KEY || (await local.readAdminKey());
  if (!adminKey) throw new Error("No admin key: set ADMIN_KEY, or start the service once (npm start).");
  const url = (await remoteServer()) ?? (await local.runningServer()) ?? (await ownServer(local, adminKey));
  const total = await rebuild(url, adminKey, values.tenant);
  console.log(`Rebuilt ${total}.`);
} catch (error) {
  console.error(`kioku: ${error.message.split("\n")[0]}`);
  process.exitCode = 1;
} finally {
  await server?.dispose();
}

async function rebuild(url, adminKey, tenant) {
  let total = 0;
  for (let cursor = null; ; ) {
    const answer = await fetch(`${url}/v1/admin/rebuild`, {
      method: "POST",
      headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ ...(cursor && { cursor }), ...(tenant && { tenant }) }),
    });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok)
      throw new Error(`${url} answered ${answer.status}: ${body.detail ?? body.title ?? "no reason"}`);
    total += body.rebuilt;
    cursor = body.next_cursor;
    if (cursor === null) return total;
    console.log(`${total} so far`);
  }
}

/** A server named by hand must be there; the usual address only may be. */
async function remoteServer() {
  const url = (process.env.KIOKU_URL ?? "http://127.0.0.1:8787").replace(/\/$/, "");
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  if (answer?.ok) return url;
  if (process.env.KIOKU_URL) throw new Error(`No server answers at ${url}.`);
  return null;
}

async function ownServer(local, adminKey) {
  const { buildWorker } = await import("./lib/worker.mjs");
  await buildWorker();
  server = await local.startServer({ port: 0, adminKey, log: () => {} });
  return server.url;
}
