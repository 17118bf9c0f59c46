// What long-term memory already says in other words. A candidate takes the place of its near-duplicates, with their
// evidence; the rule itself is src/promotion/near-duplicate.ts, its limits are in docs/duplicates.md.
import { describeDefect } from "../errors";
import { scopeToken } from "../long-term/rows";
import type { LongTermStore } from "../long-term/store";
import type { Candidate } from "../promotion/engine";
import { isNearDuplicate } from "../promotion/near-duplicate";
import type { Memory } from "../schemas/memory";
import { cosine } from "../vectors/cosine";
import type { Semantic } from "../vectors/semantic";
import type { SessionRef } from "./record";

/** How many of the nearest memories are compared, and how many that the index does not show yet. */
const COMPARED = 10;

export type Same = { candidate: Candidate; memories: Memory[] };

type Services = { store: LongTermStore; semantic: Semantic | null; ref: SessionRef };

/** Of candidates that say the same, the first: the others come with the next run, when it can be superseded. */
export function withoutEchoes(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates) {
    if (!kept.some((other) => says(candidate, toStatement(other), null))) kept.push(candidate);
  }
  return kept;
}

/** For each candidate the live memories of this session that say the same. */
export async function findSame(services: Services, candidates: readonly Candidate[]): Promise<Same[]> {
  const vectors = await vectorsOf(services, candidates);
  return Promise.all(
    candidates.map(async (candidate, i) => {
      const near = await nearest(services, candidate, vectors?.[i] ?? null);
      return {
        candidate,
        memories: near.flatMap(({ memory, similarity }) =>
          says(candidate, memory, similarity) ? [memory] : [],
        ),
      };
    }),
  );
}

function says(
  candidate: Candidate,
  other: { type: Memory["type"]; content: string },
  similarity: number | null,
) {
  return isNearDuplicate(toStatement(candidate), other, similarity).duplicate;
}

function toStatement({ memory_type, content }: Candidate) {
  return { type: memory_type, content };
}

/** Null when nothing can be embedded now: then only the wording counts. */
async function vectorsOf(
  { semantic }: Services,
  candidates: readonly Candidate[],
): Promise<Float32Array[] | null> {
  if (semantic === null || candidates.length === 0) return null;
  return semantic.embedder
    .embed(
      candidates.map(({ content }) => content),
      "document",
    )
    .catch(unavailable);
}

async function nearest(
  { store, semantic, ref }: Services,
  { memory_type, content }: Candidate,
  vector: Float32Array | null,
): Promise<{ memory: Memory; similarity: number | null }[]> {
  const where = { session_id: ref.id, type: memory_type };
  if (vector === null || semantic === null) {
    const newest = await store.list(
      { ...where, agent_id: null, project_id: null, include_superseded: false },
      { limit: COMPARED, after: null },
    );
    return newest.map((memory) => ({ memory, similarity: null }));
  }
  const token = scopeToken(ref.tenant, "session", ref.id);
  const [matches, waiting] = await Promise.all([
    semantic.index
      .query("memory", vector, {
        limit: COMPARED,
        filter: { scope: { kind: "session", token }, types: [memory_type], live: true },
      })
      .catch(unavailable),
    store.unindexed(where, COMPARED),
  ]);
  const similarities = new Map((matches ?? []).map(({ id, score }) => [id, score]));
  const found = await store.findAll([...similarities.keys()]);
  const fresh = await semantic.embedder
    .embed(
      waiting.map((memory) => memory.content),
      "document",
    )
    .catch(unavailable);
  const all = new Map<string, { memory: Memory; similarity: number | null }>();
  for (const memory of found) all.set(memory.id, { memory, similarity: similarities.get(memory.id) ?? null });
  for (const [i, memory] of waiting.entries()) {
    const other = fresh?.[i];
    all.set(memory.id, { memory, similarity: other === undefined ? null : cosine(vector, other) });
  }
  const identical = content.trim();
  return [...all.values()].filter(
    ({ memory }) => memory.type === memory_type && isLive(memory) && memory.content.trim() !== identical,
  );
}

function isLive({ superseded_by, forgotten_at, invalidated_by }: Memory): boolean {
  return superseded_by === null && forgotten_at === null && invalidated_by === null;
}

/** Without the index or the embedder a near-duplicate may be missed; a promotion is never held up. */
function unavailable(error: unknown): null {
  console.error(JSON.stringify({ event: "promotion.unaware", ...describeDefect(error) }));
  return null;
}
