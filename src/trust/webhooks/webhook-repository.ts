// Webhooks of a tenant, and their deliveries as the tenant sees them.

import { type SQL, sql } from "drizzle-orm";
import { readAll, runBatch } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { fail, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { parseJson } from "../../kernel/json";
import { WEBHOOKS } from "../../kernel/limits";
import { applyOnce } from "../../kernel/operation-log";
import { queueEvent, runEventBatch } from "../../kernel/queue-events";
import type { StoreContext } from "../../kernel/store-context";
import type { webhookDeliveries, webhooks } from "../../kernel/tables";
import type { Webhook, WebhookDelivery } from "./webhook-schemas";

type WebhookRow = Omit<typeof webhooks.$inferSelect, "tenant" | "secret">;
type DeliveryRow = Omit<typeof webhookDeliveries.$inferSelect, "tenant" | "webhook_id" | "data">;

export type DeliveryPage = {
  status: WebhookDelivery["status"] | undefined;
  limit: number;
  /** The `seq` of the last delivery of the page before. */
  after: number | null;
};

export function createWebhookRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, removes, unmasked, writes } = declareMethods(context);

  const select = (where: SQL) =>
    readAll<WebhookRow>(
      db,
      sql`SELECT id, url, events, created_at, failing_since, disabled_at FROM webhooks
        WHERE tenant = ${tenant} AND ${where} ORDER BY created_at, id`,
    );
  return {
    // The gate would mask the secret, which signs deliveries.
    create: unmasked((webhook: Webhook, secret: string, operation: Idempotency) =>
      createWebhook(context, { webhook, secret, operation }),
    ),

    /** Lists all webhooks, oldest first: there are only a few. */
    list: reads(async (): Promise<Webhook[]> => (await select(sql`true`)).map(toWebhook)),

    find: reads(async (id: string): Promise<Webhook | null> => {
      const [row] = await select(sql`id = ${id}`);
      return row === undefined ? null : toWebhook(row);
    }),

    /** Deletes a webhook with its deliveries. Returns whether it existed. */
    delete: removes(async (id: string): Promise<boolean> => {
      const [deleted] = await runBatch(db, [
        sql`DELETE FROM webhooks WHERE tenant = ${tenant} AND id = ${id} RETURNING id`,
        sql`DELETE FROM webhook_deliveries WHERE tenant = ${tenant} AND webhook_id = ${id}`,
      ]);
      return deleted?.length === 1;
    }),

    /** Lists the deliveries of a webhook, newest first. */
    listDeliveries: reads(
      async (
        id: string,
        { status, limit, after }: DeliveryPage,
      ): Promise<(WebhookDelivery & { seq: number })[]> => {
        const rows = await readAll<DeliveryRow>(
          db,
          sql`SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE tenant = ${tenant} AND webhook_id = ${id}
          ${status === undefined ? sql`` : sql`AND status = ${status}`}
          ${after === null ? sql`` : sql`AND seq < ${after}`} ORDER BY seq DESC LIMIT ${limit}`,
        );
        return rows.map((row) => ({ seq: row.seq, ...toDelivery(row) }));
      },
    ),

    findDelivery: reads(async (webhookId: string, id: string): Promise<WebhookDelivery | null> => {
      const [row] = await readAll<DeliveryRow>(
        db,
        sql`SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries
          WHERE tenant = ${tenant} AND webhook_id = ${webhookId} AND id = ${id}`,
      );
      return row === undefined ? null : toDelivery(row);
    }),

    /** Makes a dead delivery pending again. Returns whether it was dead. */
    retry: writes(async (webhookId: string, id: string): Promise<boolean> => {
      const [rows] = await runBatch(db, [
        sql`UPDATE webhook_deliveries SET status = 'pending', attempts = 0, due_at = 0
          WHERE tenant = ${tenant} AND webhook_id = ${webhookId} AND id = ${id} AND status = 'dead' RETURNING id`,
      ]);
      if (rows?.length !== 1) return false;
      context.wakeDeliverer();
      return true;
    }),

    /** Queues an event of its own, apart from any other change. A repeated id is queued once. */
    queue: writes(async (event: Parameters<typeof queueEvent>[1]): Promise<void> => {
      await runEventBatch(context, [queueEvent(tenant, event)]);
    }),
  };
}

/** Stores a webhook unless the tenant has as many as it may. */
function createWebhook(
  context: StoreContext,
  { webhook, secret, operation }: { webhook: Webhook; secret: string; operation: Idempotency },
): Promise<Result<Webhook>> {
  const { db, tenant } = context;
  return applyOnce(context, operation, async () => {
    const count = sql`(SELECT count(*) FROM webhooks WHERE tenant = ${tenant})`;
    const [row] = await readAll<{ count: number }>(db, sql`SELECT ${count} AS count`);
    if ((row?.count ?? 0) >= WEBHOOKS.perTenant)
      return fail(
        "limit_exceeded",
        `There are ${row?.count} webhooks, the limit is ${WEBHOOKS.perTenant}. Delete one first.`,
      );
    const statements = [
      assertThat(sql`${count} < ${WEBHOOKS.perTenant}`),
      sql`INSERT INTO webhooks (tenant, id, url, events, secret, created_at) VALUES
        (${tenant}, ${webhook.id}, ${webhook.url}, ${JSON.stringify(webhook.events)}, ${secret}, ${webhook.created_at})`,
    ];
    return ok({ response: webhook, statements });
  });
}

const DELIVERY_COLUMNS = sql.raw(
  "seq, id, type, subject, time, status, attempts, due_at, attempted_at, response_status, error",
);

function toWebhook({ events, ...row }: WebhookRow): Webhook {
  return { ...row, events: parseJson<Webhook["events"]>(events) };
}

function toDelivery({ seq: _, due_at, ...row }: DeliveryRow): WebhookDelivery {
  const isPending = row.status === "pending";
  return { ...row, next_attempt_at: isPending && due_at > 0 ? new Date(due_at).toISOString() : null };
}
