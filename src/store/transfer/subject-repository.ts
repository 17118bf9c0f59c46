// Subjects of the graph for exports and imports: read page by page, and written with the ids and times that they had.

import { sql } from "drizzle-orm";
import type { Binding } from "../../domain/access";
import { readAll, splitIntoChunks } from "../../platform/d1";
import type { Memory } from "../../schemas/memory";
import type { MemoryActivity } from "../../schemas/memory-fields";
import { declareMethods } from "../declare-methods";
import { type StoredLink, toLinkTriples } from "../links/link-triples";
import { computeIdentity } from "../memories/memory-id";
import { insertMemoryRows, toMemoryRow, toMemoryTriples } from "../memories/memory-mapping";
import { assertThat } from "../statements";
import type { StoreContext } from "../store-context";
import { readSubjectPages } from "../triples/subject-pages";
import { insertTriples, type Triple, toInstanceIri } from "../triples/triples";
import { queueVectors, selectIds } from "../vectors/vector-queue";
import { queueMemoryEvents, runEventBatch } from "../webhooks/queue-events";

/** A memory as it was in another store. */
export type ImportedMemory = {
  memory: Memory;
  activity: MemoryActivity | null;
  recorded_at: string | null;
  /** The triples that link it with other memories and episodes. */
  links: readonly Triple[];
};

/** Memories in one batch, as a commit has them. */
const IMPORT_BATCH_SIZE = 50;

export function createSubjectRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, writes } = declareMethods(context);

  return {
    /** Returns the subjects of an owner with their statements, page by page. */
    readPages: reads((owner: Binding) => readSubjectPages(context, owner)),

    /** Returns the stored triples of subjects. */
    findTriples: reads(
      (subjects: readonly string[]): Promise<Triple[]> =>
        readAll<Triple>(
          db,
          sql`SELECT t.subject, t.predicate, t.object, t.datatype FROM json_each(${JSON.stringify(subjects)}) j
          CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value ORDER BY j.key, t.position`,
        ),
    ),

    /** Writes memories with their ids. Throws WriteConflict if an id is in use by now. */
    insertMemories: writes(async (imported: readonly ImportedMemory[]): Promise<void> => {
      if (imported.length === 0) return;
      context.requireQuota?.("memories", "bytes");
      for (let start = 0; start < imported.length; start += IMPORT_BATCH_SIZE)
        for (const chunk of splitIntoChunks(imported.slice(start, start + IMPORT_BATCH_SIZE)))
          await insertBatch(context, chunk);
    }),

    /** Writes Links. One that is stored stays as it is. */
    insertLinks: writes(async (links: readonly StoredLink[]): Promise<void> => {
      for (const chunk of splitIntoChunks(links))
        await runEventBatch(
          context,
          chunk.map((link) =>
            insertTriples(tenant, toLinkTriples(link), {
              where: sql`NOT EXISTS (SELECT 1 FROM triples l WHERE l.tenant = ${tenant}
                AND l.subject = ${toInstanceIri("link", link.id)})`,
            }),
          ),
        );
    }),

    /** Writes the triples that link episodes with memories and other episodes. */
    insertLinking: writes(async (triples: readonly Triple[]): Promise<void> => {
      for (const chunk of splitIntoChunks(triples))
        await runEventBatch(context, [insertTriples(tenant, chunk)]);
    }),
  };
}

async function insertBatch(context: StoreContext, imported: readonly ImportedMemory[]): Promise<void> {
  const { tenant, now } = context;
  const ids = imported.map(({ memory }) => memory.id);
  const rows = await Promise.all(
    imported.map(async ({ memory, activity, recorded_at }) => ({
      ...toMemoryRow(tenant, await computeIdentity(tenant, memory), {
        ...memory,
        activity: activity ?? undefined,
      }),
      recorded_at,
    })),
  );
  const triples = imported.flatMap(({ memory, links }) => [...toMemoryTriples(memory), ...links]);
  await runEventBatch(context, [
    assertThat(sql`NOT EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant}
      AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)})))`),
    ...splitIntoChunks(triples).map((chunk) => insertTriples(tenant, chunk)),
    ...insertMemoryRows(tenant, rows),
    queueVectors(tenant, "memory", selectIds(ids)),
    queueMemoryEvents(tenant, "memory.created", selectIds(ids), { at: now() }),
  ]);
}
