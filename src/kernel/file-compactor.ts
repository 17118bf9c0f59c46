// The port to the process that serves the Worker on this machine. It compacts SQLite files from outside, where VACUUM is
// allowed (scripts/lib/compaction). On Cloudflare and under `wrangler dev` there is none.
import { logDefect } from "./errors";
import { SECOND_MS } from "./time";

export type FileCompactor = Pick<Fetcher, "fetch">;

/** The file of a Durable Object: its class, and its id, which is the name of the file. */
export type ObjectFile = { class_name: string; id: string };

/** The RPC method of every Durable Object that has its own file compacted. Returns whether it was. */
export type CompactibleObject = { compactFile(): Promise<boolean> };

/** The platform resets an object that lets nothing in for 30 seconds. */
const OBJECT_TIMEOUT_MS = 20 * SECOND_MS;

/** Compacts the file of the database. Returns false if the last time was too recent for its size. */
export async function compactDatabaseFile(
  compactor: FileCompactor,
  { atOnce }: { atOnce: boolean },
): Promise<boolean> {
  return (await call(compactor, "POST", `/database${atOnce ? "?at_once" : ""}`)).status === 204;
}

/** Lists the objects whose files have changed since they were last compacted. */
export async function listChangedObjects(compactor: FileCompactor): Promise<ObjectFile[]> {
  return (await call(compactor, "GET", "/objects")).json<ObjectFile[]>();
}

/**
 * Compacts the file of this object. Nothing else runs in the object meanwhile, so that none of its statements finds the
 * file locked.
 */
export function compactObjectFile(
  state: DurableObjectState,
  compactor: FileCompactor | undefined,
  className: string,
): Promise<boolean> {
  return state.blockConcurrencyWhile(async () => {
    if (compactor === undefined) return false;
    // An exception here would reset the object.
    try {
      const signal = AbortSignal.timeout(OBJECT_TIMEOUT_MS);
      const { status } = await call(compactor, "POST", `/objects/${className}/${state.id}`, signal);
      return status === 204;
    } catch (error) {
      logDefect("compaction.error", error);
      return false;
    }
  });
}

/** Calls the process: 2xx and 409, which means "later", are answers, anything else is an error. */
async function call(
  compactor: FileCompactor,
  method: "GET" | "POST",
  path: string,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const response = await compactor.fetch(`http://files${path}`, { method, signal });
  if (!response.ok && response.status !== 409)
    throw new Error(`Compaction of files failed with ${response.status}.`);
  return response;
}
