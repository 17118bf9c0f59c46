// Fills the embedded index of a state folder whose memories were loaded straight into D1.
import { databaseId } from "./load.mjs";
import { startWorker, TENANT } from "./server.mjs";

const PER_CALL = 1_000;

/** Under this key the service's own objects are kept, so that it finds what another Worker has put there. */
const OBJECTS = "kioku-VectorIndexObject";

/** `index` is what the service says about its index: its embedder's name, which no vector is used without. */
export async function loadVectors({ folder, size }, { embedder, dimensions }, progress) {
  const loader = await startWorker("vectors.ts", {
    persist: folder,
    d1Databases: { DB: await databaseId() },
    durableObjects: {
      VECTOR_INDEX: { className: "VectorIndexObject", useSQLite: true, unsafeUniqueKey: OBJECTS },
    },
  });
  progress.begin("Vectors loaded", size);
  try {
    for (let done = 0, after = 0; done < size; ) {
      const body = JSON.stringify({ tenant: TENANT, embedder, dimensions, after, limit: PER_CALL });
      const answer = await fetch(loader.url, { method: "POST", body });
      if (!answer.ok) throw new Error(`Loading vectors stopped at ${done}: ${await answer.text()}`);
      const { loaded, last } = await answer.json();
      if (loaded === 0) throw new Error(`There were only ${done} memories of ${size}`);
      done += loaded;
      after = last;
      progress.set(done);
    }
  } finally {
    await loader.dispose();
  }
  progress.end();
}
