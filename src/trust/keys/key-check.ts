// Compares a remembered key with the database, within the first access to D1 of the call that uses it.

import { type SQL, sql } from "drizzle-orm";
import type { D1Check } from "../../kernel/databases/checked-d1";
import { renderStatement } from "../../kernel/databases/d1";
import { failure } from "../../kernel/errors";
import { forgetKeys, type KeyOfCaller } from "../../kernel/known-keys";
import { EXTENSION_VERSIONS } from "../../ontology/tenant-ontology";
import { HAS_CAPABILITIES, PRIVACY } from "./key-repository";

/**
 * `pending` until D1 is reached. `revoked`: the key is gone. `changed`: its end, its tenant's privacy policies or ontology, or the
 * existence of capabilities differ from what was remembered, so the call has to begin again.
 */
type KeyCheckState = "pending" | "passed" | "revoked" | "changed";

export type KeyCheck = D1Check & {
  readonly state: () => KeyCheckState;
  /** Notes that the call has changed something: it cannot begin again, and goes on with what was remembered. */
  noteEffect: () => void;
};

export const UNKNOWN_KEY = "This key is not known. It was deleted, or mistyped.";

export function createKeyCheck(key: KeyOfCaller): KeyCheck {
  let state: KeyCheckState = "pending";
  let hasEffect = false;
  const fail = () =>
    state === "revoked"
      ? failure("unauthorized", UNKNOWN_KEY)
      : failure("unavailable", "The key or its tenant's policies have just changed. Send the call again.", {
          retryAfterSeconds: 1,
        });
  return {
    statement: renderStatement(selectCurrent(key)),
    state: () => state,
    noteEffect() {
      if (state === "revoked" || state === "changed") throw fail();
      if (state === "pending") hasEffect = true;
    },
    isNeeded() {
      if (state === "revoked" || state === "changed") throw fail();
      return state === "pending";
    },
    passes,
    accept(rows) {
      if (state === "passed") return;
      const [row] = rows;
      if (passes(rows)) {
        state = "passed";
        return;
      }
      forgetKeys({ id: key.id });
      if (row !== undefined && hasEffect) {
        state = "passed";
        return;
      }
      state = row === undefined ? "revoked" : "changed";
      throw fail();
    },
  };
}

function passes([row]: readonly unknown[]): boolean {
  return row !== undefined && Object.values(row as object)[0] === 1;
}

/** Selects 1 if everything that was remembered with the key still holds; no row if the key is gone. */
function selectCurrent({ id, expires_at, hasCapabilities, storedPrivacy, ontology }: KeyOfCaller): SQL {
  return sql`SELECT expires_at IS ${expires_at} AND ${HAS_CAPABILITIES} = ${hasCapabilities ? 1 : 0}
      AND ${PRIVACY} IS ${storedPrivacy} AND ${EXTENSION_VERSIONS} IS ${ontology.version} AS passes
    FROM api_keys WHERE id = ${id}`;
}
