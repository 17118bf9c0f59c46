// Starts the whole service on this machine, without an account or network: checks, migrates, serves, and prints a key with a
// first request that works as printed.
import { relative } from "node:path";
import { describeFailure, getExitCode } from "../errors.ts";
import type { Installation } from "../installation.ts";
import { assertFree, type LocalServer, startServer, writeLog } from "../local-server.ts";
import { ensureDataFolder } from "./data-folder.ts";
import { ensureAdminKey, ensureLocalKey } from "./local-keys.ts";
import { resetData } from "./reset-data.ts";
import { assertNotRunning } from "./running-server.ts";
import { renderBanner } from "./start-banner.ts";
import { readStartOptions, renderStartUsage, type StartCommand, type StartOptions } from "./start-options.ts";

/** Runs `start` until a signal ends it. `build` makes the Worker, if it is not built already. */
export async function runStart(
  installation: Installation,
  argv: readonly string[],
  build: () => Promise<unknown> = async () => {},
): Promise<void> {
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
    const prepared = await prepareStart(installation, argv, "start");
    if (prepared === null) return;
    const { options, adminKey, printBanner } = prepared;
    await build();
    server = await startServer({
      ...options,
      installation,
      persist: options.stateDir,
      adminKey,
      log: options.verbose ? writeLog : writeErrors,
    });
    await printBanner(server.url);
    await warnAboutEmbedder(server.url, adminKey, installation);
  } catch (error) {
    if (stopping) return;
    await server?.dispose().catch(() => {});
    console.error(describeFailure(error));
    process.exit(getExitCode(error));
  }
}

interface PreparedStart {
  options: StartOptions;
  devVarsPath: string;
  adminKey: string;
  /** Makes the key of the tenant `local`, and prints it. */
  printBanner(url: string): Promise<void>;
}

/** Reads the options, checks that the service can start, and resets its data if asked to. Returns null for `--help`. */
export async function prepareStart(
  installation: Installation,
  argv: readonly string[],
  command: StartCommand,
): Promise<PreparedStart | null> {
  const options = readStartOptions(argv, installation, command);
  if (options.help) {
    console.log(renderStartUsage(installation, command));
    return null;
  }
  const { port, host, stateDir, reset, verbose } = options;
  await assertNotRunning(stateDir);
  await assertFree(port, host, installation, command);
  const show = (path: string) => shortenPath(path, installation.userDir);
  if (reset) await resetData({ ...options, shownDir: show(stateDir) });
  await ensureDataFolder(stateDir);
  const devVarsPath = installation.findDevVars(stateDir);
  const adminKey = await ensureAdminKey(devVarsPath);
  return {
    options,
    devVarsPath,
    adminKey,
    async printBanner(url) {
      const key = await ensureLocalKey(url, adminKey, stateDir);
      console.log(
        renderBanner({ url, key, shownDevVars: show(devVarsPath), shownDir: show(stateDir), verbose }),
      );
    },
  };
}

/** A path within the user's folder is shown relative to it. */
function shortenPath(path: string, folder: string): string {
  const short = relative(folder, path);
  return short === "" || short.startsWith("..") ? path : short;
}

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

/** Reports settings that do not work, and vectors of another embedder, which this one cannot search. */
async function warnAboutEmbedder(url: string, adminKey: string, { describeCommand }: Installation) {
  const answer = await fetch(`${url}/v1/admin/index`, { headers: { Authorization: `Bearer ${adminKey}` } });
  const { matches, made_with, embedder, dimensions, index, detail } = await answer.json<IndexAnswer>();
  if (!answer.ok) console.error(`kioku: ${detail}`);
  if (matches !== false) return;
  console.error(
    `kioku: The vectors were made with ${made_with.embedder} (${made_with.dimensions} dimensions, ${made_with.index} ` +
      `index), the service is set to ${embedder} (${dimensions} dimensions, ${index} index). Recall is by text alone ` +
      `until you run: ${describeCommand("reembed")}`,
  );
}

/** The log of every request would scroll the key away. */
function writeErrors(level: string, message: string): void {
  if (level === "error" || level === "warn") writeLog(level, message);
}
