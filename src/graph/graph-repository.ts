// The knowledge graph of one owner, stored as memories. A write is one batch that aborts if another writer was faster;
// a read follows the positions of the triples.

import { type SQL, sql } from "drizzle-orm";
import { readAll, retryConflicts, splitIntoChunks } from "../kernel/databases/d1";
import { assertThat, getSeqRange, nextSeq } from "../kernel/databases/statements";
import { declareMethods } from "../kernel/declare-methods";
import { failure } from "../kernel/errors";
import { randomHex } from "../kernel/hash";
import { queueMemoryEvents, runEventBatch } from "../kernel/queue-events";
import type { StoreContext } from "../kernel/store-context";
import { addActivity } from "../memories/memory-schemas";
import { createMemory } from "../memories/store/commit-plan";
import { tryEraseMemories } from "../memories/store/erase-memories";
import { computeIdentity } from "../memories/store/memory-id";
import { insertMemoryRows, toMemoryRow, toMemoryTriples } from "../memories/store/memory-mapping";
import { queueVectors, selectIds } from "../memories/store/vector-queue";
import { computeLiteralKey, insertTriples, isLookedUp } from "../ontology/triples";
import {
  buildGraph,
  createGraphKeys,
  type GraphItem,
  type GraphKey,
  type GraphRow,
  getGraphName,
  toEntityItems,
  toObservationItems,
  toRelationItem,
} from "./graph-memories";
import type {
  GraphEntity,
  GraphRelation,
  KnowledgeGraph,
  ObservationAddition,
  ObservationDeletion,
  ObservationResults,
} from "./knowledge-graph-schemas";

/** The position of the id in the IRI of a memory, for `substr`. */
const ID_POSITION = sql.raw(`${"jido:memory_".length + 1}`);

/** Memories erased in one batch. */
const ERASE_BATCH_SIZE = 1_000;

/** Creates the knowledge graph of an agent, of a project, or of the tenant itself. */
export function createGraphRepository(context: StoreContext, owner: GraphKey) {
  const { db, tenant, now } = context;
  const { reads, removes, writes } = declareMethods(context, owner.project_id);

  const keys = createGraphKeys(owner);
  const graph = getGraphName(owner);

  /** Selects from the live memories with these keys. */
  const fromKeys = (wanted: readonly string[]) => sql`FROM json_each(${JSON.stringify(wanted)}) j
    CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value AND ${isLookedUp("t")} AND t.predicate = 'jido:graphKey'
    CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(t.subject, ${ID_POSITION}) WHERE m.live = 1`;

  async function findExistingKeys(wanted: readonly string[]): Promise<Set<string>> {
    const rows = await readAll<{ key: string }>(
      db,
      sql`SELECT j.value AS key ${fromKeys([...new Set(wanted)])}`,
    );
    return new Set(rows.map(({ key }) => key));
  }

  /** Selects the subjects of entities, their observations and their relations. */
  async function selectAround(names: readonly string[]): Promise<SQL> {
    const nodes = await Promise.all(names.map(keys.entity));
    const ends = names.map((name) => ({ name, key: computeLiteralKey(name) }));
    return sql`SELECT t.subject FROM json_each(${JSON.stringify(nodes)}) j CROSS JOIN triples t
        ON t.tenant = ${tenant} AND t.object_key = j.value AND ${isLookedUp("t")} AND t.predicate IN ('jido:graphKey', 'jido:aboutNode')
      UNION SELECT t.subject FROM json_each(${JSON.stringify(ends)}) j CROSS JOIN triples t
        ON t.tenant = ${tenant} AND t.object_key = j.value ->> '$.key' AND ${isLookedUp("t")} AND t.predicate IN ('jido:relationFrom', 'jido:relationTo')
        WHERE t.object = j.value ->> '$.name'`;
  }

  /** Selects rows of the graph, or of some subjects in it, in the order in which they were added. */
  const selectRows = (columns: SQL, subjects: SQL | null, where: SQL) => {
    const from =
      subjects === null ? sql`triples g` : sql`(${subjects}) s CROSS JOIN triples g ON g.subject = s.subject`;
    return sql`SELECT ${columns}, g.position, m.seq FROM ${from}
      CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(g.subject, ${ID_POSITION})
      WHERE g.tenant = ${tenant} AND g.object_key = ${computeLiteralKey(graph)} AND g.object = ${graph} AND ${isLookedUp("g")} AND g.predicate = 'jido:inGraph' AND ${where}
      ORDER BY g.position, m.seq`;
  };

  async function read(subjects: SQL | null): Promise<KnowledgeGraph> {
    return buildGraph(
      await readAll<GraphRow>(db, selectRows(sql`m.content, m.properties`, subjects, sql`m.live = 1`)),
    );
  }

  /** Aborts if one of the items was added meanwhile, or if a required entity was deleted. */
  async function write(items: readonly GraphItem[], required: readonly string[], at: string): Promise<void> {
    if (items.length === 0) return;
    context.requireQuota?.("memories", "bytes");
    const newKeys = [...new Set(items.map(({ key }) => key))];
    const memories = items.map(({ memory }) =>
      createMemory(randomHex(16), addActivity(context, { ...memory, activity: { kind: "graph" } })),
    );
    const rows = await Promise.all(
      memories.map(async (memory) => toMemoryRow(tenant, await computeIdentity(tenant, memory), memory)),
    );
    const ids = selectIds(memories.map(({ id }) => id));
    // The triples alone restore the order of the graph: their positions follow the number of the tenant's last memory.
    const lastNumber = sql`coalesce(${nextSeq(tenant, "memories")} - 1 - ${getSeqRange(tenant).from}, 0)`;
    await runEventBatch(context, [
      assertThat(sql`NOT EXISTS (SELECT 1 ${fromKeys(newKeys)})`),
      assertThat(sql`count(*) = ${required.length} FROM json_each(${JSON.stringify(required)}) r
        WHERE r.value IN (SELECT j.value ${fromKeys(required)})`),
      ...splitIntoChunks(memories.map((memory, nth) => ({ nth, triples: toMemoryTriples(memory) }))).map(
        (chunk) =>
          insertTriples(
            tenant,
            chunk.flatMap(({ triples }) => triples),
            { after: sql`${lastNumber} + ${chunk[0]?.nth ?? 0}` },
          ),
      ),
      ...splitIntoChunks(rows).flatMap((chunk) => insertMemoryRows(tenant, chunk)),
      queueVectors(tenant, "memory", ids),
      queueMemoryEvents(tenant, "memory.created", ids, { at }),
    ]);
  }

  async function eraseRows(subjects: SQL, also: readonly SQL[]): Promise<void> {
    const all = selectRows(sql`m.id`, subjects, sql`true`);
    for (let more = true; more; ) {
      const found = await readAll<{ id: string }>(db, sql`${all} LIMIT ${ERASE_BATCH_SIZE}`);
      more = found.length === ERASE_BATCH_SIZE;
      if (found.length === 0) return;
      const ids = selectIds(found.map(({ id }) => id));
      // Selects from the rows, because the batch deletes the triples before them.
      const which = sql`SELECT id FROM memories WHERE tenant = ${tenant} AND id IN (${ids})`;
      await tryEraseMemories(context, which, more ? {} : { also });
    }
  }

  return {
    read: reads(() => read(null)),

    /** Returns these entities with their observations and all their relations. */
    readAround: reads(async (names: readonly string[]) => read(await selectAround(names))),

    /** Creates the entities whose names are new to the graph; the same name twice in one call creates two. */
    createEntities: writes(
      (entities: readonly GraphEntity[]): Promise<GraphEntity[]> =>
        retryConflicts(async () => {
          const at = now();
          const existing = await findExistingKeys(
            await Promise.all(entities.map(({ name }) => keys.entity(name))),
          );
          const created: GraphEntity[] = [];
          const items: GraphItem[] = [];
          const copies = new Map<string, number>();
          for (const entity of entities) {
            const { name } = entity;
            if (existing.has(await keys.entity(name))) continue;
            const copy = copies.get(name) ?? 0;
            copies.set(name, copy + 1);
            created.push(entity);
            items.push(...(await toEntityItems(owner, entity, copy, at)));
          }
          await write(items, [], at);
          return created;
        }),
    ),

    createRelations: writes(
      (relations: readonly GraphRelation[]): Promise<GraphRelation[]> =>
        retryConflicts(async () => {
          const at = now();
          const items = await Promise.all(
            relations.map(async (relation) => ({
              relation,
              item: await toRelationItem(owner, relation, at),
            })),
          );
          const existing = await findExistingKeys(items.map(({ item }) => item.key));
          const created = items.filter(({ item }) => !existing.has(item.key));
          await write(
            created.map(({ item }) => item),
            [],
            at,
          );
          return created.map(({ relation }) => relation);
        }),
    ),

    /** Adds all observations, or none if one of the entities does not exist. */
    addObservations: writes(
      (additions: readonly ObservationAddition[]): Promise<ObservationResults["results"]> =>
        retryConflicts(async () => {
          const at = now();
          const nodes = await Promise.all(additions.map(({ entityName }) => keys.entity(entityName)));
          const candidates = await Promise.all(
            additions.map(({ entityName, contents }) =>
              toObservationItems(owner, entityName, 0, contents, at),
            ),
          );
          const existing = await findExistingKeys([...nodes, ...candidates.flat().map(({ key }) => key)]);
          const missing = nodes.findIndex((node) => !existing.has(node));
          if (missing >= 0) throw unknownEntity(additions[missing]?.entityName ?? "", missing);
          const items: GraphItem[] = [];
          const results = additions.map(({ entityName, contents }, i) => {
            const added = (candidates[i] ?? []).map((item, n) => ({ item, text: contents[n] ?? "" }));
            // A repetition within one addition is stored twice; one of an earlier addition exists already.
            const fresh = added.filter(({ item }) => !existing.has(item.key));
            for (const { item } of fresh) existing.add(item.key);
            items.push(...fresh.map(({ item }) => item));
            return { entityName, addedObservations: fresh.map(({ text }) => text) };
          });
          await write(items, [...new Set(nodes)], at);
          return results;
        }),
    ),

    /** Deletes entities with their observations and relations, including those added meanwhile. */
    deleteEntities: removes(async (names: readonly string[]): Promise<void> => {
      const subjects = await selectAround(names);
      const nothingLeft = assertThat(sql`NOT EXISTS (${selectRows(sql`1`, subjects, sql`true`)})`);
      await retryConflicts(() => eraseRows(subjects, [nothingLeft]));
    }),

    deleteObservations: removes(async (deletions: readonly ObservationDeletion[]): Promise<void> => {
      const wanted = deletions.flatMap(({ entityName, observations }) =>
        observations.map((text) => keys.observation(entityName, 0, text)),
      );
      await eraseRows(selectSubjects(tenant, await Promise.all(wanted)), []);
    }),

    deleteRelations: removes(async (relations: readonly GraphRelation[]): Promise<void> => {
      await eraseRows(selectSubjects(tenant, await Promise.all(relations.map(keys.relation))), []);
    }),
  };
}

function selectSubjects(tenant: string, keys: readonly string[]): SQL {
  return sql`SELECT t.subject FROM json_each(${JSON.stringify([...new Set(keys)])}) j CROSS JOIN triples t
    ON t.tenant = ${tenant} AND t.object_key = j.value AND ${isLookedUp("t")} AND t.predicate = 'jido:graphKey'`;
}

/** Uses the message of the original server-memory, which its clients may match. */
function unknownEntity(name: string, index: number) {
  return failure("not_found", `Entity with name ${name} not found`, {
    errors: [
      {
        path: `observations.${index}.entityName`,
        message: "is not an entity of this graph: create it first with create_entities",
      },
    ],
  });
}
