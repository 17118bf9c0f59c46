// Calls the administrator's API of the running server. Without one, serves the local data for the duration of the work.
import { readMessage } from "./errors.ts";
import type { LocalServer } from "./local-server.ts";

/** Sends one call and returns its parsed answer. */
export type AdminCall = <Answer>(method: "GET" | "POST", path: string, body?: object) => Promise<Answer>;

/** Runs `work`; a failure prints one line and sets exit code 1. */
export async function withAdminApi(work: (call: AdminCall) => Promise<void>): Promise<void> {
  let server: LocalServer | undefined;
  try {
    const local = await import("./local-server.ts");
    const adminKey = process.env.ADMIN_KEY || (await local.readAdminKey());
    if (!adminKey) throw new Error("No admin key: set ADMIN_KEY, or start the service once (npm start).");
    let url = (await findServer()) ?? (await local.findRunningServer());
    if (url === null) {
      const { buildWorker } = await import("./build-worker.ts");
      await buildWorker();
      server = await local.startServer({ port: 0, adminKey, log: () => {} });
      url = server.url;
    }
    await work(createAdminCall(url, adminKey));
  } catch (error) {
    console.error(`kioku: ${readMessage(error).split("\n")[0]}`);
    process.exitCode = 1;
  } finally {
    await server?.dispose();
  }
}

function createAdminCall(url: string, adminKey: string): AdminCall {
  return async <Answer>(method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer.json<Answer>();
    const problem = await answer.json<{ detail?: string; title?: string }>().catch(() => null);
    throw new Error(`${url} answered ${answer.status}: ${problem?.detail ?? problem?.title ?? "no reason"}`);
  };
}

/** Tries KIOKU_URL, which must answer if it is set, or the default address, which need not. */
async function findServer(): Promise<string | null> {
  const url = (process.env.KIOKU_URL ?? "http://127.0.0.1:8787").replace(/\/$/, "");
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  if (answer?.ok) return url;
  if (process.env.KIOKU_URL) throw new Error(`No server answers at ${url}.`);
  return null;
}
