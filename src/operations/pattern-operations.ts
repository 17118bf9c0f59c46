// Writes, reads and lists patterns.
import { isPattern, toPattern } from "../domain/experience/pattern-memory";
import { failure } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type { Pattern, PatternCreate } from "../schemas/pattern";
import type { PatternFilter } from "../store/memories/pattern-repository";
import type { Page } from "../store/store-context";
import { parseInstanceId } from "../store/triples/triples";
import { deriveStep, type IdempotentReply, runIdempotent } from "./run-idempotent";
import type { Services } from "./services";
import { writePattern } from "./write-pattern";

export async function recordPattern(
  services: Services,
  input: PatternCreate,
  idempotency: Idempotency,
): Promise<IdempotentReply<Pattern>> {
  const reply = await runIdempotent<Pattern>(services.store, idempotency, async () => {
    const { id, created } = await writePattern(services, input, deriveStep(idempotency, "write"));
    return { status: created ? 201 : 200, body: await readPattern(services, id) };
  });
  services.later(services.indexing.wake());
  return reply;
}

/** Finds a pattern by its id, or by the name that its author gave it. */
export async function readPattern({ store }: Services, id: string): Promise<Pattern> {
  const [end = null] = await store.links.resolveEnds([id]);
  const memoryId = end === null ? null : parseInstanceId("memory", end);
  const memory = memoryId === null ? null : await store.memories.find(memoryId);
  if (memory === null || !isPattern(memory))
    throw failure("not_found", `Pattern not found: ${id}. Check the id; GET /v1/patterns lists them.`);
  const links = await store.links.listFrom([memory.id]);
  return toPattern(memory, links.get(memory.id) ?? []);
}

/** Returns patterns with their links, newest first. */
export async function listPatterns(
  { store }: Services,
  filter: PatternFilter,
  page: Page,
): Promise<Pattern[]> {
  const memories = await store.patterns.list("category", filter, page);
  const links = await store.links.listFrom(memories.map(({ id }) => id));
  return memories.map((memory) => toPattern(memory, links.get(memory.id) ?? []));
}
