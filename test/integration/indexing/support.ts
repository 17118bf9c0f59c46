// Helpers of the tests of a tenant's indexer object: its clock, its alarm, and an embedder that fails when told to.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { IndexerObject } from "../../../durable-objects/indexer";
import type { SessionObject } from "../../../durable-objects/session";
import { type Embedder, EmbedderError } from "../../../src/embedding/embedder";
import { embedderOf } from "../../../src/embedding/select";
import type { Bindings } from "../../../src/env";
import { queueOf } from "../semantic-support";

export const HOUR = 3_600_000;

export type IndexerStub = DurableObjectStub<IndexerObject>;
type Stub = IndexerStub | DurableObjectStub<SessionObject>;

export function indexerStub(tenant: string): IndexerStub {
  return env.INDEXER.getByName(tenant) as unknown as IndexerStub;
}

/** Alarms follow this clock: an hour ahead is far enough for none to go off by itself. Lost with the object. */
export async function setIndexerClock(stub: IndexerStub, at: number): Promise<void> {
  await runInDurableObject<IndexerObject, void>(stub, (instance) => {
    instance.now = () => at;
  });
}

export function alarmOfIndexer(stub: IndexerStub): Promise<number | null> {
  return runInDurableObject(stub, (_instance, state) => state.storage.getAlarm());
}

/** Runs the alarms that writes have set and may still be setting, until nothing waits and the object sleeps. */
export async function settled(stub: IndexerStub, tenant: string): Promise<void> {
  await vi.waitFor(async () => {
    await runDurableObjectAlarm(stub);
    expect(await queueOf(tenant)).toEqual([]);
    expect(await alarmOfIndexer(stub)).toBeNull();
  });
}

const sound = new WeakMap<Embedder, Embedder["embed"]>();

/** Each object has an embedder of its own. */
function embedderIn(instance: unknown): { embed: Embedder["embed"] } {
  const embedder = embedderOf((instance as { env: Bindings }).env);
  if (embedder === null) throw new Error("The object has no embedder");
  if (!sound.has(embedder)) sound.set(embedder, embedder.embed);
  return embedder as { embed: Embedder["embed"] };
}

/** Makes an object's embedder fail, or answer otherwise, until it is mended or the object is gone. */
export async function breakEmbedder(
  stub: Stub,
  embed: Embedder["embed"] = async () => {
    throw new EmbedderError("The embedder is down.");
  },
): Promise<void> {
  await runInDurableObject(stub as DurableObjectStub<IndexerObject>, (instance) => {
    embedderIn(instance).embed = embed;
  });
}

export async function mendEmbedder(stub: Stub): Promise<void> {
  await runInDurableObject(stub as DurableObjectStub<IndexerObject>, (instance) => {
    const embedder = embedderIn(instance);
    embedder.embed = sound.get(embedder as Embedder) ?? embedder.embed;
  });
}
