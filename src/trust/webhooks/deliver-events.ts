// Delivers the events of a tenant to its webhooks: signed CloudEvents, at least once, with exponential back-off. An
// attempt is recorded after its response, so that a crash in between repeats it under the same event id.

import type { Database } from "../../kernel/databases/d1";
import { openTenantDatabase } from "../../kernel/databases/tenant-database";
import { type Bindings, readSettings } from "../../kernel/env";
import { hmacHex } from "../../kernel/hash";
import { parseJson } from "../../kernel/json";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kernel/time";
import { VERSION } from "../../kernel/version";
import {
  type AttemptResult,
  type DueDelivery,
  findNextDelivery,
  listDueDeliveries,
  recordAttempts,
} from "./delivery-queue";
import { checkWebhookAddress } from "./manage-webhooks";

/** The delay after each failed attempt. After the last one, the delivery is dead. */
export const RETRY_DELAYS_MS = [
  10 * SECOND_MS,
  1 * MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
];
/** A webhook that has failed for this long is disabled: its queue would otherwise grow without end. */
const DISABLE_AFTER_MS = 3 * DAY_MS;
/** The time that a receiver has to respond. */
const TIMEOUT_MS = 10 * SECOND_MS;
/** Deliveries of one round, sent at the same time: a Worker has six connections. */
const ROUND_SIZE = 5;
/** The time limit of one run, below the platform's limits; the next alarm continues. */
const MAX_RUN_MS = 20 * SECOND_MS;

/** Delivers what is due. Returns when the next delivery is, null if there is none. */
export async function deliverEvents(
  env: Bindings,
  tenant: string,
  now: () => number,
): Promise<number | null> {
  const db = openTenantDatabase(env, tenant);
  const until = now() + MAX_RUN_MS;
  while (now() < until) {
    const due = await listDueDeliveries(db, tenant, { now: now(), limit: ROUND_SIZE });
    if (due.length === 0) break;
    const allowsPrivate = readSettings(env).webhookAllowPrivate;
    const results = await Promise.all(
      due.map((delivery) => attempt(delivery, { tenant, allowsPrivate, now })),
    );
    await settle(db, tenant, results, now());
  }
  return findNextDelivery(db, tenant);
}

function settle(db: Database, tenant: string, results: readonly AttemptResult[], now: number): Promise<void> {
  return recordAttempts(db, tenant, results, {
    at: new Date(now).toISOString(),
    disableBefore: new Date(now - DISABLE_AFTER_MS).toISOString(),
  });
}

type AttemptOptions = { tenant: string; allowsPrivate: boolean; now: () => number };

async function attempt(
  delivery: DueDelivery,
  { tenant, allowsPrivate, now }: AttemptOptions,
): Promise<AttemptResult> {
  const failWith = (response_status: number | null, error: string): AttemptResult => {
    const delay = RETRY_DELAYS_MS[delivery.attempts];
    const dueAt = delay === undefined ? null : now() + delay;
    return { delivery, ok: false, response_status, error, dueAt };
  };
  // The setting may have changed since the webhook was made.
  const problem = checkWebhookAddress(delivery.url, allowsPrivate);
  if (problem !== null) return failWith(null, `The URL ${problem}`);
  const body = JSON.stringify(toCloudEvent(tenant, delivery));
  const seconds = Math.floor(now() / SECOND_MS);
  try {
    const response = await fetch(delivery.url, {
      method: "POST",
      headers: {
        "Content-Type": "application/cloudevents+json",
        "User-Agent": `Kioku/${VERSION}`,
        "Kioku-Signature": `t=${seconds},v1=${await hmacHex(delivery.secret, `${seconds}.${body}`)}`,
      },
      body,
      // A redirect could lead to an address that was never checked.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // The status is all that counts: an endless body is not read.
    await response.body?.cancel();
    if (response.ok) return { delivery, ok: true, response_status: response.status, error: null };
    return failWith(response.status, `The receiver answered ${response.status}`);
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    return failWith(
      null,
      isTimeout ? `No answer within ${TIMEOUT_MS / SECOND_MS} s` : "The receiver could not be reached",
    );
  }
}

/** Returns the event in the JSON format of CloudEvents 1.0. */
function toCloudEvent(tenant: string, { id, type, subject, time, data }: DueDelivery) {
  return {
    specversion: "1.0",
    id,
    source: `/tenants/${tenant}`,
    type,
    subject,
    time,
    datacontenttype: "application/json",
    data: parseJson<object>(data),
  };
}
