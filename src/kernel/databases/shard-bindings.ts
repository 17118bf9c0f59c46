// The databases that are bound: `DB`, and further ones as `DB_1`, `DB_2` and so on. `DB` also has the directory of tenants,
// the keys and the audit log. A further database may have a Vectorize index of its own, `VECTORIZE_1` for `DB_1`; without
// one, the vectors of its tenants are in `VECTORIZE`.
import type { Bindings } from "../env";
import { failure } from "../errors";

export type ShardName = "DB" | `DB_${number}`;

export type DatabaseShard = { name: ShardName; d1: D1Database };

/** The first database, where every tenant is unless it was moved. */
export const HOME_SHARD = "DB" satisfies ShardName;

const NUMBERED = /^DB_[1-9]\d*$/;

export function isShardName(name: string): name is ShardName {
  return name === HOME_SHARD || NUMBERED.test(name);
}

/** Lists the bound databases, by number. */
export function listShards(env: Bindings): [DatabaseShard, ...DatabaseShard[]] {
  const further = Object.keys(env)
    .filter((name): name is `DB_${number}` => NUMBERED.test(name))
    .toSorted((a, b) => readNumber(a) - readNumber(b))
    .flatMap((name) => {
      const d1 = env[name];
      return d1 === undefined ? [] : [{ name, d1 }];
    });
  return [{ name: HOME_SHARD, d1: env.DB }, ...further];
}

function readNumber(name: string): number {
  return Number(name.slice("DB_".length));
}

/** Whether tenants may be in other databases than `DB`. */
export function hasShards(env: Bindings): boolean {
  return Object.keys(env).some((name) => NUMBERED.test(name));
}

/** Returns a database by its name. Throws `not_configured` if it is not bound. */
export function getShard(env: Bindings, name: ShardName): D1Database {
  const d1 = env[name];
  if (d1 !== undefined) return d1;
  throw failure(
    "not_configured",
    `The database ${name} has tenants and is not bound: add its [[d1_databases]] binding again.`,
  );
}

type IndexBinding = "VECTORIZE" | `VECTORIZE_${number}`;

/** Returns the binding of a database's own Vectorize index. */
function toIndexBinding(shard: ShardName): IndexBinding {
  return shard === HOME_SHARD ? "VECTORIZE" : `VECTORIZE_${readNumber(shard)}`;
}

/** Returns the Vectorize index of a database's tenants; undefined if Vectorize is not used. */
export function getVectorize(env: Bindings, shard: ShardName): Vectorize | undefined {
  return env.VECTORIZE && (env[toIndexBinding(shard)] ?? env.VECTORIZE);
}

/** Lists the Vectorize indexes that are bound. */
export function listIndexes(env: Bindings): { name: IndexBinding; index: Vectorize }[] {
  if (env.VECTORIZE === undefined) return [];
  return listShards(env).flatMap((shard) => {
    const name = toIndexBinding(shard.name);
    const index = env[name];
    return index === undefined ? [] : [{ name, index }];
  });
}

/** Whether tenants may have their vectors in other Vectorize indexes than `VECTORIZE`. */
export function hasSeveralIndexes(env: Bindings): boolean {
  return hasShards(env) && listIndexes(env).length > 1;
}
