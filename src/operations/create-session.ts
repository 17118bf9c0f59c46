// Creates a session.
import { unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type { Session, SessionCreate } from "../schemas/session";
import { type IdempotentReply, runIdempotent } from "./run-idempotent";
import type { Services } from "./services";

/**
 * The session's object stores the key with its record, so that a repeated call after a crash finds the session. D1 stores
 * it too, because the body names the object: a key that is reused with another id reaches an object that has never seen it.
 */
export function createSession(
  { tenant, store, session }: Services,
  input: SessionCreate,
  idempotency: Idempotency,
): Promise<IdempotentReply<Session>> {
  // A repeated call must reach the same object, so the default id is derived from the key.
  const id = input.id ?? (idempotency === null ? crypto.randomUUID() : idempotency.op.slice(0, 32));
  return runIdempotent(store, idempotency, async () => ({
    status: 201,
    body: unwrap(await session(id).create({ tenant, id }, input, idempotency)),
  }));
}
