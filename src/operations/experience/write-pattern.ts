// Writes a pattern as its caller gives it: a new one, or one that is known and gains by it; then its links.

import { selectPatternType, toPatternMemory, toPatternParts } from "../../domain/experience/pattern-memory";
import { EXPERIENCE } from "../../limits";
import { FailureError, failure, unwrap } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { Memory, NewMemory } from "../../schemas/memory";
import type { PatternCreate } from "../../schemas/pattern";
import { noSuchEnd } from "../../store/links/write-link";
import { identityOf } from "../../store/memories/memory-id";
import type { Repositories } from "../../store/repositories";

/** The category of a pattern whose caller names none. */
const UNSAID = "general";

export async function writePattern(
  store: Repositories,
  input: PatternCreate,
  idempotency: Idempotency,
  now: string,
): Promise<{ id: string; created: boolean }> {
  const ends = await store.links.resolveEnds(input.links.map(({ to }) => to));
  for (const [i, { to }] of input.links.entries())
    if (ends[i] === null) throw new FailureError(noSuchEnd(`links.${i}.to`, to).failure);
  const step = (name: string): Idempotency =>
    idempotency && { ...idempotency, op: `${idempotency.op}:${name}` };

  const memory = await asItStands(store, toPatternMemory(toPatternParts(input, now)));
  const written = await commit(store, memory, step("pattern"));
  if (written.created && input.usage_count > 0)
    await store.memories.addUsage(written.id, { uses: input.usage_count, last: input.last_used ?? now });
  for (const [i, link] of input.links.entries()) {
    const linked = await store.links.create({ strength: 1, ...link, from: written.id }, step(`link ${i}`));
    // A call that is refused leaves nothing behind.
    if (!linked.ok && written.created) await store.memories.erase(written.id);
    unwrap(linked);
  }
  return written;
}

/** A pattern that stands as a hypothesis and is now told as a discovery, or the other way round, is the same pattern. */
async function asItStands(store: Repositories, memory: NewMemory): Promise<NewMemory> {
  const types = memory.type === "lesson_learned" ? [memory.type] : (["discovery", "hypothesis"] as const);
  const identities = await Promise.all(types.map((type) => identityOf(store.tenant, { ...memory, type })));
  const standing = await store.memories.findByIdentity(identities);
  const known = standing.find(({ type }) => type === memory.type) ?? standing[0];
  if (known === undefined) return memory;
  if (together(known, memory).evidence.length > EXPERIENCE.sources)
    throw failure(
      "limit_exceeded",
      `Pattern ${known.id} would rest on more than ${EXPERIENCE.sources} sources. Name fewer.`,
    );
  if (known.type === memory.type) return memory;
  const changed = await store.memories.change(known.id, (before) => together(before, memory));
  return { ...memory, type: changed?.type ?? memory.type };
}

async function commit(store: Repositories, memory: NewMemory, idempotency: Idempotency) {
  const operation = idempotency ?? { op: crypto.randomUUID(), fingerprint: "" };
  const [result] = await store.memories.commit([{ ...operation, memory }]);
  if (result === undefined) throw failure("internal", "The write gave no result.");
  if (result.status === "rejected") throw new FailureError(result.failure);
  if (result.deduplicated)
    await store.memories.change(result.memory_id, (standing) => together(standing, memory));
  return { id: result.memory_id, created: !result.deduplicated };
}

/** The higher confidence, the sources of both, and of everything else the newest word that says something. */
function together(standing: Memory, { confidence, evidence, properties }: NewMemory): Memory {
  const most = Math.max(standing.confidence, confidence);
  const unsaid = properties.category?.[0] === UNSAID;
  const category = (unsaid ? standing.properties.category?.[0] : properties.category?.[0]) ?? UNSAID;
  return {
    ...standing,
    confidence: most,
    type: selectPatternType(category, most),
    evidence: [...new Set([...standing.evidence, ...evidence])],
    properties: { ...standing.properties, ...properties, category: [category] },
  };
}
