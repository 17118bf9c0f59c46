// Finds the memories that promotion candidates repeat in other words. A candidate supersedes its near-duplicates; the
// rule is in src/language/near-duplicates/near-duplicate.ts, its limits in docs/duplicates.md.

import { logDefect } from "../../kernel/errors";
import { withTimeout } from "../../kernel/retry";
import { SECOND_MS } from "../../kernel/time";
import {
  isNearDuplicate,
  type ParsedStatement,
  parseStatement,
} from "../../language/near-duplicates/near-duplicate";
import { cosineSimilarity } from "../../language/similarity";
import { getMemoryStatus, type Memory } from "../../memories/memory-schemas";
import { computeScopeToken } from "../../memories/store/memory-id";
import type { SemanticServices } from "../../recall/vectors/semantic-services";
import type { Repositories } from "../../services/repositories";
import type { SessionRef } from "../session-record";
import type { PromotionCandidate } from "./promotion-engine";

/** The number of nearest memories that a candidate is compared with, and of memories that are not indexed yet. */
const MAX_COMPARED = 10;

/** The time limit of the embedder and the index; beyond it only the wording is compared. */
const VECTOR_TIMEOUT_MS = 5 * SECOND_MS;

/** A candidate and the live memories that it supersedes. */
export type CandidateDuplicates = { candidate: PromotionCandidate; duplicates: Memory[] };

type LookupServices = {
  store: Repositories;
  semantic: SemanticServices | null;
  ref: SessionRef;
  /** The session's user. Memories of other users are not duplicates. */
  user_id: string | null;
};

type ParsedCandidate = {
  candidate: PromotionCandidate;
  statement: ParsedStatement;
  vector: Float32Array | null;
};

/** A memory to compare with, and its cosine similarity to the candidate if both have vectors. */
type ComparedMemory = { memory: Memory; similarity: number | null };

/**
 * Returns each candidate with the live memories of this session that it duplicates. Of candidates that duplicate each
 * other only the first is returned: the others follow in the next run, which can supersede it.
 */
export async function findNearDuplicates(
  services: LookupServices,
  candidates: readonly PromotionCandidate[],
): Promise<CandidateDuplicates[]> {
  if (candidates.length === 0) return [];
  const vectors = await embedTexts(
    services,
    candidates.map(({ content }) => content),
  );
  const unindexed = vectors === null ? [] : await loadUnindexed(services);
  const distinct = dropRepeated(
    candidates.map((candidate, i) => ({
      candidate,
      statement: parseStatement({ type: candidate.memory_type, content: candidate.content }),
      vector: vectors?.[i] ?? null,
    })),
  );
  const statements = new Map<string, ParsedStatement>();
  return Promise.all(
    distinct.map(async ({ candidate, statement, vector }) => {
      const compared =
        vector === null
          ? await loadNewest(services, candidate)
          : await loadNearest(services, candidate, vector);
      for (const { memory, vector: other } of unindexed) {
        compared.set(memory.id, { memory, similarity: compareVectors(vector, other) });
      }
      const ofUser = [...compared.values()].filter(({ memory }) => memory.user_id === services.user_id);
      return { candidate, duplicates: selectDuplicates(statement, ofUser, statements) };
    }),
  );
}

function dropRepeated(candidates: readonly ParsedCandidate[]): ParsedCandidate[] {
  const distinct: ParsedCandidate[] = [];
  for (const one of candidates) {
    const repeats = ({ statement, vector }: ParsedCandidate) =>
      isNearDuplicate(one.statement, statement, compareVectors(one.vector, vector)).duplicate;
    if (!distinct.some(repeats)) distinct.push(one);
  }
  return distinct;
}

function compareVectors(a: Float32Array | null, b: Float32Array | null): number | null {
  return a === null || b === null ? null : cosineSimilarity(a, b);
}

/**
 * Selects the live memories of the same type that a candidate duplicates. A memory of identical content has the same id
 * and is not superseded. `statements` caches parsed memories across candidates.
 */
function selectDuplicates(
  candidate: ParsedStatement,
  compared: readonly ComparedMemory[],
  statements: Map<string, ParsedStatement>,
): Memory[] {
  const isDuplicate = ({ memory, similarity }: ComparedMemory) => {
    const statement = statements.get(memory.id) ?? parseStatement(memory);
    statements.set(memory.id, statement);
    return isNearDuplicate(candidate, statement, similarity).duplicate;
  };
  return compared
    .filter(
      (one) =>
        one.memory.type === candidate.type &&
        // A policy entry belongs to a namespace and is never superseded from outside.
        one.memory.properties.namespace === undefined &&
        getMemoryStatus(one.memory) === "live" &&
        one.memory.content !== candidate.content &&
        isDuplicate(one),
    )
    .map(({ memory }) => memory);
}

/** Returns the vector of each text, null if the embedder cannot read it. Null if none is configured or available. */
async function embedTexts(
  { semantic }: LookupServices,
  texts: readonly string[],
): Promise<(Float32Array | null)[] | null> {
  if (semantic === null) return null;
  const { embedder } = semantic;
  const readable = texts.filter((text) => embedder.canRead(text));
  const vectors = await withTimeout(() => embedder.embed(readable, "document"), VECTOR_TIMEOUT_MS).catch(
    logUnavailable,
  );
  if (vectors === null) return null;
  const byText = new Map(readable.map((text, i) => [text, vectors[i] ?? null]));
  return texts.map((text) => byText.get(text) ?? null);
}

/** Loads memories that the index does not return yet, with their vectors. */
async function loadUnindexed(
  services: LookupServices,
): Promise<{ memory: Memory; vector: Float32Array | null }[]> {
  const memories = await services.store.memories.listUnindexed(services.ref.id, MAX_COMPARED);
  const vectors = await embedTexts(
    services,
    memories.map(({ content }) => content),
  );
  return memories.map((memory, i) => ({ memory, vector: vectors?.[i] ?? null }));
}

async function loadNearest(
  { store, semantic, ref }: LookupServices,
  { memory_type }: PromotionCandidate,
  vector: Float32Array,
): Promise<Map<string, ComparedMemory>> {
  const token = computeScopeToken(ref.tenant, "session", ref.id);
  const filter = { scope: { kind: "session", token }, types: [memory_type], live: true } as const;
  const query = async () => semantic?.index.query("memory", vector, { limit: MAX_COMPARED, filter });
  const matches = await withTimeout(query, VECTOR_TIMEOUT_MS).catch(logUnavailable);
  const similarities = new Map((matches ?? []).map(({ id, score }) => [id, score]));
  const memories = await store.memories.findMany([...similarities.keys()]);
  return new Map(
    memories
      .filter(({ session_id }) => session_id === ref.id)
      .map((memory) => [memory.id, { memory, similarity: similarities.get(memory.id) ?? null }]),
  );
}

async function loadNewest(
  { store, ref }: LookupServices,
  { memory_type }: PromotionCandidate,
): Promise<Map<string, ComparedMemory>> {
  const memories = await store.memories.list(
    {
      type: memory_type,
      session_id: ref.id,
      user_id: null,
      agent_id: null,
      project_id: null,
      include_superseded: false,
    },
    { limit: MAX_COMPARED, after: null },
  );
  return new Map(memories.map((memory) => [memory.id, { memory, similarity: null }]));
}

/** Without the index or the embedder a near-duplicate may be missed; the promotion goes on. */
function logUnavailable(error: unknown): null {
  logDefect("promotion.unaware", error);
  return null;
}
