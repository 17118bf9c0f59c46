// What long-term memory already says in other words. A candidate takes the place of its near-duplicates, with their
// evidence; the rule itself is src/text/near-duplicate/near-duplicate.ts, its limits are in docs/duplicates.md.

import { getMemoryStatus } from "../../domain/memory-status";
import type { PromotionCandidate } from "../../domain/promotion/promotion-engine";
import { PROMOTION } from "../../limits";
import { describeDefect } from "../../platform/errors";
import { withTimeout } from "../../platform/retry";
import type { Memory } from "../../schemas/memory";
import { computeScopeToken } from "../../store/memories/memory-id";
import type { Repositories } from "../../store/repositories";
import {
  isNearDuplicate,
  type ParsedStatement,
  parseStatement,
} from "../../text/near-duplicate/near-duplicate";
import { cosineSimilarity } from "../../text/similarity";
import type { SemanticServices } from "../../vectors/semantic-services";
import type { SessionRef } from "../session-record";

/** How many of the nearest memories are compared, and how many that the index does not show yet. */
const COMPARED = 10;

export type Same = { candidate: PromotionCandidate; memories: Memory[] };

type Services = { store: Repositories; semantic: SemanticServices | null; ref: SessionRef };

type Read = { candidate: PromotionCandidate; reading: ParsedStatement; vector: Float32Array | null };

/**
 * For each candidate the live memories of this session that say the same. Of candidates that say the same only the
 * first: the others come with the next run, when it can be superseded.
 */
export async function findSame(
  services: Services,
  candidates: readonly PromotionCandidate[],
): Promise<Same[]> {
  if (candidates.length === 0) return [];
  const vectors = await embedded(
    services,
    candidates.map(({ content }) => content),
  );
  const fresh = vectors === null ? [] : await unindexed(services);
  const first = withoutEchoes(
    candidates.map((candidate, i) => ({
      candidate,
      reading: parseStatement({ type: candidate.memory_type, content: candidate.content }),
      vector: vectors?.[i] ?? null,
    })),
  );
  const readings = new Map<string, ParsedStatement>();
  return Promise.all(
    first.map(async ({ candidate, reading, vector }) => {
      const known =
        vector === null ? await newest(services, candidate) : await nearest(services, candidate, vector);
      for (const { memory, vector: other } of fresh) {
        known.set(memory.id, { memory, similarity: similarityOf(vector, other) });
      }
      return { candidate, memories: sayingTheSame(reading, [...known.values()], readings) };
    }),
  );
}

function withoutEchoes(candidates: readonly Read[]): Read[] {
  const kept: Read[] = [];
  for (const one of candidates) {
    const echoes = (other: Read) =>
      isNearDuplicate(one.reading, other.reading, similarityOf(one.vector, other.vector)).duplicate;
    if (!kept.some(echoes)) kept.push(one);
  }
  return kept;
}

function similarityOf(a: Float32Array | null, b: Float32Array | null): number | null {
  return a === null || b === null ? null : cosineSimilarity(a, b);
}

type Known = Map<string, { memory: Memory; similarity: number | null }>;

/**
 * Other live memories of the same type that say the same. An identical one is the same memory already. What is read
 * for one candidate is kept in `readings` for the others.
 */
function sayingTheSame(
  candidate: ParsedStatement,
  known: readonly { memory: Memory; similarity: number | null }[],
  readings: Map<string, ParsedStatement>,
): Memory[] {
  const isSame = (memory: Memory, similarity: number | null) => {
    const reading = readings.get(memory.id) ?? parseStatement(memory);
    readings.set(memory.id, reading);
    return isNearDuplicate(candidate, reading, similarity).duplicate;
  };
  return known.flatMap(({ memory, similarity }) =>
    memory.type === candidate.type &&
    // An entry stays where its writer put it.
    memory.properties.namespace === undefined &&
    getMemoryStatus(memory) === "live" &&
    memory.content !== candidate.content &&
    isSame(memory, similarity)
      ? [memory]
      : [],
  );
}

/** Null when nothing can be embedded now: then only the wording counts. */
async function embedded({ semantic }: Services, texts: readonly string[]): Promise<Float32Array[] | null> {
  if (semantic === null) return null;
  return withTimeout(() => semantic.embedder.embed(texts, "document"), PROMOTION.vectorsMs).catch(
    unavailable,
  );
}

/** What the index does not show yet is compared with directly. */
async function unindexed(services: Services): Promise<{ memory: Memory; vector: Float32Array | null }[]> {
  const memories = await services.store.memories.listUnindexed(services.ref.id, COMPARED);
  const vectors = await embedded(
    services,
    memories.map(({ content }) => content),
  );
  return memories.map((memory, i) => ({ memory, vector: vectors?.[i] ?? null }));
}

async function nearest(
  { store, semantic, ref }: Services,
  { memory_type }: PromotionCandidate,
  vector: Float32Array,
): Promise<Known> {
  const token = computeScopeToken(ref.tenant, "session", ref.id);
  const filter = { scope: { kind: "session", token }, types: [memory_type], live: true } as const;
  const ask = async () => semantic?.index.query("memory", vector, { limit: COMPARED, filter });
  const matches = await withTimeout(ask, PROMOTION.vectorsMs).catch(unavailable);
  const similarities = new Map((matches ?? []).map(({ id, score }) => [id, score]));
  const memories = await store.memories.findMany([...similarities.keys()]);
  return new Map(
    memories
      .filter(({ session_id }) => session_id === ref.id)
      .map((memory) => [memory.id, { memory, similarity: similarities.get(memory.id) ?? null }]),
  );
}

async function newest({ store, ref }: Services, { memory_type }: PromotionCandidate): Promise<Known> {
  const memories = await store.memories.list(
    { type: memory_type, session_id: ref.id, agent_id: null, project_id: null, include_superseded: false },
    { limit: COMPARED, after: null },
  );
  return new Map(memories.map((memory) => [memory.id, { memory, similarity: null }]));
}

/** Without the index or the embedder a near-duplicate may be missed; a promotion is never held up. */
function unavailable(error: unknown): null {
  console.error(JSON.stringify({ event: "promotion.unaware", ...describeDefect(error) }));
  return null;
}
