// Reads the triples of a tenant, or of one owner, subject by subject and page by page, as an export needs them: with
// derived triples, usage, and how each memory came to be.
import { type SQL, sql } from "drizzle-orm";
import { type EpisodeRow, fromEpisodeRow } from "../experience/episodes/episode-mapping";
import type { Binding } from "../kernel/access";
import { type Database, readAll, runBatch } from "../kernel/databases/d1";
import type { StoreContext } from "../kernel/store-context";
import { fromMemoryRow, type MemoryRow, withUsageTriples } from "../memories/store/memory-mapping";
import { selectEpisodeRow, selectMemoryRow } from "../memories/usage/usage-counts";
import { addDerivedTriples } from "../ontology/triple-repository";
import {
  formatDecimal,
  hasIriObject,
  parseEvidenceIri,
  parseInstanceId,
  type Triple,
  toInstanceIri,
  toUserIri,
} from "../ontology/triples";

/** A triple with its graph, "" for the default graph. */
export type GraphStatement = Triple & { graph: string };

/** A subject with its statements in the order in which they were written. `memory` is the row of a memory. */
export type SubjectStatements = { subject: string; statements: GraphStatement[]; memory: MemoryRow | null };

/** Subjects read together: a few hundred kilobytes of triples. */
const PAGE_SIZE = 500;

/** Returns the subjects that have all ids of the owner, page by page. */
export async function* readSubjectPages(
  context: StoreContext,
  owner: Binding,
): AsyncGenerator<SubjectStatements[]> {
  const conditions = listConditions(owner);
  for await (const subjects of listSubjects(context, owner, conditions)) {
    if (subjects.length === 0) continue;
    const page =
      conditions.length === 0
        ? await readStatements(context, subjects)
        : await readOwnedStatements(context, subjects, conditions);
    yield await describeSubjects(context, page);
  }
}

/** A subject belongs to an owner if one of these properties leads to the IRI. */
type PropertyCondition = { properties: readonly string[]; iri: string };

/** The properties that name the owner of a memory, an episode, a session or a resource. */
const OWNER_PROPERTIES = {
  session_id: ["jido:assertedIn"],
  user_id: ["jido:concernsUser"],
  agent_id: ["jido:assertedBy", "jido:performedBy", "jido:hasPrimaryAgent"],
  project_id: ["jido:appliesToProject", "jido:partOfProject"],
} as const;

const OWNER_IRI = {
  session_id: (id: string) => toInstanceIri("session", id),
  user_id: toUserIri,
  agent_id: (id: string) => toInstanceIri("agent", id),
  project_id: (id: string) => toInstanceIri("project", id),
} as const;

function listConditions(owner: Binding): PropertyCondition[] {
  return (Object.keys(OWNER_PROPERTIES) as (keyof typeof OWNER_PROPERTIES)[]).flatMap((name) => {
    const id = owner[name];
    return id === undefined ? [] : [{ properties: OWNER_PROPERTIES[name], iri: OWNER_IRI[name](id) }];
  });
}

async function* listSubjects(
  { db, tenant }: StoreContext,
  owner: Binding,
  conditions: readonly PropertyCondition[],
): AsyncGenerator<string[]> {
  const [first, ...others] = conditions;
  if (first === undefined) {
    yield* listAllSubjects(db, tenant);
    return;
  }
  // A session is the first condition, and the owner of the others was compared with it. Of several other owners, none
  // belongs to all of them.
  if (owner.session_id !== undefined || others.length === 0) yield [first.iri];
  for (const property of first.properties) yield* listOwned(db, tenant, { property, iri: first.iri, others });
}

async function* listAllSubjects(db: Database, tenant: string): AsyncGenerator<string[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: { subject: string }[] = await readAll(
      db,
      sql`SELECT DISTINCT t.subject FROM statements t WHERE t.tenant = ${tenant} AND t.subject > ${after}
        ORDER BY t.subject LIMIT ${PAGE_SIZE}`,
    );
    yield rows.map(({ subject }) => subject);
    after = rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.subject;
  }
}

/** Follows the index by object, whose order is that of positions and subjects. */
async function* listOwned(
  db: Database,
  tenant: string,
  { property, iri, others }: { property: string; iri: string; others: readonly PropertyCondition[] },
): AsyncGenerator<string[]> {
  type Row = { subject: string; position: number };
  for (let after: Row | undefined = { subject: "", position: -1 }; after !== undefined; ) {
    const rows: Row[] = await readAll<Row>(
      db,
      sql`SELECT t.subject, t.position FROM statements t
        WHERE t.tenant = ${tenant} AND t.key = ${iri} AND t.predicate = (SELECT number FROM predicates WHERE iri = ${property})
          AND t.literal IS NULL AND ${hasIriObject("t")} AND (t.position, t.subject) > (${after.position}, ${after.subject})
          AND ${isOwned(tenant, sql`t.subject`, others)}
        ORDER BY t.position, t.subject LIMIT ${PAGE_SIZE}`,
    );
    yield rows.map(({ subject }) => subject);
    after = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
  }
}

/** Matches a subject (an expression) that meets all conditions. */
function isOwned(tenant: string, subject: SQL, conditions: readonly PropertyCondition[]): SQL {
  const terms = conditions.map(
    ({
      properties,
      iri,
    }) => sql`EXISTS (SELECT 1 FROM triples o WHERE o.tenant = ${tenant} AND o.subject = ${subject}
      AND o.predicate IN (SELECT value FROM json_each(${JSON.stringify(properties)})) AND o.object = ${iri})`,
  );
  return sql.join([sql`true`, ...terms], sql` AND `);
}

async function readStatements(
  { db, tenant }: StoreContext,
  subjects: readonly string[],
): Promise<GraphStatement[]> {
  return readAll<GraphStatement>(
    db,
    sql`SELECT t.subject, t.predicate, t.object, t.datatype, t.graph FROM json_each(${JSON.stringify(subjects)}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value ORDER BY j.key, t.position`,
  );
}

/** Fields of a memory that name another one. They say that its life has ended, whoever the other belongs to. */
const ENDINGS: readonly string[] = ["jido:supersededBy", "jido:invalidatedBy"];

/**
 * Reads the statements of an owner's subjects, with the Links between them. Relations to memories and episodes of others
 * are left out; evidence is a reference, which stays.
 */
async function readOwnedStatements(
  context: StoreContext,
  subjects: readonly string[],
  conditions: readonly PropertyCondition[],
): Promise<GraphStatement[]> {
  const { db, tenant } = context;
  const links = await readAll<{ subject: string }>(
    db,
    sql`SELECT DISTINCT l.subject FROM json_each(${JSON.stringify(subjects)}) j CROSS JOIN triples l
      ON l.tenant = ${tenant} AND l.object_key = j.value AND ${hasIriObject("l")} AND l.predicate = 'jido:linkFrom'`,
  );
  const statements = await readStatements(context, [...subjects, ...links.map(({ subject }) => subject)]);
  const isRelation = ({ predicate, object, datatype }: GraphStatement) =>
    datatype === "" &&
    !ENDINGS.includes(predicate) &&
    (object.startsWith("jido:memory_") ||
      (object.startsWith("jido:evidence_") && predicate !== "jido:derivedFrom"));
  const targets = new Set(statements.filter(isRelation).map(({ object }) => object));
  const owned = await readAll<{ iri: string }>(
    db,
    sql`SELECT j.value AS iri FROM json_each(${JSON.stringify([...targets])}) j
      WHERE ${isOwned(tenant, sql`j.value`, conditions)}`,
  );
  const visible = new Set(owned.map(({ iri }) => iri));
  const isHidden = (statement: GraphStatement) => isRelation(statement) && !visible.has(statement.object);
  // A Link without one of its ends is none.
  const broken = new Set(
    statements
      .filter((one) => one.subject.startsWith("jido:link_") && isHidden(one))
      .map(({ subject }) => subject),
  );
  return statements.filter((one) => !isHidden(one) && !broken.has(one.subject));
}

/** Adds derived triples and usage, in the place of what is stored of it. */
async function describeSubjects(
  { db, tenant }: StoreContext,
  statements: readonly GraphStatement[],
): Promise<SubjectStatements[]> {
  const bySubject = Map.groupBy(statements, ({ subject }) => subject);
  const ids = (parse: (iri: string) => string | null) =>
    JSON.stringify([...bySubject.keys()].flatMap((subject) => parse(subject) ?? []));
  const [memoryRows = [], episodeRows = []] = await runBatch(db, [
    sql`SELECT ${selectMemoryRow("m")} FROM memories m
      WHERE m.tenant = ${tenant} AND m.id IN (SELECT value FROM json_each(${ids((iri) => parseInstanceId("memory", iri))}))`,
    sql`SELECT ${selectEpisodeRow("e")} FROM episodes e
      WHERE e.tenant = ${tenant} AND e.id IN (SELECT value FROM json_each(${ids(parseEvidenceIri)}))`,
  ]);
  const memories = new Map((memoryRows as MemoryRow[]).map((row) => [toInstanceIri("memory", row.id), row]));
  const episodes = new Map((episodeRows as EpisodeRow[]).map((row) => [row.id, row]));
  return [...bySubject].map(([subject, own]) => {
    const memory = memories.get(subject) ?? null;
    const episode = episodes.get(parseEvidenceIri(subject) ?? "");
    const derived = addDerivedTriples(own);
    const used =
      memory !== null
        ? withUsageTriples(derived, fromMemoryRow(memory))
        : episode === undefined
          ? derived
          : withEpisodeUsage(derived, subject, episode);
    return { subject, memory, statements: used.map((triple) => ({ graph: "", ...triple })) };
  });
}

const EPISODE_USAGE = ["importanceScore", "accessCount", "lastAccessed"].map((name) => `jido:${name}`);

function withEpisodeUsage(triples: readonly Triple[], subject: string, row: EpisodeRow): Triple[] {
  const { importance, usage_count, last_used } = fromEpisodeRow(row);
  const state = (name: string, datatype: string, object: string) => ({
    subject,
    predicate: `jido:${name}`,
    object,
    datatype: `xsd:${datatype}`,
  });
  return [
    ...triples.filter(({ predicate }) => !EPISODE_USAGE.includes(predicate)),
    state("importanceScore", "decimal", formatDecimal(importance)),
    state("accessCount", "integer", String(usage_count)),
    ...(last_used === null ? [] : [state("lastAccessed", "dateTime", last_used)]),
  ];
}
