// Queues the events of a change for delivery, in the batch of the change: an event exists if and only if its change
// does. Each statement starts from the webhooks of the tenant, so that it reads and writes nothing if there are none.
import { type SQL, sql } from "drizzle-orm";
import type { WebhookEvent } from "../trust/webhooks/webhook-schemas";
import { runBatch } from "./databases/d1";
import { randomHex } from "./hash";
import type { StoreContext } from "./store-context";

/** Returned by a statement that has queued something. */
const QUEUED = "webhook.queued";

/** Queues an event of each memory that `which` selects (a SELECT of `id`, and of `by` if the event names another one). */
export function queueMemoryEvents(
  tenant: string,
  type: WebhookEvent,
  which: SQL,
  { at, hasSuccessor = false }: { at: string; hasSuccessor?: boolean },
): SQL {
  const successor = hasSuccessor ? sql`, 'superseded_by', c.by` : sql``;
  return sql`INSERT INTO webhook_deliveries (tenant, webhook_id, id, type, subject, data, time, status, attempts, due_at)
    SELECT w.tenant, w.id, ${nameEvents()} || row_number() OVER (PARTITION BY w.id ORDER BY m.seq), ${type},
      'memories/' || m.id,
      json_object('memory_id', m.id, 'memory_type', m.type, 'session_id', m.session_id, 'user_id', m.user_id,
        'agent_id', m.agent_id, 'project_id', m.project_id${successor}),
      ${at}, 'pending', 0, 0
    FROM ${selectSubscribers(tenant, type)} w CROSS JOIN (${which}) c
    CROSS JOIN memories m ON m.tenant = w.tenant AND m.id = c.id WHERE true
    RETURNING ${QUEUED} AS queued`;
}

/** Queues one event. `id` makes a repeated call a no-op. */
export function queueEvent(
  tenant: string,
  event: { type: WebhookEvent; subject: string; data: object; at: string; id?: string },
): SQL {
  const { type, subject, data, at, id = `${nameEvents()}1` } = event;
  return sql`INSERT OR IGNORE INTO webhook_deliveries
      (tenant, webhook_id, id, type, subject, data, time, status, attempts, due_at)
    SELECT w.tenant, w.id, ${id}, ${type}, ${subject}, ${JSON.stringify(data)}, ${at}, 'pending', 0, 0
    FROM ${selectSubscribers(tenant, type)} w WHERE true RETURNING ${QUEUED} AS queued`;
}

function selectSubscribers(tenant: string, type: WebhookEvent): SQL {
  return sql`(SELECT tenant, id FROM webhooks WHERE tenant = ${tenant} AND disabled_at IS NULL
    AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ${type}))`;
}

/** Returns the start of the ids of one statement's events. A batch that is built again has other ids, and one is applied. */
function nameEvents(): string {
  return `evt_${randomHex(12)}_`;
}

/** Runs a batch that may queue events, and wakes the deliverer if it did. */
export async function runEventBatch(
  { db, wakeDeliverer }: Pick<StoreContext, "db" | "wakeDeliverer">,
  statements: readonly SQL[],
): Promise<unknown[][]> {
  const results = await runBatch(db, statements);
  const hasQueued = results.some(([row]) => (row as { queued?: unknown } | undefined)?.queued === QUEUED);
  if (hasQueued) wakeDeliverer();
  return results;
}
