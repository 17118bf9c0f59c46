// The Vectorize index of a deployment. Its metadata indexes must be there before the first vector: Vectorize does not
// go back over what was inserted before, and a filter would not find it.
import { DeployError } from "./deploy-wrangler.mjs";

/** What src/vectors/vectorize.ts filters by. */
export const METADATA_INDEXES = {
  kind: "string",
  session: "string",
  agent: "string",
  project: "string",
  type: "string",
  live: "boolean",
  timestamp: "number",
};

const METRIC = "cosine";
const MAX_DIMENSIONS = 1_536;
const FIX =
  "A token needs the permission Vectorize: Edit. Put it right and run this again: it goes on from here.";
const EXISTS = /already exists|duplicate/i;

/** Makes what is missing; `known` is false when the account cannot be asked. */
export async function ensureIndex({ wrangler, say, name, embedder, known, dryRun }) {
  if (embedder === null)
    throw new DeployError("--vectorize needs an embedder, and EMBEDDER is none: choose another with --var.");
  const { dimensions } = embedder;
  if (dimensions > MAX_DIMENSIONS)
    throw new DeployError(
      `${embedder.name} makes ${dimensions} dimensions, and Vectorize takes ${MAX_DIMENSIONS} at most: set ` +
        "EMBEDDING_DIMENSIONS with --var, choose another model, or leave --vectorize out.",
    );
  const found = known ? await findIndex(wrangler, name) : null;
  if (found === null) {
    const fate = dryRun ? "would be created" : "creating it";
    say(`Vectorize index ${name}: ${fate}, ${dimensions} dimensions, ${METRIC}`);
    const shape = ["--dimensions", String(dimensions), "--metric", METRIC];
    await wrangler.change(["vectorize", "create", name, ...shape], { fix: FIX, absent: EXISTS });
  } else checkShape(name, found.config, embedder);
  await ensureMetadata({ wrangler, say, name, exists: found !== null, dryRun });
}

async function findIndex(wrangler, name) {
  const indexes = await wrangler.read(["vectorize", "list", "--json"], { fix: FIX });
  return indexes.find((index) => index.name === name) ?? null;
}

function checkShape(name, { dimensions, metric }, embedder) {
  if (dimensions === embedder.dimensions && metric === METRIC) return;
  throw new DeployError(
    `The Vectorize index ${name} has ${dimensions} dimensions and the metric ${metric}; ${embedder.name} needs ` +
      `${embedder.dimensions} and ${METRIC}, and an index cannot be changed.\n${remake(name)}`,
  );
}

async function ensureMetadata({ wrangler, say, name, exists, dryRun }) {
  const there = exists
    ? await wrangler.read(["vectorize", "list-metadata-index", name, "--json"], { fix: FIX })
    : [];
  const typeOf = new Map(there.map(({ propertyName, indexType }) => [propertyName, indexType.toLowerCase()]));
  const wrong = Object.keys(METADATA_INDEXES).filter(
    (property) => typeOf.has(property) && typeOf.get(property) !== METADATA_INDEXES[property],
  );
  if (wrong.length > 0)
    throw new DeployError(
      `The Vectorize index ${name} has metadata indexes of another type: ${wrong.join(", ")}.\n${remake(name)}`,
    );
  const missing = Object.keys(METADATA_INDEXES).filter((property) => !typeOf.has(property));
  if (missing.length === 0) {
    say(`Vectorize index ${name}: there already, with its metadata indexes`);
    return;
  }
  if (exists) await checkEmpty(wrangler, name, missing);
  say(
    `Vectorize index ${name}: ${dryRun ? "would get" : "creating"} the metadata indexes ${missing.join(", ")}`,
  );
  for (const property of missing)
    await wrangler.change(
      [
        ...["vectorize", "create-metadata-index", name],
        ...["--property-name", property, "--type", METADATA_INDEXES[property]],
      ],
      { fix: FIX, absent: EXISTS },
    );
}

async function checkEmpty(wrangler, name, missing) {
  const { vectorCount } = await wrangler.read(["vectorize", "info", name, "--json"], { fix: FIX });
  if (vectorCount === 0) return;
  throw new DeployError(
    `The Vectorize index ${name} holds ${vectorCount} vectors and has no metadata index for ${missing.join(", ")}: ` +
      `what it holds would never be found by them.\n${remake(name)}`,
  );
}

function remake(name) {
  return (
    `Delete it (npx wrangler vectorize delete ${name}), run this again, then make the vectors anew (KIOKU_URL=… ` +
    "ADMIN_KEY=… npm run reembed). Nothing is lost: vectors are made from what D1 holds."
  );
}
