// The vector index as the doctor sees it: what its vectors were made with, what waits, and whether Vectorize fits.
import { sql } from "drizzle-orm";
import { openDatabase, readAll } from "../../platform/d1";
import type { Bindings } from "../../platform/env";
import { readVectorState, sameModel } from "../../store/vectors/vector-state";
import { modelOf } from "../../vectors/semantic-services";
import { broken, type Check, check, type Finding, fine, warn } from "./health-check";

const REEMBED = "Run npm run reembed, with KIOKU_URL and ADMIN_KEY for a remote service";
/** So many attempts take about a minute: what still fails then does not pass by itself. */
const PATIENCE = 5;

export async function vectors(env: Bindings): Promise<Finding> {
  const state = await readVectorState(openDatabase(env.DB));
  if (state === null) return fine("None yet");
  const model = modelOf(env);
  const made = `${state.name} (${state.dimensions} dimensions, ${state.index} index)`;
  if (model === null)
    return warn(
      `Made with ${made}, and not used: EMBEDDER is none`,
      "Set the embedder again: docs/embedders.md",
    );
  if (!sameModel(state, model))
    return broken(
      `Made with ${made}; the service is set to ${model.name} (${model.dimensions} dimensions, ${model.index} index). ` +
        "Recall is by words alone",
      REEMBED,
    );
  if (state.progress !== null) return warn("They are being made anew, and it is not finished", REEMBED);
  return fine(`Made with ${made}`);
}

export async function queue({ DB }: Bindings, now: number): Promise<Finding> {
  const [row] = await readAll<{ waiting: number; stuck: number }>(
    openDatabase(DB),
    sql`SELECT count(*) AS waiting, count(*) FILTER (WHERE attempts >= ${PATIENCE}) AS stuck
      FROM vector_queue WHERE due_at <= ${now} OR attempts > 0`,
  );
  const { waiting, stuck } = row ?? { waiting: 0, stuck: 0 };
  if (stuck > 0)
    return warn(
      `${stuck} of ${waiting} that wait were refused ${PATIENCE} times or more`,
      "See what is wrong with the embedder or the index: its log lines are vectors.failed",
    );
  return fine(waiting === 0 ? "Nothing waits" : `${waiting} wait to be embedded`);
}

export function vectorize(env: Bindings, binding: Vectorize): Promise<Check> {
  return check("vectorize", "See that the index exists: npx wrangler vectorize list", async () => {
    const { dimensions, vectorCount } = await binding.describe();
    const model = modelOf(env);
    if (model !== null && model.dimensions !== dimensions)
      return broken(
        `The index has ${dimensions} dimensions, ${model.name} makes ${model.dimensions}`,
        "Create an index of that many dimensions, bind it, and run npm run reembed: docs/operations.md",
      );
    // A binding cannot list metadata indexes; what it can tell is right.
    return fine(
      `${dimensions} dimensions, ${vectorCount} vectors. Its metadata indexes only wrangler shows: ` +
        "npx wrangler vectorize list-metadata-index",
    );
  });
}
