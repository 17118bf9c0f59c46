// Creates the Vectorize index of a deployment. Its metadata indexes must exist before the first vector: Vectorize does
// not index vectors that were inserted earlier, and a filter would not find them.
import type { EmbedderInfo } from "./plan-deployment.ts";
import { DeployError, type Say, type Wrangler } from "./run-wrangler.ts";

/** The properties that src/recall/vectors/vectorize-index.ts filters by. */
export const METADATA_INDEXES: Readonly<Record<string, "string" | "boolean" | "number">> = {
  kind: "string",
  session: "string",
  user: "string",
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

interface IndexShape {
  dimensions: number;
  metric: string;
}

interface IndexOptions {
  wrangler: Wrangler;
  say: Say;
  name: string;
  embedder: EmbedderInfo | null;
  /** Whether the account's state can be read. */
  known: boolean;
  dryRun: boolean;
  /** The command that makes all vectors anew. */
  reembedCommand: string;
}

/** Creates the index and its metadata indexes, as far as they are missing. */
export async function ensureIndex(options: IndexOptions): Promise<void> {
  const { wrangler, say, name, embedder, known, dryRun } = options;
  if (embedder === null)
    throw new DeployError("--vectorize needs an embedder, and EMBEDDER is none: choose another with --var.");
  const { dimensions } = embedder;
  if (dimensions > MAX_DIMENSIONS)
    throw new DeployError(
      `${embedder.name} makes ${dimensions} dimensions, and Vectorize takes ${MAX_DIMENSIONS} at most: set ` +
        "EMBEDDING_DIMENSIONS with --var, choose another model, or leave --vectorize out.",
    );
  const shape = known ? await findIndex(wrangler, name) : null;
  if (shape === null) {
    const action = dryRun ? "would be created" : "creating it";
    say(`Vectorize index ${name}: ${action}, ${dimensions} dimensions, ${METRIC}`);
    const settings = ["--dimensions", String(dimensions), "--metric", METRIC];
    await wrangler.change(["vectorize", "create", name, ...settings], { fix: FIX, absent: EXISTS });
  } else assertShape(options, shape, embedder);
  await ensureMetadataIndexes(options, shape !== null);
}

async function findIndex(wrangler: Wrangler, name: string): Promise<IndexShape | null> {
  return (await listIndexes(wrangler)).find((index) => index.name === name)?.config ?? null;
}

function listIndexes(wrangler: Wrangler): Promise<{ name: string; config: IndexShape }[]> {
  return wrangler.read(["vectorize", "list", "--json"], { fix: FIX });
}

/** Returns the names of the account's indexes. */
export async function listIndexNames(wrangler: Wrangler): Promise<string[]> {
  return (await listIndexes(wrangler)).map(({ name }) => name);
}

function assertShape(
  { name, reembedCommand }: IndexOptions,
  { dimensions, metric }: IndexShape,
  embedder: EmbedderInfo,
): void {
  if (dimensions === embedder.dimensions && metric === METRIC) return;
  throw new DeployError(
    `The Vectorize index ${name} has ${dimensions} dimensions and the metric ${metric}; ${embedder.name} needs ` +
      `${embedder.dimensions} and ${METRIC}, and an index cannot be changed.\n${explainRecreation(name, reembedCommand)}`,
  );
}

async function ensureMetadataIndexes(options: IndexOptions, exists: boolean) {
  const { wrangler, say, name, dryRun, reembedCommand } = options;
  const present = exists ? await readMetadataIndexes(wrangler, name) : new Map<string, string>();
  const wanted = Object.entries(METADATA_INDEXES);
  const wrong = wanted.filter(([property, type]) => (present.get(property) ?? type) !== type);
  if (wrong.length > 0)
    throw new DeployError(
      `The Vectorize index ${name} has metadata indexes of another type: ${joinNames(wrong)}.\n${explainRecreation(name, reembedCommand)}`,
    );
  const missing = wanted.filter(([property]) => !present.has(property));
  if (missing.length === 0) {
    say(`Vectorize index ${name}: there already, with its metadata indexes`);
    return;
  }
  if (exists) await assertEmpty(options, joinNames(missing));
  say(
    `Vectorize index ${name}: ${dryRun ? "would get" : "creating"} the metadata indexes ${joinNames(missing)}`,
  );
  for (const [property, type] of missing)
    await wrangler.change(
      ["vectorize", "create-metadata-index", name, "--property-name", property, "--type", type],
      { fix: FIX, absent: EXISTS },
    );
}

/** Returns the types by property. */
async function readMetadataIndexes(wrangler: Wrangler, name: string): Promise<Map<string, string>> {
  const list = ["vectorize", "list-metadata-index", name, "--json"];
  const indexes = await wrangler.read<{ propertyName: string; indexType: string }[]>(list, { fix: FIX });
  return new Map(indexes.map(({ propertyName, indexType }) => [propertyName, indexType.toLowerCase()]));
}

async function assertEmpty(options: IndexOptions, missing: string): Promise<void> {
  const { wrangler, name, reembedCommand } = options;
  const info = ["vectorize", "info", name, "--json"];
  const { vectorCount } = await wrangler.read<{ vectorCount: number }>(info, { fix: FIX });
  if (vectorCount === 0) return;
  throw new DeployError(
    `The Vectorize index ${name} holds ${vectorCount} vectors and has no metadata index for ${missing}: ` +
      `what it holds would never be found by them.\n${explainRecreation(name, reembedCommand)}`,
  );
}

function joinNames(entries: readonly [string, string][]): string {
  return entries.map(([name]) => name).join(", ");
}

function explainRecreation(name: string, reembedCommand: string): string {
  return (
    `Delete it (npx wrangler vectorize delete ${name}), run this again, then make the vectors anew (KIOKU_URL=… ` +
    `KIOKU_ADMIN_KEY=… ${reembedCommand}). Nothing is lost: vectors are made from what D1 holds.`
  );
}
