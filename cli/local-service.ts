// Finds the service that runs on this machine: `npm start` and `kioku-server start` keep its key, and its address while
// it runs, in a folder beside its data. The current folder and its parents are searched.
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type LocalService = {
  /** The file of the key. */
  keyFile: string;
  apiKey: string;
  adminKey: string | null;
  /** Null if the service is not running. */
  url: string | null;
};

/** Where `kioku-server start` and `npm start` keep data, and where each has its admin key. */
const LAYOUTS = [
  { state: ".kioku", devVars: ".kioku/.dev.vars" },
  { state: ".wrangler/state", devVars: ".dev.vars" },
];
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const KEY = /^kioku_\w+$/;
const ADMIN_KEY_LINE = /^[ \t]*(?:export[ \t]+)?ADMIN_KEY[ \t]*=[ \t]*(["']?)([^"'#\s]+)\1/m;

export function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);
}

export function findLocalService(cwd: string): LocalService | null {
  for (const folder of listParents(cwd)) {
    for (const { state, devVars } of LAYOUTS) {
      const read = (path: string) => readOwnFile(folder, path) ?? "";
      const keyPath = `${state}/local-key`;
      const apiKey = read(keyPath).trim();
      if (!KEY.test(apiKey)) continue;
      return {
        keyFile: join(folder, keyPath),
        apiKey,
        adminKey: ADMIN_KEY_LINE.exec(read(devVars))?.[2] ?? null,
        url: readRunningUrl(read(`${state}/server.json`)),
      };
    }
  }
  return null;
}

/** Returns the address only if the process that wrote it still runs, and if it is on this machine. */
function readRunningUrl(text: string): string | null {
  try {
    const { pid, url } = JSON.parse(text) as { pid?: unknown; url?: unknown };
    // Process 0 and negative ones are groups, which always run.
    if (typeof url !== "string" || typeof pid !== "number" || !(pid > 0)) return null;
    process.kill(pid, 0);
    // A service that listens on every address of this machine is not at that address.
    const local = url.replace("//0.0.0.0:", "//127.0.0.1:");
    return isLoopback(local) ? local : null;
  } catch {
    // The process has ended, or the file is missing or being written.
    return null;
  }
}

/**
 * Reads a file below a folder that may be shared, such as /tmp. Another user must neither choose the service there, nor
 * have this user's own files sent to it by a link: each part of the path has to be this user's.
 */
function readOwnFile(folder: string, path: string): string | null {
  try {
    let whole = folder;
    for (const part of path.split("/")) {
      whole = join(whole, part);
      if (process.getuid !== undefined && lstatSync(whole).uid !== process.getuid()) return null;
    }
    return lstatSync(whole).isFile() ? readFileSync(whole, "utf8") : null;
  } catch {
    // There is no such file here.
    return null;
  }
}

function listParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...listParents(parent)];
}
