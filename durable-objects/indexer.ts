// One tenant's indexer: the only writer of its vectors. A thin shell over src/vectors/indexer: storage, alarm, RPC.
import { DurableObject } from "cloudflare:workers";
import { ObjectAlarm } from "../src/alarm";
import type { Bindings } from "../src/env";
import { INDEXING } from "../src/limits";
import { openDatabase } from "../src/long-term/database";
import { countQueue } from "../src/long-term/vector-queue";
import { readVectorState } from "../src/long-term/vector-state";
import { createTelemetry } from "../src/telemetry/telemetry";
import { Indexer } from "../src/vectors/indexer";
import { type IndexerRpc, indexOf, semanticOf } from "../src/vectors/semantic";
import type { VectorKind } from "../src/vectors/vector-index";

const TENANT = "tenant";

export class IndexerObject extends DurableObject<Bindings> implements IndexerRpc {
  /** The clock, in milliseconds. A field, so that a test can set it. */
  now: () => number = () => Date.now();

  readonly #alarm = new ObjectAlarm(this.ctx.storage, () => this.now());
  #indexer: Indexer | null = null;
  #running: Promise<number | null> = Promise.resolve(null);

  /** The work waits a moment, so that writes that follow each other share it. */
  async wake(tenant: string): Promise<void> {
    await this.#scheduleRun(tenant, this.now() + INDEXING.delayMs);
  }

  async drain(tenant: string): Promise<number> {
    const next = await this.#run(tenant);
    if (next !== null) await this.#scheduleRun(tenant, next);
    return countQueue(openDatabase(this.env.DB), tenant);
  }

  async remove(tenant: string, kind: VectorKind, ids: string[]): Promise<number> {
    const state = await readVectorState(openDatabase(this.env.DB));
    if (state === null) return 0;
    const index = indexOf(this.env, tenant, state);
    return this.#open(tenant)?.remove(index, kind, ids) ?? index.remove(kind, ids);
  }

  override async alarm(): Promise<void> {
    await this.#alarm.read();
    const tenant = await this.ctx.storage.get<string>(TENANT);
    if (tenant === undefined) return;
    const next = await this.#run(tenant);
    if (next !== null) await this.#scheduleRun(tenant, Math.max(next, this.now() + INDEXING.delayMs));
  }

  /** An earlier alarm stays: whoever set it wrote something that the run did not see. */
  async #scheduleRun(tenant: string, due: number): Promise<void> {
    if (!this.#alarm.isRead) await this.#alarm.read();
    await Promise.all([this.ctx.storage.put(TENANT, tenant), this.#alarm.setNoLater(due)]);
  }

  /** One run at a time. */
  #run(tenant: string): Promise<number | null> {
    this.#running = this.#running
      .catch(() => null)
      .then(() => this.#open(tenant)?.run(this.now() + INDEXING.runMs) ?? null);
    return this.#running;
  }

  /** Null when no embedder is configured. */
  #open(tenant: string): Indexer | null {
    const semantic = semanticOf(this.env, tenant);
    if (semantic === null) return null;
    this.#indexer ??= new Indexer({
      ...semantic,
      db: openDatabase(this.env.DB),
      tenant,
      telemetry: createTelemetry(this.env.TELEMETRY),
      now: () => this.now(),
    });
    return this.#indexer;
  }
}
