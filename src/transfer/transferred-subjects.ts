// Links and declared entities of an export, and back: their triples are all there is of them.
import { type SQL, sql } from "drizzle-orm";
import type { Binding } from "../kernel/access";
import { readAll, splitIntoChunks } from "../kernel/databases/d1";
import { hasPrefix } from "../kernel/databases/statements";
import { END_OWNER, matchOwnerColumns } from "../kernel/match-owner";
import type { StoreContext } from "../kernel/store-context";
import {
  isGenericPredicate,
  LISTED_PREDICATES,
  matchEnd,
  type Resolution,
  readLinks,
  type StoredRelation,
  toLinkingTriple,
  toLinkTriples,
  toPredicate,
  toRelation,
} from "../memories/links/link-triples";
import { type EntityReference, RESOURCE_CLASSES } from "../ontology/entity-classes";
import { parseEntityTriples, toEntityIri, toEntityTriples } from "../ontology/entity-mapping";
import { insertTriples, parseInstanceId, type Triple, toInstanceIri } from "../ontology/triples";
import type { EntityRecord, LinkRecord } from "./export-records";

type SubjectPage = { after: string; limit: number };

const LINK_PREFIX = "jido:link_";

/** Reads links in the order of their ids: those both ends of which are the owner's. */
export async function listLinkRecords(
  context: StoreContext,
  owner: Binding,
  { after, limit }: SubjectPage,
): Promise<{ records: LinkRecord[]; last: string | null }> {
  const { tenant } = context;
  const subjects = await readAll<{ subject: string }>(
    context.db,
    sql`SELECT t.subject FROM triples t WHERE t.tenant = ${tenant} AND ${hasPrefix(sql`t.subject`, LINK_PREFIX)}
      AND t.subject > ${after} AND t.predicate = 'rdf:type' AND ${matchEnds(tenant, owner)} ORDER BY t.subject LIMIT ${limit}`,
  );
  const ids = subjects.map(({ subject }) => parseInstanceId("link", subject) ?? "");
  const links = await readLinks(context, ids);
  return {
    records: links.map((link) => ({
      kind: "link",
      id: link.id,
      from: link.from,
      to: link.to,
      relation: link.relation,
      strength: link.strength,
      linked_at: link.linked_at,
      resolution: link.resolution,
    })),
    last: subjects.at(-1)?.subject ?? null,
  };
}

function matchEnds(tenant: string, owner: Binding): SQL {
  const { session_id, ...ids } = owner;
  const isOwned = matchOwnerColumns(ids, END_OWNER) ?? sql`false`;
  const ofSession = session_id === undefined ? sql`true` : sql`session_id = ${session_id}`;
  if (session_id === undefined && Object.values(ids).every((id) => id === undefined)) return sql`true`;
  const [from, to] = ["jido:linkFrom", "jido:linkTo"].map(
    (predicate) =>
      sql`(SELECT e.object FROM triples e WHERE e.tenant = ${tenant} AND e.subject = t.subject AND e.predicate = ${predicate})`,
  );
  // Episodes belong to no session.
  const match = (iri: SQL) =>
    session_id === undefined
      ? matchEnd(tenant, iri, isOwned)
      : sql`EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant}
          AND id = replace(${iri}, 'jido:memory_', '') AND ${isOwned} AND ${ofSession})`;
  return sql`${match(from ?? sql`NULL`)} AND ${match(to ?? sql`NULL`)}`;
}

const STORED_RELATIONS = new Set<string>(
  LISTED_PREDICATES.flatMap((predicate) => toRelation(predicate) ?? []),
);

/** Returns whether a text names a relation that links are stored with. */
export function isStoredRelation(name: string): name is StoredRelation {
  return STORED_RELATIONS.has(name);
}

/** Whether a link states its relation. Any other relation is a property or a field of the subject, which states it. */
export function isStatedByLink(relation: StoredRelation): boolean {
  return relation !== "superseded_by" && isGenericPredicate(toPredicate(relation));
}

/** Builds the statements that store links. A subject that is not there yet comes with its own relations. */
export function insertLinkRecords(tenant: string, records: readonly LinkRecord[]): SQL[] {
  return splitIntoChunks(records).flatMap((chunk) => {
    const links = chunk.map(({ kind: _kind, ...fields }) => ({
      ...fields,
      relation: fields.relation as StoredRelation,
      resolution: fields.resolution as Resolution | null,
    }));
    const isThere = sql`EXISTS (SELECT 1 FROM triples s WHERE s.tenant = ${tenant}
      AND s.subject = j.value ->> '$.subject' AND s.predicate = 'rdf:type')`;
    return [
      insertTriples(tenant, links.filter(({ relation }) => isStatedByLink(relation)).map(toLinkingTriple), {
        where: isThere,
      }),
      insertTriples(tenant, links.flatMap(toLinkTriples)),
    ];
  });
}

/** Builds a SELECT of the subjects, among these, that are stored. */
export function selectKnownSubjects(tenant: string, iris: readonly string[]): SQL {
  return sql`SELECT t.subject AS key FROM json_each(${JSON.stringify(iris)}) j CROSS JOIN triples t
    ON t.tenant = ${tenant} AND t.subject = j.value AND t.predicate = 'rdf:type'`;
}

export function toLinkIri({ id }: Pick<LinkRecord, "id">): string {
  return toInstanceIri("link", id);
}

type EntityKindName = EntityRecord["kind"];

/** The prefixes of the IRIs of each kind. */
const ENTITY_PREFIXES: Readonly<Record<EntityKindName, readonly string[]>> = {
  agent: ["jido:agent_"],
  project: ["jido:project_"],
  resource: Object.keys(RESOURCE_CLASSES).map((name) => `jido:${name}_`),
};

/** Reads declared entities of a kind in the order of their IRIs. */
export async function listEntityRecords(
  { db, tenant }: StoreContext,
  kind: EntityKindName,
  owner: Binding,
  { after, limit }: SubjectPage,
): Promise<{ records: EntityRecord[]; last: string | null }> {
  const isOwned = matchEntity(tenant, kind, owner);
  const prefixes = ENTITY_PREFIXES[kind].map((prefix) => sql`(${hasPrefix(sql`t.subject`, prefix)})`);
  const subjects = await readAll<{ subject: string }>(
    db,
    sql`SELECT t.subject FROM triples t WHERE t.tenant = ${tenant} AND (${sql.join(prefixes, sql` OR `)})
      AND t.subject > ${after} AND t.predicate = 'rdf:type' AND ${isOwned} ORDER BY t.subject LIMIT ${limit}`,
  );
  const rows = await readAll<Triple>(
    db,
    sql`SELECT t.subject, t.predicate, t.object, t.datatype, t.position
      FROM json_each(${JSON.stringify(subjects.map(({ subject }) => subject))}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value ORDER BY t.subject, t.position`,
  );
  const stated = [...Map.groupBy(rows, ({ subject }) => subject).values()];
  return {
    records: stated.flatMap((triples) => {
      const entity = parseEntityTriples(triples);
      if (entity === null) return [];
      const { reference, className, properties } = entity;
      const named = { id: reference.id, properties };
      if (kind === "project") return [{ kind, ...named }];
      if (kind === "agent") return [{ kind, ...named, class: className } as EntityRecord];
      return [{ kind, ...named, class: reference.kind } as EntityRecord];
    }),
    last: subjects.at(-1)?.subject ?? null,
  };
}

/** An agent and a project own themselves, and a project the resources that say that they are part of it. */
function matchEntity(tenant: string, kind: EntityKindName, owner: Binding): SQL {
  const { user_id, agent_id, project_id, session_id } = owner;
  if ([user_id, agent_id, project_id, session_id].every((id) => id === undefined)) return sql`true`;
  if (user_id !== undefined || session_id !== undefined) return sql`false`;
  if (kind === "agent")
    return agent_id === undefined || project_id !== undefined
      ? sql`false`
      : sql`t.subject = ${toEntityIri({ kind: "agent", id: agent_id })}`;
  if (agent_id !== undefined || project_id === undefined) return sql`false`;
  const project = toEntityIri({ kind: "project", id: project_id });
  return kind === "project"
    ? sql`t.subject = ${project}`
    : sql`EXISTS (SELECT 1 FROM triples p WHERE p.tenant = ${tenant} AND p.subject = t.subject
        AND p.predicate = 'jido:partOfProject' AND p.object = ${project})`;
}

export function getEntityReference(record: EntityRecord): EntityReference {
  return { kind: record.kind === "resource" ? record.class : record.kind, id: record.id };
}

/** Returns the local name of an entity's class. */
export function getEntityClass(record: EntityRecord): string {
  if (record.kind === "project") return "Project";
  return record.kind === "agent" ? record.class : RESOURCE_CLASSES[record.class];
}

export function insertEntityRecords(tenant: string, records: readonly EntityRecord[]): SQL[] {
  return splitIntoChunks(records).map((chunk) =>
    insertTriples(
      tenant,
      chunk.flatMap((record) => toRecordTriples(record)),
    ),
  );
}

/** Returns the triples of a declared entity. */
export function toRecordTriples(record: EntityRecord): Triple[] {
  return toEntityTriples({
    reference: getEntityReference(record),
    className: getEntityClass(record),
    properties: record.properties,
  });
}
