// One tenant's deliverer, the only sender of its webhooks: RPC, storage and alarm of
// src/trust/webhooks/deliver-events.ts.
import { DurableObject } from "cloudflare:workers";
import { ObjectAlarm } from "../src/kernel/alarm";
import type { Bindings } from "../src/kernel/env";
import { logDefect } from "../src/kernel/errors";
import { type CompactibleObject, compactObjectFile } from "../src/kernel/file-compactor";
import { SECOND_MS } from "../src/kernel/time";
import { deliverEvents } from "../src/trust/webhooks/deliver-events";
import type { DelivererRpc } from "../src/trust/webhooks/delivery-queue";

const TENANT = "tenant";
/** Delays the run a little, so that a burst of writes shares it. */
const WAKE_DELAY_MS = 20;
/** The delay after a run that failed as a whole, as when D1 does not answer. */
const FAILED_RUN_MS = 30 * SECOND_MS;

export class WebhookObject extends DurableObject<Bindings> implements DelivererRpc, CompactibleObject {
  /** The clock in milliseconds, a field so that tests can set it. */
  now: () => number = () => Date.now();

  readonly #alarm = new ObjectAlarm(this.ctx.storage, () => this.now());

  async wake(tenant: string): Promise<void> {
    await this.#scheduleRun(tenant, this.now() + WAKE_DELAY_MS);
  }

  compactFile(): Promise<boolean> {
    return compactObjectFile(this.ctx, this.env.FILE_COMPACTOR, "WebhookObject");
  }

  override async alarm(): Promise<void> {
    await this.#alarm.read();
    const tenant = await this.ctx.storage.get<string>(TENANT);
    if (tenant === undefined) return;
    const next = await this.#run(tenant);
    if (next !== null) await this.#scheduleRun(tenant, Math.max(next, this.now() + WAKE_DELAY_MS));
  }

  async #run(tenant: string): Promise<number | null> {
    try {
      return await deliverEvents(this.env, tenant, () => this.now());
    } catch (error) {
      logDefect("webhooks.error", error);
      return this.now() + FAILED_RUN_MS;
    }
  }

  /** Keeps an earlier alarm: it belongs to a write that the last run did not see. */
  async #scheduleRun(tenant: string, due: number): Promise<void> {
    if (!this.#alarm.isRead) await this.#alarm.read();
    await Promise.all([this.ctx.storage.put(TENANT, tenant), this.#alarm.setNoLater(due)]);
  }
}
