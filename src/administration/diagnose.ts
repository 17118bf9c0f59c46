// Whether a running service has what it needs, check by check. It only looks, and looks on when something is broken.
import { sql } from "drizzle-orm";
import { z } from "../kernel/common";
import { openDatabase, readAll } from "../kernel/databases/d1";
import { listIndexes, listShards } from "../kernel/databases/shard-bindings";
import { type Bindings, readSettings } from "../kernel/env";
import { FailureError, PortError } from "../kernel/errors";
import { APPLIED_MS } from "../kernel/limits";
import { listAppliedMigrations, MIGRATIONS } from "../kernel/tables";
import { selectEmbedder } from "../models/embedders/select-embedder";
import { selectLanguageModel } from "../models/select-language-model";
import { selectReranker } from "../models/select-reranker";
import { readVectorState } from "../recall/index/vector-state";
import { selectVectorModel } from "../recall/vectors/semantic-services";
import { isSameModel } from "../recall/vectors/vector-index";
import { listIdleSessions } from "../sessions/session-repository";

const MIGRATE_FIX = "Run npx wrangler d1 migrations apply kioku --remote (npm start does it for local data)";
const REQUIRED_BINDINGS = [
  "DB",
  "SESSIONS",
  "PROJECTS",
  "INDEXER",
  "VECTOR_INDEX",
  "WEBHOOKS",
  "USAGE",
  "ASSETS",
] as const;
/** As many hex digits as 128 bits have: below it a key can be guessed. */
const MIN_ADMIN_KEY_CHARS = 32;

export async function diagnose(env: Bindings, now: number): Promise<HealthCheck[]> {
  return Promise.all([
    runCheck("admin key", "Set the secret ADMIN_KEY", () => checkAdminKey(env)),
    runCheck("bindings", "Deploy with the bindings of wrangler.toml", () => checkBindings(env)),
    runCheck("settings", "Put the setting right and restart", () => {
      readSettings(env);
      return passed("All settings can be read");
    }),
    runCheck("migrations", MIGRATE_FIX, () => checkMigrations(env)),
    runCheck("embedder", "Put the setting right and restart: docs/embedders.md", () => checkEmbedder(env)),
    runCheck("vectors", MIGRATE_FIX, () => checkVectors(env)),
    runCheck("vector queue", MIGRATE_FIX, () => checkBacklog(env, now)),
    ...listIndexes(env).map(({ name, index }) => checkVectorize(env, name, index)),
    runCheck("reranker", "Put the setting right and restart: docs/rerankers.md", () => checkReranker(env)),
    runCheck("language model", "Put the setting right and restart: docs/language-model.md", () => {
      const model = selectLanguageModel(env);
      return passed(model === null ? "Not configured; it is optional" : model.name);
    }),
    runCheck("cron", MIGRATE_FIX, () => checkCron(env, now)),
    ...diagnoseShards(env, now),
  ]);
}

/** Checks every database but the first as that one is checked. */
function diagnoseShards(env: Bindings, now: number): Promise<HealthCheck>[] {
  const [, ...further] = listShards(env);
  return further.flatMap(({ name, d1 }) => {
    const own = { ...env, DB: d1 };
    const fix = `${MIGRATE_FIX}, for the database of ${name}`;
    return [
      runCheck(`migrations (${name})`, fix, () => checkMigrations(own)),
      runCheck(`vectors (${name})`, fix, () => checkVectors(own)),
      runCheck(`vector queue (${name})`, fix, () => checkBacklog(own, now)),
    ];
  });
}

function checkAdminKey({ ADMIN_KEY = "" }: Bindings): HealthFinding {
  if (ADMIN_KEY.length >= MIN_ADMIN_KEY_CHARS) return passed("ADMIN_KEY is set");
  return warning(
    `ADMIN_KEY has fewer than ${MIN_ADMIN_KEY_CHARS} characters, and opens everything`,
    "Set a longer one, such as openssl rand -hex 32 gives",
  );
}

function checkBindings(env: Bindings): HealthFinding {
  const missing = REQUIRED_BINDINGS.filter((name) => env[name] === undefined);
  if (missing.length === 0) return passed(`${REQUIRED_BINDINGS.join(", ")} are bound`);
  return problem(`Not bound: ${missing.join(", ")}`, "Add them as wrangler.toml has them, and deploy again");
}

async function checkMigrations({ DB }: Bindings): Promise<HealthFinding> {
  const applied = await listAppliedMigrations(openDatabase(DB));
  const missing = MIGRATIONS.filter((name) => !applied?.includes(name));
  if (missing.length > 0) return problem(`Not applied: ${missing.join(", ")}`, MIGRATE_FIX);
  const newer = (applied ?? []).filter((name) => !MIGRATIONS.includes(name));
  if (newer.length > 0)
    return warning(`The database is newer than the service: ${newer.join(", ")}`, "Deploy the newer version");
  return passed(`All are applied, up to ${MIGRATIONS.at(-1)}`);
}

/** A word is embedded, so that a service that does not answer is found here and not by a user. */
async function checkEmbedder(env: Bindings): Promise<HealthFinding> {
  const checkEmbedder = selectEmbedder(env);
  const model = selectVectorModel(env);
  if (checkEmbedder === null || model === null)
    return warning("EMBEDDER is none: recall is by words alone", "Choose one: docs/embedders.md");
  const [vector] = await checkEmbedder.embed(["doctor"], "query");
  const { name, dimensions } = model;
  if (vector?.length === dimensions) return passed(`${name}, ${dimensions} dimensions`);
  return problem(
    `${name} makes ${vector?.length ?? 0} dimensions, and is set to ${dimensions}`,
    "Put EMBEDDING_DIMENSIONS right: docs/embedders.md",
  );
}

/** Two texts are reranked, for the same reason. */
async function checkReranker(env: Bindings): Promise<HealthFinding> {
  const reranker = selectReranker(env);
  if (reranker === null) return passed("Not configured; it is optional");
  await reranker.rerank("doctor", ["doctor", "patient"]);
  return passed(reranker.name);
}

export const HealthCheck = z
  .object({
    name: z.string(),
    status: z.enum(["ok", "warn", "fail"]),
    detail: z.string().meta({ description: "What was found" }),
    fix: z.string().nullable().meta({ description: "What to do about it; null when there is nothing to do" }),
  })
  .openapi("DoctorCheck");
export type HealthCheck = z.infer<typeof HealthCheck>;

type HealthFinding = Omit<HealthCheck, "name">;

export function passed(detail: string): HealthFinding {
  return { status: "ok", detail, fix: null };
}

export function warning(detail: string, fix: string): HealthFinding {
  return { status: "warn", detail, fix };
}

export function problem(detail: string, fix: string): HealthFinding {
  return { status: "fail", detail, fix };
}

/** `fix` is for a failure that does not tell its own. */
export async function runCheck(
  name: string,
  fix: string,
  look: () => HealthFinding | Promise<HealthFinding>,
): Promise<HealthCheck> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    return { name, ...problem(describeError(error), fix) };
  }
}

/** Of an unknown error only the kind is told: its message could quote what was stored. */
function describeError(error: unknown): string {
  if (error instanceof FailureError || error instanceof PortError) return error.message;
  return `It failed (${error instanceof Error ? error.name : typeof error})`;
}

/** The cron comes every minute, and takes some sessions at a time. */
const CRON_GRACE_MS = 60 * 60 * 1_000;

async function checkCron(env: Bindings, now: number): Promise<HealthFinding> {
  const db = openDatabase(env.DB);
  const before = (age: number) => new Date(now - age - CRON_GRACE_MS).toISOString();
  const [idle, old] = await Promise.all([
    listIdleSessions(db, before(readSettings(env).abandonAfterMs), 1),
    readAll(db, sql`SELECT 1 FROM operations WHERE created_at < ${before(APPLIED_MS)} LIMIT 1`),
  ]);
  if (idle.length === 0 && old.length === 0) return passed("Nothing is overdue");
  return warning(
    "Sessions or records that the cron should have cleared an hour ago are still there",
    "Deploy with [triggers] crons as wrangler.toml has them",
  );
}

const REEMBED_FIX = "Run npm run reembed, with KIOKU_URL and KIOKU_ADMIN_KEY for a remote service";
/** So many attempts take about a minute: what still fails then does not pass by itself. */
const STUCK_ATTEMPTS = 5;

async function checkVectors(env: Bindings): Promise<HealthFinding> {
  const state = await readVectorState(openDatabase(env.DB));
  if (state === null) return passed("None yet");
  const model = selectVectorModel(env);
  const made = `${state.name} (${state.dimensions} dimensions, ${state.index} index)`;
  if (model === null)
    return warning(
      `Made with ${made}, and not used: EMBEDDER is none`,
      "Set the embedder again: docs/embedders.md",
    );
  if (!isSameModel(state, model))
    return problem(
      `Made with ${made}; the service is set to ${model.name} (${model.dimensions} dimensions, ${model.index} index). ` +
        "Recall is by words alone",
      REEMBED_FIX,
    );
  if (state.progress !== null)
    return warning("They are being made anew, and it is not finished", REEMBED_FIX);
  return passed(`Made with ${made}`);
}

async function checkBacklog({ DB }: Bindings, now: number): Promise<HealthFinding> {
  const [row] = await readAll<{ waiting: number; stuck: number }>(
    openDatabase(DB),
    sql`SELECT count(*) AS waiting, count(*) FILTER (WHERE attempts >= ${STUCK_ATTEMPTS}) AS stuck
      FROM vector_queue WHERE due_at <= ${now} OR attempts > 0`,
  );
  const { waiting, stuck } = row ?? { waiting: 0, stuck: 0 };
  if (stuck > 0)
    return warning(
      `${stuck} of ${waiting} that wait were refused ${STUCK_ATTEMPTS} times or more`,
      "See what is wrong with the embedder or the index: its log lines are vectors.failed",
    );
  return passed(waiting === 0 ? "Empty" : `${waiting} wait to be embedded`);
}

function checkVectorize(env: Bindings, name: string, binding: Vectorize): Promise<HealthCheck> {
  const check = name === "VECTORIZE" ? "vectorize" : `vectorize (${name})`;
  return runCheck(check, "See that the index exists: npx wrangler vectorize list", async () => {
    const { dimensions, vectorCount } = await binding.describe();
    const model = selectVectorModel(env);
    if (model !== null && model.dimensions !== dimensions)
      return problem(
        `The index has ${dimensions} dimensions, ${model.name} makes ${model.dimensions}`,
        "Create an index of that many dimensions, bind it, and run npm run reembed: docs/operations.md",
      );
    // A binding cannot list metadata indexes; what it can tell is right.
    return passed(
      `${dimensions} dimensions, ${vectorCount} vectors. Its metadata indexes only wrangler shows: ` +
        "npx wrangler vectorize list-metadata-index",
    );
  });
}
