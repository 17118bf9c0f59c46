// One tenant's indexer: the only writer of its vectors. A thin shell over src/indexing/embedding-indexer: storage, alarm, RPC.
import { DurableObject } from "cloudflare:workers";
import { EmbeddingIndexer, MAX_RUN_MS, WAKE_DELAY_MS } from "../src/indexing/embedding-indexer";
import { openDatabase } from "../src/platform/d1";
import type { Bindings } from "../src/platform/env";
import { createTelemetry } from "../src/platform/telemetry";
import { countQueuedVectors } from "../src/store/vectors/vector-queue";
import { readVectorState } from "../src/store/vectors/vector-state";
import { createSemanticServices, type IndexerRpc, openVectorIndex } from "../src/vectors/semantic-services";
import type { VectorKind } from "../src/vectors/vector-index";

const TENANT = "tenant";

export class IndexerObject extends DurableObject<Bindings> implements IndexerRpc {
  /** The clock, in milliseconds. A field, so that a test can set it. */
  now: () => number = () => Date.now();

  #indexer: EmbeddingIndexer | null = null;
  #running: Promise<number | null> = Promise.resolve(null);

  /** The work waits a moment, so that writes that follow each other share it. */
  async wake(tenant: string): Promise<void> {
    await this.ctx.storage.put(TENANT, tenant);
    await this.#alarmBy(this.now() + WAKE_DELAY_MS);
  }

  async drain(tenant: string): Promise<number> {
    await this.#run(tenant);
    return countQueuedVectors(openDatabase(this.env.DB), tenant);
  }

  async remove(tenant: string, kind: VectorKind, ids: string[]): Promise<number> {
    const state = await readVectorState(openDatabase(this.env.DB));
    if (state === null) return 0;
    const index = openVectorIndex(this.env, tenant, state);
    return this.#open(tenant)?.remove(index, kind, ids) ?? index.remove(kind, ids);
  }

  override async alarm(): Promise<void> {
    const tenant = await this.ctx.storage.get<string>(TENANT);
    if (tenant === undefined) return;
    const next = await this.#run(tenant);
    if (next !== null) await this.#alarmBy(Math.max(next, this.now() + WAKE_DELAY_MS));
  }

  /** An earlier alarm stays: whoever set it wrote something that the run did not see. */
  async #alarmBy(time: number): Promise<void> {
    const at = await this.ctx.storage.getAlarm();
    if (at === null || at > time) await this.ctx.storage.setAlarm(time);
  }

  /** One run at a time. */
  #run(tenant: string): Promise<number | null> {
    this.#running = this.#running
      .catch(() => null)
      .then(() => this.#open(tenant)?.run(this.now() + MAX_RUN_MS) ?? null);
    return this.#running;
  }

  /** Null when no embedder is configured. */
  #open(tenant: string): EmbeddingIndexer | null {
    const semantic = createSemanticServices(this.env, tenant);
    if (semantic === null) return null;
    this.#indexer ??= new EmbeddingIndexer({
      ...semantic,
      db: openDatabase(this.env.DB),
      tenant,
      telemetry: createTelemetry(this.env.TELEMETRY),
      now: () => this.now(),
    });
    return this.#indexer;
  }
}
