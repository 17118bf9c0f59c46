// Compacts the SQLite files of a local service after erasures, because SQLite keeps deleted text in unused parts of its
// pages and in its write-ahead log. While the service runs, the Worker calls `handle` (src/kernel/file-compactor.ts) and
// keeps everything else from the file meanwhile. Before the service starts and after it has stopped, `compactPending` does
// the rest.
import { readdir, readFile, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { readCode } from "../errors.ts";
import { replaceFile } from "../replace-file.ts";
import { createVacuumClient } from "./vacuum-client.ts";

export interface LocalFileCompactor {
  /** Answers a call of the Worker. */
  handle(method: string, url: URL): Promise<Response>;
  /** Compacts everything that is requested. The service must not run. */
  compactPending(): Promise<void>;
  dispose(): Promise<void>;
}

/** A larger file of an object is compacted when the service stops: the object could not answer for seconds. */
const MAX_LIVE_BYTES = 256_000_000;
/** The database rests this many times as long as its compaction took, unless an administrator asks for it. */
const REST_FACTOR = 20;

const OBJECT_PATH = /^\/objects\/(\w+)\/([0-9a-f]{64})$/;

/** Serves the data of the Worker `name` in the folder `persist`. */
export function createFileCompactor(persist: string, name: string): LocalFileCompactor {
  return isBuiltin("node:sqlite") ? createSqliteCompactor(persist, name) : UNAVAILABLE;
}

/** Node 20 has no SQLite. What is requested stays requested. */
const UNAVAILABLE: LocalFileCompactor = {
  async handle(method) {
    return method === "GET" ? Response.json([]) : new Response(null, { status: 409 });
  },
  async compactPending() {
    throw new Error(
      `Node ${process.versions.node} cannot compact them. Start the service with Node 22.13 or newer after erasures.`,
    );
  },
  async dispose() {},
};

function createSqliteCompactor(persist: string, name: string): LocalFileCompactor {
  const databaseFolder = join(persist, "v3/d1/miniflare-D1DatabaseObject");
  const objectFolder = join(persist, "v3/do");
  const statesPath = join(persist, "compaction.json");
  const thread = createVacuumClient();
  /** The state of each file of an object after it was compacted, by its name: a file in another state has changed. */
  let compacted: Map<string, string> | undefined;
  let restsUntil = 0;

  async function listChangedObjects(): Promise<{ class_name: string; id: string; path: string }[]> {
    compacted ??= await readStates(statesPath);
    const changed = [];
    for (const folder of await listFolder(objectFolder)) {
      if (!folder.startsWith(`${name}-`)) continue;
      for (const path of await listSqliteFiles(join(objectFolder, folder)))
        if ((await readFileState(path)) !== compacted.get(basename(path)))
          changed.push({
            class_name: folder.slice(name.length + 1),
            id: basename(path, ".sqlite"),
            path,
          });
    }
    return changed;
  }

  async function compactObject(path: string): Promise<void> {
    await thread.call("vacuum", path);
    compacted ??= await readStates(statesPath);
    compacted.set(basename(path), await readFileState(path));
  }

  /** Compacts the object, unless it is too large for a running service. */
  async function compactLiveObject(className: string, id: string): Promise<boolean> {
    const path = join(objectFolder, `${name}-${className}`, `${id}.sqlite`);
    if ((await stat(path)).size > MAX_LIVE_BYTES) return false;
    await compactObject(path);
    return true;
  }

  /** Compacts the database, unless the last time was too recent. */
  async function compactLiveDatabase(atOnce: boolean): Promise<boolean> {
    const started = performance.now();
    if (!atOnce && started < restsUntil) return false;
    for (const path of await listSqliteFiles(databaseFolder)) await thread.call("vacuum", path);
    const ended = performance.now();
    restsUntil = ended + REST_FACTOR * (ended - started);
    return true;
  }

  async function listAlarmFiles(): Promise<string[]> {
    return (await listFolder(objectFolder)).map((folder) => join(objectFolder, folder, ALARM_FILE));
  }

  const saveStates = async (): Promise<void> => {
    if (compacted !== undefined) await replaceFile(statesPath, JSON.stringify([...compacted]));
  };

  return {
    async handle(method, { pathname, searchParams }) {
      if (method === "GET" && pathname === "/objects")
        return Response.json((await listChangedObjects()).map(({ class_name, id }) => ({ class_name, id })));
      const [, className, id] = OBJECT_PATH.exec(pathname) ?? [];
      const isDone =
        className !== undefined && id !== undefined
          ? await compactLiveObject(className, id)
          : await compactLiveDatabase(searchParams.has("at_once"));
      return new Response(null, { status: isDone ? 204 : 409 });
    },
    async compactPending() {
      for (const database of await listSqliteFiles(databaseFolder)) {
        if (!(await thread.call("isRequested", database))) continue;
        for (const { path } of await listChangedObjects()) await compactObject(path);
        for (const path of await listAlarmFiles()) await thread.call("vacuum", path);
        await saveStates();
        await thread.call("mergeTextIndexes", database);
        await thread.call("vacuum", database);
        await thread.call("noteFinished", database);
      }
    },
    async dispose() {
      await saveStates();
      await thread.dispose();
    },
  };
}

/** Returns a text that differs after every change. A write-ahead log that is not empty is one. */
async function readFileState(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path);
  const logBytes = await stat(`${path}-wal`).then(({ size }) => size, returnIfMissing(0));
  return `${mtimeMs} ${size} ${logBytes}`;
}

async function readStates(path: string): Promise<Map<string, string>> {
  return new Map(JSON.parse(await readFile(path, "utf8").catch(returnIfMissing("[]"))));
}

/** The database of each class of objects in which workerd notes their alarms, with their names. It is always open. */
const ALARM_FILE = "metadata.sqlite";

/** Lists the databases in a folder, but for that of alarms. */
async function listSqliteFiles(folder: string): Promise<string[]> {
  const names = await listFolder(folder);
  return names
    .filter((name) => name.endsWith(".sqlite") && name !== ALARM_FILE)
    .map((name) => join(folder, name));
}

function listFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch(returnIfMissing<string[]>([]));
}

function returnIfMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (readCode(error) === "ENOENT") return value;
    throw error;
  };
}
