// One tenant's indexer, the only writer of its vectors: RPC, storage and alarm of src/recall/index/embedding-indexer.ts.

import { DurableObject } from "cloudflare:workers";
import { ObjectAlarm } from "../src/kernel/alarm";
import type { Bindings } from "../src/kernel/env";
import { type CompactibleObject, compactObjectFile } from "../src/kernel/file-compactor";
import type { VectorKind } from "../src/kernel/tables";
import { IndexerRunner, WAKE_DELAY_MS } from "../src/recall/index/embedding-indexer";
import { waitForPause } from "../src/recall/index/indexing";
import type { ErasableIndexer } from "../src/recall/vectors/semantic-services";

const TENANT = "tenant";

export class IndexerObject extends DurableObject<Bindings> implements ErasableIndexer, CompactibleObject {
  /** The clock in milliseconds, a field so that tests can set it. */
  now: () => number = () => Date.now();

  readonly #runner = new IndexerRunner(this.env, () => this.now());
  readonly #alarm = new ObjectAlarm(this.ctx.storage, () => this.now());
  /** The stored name; undefined until it is read. */
  #tenant: string | undefined;

  /** Delays the run, so that the writes until then share it. */
  async wake(tenant: string): Promise<number> {
    const now = this.now();
    return (await this.#scheduleRun(tenant, now + WAKE_DELAY_MS)) - now;
  }

  async drain(tenant: string): Promise<number> {
    const next = await this.#runner.run(tenant);
    if (next !== null) await this.#scheduleRun(tenant, next);
    return this.#runner.countBacklog(tenant);
  }

  remove(tenant: string, kind: VectorKind, ids: string[]): Promise<number> {
    return this.#runner.remove(tenant, kind, ids);
  }

  async erase(tenant: string): Promise<void> {
    await this.#runner.clear(tenant);
    await this.ctx.storage.deleteAll();
    this.#tenant = undefined;
    this.#alarm.markDeleted();
  }

  compactFile(): Promise<boolean> {
    return compactObjectFile(this.ctx, this.env.FILE_COMPACTOR, "IndexerObject");
  }

  override async alarm(): Promise<void> {
    await this.#alarm.read();
    const tenant = await this.#readTenant();
    if (tenant === undefined) return;
    await waitForPause(tenant);
    const next = await this.#runner.run(tenant);
    if (next !== null) await this.#scheduleRun(tenant, Math.max(next, this.now() + WAKE_DELAY_MS));
  }

  /** Returns when the run is due. Keeps an earlier alarm: it belongs to a write that the last run did not see. */
  async #scheduleRun(tenant: string, due: number): Promise<number> {
    if (!this.#alarm.isRead) await this.#alarm.read();
    const isKnown = (await this.#readTenant()) === tenant;
    this.#tenant = tenant;
    const [next] = await Promise.all([
      this.#alarm.setNoLater(due),
      isKnown ? null : this.ctx.storage.put(TENANT, tenant),
    ]);
    return next;
  }

  async #readTenant(): Promise<string | undefined> {
    this.#tenant ??= await this.ctx.storage.get<string>(TENANT);
    return this.#tenant;
  }
}
