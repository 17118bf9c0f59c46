// Helpers for tests of the indexer's Durable Object: its clock, its alarm, and a failing embedder.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { IndexerObject } from "../../../durable-objects/indexer";
import type { SessionObject } from "../../../durable-objects/session";
import type { Bindings } from "../../../src/kernel/env";
import type { VectorKind } from "../../../src/kernel/tables";
import { type Embedder, EmbedderError } from "../../../src/models/embedders/embedder";
import { selectEmbedder } from "../../../src/models/embedders/select-embedder";
import { createSemanticServices } from "../../../src/recall/vectors/semantic-services";
import { queueOf } from "../semantic-support";

export const HOUR = 3_600_000;

export type IndexerStub = DurableObjectStub<IndexerObject>;

export function indexerStub(tenant: string): IndexerStub {
  return env.INDEXER.getByName(tenant) as unknown as IndexerStub;
}

/** Sets the clock for alarms; an hour ahead, none runs by itself. Lost when the object is evicted. */
export async function setIndexerClock(stub: IndexerStub, at: number): Promise<void> {
  await runInDurableObject<IndexerObject, void>(stub, (instance) => {
    instance.now = () => at;
  });
}

export function alarmOfIndexer(stub: IndexerStub): Promise<number | null> {
  return runInDurableObject(stub, (_instance, state) => state.storage.getAlarm());
}

/** Runs the alarms that writes have set, until the backlog is empty and no alarm is set. */
export async function settled(stub: IndexerStub, tenant: string): Promise<void> {
  await vi.waitFor(async () => {
    await runDurableObjectAlarm(stub);
    expect(await queueOf(tenant)).toEqual([]);
    expect(await alarmOfIndexer(stub)).toBeNull();
  });
}

/** Returns the ids in a tenant's index, those most similar to a text first. */
export async function nearestIn(
  tenant: string,
  text: string,
  kind: VectorKind = "memory",
): Promise<string[]> {
  const semantic = createSemanticServices(env, tenant);
  if (semantic === null) throw new Error("The tests run with the embedded embedder");
  const [vector = new Float32Array()] = await semantic.embedder.embed([text], "query");
  const matches = await semantic.index.query(kind, vector, { limit: 100, filter: {} });
  return matches.map(({ id }) => id);
}

const sound = new Map<Embedder, Embedder["embed"]>();

/** Replaces the embedder of an object, and of others of its class, until `mendEmbedders`. */
export async function breakEmbedder(
  stub: IndexerStub | DurableObjectStub<SessionObject>,
  embed: Embedder["embed"] = async () => {
    throw new EmbedderError("The embedder is down.");
  },
): Promise<void> {
  await runInDurableObject(stub as IndexerStub, (instance) => {
    const embedder = selectEmbedder((instance as unknown as { env: Bindings }).env);
    if (embedder === null) throw new Error("The object has no embedder");
    if (!sound.has(embedder)) sound.set(embedder, embedder.embed);
    Object.assign(embedder, { embed });
  });
}

/** Restores all embedders; a test file that breaks one calls it after each test. */
export function mendEmbedders(): void {
  for (const [embedder, embed] of sound) Object.assign(embedder, { embed });
  sound.clear();
}
