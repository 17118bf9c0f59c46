// The file beside the data that names the server which holds it. Two servers over the same data would each run the same
// session. The command line reads the address from it, too.
import { readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

interface RunningServer {
  pid: number;
  url: string;
}

/** How long a connection to a server on this machine may take. */
const CONNECT_TIMEOUT_MS = 2_000;

export async function noteRunningServer(stateDir: string, server: RunningServer): Promise<void> {
  await writeFile(getRunningPath(stateDir), JSON.stringify(server));
}

export async function removeRunningServer(stateDir: string): Promise<void> {
  await rm(getRunningPath(stateDir), { force: true });
}

/** Returns the address of the server that holds this data. */
export async function findRunningServer(stateDir: string): Promise<string | null> {
  try {
    const { pid, url }: RunningServer = JSON.parse(await readFile(getRunningPath(stateDir), "utf8"));
    process.kill(pid, 0);
    // Not by /health: `npm run dev` holds its data also while the code does not build.
    return (await acceptsConnections(new URL(url))) ? url : null;
  } catch {
    // There is no file, or the process was killed.
    return null;
  }
}

export async function assertNotRunning(stateDir: string): Promise<void> {
  const url = await findRunningServer(stateDir);
  if (url === null) return;
  throw new Error(`Kioku already serves this data at ${url}. Stop it first, or use other data: --data DIR`);
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
