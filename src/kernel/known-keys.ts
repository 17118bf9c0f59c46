// Remembers for some seconds the keys that calls were made with, so that a busy key costs no read of D1. Each isolate
// remembers its own. The first access to D1 of a call compares what was remembered with the database: see `key-check.ts`.

import type { TenantOntology } from "../ontology/tenant-ontology";
import type { ApiKey } from "../trust/keys/administration-schemas";
import type { PrivacyRules } from "../trust/privacy/privacy-policy";
import type { TenantUsage } from "../trust/quotas";
import { SECOND_MS } from "./time";

/**
 * A key, whether any agent of its tenant has capabilities, because only then are its calls compared with them, what
 * the tenant stores, its privacy policies, and its ontology.
 */
export type KeyOfCaller = ApiKey & {
  hasCapabilities: boolean;
  usage: TenantUsage;
  privacy: PrivacyRules;
  /** The privacy policies as they are stored; null for a tenant without any. */
  storedPrivacy: string | null;
  ontology: TenantOntology;
};

const REMEMBERED_MS = 10 * SECOND_MS;
/** A few megabytes. */
const MAX_KEYS = 5_000;

/** By the hash of the secret. */
const known = new Map<string, { key: KeyOfCaller; at: number }>();

/** Counts the changes of keys in this isolate: a lookup that began before one may have read the old state. */
let changes = 0;

export function countKeyChanges(): number {
  return changes;
}

/** Returns a key that was looked up just now. A clock that was set back forgets it, too. */
export function findKnownKey(hash: string, now: number): KeyOfCaller | null {
  const entry = known.get(hash);
  return entry === undefined || now < entry.at || now >= entry.at + REMEMBERED_MS ? null : entry.key;
}

/** Remembers a key that was looked up at a time, unless keys have changed since the lookup began. */
export function rememberKey(hash: string, key: KeyOfCaller, lookup: { at: number; changes: number }): void {
  if (lookup.changes !== changes) return;
  if (known.size >= MAX_KEYS)
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  known.delete(hash);
  known.set(hash, { key, at: lookup.at });
}

/** Forgets keys after a change: the one with a hash or an id, or all keys of a tenant. */
export function forgetKeys(which: { hash: string } | { id: string } | { tenant: string }): void {
  if ("hash" in which) {
    if (known.delete(which.hash)) changes += 1;
    return;
  }
  changes += 1;
  for (const [hash, { key }] of known)
    if ("id" in which ? key.id === which.id : key.tenant === which.tenant) known.delete(hash);
}
