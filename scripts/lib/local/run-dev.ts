// Serves the source with live reload, through `wrangler dev`, over the data of `npm start`. The two refuse to run at once.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { describeFailure, getExitCode } from "../errors.ts";
import type { Installation } from "../installation.ts";
import { getStoragePath } from "./data-folder.ts";
import { migrateDatabases } from "./migrate-databases.ts";
import { prepareStart } from "./run-start.ts";
import { claimData, noteRunningServer, removeRunningServer } from "./running-server.ts";
import type { StartOptions } from "./start-options.ts";
import { nameDatabases, readLocalWorker } from "./worker-options.ts";

const POLL_MS = 300;

/** Events of the Worker, which are one JSON object a line, and wrangler's line for each request. */
const REQUEST_LOG = /^(?:\{"|\[wrangler:info\] [A-Z]+ \/)/;

export async function runDev(installation: Installation, argv: readonly string[]): Promise<void> {
  let child: ChildProcess | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      // Before wrangler runs, nothing has to be stopped: a migration and its record are one batch.
      if (child === undefined) process.exit(0);
      child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
    });
  try {
    const prepared = await prepareStart(installation, argv, "dev");
    if (prepared === null) return;
    const { options, devVarsPath, printBanner } = prepared;
    const { host, port, stateDir } = options;
    if (port === 0) throw new Error("--port takes a number above 0 here: npm start takes a free one for 0.");
    const worker = readLocalWorker(installation, devVarsPath);
    await claimData(stateDir);
    const storage = { resourcePersistencePath: getStoragePath(stateDir) };
    await migrateDatabases(stateDir, storage, nameDatabases(worker, 0), worker);

    child = spawnWrangler(installation, options, devVarsPath);
    const exited = once(child, "exit");
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
    // wrangler's process: it holds the data, also if this one is killed.
    await noteRunningServer(stateDir, { pid: child.pid ?? process.pid, url });
    const isReady = await Promise.race([waitForHealth(url, child), exited.then(() => false)]);
    if (isReady) await printBanner(url);
    const [code] = await exited;
    await removeRunningServer(stateDir);
    process.exit(code ?? 0);
  } catch (error) {
    child?.kill();
    console.error(describeFailure(error));
    process.exit(getExitCode(error));
  }
}

function spawnWrangler(
  { root, configPath }: Installation,
  { host, port, stateDir, verbose }: StartOptions,
  devVarsPath: string,
): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      createRequire(import.meta.url).resolve("wrangler"),
      ...["dev", "--local", "--config", configPath, "--ip", host, "--port", String(port)],
      ...["--persist-to", stateDir, "--env-file", devVarsPath, "--show-interactive-dev-session=false"],
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      // The process's own settings keep wrangler quiet; here its messages about builds matter.
      env: { ...process.env, WRANGLER_LOG: "log", ...(process.stdout.isTTY && { FORCE_COLOR: "1" }) },
    },
  );
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (verbose || !REQUEST_LOG.test(line)) process.stdout.write(`${line}\n`);
  });
  return child;
}

/** Returns false if wrangler ends first. The code may not build at first. */
async function waitForHealth(url: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(`${url}/health`).catch(() => null);
    if (answer?.ok) return true;
    await wait(POLL_MS);
  }
  return false;
}
