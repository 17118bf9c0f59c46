// The quotas of a tenant: what it may store, and what it stores. Pure.
import { type Failure, FailureError, fail } from "../kernel/errors";

export const QUOTA_KINDS = ["memories", "messages", "sessions", "episodes", "bytes"] as const;
export type QuotaKind = (typeof QUOTA_KINDS)[number];

/** What a tenant stores. */
export type TenantUsage = Record<QuotaKind, number>;

/** The most that a tenant may store; 0 is no limit. */
export type TenantQuotas = Record<QuotaKind, number>;

export const NO_USAGE: TenantUsage = { memories: 0, messages: 0, sessions: 0, episodes: 0, bytes: 0 };

/** The quotas that are used up, each with the failure that names it. */
export type ExceededQuotas = ReadonlyMap<QuotaKind, Failure>;

/** Returns the quotas that are used up. A call that begins below a quota is served whole. */
export function listExceeded(usage: TenantUsage, quotas: TenantQuotas): ExceededQuotas {
  return new Map(
    QUOTA_KINDS.filter((kind) => quotas[kind] > 0 && usage[kind] >= quotas[kind]).map((kind) => [
      kind,
      fail(
        "limit_exceeded",
        `This tenant has ${usage[kind]} ${kind}, and its quota of ${kind} is ${quotas[kind]}. Erase some, or ask the operator to raise the quota.`,
      ).failure,
    ]),
  );
}

/** The least room of a tenant whose usage may be some seconds old, as a share of the quota and in rows or bytes. */
const AMPLE_SHARE = 0.1;
const AMPLE_ROOM: TenantUsage = {
  memories: 1_000,
  messages: 1_000,
  sessions: 1_000,
  episodes: 1_000,
  bytes: 10_000_000,
};

/** Whether a tenant is so far from all its quotas that calls of a few seconds do not use them up. */
export function hasAmpleRoom(usage: TenantUsage, quotas: TenantQuotas): boolean {
  return QUOTA_KINDS.every((kind) => {
    const quota = quotas[kind];
    return quota === 0 || quota - usage[kind] >= Math.max(quota * AMPLE_SHARE, AMPLE_ROOM[kind]);
  });
}

/** Throws `limit_exceeded` if one of these quotas is used up. */
export function requireQuota(usage: TenantUsage, quotas: TenantQuotas, kinds: readonly QuotaKind[]): void {
  const failure = findExceeded(listExceeded(usage, quotas), kinds);
  if (failure !== null) throw new FailureError(failure);
}

/** Returns the failure of the first of these quotas that is used up. */
export function findExceeded(exceeded: ExceededQuotas, kinds: readonly QuotaKind[]): Failure | null {
  for (const kind of kinds) {
    const failure = exceeded.get(kind);
    if (failure !== undefined) return failure;
  }
  return null;
}
