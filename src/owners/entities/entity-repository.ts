// Declared entities: agents, projects and resources. Their triples are all there is of them.
import { type SQL, sql } from "drizzle-orm";
import { requestCompaction } from "../../kernel/databases/compaction";
import { type Database, readAll, retryConflicts, runBatch } from "../../kernel/databases/d1";
import { assertThat, hasPrefix } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { parseJson } from "../../kernel/json";
import { forgetKeys } from "../../kernel/known-keys";
import type { StoreContext } from "../../kernel/store-context";
import { eraseReferenceFromVersions, selectReferringVersions } from "../../memories/history/record-versions";
import type { Memory } from "../../memories/memory-schemas";
import { changeMemories } from "../../memories/store/change-memories";
import type { EntityReference } from "../../ontology/entity-classes";
import {
  type DeclaredEntity,
  parseEntityTriples,
  toEntityIri,
  toEntityTriples,
  toReferencedIri,
} from "../../ontology/entity-mapping";
import { findProperty } from "../../ontology/property-values";
import {
  hasIriObject,
  insertTriples,
  listResourceKeys,
  parseInstanceId,
  pointsAt,
  type Triple,
} from "../../ontology/triples";

// Agents and projects that are known: those that are declared, and those that any row names. Each query reads index
// ranges, whatever the size of the tenant.

export type KnownKind = "agent" | "project";

/** The tables that name agents and projects in an indexed column. */
const OWNER_TABLES: Record<KnownKind, readonly string[]> = {
  agent: ["sessions", "memories", "episodes", "policies", "ledgers"],
  project: ["sessions", "memories", "episodes"],
};

/** Sorts after every id. */
const LAST = "\u{10ffff}";

export function createKnownOwnerQueries(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  return {
    /** Returns the ids of known agents or projects after an id, in order. */
    listKnownIds: reads(
      async (kind: KnownKind, { after, limit }: { after: string; limit: number }): Promise<string[]> => {
        // A loose index scan: each step seeks the next id in every index.
        const rows = await readAll<{ id: string }>(
          db,
          sql`WITH RECURSIVE found (id) AS (
            SELECT ${selectNextId(tenant, kind, sql`${after}`)}
            UNION ALL SELECT ${selectNextId(tenant, kind, sql`found.id`)} FROM found WHERE found.id IS NOT NULL
            LIMIT ${limit})
          SELECT id FROM found WHERE id IS NOT NULL ORDER BY id`,
        );
        return rows.map(({ id }) => id);
      },
    ),

    /** Returns whether any row names the agent or project. */
    isNamed: reads(async (kind: KnownKind, id: string): Promise<boolean> => {
      const column = sql.raw(`${kind}_id`);
      const named = OWNER_TABLES[kind].map(
        (table) =>
          sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE tenant = ${tenant} AND ${column} = ${id})`,
      );
      const [row] = await readAll<{ named: number }>(db, sql`SELECT ${sql.join(named, sql` OR `)} AS named`);
      return row?.named === 1;
    }),
  };
}

/** Returns an expression for the first id after another; NULL after the last. */
function selectNextId(tenant: string, kind: KnownKind, after: SQL): SQL {
  const column = sql.raw(`${kind}_id`);
  const prefix = toEntityIri({ kind, id: "" });
  const firsts = [
    ...OWNER_TABLES[kind].map(
      (table) =>
        sql`(SELECT min(${column}) FROM ${sql.raw(table)} WHERE tenant = ${tenant} AND ${column} > ${after})`,
    ),
    sql`substr((SELECT t.subject FROM triples t
      WHERE t.tenant = ${tenant} AND ${hasPrefix(sql`t.subject`, prefix)} AND t.subject > ${prefix} || ${after}
      ORDER BY t.subject LIMIT 1), ${prefix.length + 1})`,
  ];
  const candidates = firsts.map((first) => sql`ifnull(${first}, ${LAST})`);
  return sql`nullif(min(${sql.join(candidates, sql`, `)}), ${LAST})`;
}

type EntityFilter = {
  /** Local names of classes, without their subclasses. */
  classes: readonly string[];
  /** Only what is part of this project: it says so, or the project names it. */
  project_id: string | null;
  /** The project that the caller is limited to: it sees what says itself that it is part of it. */
  within: string | null;
  /** The IRI of the last entity before. */
  after: string;
  limit: number;
};

/** A memory or an entity that refers to an entity, as the triple states it. */
export type ReferringSubject = { subject: string; predicate: string };

export type ErasedEntity = { triples: number; references: number };

export function createEntityRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, removes, writes } = declareMethods(context);

  return {
    ...createKnownOwnerQueries(context),

    /** Returns those of the entities that are declared. */
    findMany: reads((references: readonly EntityReference[]) => findEntities(db, tenant, references)),

    find: reads(async (reference: EntityReference): Promise<DeclaredEntity | null> => {
      const [entity] = await findEntities(db, tenant, [reference]);
      return entity ?? null;
    }),

    /** Lists declared entities in the order of their IRIs. */
    list: reads(
      async ({ classes, project_id, within, after, limit }: EntityFilter): Promise<DeclaredEntity[]> => {
        const types = JSON.stringify(classes.map((name) => `jido:${name}`));
        const isPart = project_id === null ? sql`true` : isPartOfProject(tenant, project_id);
        return readEntities(
          db,
          tenant,
          // With the plus, SQLite uses the index by object: the tenant's subjects are far more than its entities.
          sql`SELECT t.subject FROM triples t WHERE t.tenant = ${tenant} AND t.predicate = 'rdf:type'
          AND t.object_key IN (SELECT value FROM json_each(${types})) AND ${hasIriObject("t")} AND +t.subject > ${after} AND ${isPart} AND ${isWithin(tenant, within)}
          ORDER BY +t.subject LIMIT ${limit}`,
        );
      },
    ),

    /**
     * Replaces the triples of an entity; without an entity, its declaration is removed. `required` are the resources that
     * it refers to: if one has been erased since it was read, the batch fails with a WriteConflict.
     */
    save: writes(
      async (
        reference: EntityReference,
        entity: Omit<DeclaredEntity, "reference"> | null,
        required: readonly EntityReference[] = [],
      ): Promise<void> => {
        const subject = toEntityIri(reference);
        const iris = [...new Set(required.map(toEntityIri))];
        await runBatch(db, [
          assertThat(sql`count(*) = ${iris.length} FROM triples WHERE tenant = ${tenant} AND predicate = 'rdf:type'
          AND subject IN (SELECT value FROM json_each(${JSON.stringify(iris)}))`),
          sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${subject}`,
          ...(entity === null ? [] : [insertTriples(tenant, toEntityTriples({ reference, ...entity }))]),
        ]).finally(() => forgetKeys({ tenant }));
      },
    ),

    /**
     * Returns how many live memories and entities refer to an entity, and the newest of them. `within` is the
     * project that the caller is limited to.
     */
    listReferring: reads(
      async (
        reference: EntityReference,
        { within, limit }: { within: string | null; limit: number },
      ): Promise<{ count: number; newest: ReferringSubject[] }> => {
        const isOfProject = within === null ? sql`true` : sql`m.project_id = ${within}`;
        const id = sql`substr(t.subject, ${MEMORY_PREFIX.length + 1})`;
        const referring = sql`FROM triples t WHERE ${selectIncoming(tenant, toEntityIri(reference))} AND iif(${isMemory},
        EXISTS (SELECT 1 FROM memories m WHERE m.tenant = ${tenant} AND m.id = ${id} AND m.live = 1 AND ${isOfProject}),
        ${isWithin(tenant, within)})`;
        const [counted, newest] = await runBatch(db, [
          sql`SELECT count(*) AS count ${referring}`,
          sql`SELECT t.subject, t.predicate ${referring}
          ORDER BY (SELECT m.seq FROM memories m WHERE m.tenant = ${tenant} AND m.id = ${id}) DESC, t.subject LIMIT ${limit}`,
        ]);
        const [{ count } = { count: 0 }] = (counted ?? []) as { count: number }[];
        return { count, newest: (newest ?? []) as ReferringSubject[] };
      },
    ),

    /** Erases an entity and the references to it; null if it is not declared. A call that stops midway can be repeated. */
    erase: removes((reference: EntityReference): Promise<ErasedEntity | null> => {
      const iri = toEntityIri(reference);
      return retryConflicts(async () => {
        const [entity] = await findEntities(db, tenant, [reference]);
        if (entity === undefined) return null;
        const incoming = await readAll<ReferringSubject>(
          db,
          sql`SELECT t.subject, t.predicate FROM triples t WHERE ${selectIncoming(tenant, iri)}`,
        );
        const ids = new Set(incoming.flatMap(({ subject }) => parseInstanceId("memory", subject) ?? []));
        await changeMemories(context, [...ids], (memory) => dropReference(memory, iri));
        const versions = await readAll<{ properties: string }>(db, selectReferringVersions(tenant, iri));
        const values = versions.flatMap(({ properties }) => listReferences(parseJson(properties), iri));
        await runBatch(db, [
          eraseReferenceFromVersions(tenant, listResourceKeys(iri), values),
          // A memory that refers to it since then would keep the reference in its row.
          assertThat(sql`count(*) = 0 FROM triples t WHERE ${selectIncoming(tenant, iri)} AND ${isMemory}`),
          sql`DELETE FROM triples WHERE tenant = ${tenant} AND ${pointsAt("triples", iri)}`,
          sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${iri}`,
          requestCompaction,
        ]);
        return { triples: toEntityTriples(entity).length, references: incoming.length };
      });
    }),

    /** Returns the capabilities of an agent; none if it is not limited. */
    listCapabilities: reads(async (agentId: string): Promise<string[]> => {
      const subject = toEntityIri({ kind: "agent", id: agentId });
      const rows = await readAll<{ name: string }>(
        db,
        sql`SELECT substr(object, ${"jido:".length + 1}) AS name FROM triples
          WHERE tenant = ${tenant} AND subject = ${subject} AND predicate = 'jido:hasCapability' ORDER BY position`,
      );
      return rows.map(({ name }) => name);
    }),
  };
}

function findEntities(
  db: Database,
  tenant: string,
  references: readonly EntityReference[],
): Promise<DeclaredEntity[]> {
  const iris = JSON.stringify(references.map(toEntityIri));
  return readEntities(db, tenant, sql`SELECT value AS subject FROM json_each(${iris})`);
}

/** Returns the entities whose IRIs `subjects` selects, in the order of IRIs. */
async function readEntities(db: Database, tenant: string, subjects: SQL): Promise<DeclaredEntity[]> {
  const triples = await readAll<Triple>(
    db,
    sql`SELECT t.subject, t.predicate, t.object, t.datatype, t.position FROM (${subjects}) s
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = s.subject ORDER BY t.subject, t.position`,
  );
  return [...Map.groupBy(triples, ({ subject }) => subject).values()].flatMap(
    (stated) => parseEntityTriples(stated) ?? [],
  );
}

const MEMORY_PREFIX = "jido:memory_";

/** Whether the subject of the triple `t` is a memory. */
const isMemory = hasPrefix(sql`t.subject`, MEMORY_PREFIX);

/** Selects the triples `t` that point at an entity. */
function selectIncoming(tenant: string, iri: string): SQL {
  return sql`t.tenant = ${tenant} AND ${pointsAt("t", iri)}`;
}

/** Whether the entity `t` says that it is part of a project. */
function isWithin(tenant: string, projectId: string | null): SQL {
  if (projectId === null) return sql`true`;
  return sql`EXISTS (SELECT 1 FROM triples p WHERE p.tenant = ${tenant} AND p.subject = t.subject
    AND p.predicate = 'jido:partOfProject' AND p.object = ${toEntityIri({ kind: "project", id: projectId })})`;
}

function isPartOfProject(tenant: string, projectId: string): SQL {
  const project = toEntityIri({ kind: "project", id: projectId });
  return sql`(${isWithin(tenant, projectId)}
    OR EXISTS (SELECT 1 FROM triples p WHERE p.tenant = ${tenant} AND p.subject = ${project}
      AND p.predicate IN ('jido:hasRepository', 'jido:hasModule', 'jido:hasDomain') AND p.object = t.subject))`;
}

/** Whether a value of a memory's property refers to an entity. The value of one for agents is the local name itself. */
function isReference(name: string, value: string, iri: string): boolean {
  if (findProperty(name)?.kind !== "object") return false;
  return (toReferencedIri(name, value) ?? `jido:${value}`) === iri;
}

/** Returns the values of properties that refer to an entity. */
function listReferences(properties: Memory["properties"], iri: string): { name: string; value: string }[] {
  return Object.entries(properties).flatMap(([name, values]) =>
    values.flatMap((value) => (isReference(name, value, iri) ? [{ name, value }] : [])),
  );
}

function dropReference(memory: Memory, iri: string): Memory {
  const properties = Object.entries(memory.properties).flatMap(([name, values]) => {
    const kept = values.filter((value) => !isReference(name, value, iri));
    return kept.length === 0 ? [] : [[name, kept] as const];
  });
  return { ...memory, properties: Object.fromEntries(properties) };
}
