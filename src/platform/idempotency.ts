// The idempotency key of a call, as it travels from the HTTP layer to the object or batch that stores it.

/**
 * `op` is the key bound to its method and path, `fingerprint` a digest of the body and the query; null for a call without a
 * key.
 */
export type Idempotency = { op: string; fingerprint: string } | null;
