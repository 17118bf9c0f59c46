// The knowledge graph of one owner, kept as memories: written in one batch that aborts when somebody else was quicker,
// read in the order in which its triples were written, erased with everything that a memory leaves.
import { type SQL, sql } from "drizzle-orm";
import { GRAPH } from "../../limits";
import { readAll, retryConflicts, runBatch } from "../../platform/d1";
import { failure } from "../../platform/errors";
import { randomHex } from "../../platform/hash";
import { splitIntoChunks } from "../../platform/json-chunks";
import type {
  GraphEntity,
  GraphRelation,
  KnowledgeGraph,
  ObservationAddition,
  ObservationDeletion,
  ObservationResults,
} from "../../schemas/knowledge-graph";
import { createMemory } from "../memories/commit-plan";
import { eraseMemories, eraseVectors } from "../memories/erase-memories";
import { computeIdentity } from "../memories/memory-id";
import { insertMemoryRows, toMemoryRow, toMemoryTriples } from "../memories/memory-mapping";
import { assertThat } from "../statements";
import type { StoreContext } from "../store-context";
import { computeObjectKey, insertTriples } from "../triples/triples";
import { queueVectors, selectIds } from "../vectors/vector-queue";
import {
  buildGraph,
  createGraphKeys,
  type GraphItem,
  type GraphOwner,
  type GraphRow,
  getGraphName,
  toEntityItems,
  toObservationItems,
  toRelationItem,
} from "./graph-memories";

const ID = sql.raw(`${"jido:memory_".length + 1}`);

/** Creates the knowledge graph of an agent, of a project, or of the tenant itself. */
export function createGraphRepository(context: StoreContext, owner: GraphOwner) {
  const { db, tenant, now } = context;
  const keys = createGraphKeys(owner);
  const graph = getGraphName(owner);

  /** The live memories that have one of these keys. */
  const having = (wanted: readonly string[]) => sql`FROM json_each(${JSON.stringify(wanted)}) j
    CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value AND t.predicate = 'jido:graphKey'
    CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(t.subject, ${ID}) WHERE m.live = 1`;

  async function known(wanted: readonly string[]): Promise<Set<string>> {
    const rows = await readAll<{ key: string }>(
      db,
      sql`SELECT DISTINCT j.value AS key ${having([...new Set(wanted)])}`,
    );
    return new Set(rows.map(({ key }) => key));
  }

  /** Subjects that stand for these entities, their observations and the relations that touch them. */
  async function touching(names: readonly string[]): Promise<SQL> {
    const nodes = await Promise.all(names.map(keys.entity));
    const ends = names.map((name) => ({ name, key: computeObjectKey(name) }));
    return sql`SELECT t.subject FROM json_each(${JSON.stringify(nodes)}) j CROSS JOIN triples t
        ON t.tenant = ${tenant} AND t.object_key = j.value AND t.predicate IN ('jido:graphKey', 'jido:aboutNode')
      UNION SELECT t.subject FROM json_each(${JSON.stringify(ends)}) j CROSS JOIN triples t
        ON t.tenant = ${tenant} AND t.object_key = j.value ->> '$.key' AND t.predicate IN ('jido:relationFrom', 'jido:relationTo')
        WHERE t.object = j.value ->> '$.name'`;
  }

  /** Rows of the graph in the order in which they were added, or those of some subjects of it. */
  const rowsOf = (columns: SQL, subjects: SQL | null, where: SQL) => {
    const from =
      subjects === null ? sql`triples g` : sql`(${subjects}) s CROSS JOIN triples g ON g.subject = s.subject`;
    return sql`SELECT ${columns} FROM ${from}
      CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(g.subject, ${ID})
      WHERE g.tenant = ${tenant} AND g.object_key = ${computeObjectKey(graph)} AND g.object = ${graph} AND g.predicate = 'jido:inGraph' AND ${where}
      ORDER BY g.id`;
  };

  async function read(subjects: SQL | null): Promise<KnowledgeGraph> {
    return buildGraph(
      await readAll<GraphRow>(db, rowsOf(sql`m.content, m.properties`, subjects, sql`m.live = 1`)),
    );
  }

  /** Aborts when one of the items has come meanwhile, or an entity that they need has gone. */
  async function write(items: readonly GraphItem[], needed: readonly string[], at: string): Promise<void> {
    if (items.length === 0) return;
    const fresh = [...new Set(items.map(({ key }) => key))];
    const memories = items.map(({ memory }) => createMemory(randomHex(16), memory, at));
    const rows = await Promise.all(
      memories.map(async (memory) => toMemoryRow(tenant, await computeIdentity(tenant, memory), memory)),
    );
    await runBatch(db, [
      assertThat(sql`NOT EXISTS (SELECT 1 ${having(fresh)})`),
      assertThat(sql`count(DISTINCT j.value) = ${needed.length} ${having(needed)}`),
      ...splitIntoChunks(memories.flatMap(toMemoryTriples)).map((triples) => insertTriples(tenant, triples)),
      ...splitIntoChunks(rows).flatMap((some) => insertMemoryRows(tenant, some)),
      queueVectors(tenant, "memory", selectIds(memories.map(({ id }) => id))),
    ]);
  }

  async function eraseRows(subjects: SQL, also: readonly SQL[]): Promise<void> {
    const all = rowsOf(sql`m.id`, subjects, sql`true`);
    for (let more = true; more; ) {
      const found = await readAll<{ id: string }>(db, sql`${all} LIMIT ${GRAPH.erasedAtOnce}`);
      more = found.length === GRAPH.erasedAtOnce;
      const ids = selectIds(found.map(({ id }) => id));
      // Of rows, not of triples: these are gone half-way through the erasure.
      const which = sql`SELECT id FROM memories WHERE tenant = ${tenant} AND id IN (${ids})`;
      if (found.length === 0) return;
      await eraseVectors(context, "memory", which);
      await eraseMemories(db, tenant, which, { at: now(), also: more ? [] : also });
    }
  }

  return {
    read: () => read(null),

    /** These entities with their observations, and every relation that touches one of them. */
    readAround: async (names: readonly string[]) => read(await touching(names)),

    /** Those whose names are new to the graph; a name that is given twice at once makes two. */
    createEntities: (entities: readonly GraphEntity[]): Promise<GraphEntity[]> =>
      retryConflicts(async () => {
        const at = now();
        const there = await known(await Promise.all(entities.map(({ name }) => keys.entity(name))));
        const made: GraphEntity[] = [];
        const items: GraphItem[] = [];
        const copies = new Map<string, number>();
        for (const entity of entities) {
          const { name } = entity;
          if (there.has(await keys.entity(name))) continue;
          const copy = copies.get(name) ?? 0;
          copies.set(name, copy + 1);
          made.push(entity);
          items.push(...(await toEntityItems(owner, entity, copy, at)));
        }
        await write(items, [], at);
        return made;
      }),

    createRelations: (relations: readonly GraphRelation[]): Promise<GraphRelation[]> =>
      retryConflicts(async () => {
        const at = now();
        const items = await Promise.all(
          relations.map(async (relation) => ({ relation, item: await toRelationItem(owner, relation, at) })),
        );
        const there = await known(items.map(({ item }) => item.key));
        const made = items.filter(({ item }) => !there.has(item.key));
        await write(
          made.map(({ item }) => item),
          [],
          at,
        );
        return made.map(({ relation }) => relation);
      }),

    /** All or none: one entity that is not there refuses the whole call. */
    addObservations: (additions: readonly ObservationAddition[]): Promise<ObservationResults["results"]> =>
      retryConflicts(async () => {
        const at = now();
        const nodes = await Promise.all(additions.map(({ entityName }) => keys.entity(entityName)));
        const told = await Promise.all(
          additions.map(({ entityName, contents }) => toObservationItems(owner, entityName, 0, contents, at)),
        );
        const there = await known([...nodes, ...told.flat().map(({ key }) => key)]);
        const missing = nodes.findIndex((node) => !there.has(node));
        if (missing >= 0) throw unknownEntity(additions[missing]?.entityName ?? "", missing);
        const items: GraphItem[] = [];
        const results = additions.map(({ entityName, contents }, i) => {
          const added = (told[i] ?? []).map((item, n) => ({ item, text: contents[n] ?? "" }));
          // What one addition repeats is kept twice; what an earlier one has added is there.
          const fresh = added.filter(({ item }) => !there.has(item.key));
          for (const { item } of fresh) there.add(item.key);
          items.push(...fresh.map(({ item }) => item));
          return { entityName, addedObservations: fresh.map(({ text }) => text) };
        });
        await write(items, [...new Set(nodes)], at);
        return results;
      }),

    /** With their observations and the relations that touch them, also what is added while this goes on. */
    async deleteEntities(names: readonly string[]): Promise<void> {
      const subjects = await touching(names);
      const nothingLeft = assertThat(sql`NOT EXISTS (${rowsOf(sql`1`, subjects, sql`true`)})`);
      await retryConflicts(() => eraseRows(subjects, [nothingLeft]));
    },

    async deleteObservations(deletions: readonly ObservationDeletion[]): Promise<void> {
      const wanted = deletions.flatMap(({ entityName, observations }) =>
        observations.map((text) => keys.observation(entityName, 0, text)),
      );
      await eraseRows(subjectsOf(tenant, await Promise.all(wanted)), []);
    },

    async deleteRelations(relations: readonly GraphRelation[]): Promise<void> {
      await eraseRows(subjectsOf(tenant, await Promise.all(relations.map(keys.relation))), []);
    },
  };
}

function subjectsOf(tenant: string, keys: readonly string[]): SQL {
  return sql`SELECT DISTINCT t.subject FROM json_each(${JSON.stringify(keys)}) j CROSS JOIN triples t
    ON t.tenant = ${tenant} AND t.object_key = j.value AND t.predicate = 'jido:graphKey'`;
}

/** In the words of the original, which its users may look for. */
function unknownEntity(name: string, index: number) {
  return failure("not_found", `Entity with name ${name} not found`, {
    errors: [
      {
        path: `observations.${index}.entityName`,
        message: "names no entity of this graph: create it first with create_entities",
      },
    ],
  });
}
