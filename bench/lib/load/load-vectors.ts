// Fills the embedded index of a state folder whose rows were loaded directly into D1.
import { startWorker, TENANT } from "../benchmark-servers.ts";
import type { Progress } from "../report/progress.ts";
import type { IndexState } from "../service-index.ts";
import { type LoadedState, readDatabaseId } from "./load-memories.ts";

const PER_CALL = 1_000;

/** The key of the service's own objects, so that the service finds the vectors of another Worker. */
const OBJECTS = "kioku-VectorIndexObject";

type LoadedVectors = Pick<LoadedState, "folder" | "size"> & {
  /** Memories of the benchmark's tenant by default. */
  kind?: "memory" | "message";
  tenant?: string;
};

/** The service uses only vectors under the name of its own embedder. */
export async function loadVectors(
  { folder, size, kind = "memory", tenant = TENANT }: LoadedVectors,
  { embedder, dimensions }: IndexState,
  progress: Progress,
): Promise<void> {
  const loader = await startWorker("vector-loader.ts", {
    persist: folder,
    d1Databases: { DB: await readDatabaseId() },
    durableObjects: {
      VECTOR_INDEX: { className: "VectorIndexObject", useSQLite: true, unsafeUniqueKey: OBJECTS },
    },
  });
  progress.begin("Vectors loaded", size);
  try {
    for (let done = 0, after = 0; done < size; ) {
      const body = JSON.stringify({ tenant, kind, embedder, dimensions, after, limit: PER_CALL });
      const answer = await fetch(loader.url, { method: "POST", headers: { Connection: "close" }, body });
      if (!answer.ok) throw new Error(`Loading vectors stopped at ${done}: ${await answer.text()}`);
      const { loaded, last } = await answer.json<{ loaded: number; last: number }>();
      if (loaded === 0) throw new Error(`There were only ${done} rows of ${size}`);
      done += loaded;
      after = last;
      progress.set(done);
    }
  } finally {
    await loader.dispose();
  }
  progress.end();
}
