// Calls the administrator's API of the running server. Without one, serves the local data for the duration of the work.
import { describeFailure } from "../errors.ts";
import type { Installation } from "../installation.ts";
import type { LocalServer } from "../local-server.ts";

/** Sends one call and returns its parsed answer. */
export type AdminCall = <Answer>(method: "GET" | "POST", path: string, body?: object) => Promise<Answer>;

/** Runs `work`; a failure prints one line and sets exit code 1. `build` makes the Worker, if it is not built already. */
export async function withAdminApi(
  installation: Installation,
  build: () => Promise<unknown>,
  work: (call: AdminCall) => Promise<void>,
): Promise<void> {
  let server: LocalServer | undefined;
  try {
    const { startServer } = await import("../local-server.ts");
    const { readAdminKey } = await import("../local/local-keys.ts");
    const { findRunningServer } = await import("../local/running-server.ts");
    const { stateDir, findDevVars, describeCommand } = installation;
    const running = await findRunningServer(stateDir);
    const given = await findGivenServer();
    // The admin key of the local data is for its own service, and for no other address.
    const isOwn = given === null || (running !== null && isSameAddress(given, running));
    const adminKey =
      process.env.KIOKU_ADMIN_KEY || (isOwn ? await readAdminKey(findDevVars(stateDir)) : undefined);
    if (!adminKey)
      throw new Error(
        isOwn
          ? `No admin key: set KIOKU_ADMIN_KEY, or start the service once (${describeCommand("start")}).`
          : `No admin key for ${given}: set KIOKU_ADMIN_KEY to its ADMIN_KEY.`,
      );
    let url = given ?? running;
    if (url === null) {
      await build();
      server = await startServer({ installation, port: 0, adminKey, log: () => {} });
      url = server.url;
    }
    await work(createAdminCall(url, adminKey));
  } catch (error) {
    console.error(describeFailure(error));
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

/** Returns KIOKU_URL, whose service must answer; null if it is not set. */
async function findGivenServer(): Promise<string | null> {
  const url = process.env.KIOKU_URL?.replace(/\/+$/, "") ?? "";
  if (url === "") return null;
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  if (!answer?.ok) throw new Error(`No server answers at ${url}.`);
  return url;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns whether an address is that of a server on this machine, by any of its names. */
function isSameAddress(url: string, running: string): boolean {
  const { hostname, port } = new URL(url);
  return url === running || (LOOPBACK.test(hostname) && port === new URL(running).port);
}
