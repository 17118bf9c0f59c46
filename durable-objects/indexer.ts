// One tenant's indexer: the only writer of its vectors. A thin shell over src/vectors/indexer: storage, alarm, RPC.
import { DurableObject } from "cloudflare:workers";
import type { Bindings } from "../src/env";
import { INDEXING } from "../src/limits";
import { openDatabase } from "../src/long-term/database";
import { queueState } from "../src/long-term/vector-queue";
import { readVectorState } from "../src/long-term/vector-state";
import { createTelemetry } from "../src/telemetry/telemetry";
import { Indexer } from "../src/vectors/indexer";
import { type IndexerRpc, indexOf, semanticOf } from "../src/vectors/semantic";
import type { VectorKind } from "../src/vectors/vector-index";

const TENANT = "tenant";

export class IndexerObject extends DurableObject<Bindings> implements IndexerRpc {
  /** The clock, in milliseconds. A field, so that a test can set it. */
  now: () => number = () => Date.now();

  #indexer: Indexer | null = null;
  #running: Promise<number | null> = Promise.resolve(null);

  /** The work waits a moment, so that writes that follow each other share it. */
  async wake(tenant: string): Promise<void> {
    await this.ctx.storage.put(TENANT, tenant);
    await this.#alarmBy(this.now() + INDEXING.delayMs);
  }

  async drain(tenant: string): Promise<number> {
    await this.#run(tenant);
    return (await queueState(openDatabase(this.env.DB), tenant)).waiting;
  }

  async remove(tenant: string, kind: VectorKind, ids: string[]): Promise<number> {
    // Not beside a run, which might be about to put one of them in.
    await this.#running.catch(() => null);
    const state = await readVectorState(openDatabase(this.env.DB));
    return state === null ? 0 : indexOf(this.env, tenant, state).remove(kind, ids);
  }

  override async alarm(): Promise<void> {
    const tenant = await this.ctx.storage.get<string>(TENANT);
    if (tenant === undefined) return;
    const next = await this.#run(tenant);
    if (next !== null) await this.#alarmBy(Math.max(next, this.now() + INDEXING.delayMs));
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
      .then(async () => {
        const semantic = semanticOf(this.env, tenant);
        if (semantic === null) return null;
        this.#indexer ??= new Indexer({
          db: openDatabase(this.env.DB),
          tenant,
          embedder: semantic.embedder,
          index: semantic.index,
          telemetry: createTelemetry(this.env.TELEMETRY),
          now: () => this.now(),
        });
        return this.#indexer.run(this.now() + INDEXING.runMs);
      });
    return this.#running;
  }
}
