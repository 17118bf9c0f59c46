// Whether a running service has what it needs, check by check. It only looks, and looks on when something is broken.
import { embedderOf } from "../../models/embedders/select-embedder";
import { languageModelOf } from "../../models/language/select-language-model";
import { openDatabase } from "../../platform/d1";
import { type Bindings, readSettings } from "../../platform/env";
import { appliedMigrations, MIGRATIONS } from "../../store/required-migrations";
import { modelOf } from "../../vectors/semantic-services";
import { broken, type Check, check, type Finding, fine, warn } from "./health-check";
import { overdue } from "./overdue-work";
import { queue, vectorize, vectors } from "./vector-index-checks";

const APPLY = "Run npx wrangler d1 migrations apply kioku --remote (npm start does it for local data)";
const NEEDED = ["DB", "SESSIONS", "PROJECTS", "INDEXER", "VECTOR_INDEX", "ASSETS"] as const;
/** As many hex digits as 128 bits have: below it a key can be guessed. */
const KEY_CHARS = 32;

export async function examine(env: Bindings, now: number): Promise<Check[]> {
  return Promise.all([
    check("admin key", "Set the secret ADMIN_KEY", () => adminKey(env)),
    check("bindings", "Deploy with the bindings of wrangler.toml", () => bindings(env)),
    check("settings", "Put the setting right and restart", () => {
      readSettings(env);
      return fine("All settings can be read");
    }),
    check("migrations", APPLY, () => migrations(env)),
    check("embedder", "Put the setting right and restart: docs/embedders.md", () => embedder(env)),
    check("vectors", APPLY, () => vectors(env)),
    check("vector queue", APPLY, () => queue(env, now)),
    ...(env.VECTORIZE === undefined ? [] : [vectorize(env, env.VECTORIZE)]),
    check("language model", "Put the setting right and restart: docs/language-model.md", () => {
      const model = languageModelOf(env);
      return fine(model === null ? "None is asked for, and none is needed" : model.name);
    }),
    check("cron", APPLY, () => overdue(env, now)),
  ]);
}

function adminKey({ ADMIN_KEY = "" }: Bindings): Finding {
  if (ADMIN_KEY.length >= KEY_CHARS) return fine("ADMIN_KEY is set");
  return warn(
    `ADMIN_KEY has fewer than ${KEY_CHARS} characters, and opens everything`,
    "Set a longer one, such as openssl rand -hex 32 gives",
  );
}

function bindings(env: Bindings): Finding {
  const missing = NEEDED.filter((name) => env[name] === undefined);
  if (missing.length === 0) return fine(`${NEEDED.join(", ")} are bound`);
  return broken(`Not bound: ${missing.join(", ")}`, "Add them as wrangler.toml has them, and deploy again");
}

async function migrations({ DB }: Bindings): Promise<Finding> {
  const applied = await appliedMigrations(openDatabase(DB));
  const missing = MIGRATIONS.filter((name) => !applied?.includes(name));
  if (missing.length > 0) return broken(`Not applied: ${missing.join(", ")}`, APPLY);
  const newer = (applied ?? []).filter((name) => !MIGRATIONS.includes(name));
  if (newer.length > 0)
    return warn(`The database is newer than the service: ${newer.join(", ")}`, "Deploy the newer version");
  return fine(`All ${MIGRATIONS.length} are applied, up to ${MIGRATIONS.at(-1)}`);
}

/** A word is embedded, so that a service that does not answer is found here and not by a user. */
async function embedder(env: Bindings): Promise<Finding> {
  const embedder = embedderOf(env);
  const model = modelOf(env);
  if (embedder === null || model === null)
    return warn("EMBEDDER is none: recall is by words alone", "Choose one: docs/embedders.md");
  const [vector] = await embedder.embed(["doctor"], "query");
  const { name, dimensions } = model;
  if (vector?.length === dimensions) return fine(`${name}, ${dimensions} dimensions`);
  return broken(
    `${name} makes ${vector?.length ?? 0} dimensions, and is set to ${dimensions}`,
    "Put EMBEDDING_DIMENSIONS right: docs/embedders.md",
  );
}
