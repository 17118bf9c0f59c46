// Runs an administrator's work against the server that is running; with none, serves the local data itself for as
// long as it takes.

/** `work(call)` with `call(method, path, body)` giving the parsed answer. Failures end in one line and exit code 1. */
export async function withAdmin(work) {
  let server;
  try {
    const local = await import("./server.mjs");
    const adminKey = process.env.ADMIN_KEY || (await local.readAdminKey());
    if (!adminKey) throw new Error("No admin key: set ADMIN_KEY, or start the service once (npm start).");
    let url = (await remoteServer()) ?? (await local.runningServer());
    if (!url) {
      const { buildWorker } = await import("./worker.mjs");
      await buildWorker();
      server = await local.startServer({ port: 0, adminKey, log: () => {} });
      url = server.url;
    }
    await work((method, path, body) => call(url, adminKey, method, path, body));
  } catch (error) {
    console.error(`kioku: ${error.message.split("\n")[0]}`);
    process.exitCode = 1;
  } finally {
    await server?.dispose();
  }
}

async function call(url, adminKey, method, path, body) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const parsed = await answer.json().catch(() => ({}));
  if (!answer.ok)
    throw new Error(`${url} answered ${answer.status}: ${parsed.detail ?? parsed.title ?? "no reason"}`);
  return parsed;
}

/** A server named by hand must be there; the usual address only may be. */
async function remoteServer() {
  const url = (process.env.KIOKU_URL ?? "http://127.0.0.1:8787").replace(/\/$/, "");
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  if (answer?.ok) return url;
  if (process.env.KIOKU_URL) throw new Error(`No server answers at ${url}.`);
  return null;
}
