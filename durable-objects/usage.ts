// Counts the uses of one tenant's memories and episodes: stores each use, and adds many of them at once to the counts in
// D1. RPC and alarm of src/memories/usage/use-log.ts.
import { DurableObject } from "cloudflare:workers";
import { ObjectAlarm } from "../src/kernel/alarm";
import { openTenantDatabase } from "../src/kernel/databases/tenant-database";
import type { Bindings } from "../src/kernel/env";
import { logDefect } from "../src/kernel/errors";
import { type CompactibleObject, compactObjectFile } from "../src/kernel/file-compactor";
import { USAGE_FLUSH } from "../src/kernel/limits";
import type { Use, UsedKind } from "../src/memories/usage/apply-use";
import { createUsageRepository } from "../src/memories/usage/usage-counts";
import { type UsageRpc, UseLog } from "../src/memories/usage/use-log";

export class UsageObject extends DurableObject<Bindings> implements UsageRpc, CompactibleObject {
  /** The clock in milliseconds, a field so that tests can set it. */
  now: () => number = () => Date.now();

  readonly #log = new UseLog(this.ctx.storage);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, () => this.now());
  #flushing: Promise<boolean> | null = null;

  async record(tenant: string, use: Use): Promise<void> {
    if ((this.#log.read()?.pending.length ?? 0) >= USAGE_FLUSH.maxPending) {
      console.error(JSON.stringify({ event: "usage.dropped", tenant }));
      return;
    }
    this.#log.append(tenant, use);
    const pending = this.#log.read()?.pending.length ?? 0;
    // The caller does not wait for the flush, and a failed one is repeated by the alarm.
    if (pending >= USAGE_FLUSH.uses) this.ctx.waitUntil(this.flush());
    if (!this.#alarm.isRead) await this.#alarm.read();
    await this.#alarm.setNoLater(this.now() + USAGE_FLUSH.afterMs);
  }

  async listPending(): Promise<Use[]> {
    const pending = this.#log.read()?.pending ?? [];
    return pending.map(({ number: _number, slot: _slot, ...use }) => use);
  }

  /** Concurrent calls share one flush. */
  flush(): Promise<boolean> {
    this.#flushing ??= this.#tryFlush().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async forget(kind: UsedKind, ids: string[]): Promise<void> {
    this.#log.remove(kind, ids);
  }

  async erase(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.#log.reset();
    this.#alarm.markDeleted();
  }

  compactFile(): Promise<boolean> {
    return compactObjectFile(this.ctx, this.env.FILE_COMPACTOR, "UsageObject");
  }

  override async alarm(): Promise<void> {
    await this.#alarm.read();
    const [oldest, ...others] = this.#log.read()?.pending ?? [];
    if (oldest === undefined) return;
    // A few uses would write about as many rows as they are: they wait for more.
    const latest = Date.parse(oldest.at) + USAGE_FLUSH.fewAfterMs;
    if (1 + others.length < USAGE_FLUSH.few && latest > this.now()) await this.#alarm.set(latest);
    else await this.flush();
  }

  async #tryFlush(): Promise<boolean> {
    try {
      await this.#addToCounts();
      return true;
    } catch (error) {
      logDefect("usage.error", error);
      if (!this.#alarm.isRead) await this.#alarm.read();
      await this.#alarm.setNoLater(this.now() + USAGE_FLUSH.retryMs);
      return false;
    }
  }

  async #addToCounts(): Promise<void> {
    // In parts: what has waited for D1 may be more than one statement takes.
    while (await this.#addSomeToCounts());
  }

  /** Adds the oldest uses to the counts. Returns whether there were any. */
  async #addSomeToCounts(): Promise<boolean> {
    const log = this.#log.read();
    const uses = (log?.pending ?? []).slice(0, USAGE_FLUSH.uses);
    const last = uses.at(-1);
    if (log === null || last === undefined) return false;
    const counts = createUsageRepository({
      db: openTenantDatabase(this.env, log.tenant),
      tenant: log.tenant,
    });
    const { memories, episodes } = await counts.apply(log.name, uses);
    this.#log.markFlushed(last.number);
    // A use may be stored after its record was erased.
    this.#log.remove("memory", memories);
    this.#log.remove("episode", episodes);
    return true;
  }
}
