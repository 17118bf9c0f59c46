// The file beside the data that names the server which holds it. Two servers over the same data would each run the same
// session. The command line reads the address from it, too.
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

interface RunningServer {
  pid: number;
  /** Empty until the address is known. */
  url: string;
}

/** How long a connection to a server on this machine may take. */
const CONNECT_TIMEOUT_MS = 2_000;
/** How long a server may take to listen after it was noted. */
const START_TIMEOUT_MS = 60_000;

export async function noteRunningServer(stateDir: string, server: RunningServer): Promise<void> {
  await writeFile(getRunningPath(stateDir), JSON.stringify(server));
}

export async function removeRunningServer(stateDir: string): Promise<void> {
  await rm(getRunningPath(stateDir), { force: true });
}

/** Notes that this process is about to serve the data. Throws if another one does. */
export async function claimData(stateDir: string): Promise<void> {
  await assertNotRunning(stateDir);
  await noteRunningServer(stateDir, { pid: process.pid, url: "" });
}

/** Returns the address of the server that holds this data. */
export async function findRunningServer(stateDir: string): Promise<string | null> {
  const server = await readRunningServer(stateDir);
  return server !== null && (await isListening(server)) ? server.url : null;
}

export async function assertNotRunning(stateDir: string): Promise<void> {
  const server = await readRunningServer(stateDir);
  if (server === null) return;
  if (await isListening(server))
    throw new Error(
      `Kioku already serves this data at ${server.url}. Stop it first, or use other data: --data DIR`,
    );
  if (server.pid !== process.pid && Date.now() - server.notedAt < START_TIMEOUT_MS)
    throw new Error(
      `Kioku starts or stops with this data, as process ${server.pid}. Wait a moment, or use other data: --data DIR`,
    );
}

/** Returns what was noted by a process that still runs. */
async function readRunningServer(stateDir: string): Promise<(RunningServer & { notedAt: number }) | null> {
  try {
    const path = getRunningPath(stateDir);
    const server: RunningServer = JSON.parse(await readFile(path, "utf8"));
    process.kill(server.pid, 0);
    return { ...server, notedAt: (await stat(path)).mtimeMs };
  } catch {
    // There is no file, or the process was killed.
    return null;
  }
}

/** Asks the port, not /health: `npm run dev` holds its data also while the code does not build. */
async function isListening({ url }: RunningServer): Promise<boolean> {
  return URL.canParse(url) && acceptsConnections(new URL(url));
}

/** The id of a killed process may belong to another one now, which does not listen there. */
function acceptsConnections({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    // A server that listens on every address of this machine is not at that address.
    const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(port) || 80 });
    const settle = (isAccepted: boolean) => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => settle(false));
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

function getRunningPath(stateDir: string): string {
  return join(stateDir, "server.json");
}
