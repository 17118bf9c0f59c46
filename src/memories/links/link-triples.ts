// Maps links to triples and back. The linking triple states the relation; a Link beside it states its strength, its
// time and how a contradiction was resolved. Ends are the compact IRIs of memories and episodes.
import { type SQL, sql } from "drizzle-orm";
import { toPatternTopicKey } from "../../facts/topics/topic-key";
import { type Binding, UNBOUND } from "../../kernel/access";
import { readAll } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { type Failure, fail } from "../../kernel/errors";
import { sha256Hex } from "../../kernel/hash";
import { matchOwner } from "../../kernel/match-owner";
import type { StoreContext } from "../../kernel/store-context";
import { type EntityReference, parseEntityName, toEntityName } from "../../ontology/entity-classes";
import { parseEntityIri } from "../../ontology/entity-mapping";
import {
  ENTITY_REFERENCES,
  type EntityRelation,
  isMemoryReference,
  isMemoryRelation,
  MEMORY_REFERENCES,
  MEMORY_RELATIONS,
  type MemoryReference,
  type MemoryRelation,
} from "../../ontology/property-values";
import {
  computeLiteralKey,
  expandIri,
  formatDecimal,
  insertTriples,
  isLookedUp,
  PREFIXES,
  parseEvidenceIri,
  parseInstanceId,
  type Triple,
  toInstanceIri,
} from "../../ontology/triples";
import type { GenericRelation, Link, Relation, ResolveInput } from "./link-schemas";

/** `supersedes` is stored as `superseded_by` in the other direction, so that each fact has one form. */
type GenericStoredRelation = Exclude<GenericRelation, "supersedes">;
export type StoredRelation = GenericStoredRelation | MemoryRelation | ReferenceRelation;

/** Leads to an agent, a project or a resource: its triple is a property of the subject, without a Link beside it. */
type ReferenceRelation = MemoryReference | EntityRelation;
const REFERENCE_RELATIONS: readonly ReferenceRelation[] = [...MEMORY_REFERENCES, ...ENTITY_REFERENCES];

function isReferenceRelation(name: string): name is ReferenceRelation {
  return REFERENCE_RELATIONS.some((relation) => relation === name);
}

export type DirectedLink<End> = { from: End; to: End; relation: StoredRelation };

const GENERIC_PREDICATE: Record<GenericStoredRelation, string> = {
  derived_from: "jido:derivedFrom",
  related_to: "jido:relatedTo",
  contradicts: "jido:contradicts",
  elaborates: "jido:elaborates",
  example_of: "jido:exampleOf",
  superseded_by: "jido:supersededBy",
  supports: "jido:supports",
};
const GENERIC_RELATION = new Map(
  Object.entries(GENERIC_PREDICATE).map(([relation, predicate]) => [
    predicate,
    relation as GenericStoredRelation,
  ]),
);

export const GENERIC_PREDICATES: readonly string[] = Object.values(GENERIC_PREDICATE);

/** The predicates of memory relations, whose triples are properties of the memory that they lead from, too. */
export const PROPERTY_PREDICATES: readonly string[] = MEMORY_RELATIONS.map((name) => `jido:${name}`);

export const LINKING_PREDICATES: readonly string[] = [...GENERIC_PREDICATES, ...PROPERTY_PREDICATES];

/** The predicates of all links, those that lead to agents, projects and resources included. */
export const LISTED_PREDICATES: readonly string[] = [
  ...LINKING_PREDICATES,
  ...REFERENCE_RELATIONS.map((name) => `jido:${name}`),
];

export function toPredicate(relation: StoredRelation): string {
  return isMemoryRelation(relation) || isReferenceRelation(relation)
    ? `jido:${relation}`
    : GENERIC_PREDICATE[relation];
}

/** Returns the relation of a predicate; undefined for a predicate that is not a link. */
export function toRelation(predicate: string): StoredRelation | undefined {
  const name = predicate.replace("jido:", "");
  return isMemoryRelation(name) || isReferenceRelation(name) ? name : GENERIC_RELATION.get(predicate);
}

/** Whether the predicate only links: its triples are not properties of a memory. */
export function isGenericPredicate(predicate: string): boolean {
  return GENERIC_RELATION.has(predicate);
}

/** Whether a relation states the same in both directions. */
export function isSymmetric(relation: StoredRelation): boolean {
  return relation === "related_to" || relation === "contradicts";
}

export function reverseLink<End>({ from, to, relation }: DirectedLink<End>): DirectedLink<End> {
  return { from: to, to: from, relation };
}

/** Returns the form in which a link is stored. */
export function normaliseLink<End>(link: { from: End; to: End; relation: Relation }): DirectedLink<End> {
  const { from, to, relation } = link;
  return relation === "supersedes"
    ? { from: to, to: from, relation: "superseded_by" }
    : { from, to, relation };
}

/** The answer to a request for a link, and whether it is new. */
export type CreatedLink = { link: Link; created: boolean };

export type Resolution = { action: ResolveInput["action"]; reason: string | null; resolved_at: string };

export type StoredLink = DirectedLink<string> & {
  id: string;
  strength: number;
  linked_at: string;
  resolution: Resolution | null;
};

/**
 * Returns the first 128 bits of SHA-256 in hex; the same in both directions of a symmetric relation. A relation between
 * two memories, or from a memory to a resource, has a readable id.
 */
export async function computeLinkId(tenant: string, link: DirectedLink<string>): Promise<string> {
  const { from, to, relation } = link;
  const ends = { from: parseInstanceId("memory", from), to: parseInstanceId("memory", to) };
  if (isMemoryRelation(relation) && ends.from !== null && ends.to !== null)
    return toRelationLinkId({ from: ends.from, to: ends.to, relation });
  const entity = parseEntityIri(to);
  if (isMemoryReference(relation) && ends.from !== null && entity !== null)
    return toReferenceLinkId({ from: ends.from, to: entity, relation });
  const [first, second] = isSymmetric(relation) ? [from, to].toSorted() : [from, to];
  return (await sha256Hex(JSON.stringify([tenant, first, toPredicate(relation), second]))).slice(0, 32);
}

/** A relation from one memory to another, by their ids. */
export type RelationLink = { from: string; to: string; relation: MemoryRelation };

/** Names the triple, so that a relation which was set as a property, without a Link, is found by its id. */
export function toRelationLinkId({ from, to, relation }: RelationLink): string {
  return `${from}-${relation}-${to}`;
}

export function parseRelationLinkId(id: string): RelationLink | null {
  const [from = "", relation = "", to = "", ...rest] = id.split("-");
  return rest.length === 0 && isMemoryRelation(relation) ? { from, to, relation } : null;
}

/** A reference from a memory, by its id, to an agent, a project or a resource. */
export type ReferenceLink = { from: string; to: EntityReference; relation: MemoryReference };

export function toReferenceLinkId({ from, to, relation }: ReferenceLink): string {
  return `${from}-${relation}-${toEntityName(to)}`;
}

export function parseReferenceLinkId(id: string): ReferenceLink | null {
  const [from = "", relation = "", ...rest] = id.split("-");
  const to = parseEntityName(rest.join("-"));
  return to !== null && isMemoryReference(relation) ? { from, to, relation } : null;
}

export function toLinkingTriple({ from, to, relation }: DirectedLink<string>): Triple {
  return { subject: from, predicate: toPredicate(relation), object: to, datatype: "" };
}

/** Returns the triples of the Link, without the linking triple. */
export function toLinkTriples(link: StoredLink): Triple[] {
  const { id, from, to, relation, strength, linked_at, resolution } = link;
  const subject = toInstanceIri("link", id);
  return [
    { subject, predicate: "rdf:type", object: "jido:Link", datatype: "" },
    { subject, predicate: "jido:linkFrom", object: from, datatype: "" },
    { subject, predicate: "jido:linkTo", object: to, datatype: "" },
    { subject, predicate: "jido:linkRelation", object: toRelationIri(relation), datatype: "xsd:anyURI" },
    { subject, predicate: "jido:linkStrength", object: formatDecimal(strength), datatype: "xsd:decimal" },
    { subject, predicate: "jido:linkedAt", object: linked_at, datatype: "xsd:dateTime" },
    ...(resolution === null ? [] : toResolutionTriples(id, resolution)),
  ];
}

/** Returns the object of `linkRelation`, a literal with the full IRI. */
export function toRelationIri(relation: StoredRelation): string {
  return expandIri(toPredicate(relation));
}

export function toResolutionTriples(id: string, { action, reason, resolved_at }: Resolution): Triple[] {
  const subject = toInstanceIri("link", id);
  const literal = (name: string, datatype: string, object: string): Triple => ({
    subject,
    predicate: `jido:${name}`,
    object,
    datatype: `xsd:${datatype}`,
  });
  return [
    literal("resolution", "string", action),
    ...(reason === null ? [] : [literal("resolutionReason", "string", reason)]),
    literal("resolvedAt", "dateTime", resolved_at),
  ];
}

/** Returns the Link that the triples of a subject state. Throws if they are not a Link's. */
export function parseLinkTriples(triples: readonly Triple[]): StoredLink {
  const objects = new Map(triples.map(({ predicate, object }) => [predicate, object]));
  const require = (name: string) => {
    const value = objects.get(`jido:${name}`);
    if (value === undefined) throw new Error(`A link has no jido:${name}`);
    return value;
  };
  const id = parseInstanceId("link", triples[0]?.subject ?? "");
  const relation = toRelation(require("linkRelation").replace(PREFIXES.jido, "jido:"));
  if (id === null || relation === undefined) throw new Error("Not the triples of a link");
  const action = objects.get("jido:resolution");
  return {
    id,
    from: require("linkFrom"),
    to: require("linkTo"),
    relation,
    strength: Number(require("linkStrength")),
    linked_at: require("linkedAt"),
    resolution:
      action === undefined
        ? null
        : {
            action: action as Resolution["action"],
            reason: objects.get("jido:resolutionReason") ?? null,
            resolved_at: require("resolvedAt"),
          },
  };
}

/** Returns the Links with these ids, in their order, leaving out ids without a Link. */
export async function readLinks({ db, tenant }: StoreContext, ids: readonly string[]): Promise<StoredLink[]> {
  const rows = await readAll<Triple>(
    db,
    sql`SELECT t.subject, t.predicate, t.object, t.datatype, j.key FROM json_each(${JSON.stringify(ids)}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = 'jido:link_' || j.value ORDER BY j.key`,
  );
  return [...Map.groupBy(rows, ({ subject }) => subject).values()].map(parseLinkTriples);
}

/** Where ends are looked up: within a binding, and names in a project (null: in none) before those of others. */
export type EndLookup = { binding?: Binding; project_id?: string | null };

/**
 * Resolves each id to the IRI of a memory, else of the pattern with that name, else of an episode; else null. Of several
 * patterns with a name, the live one counts, then the newest: a superseded one keeps its name.
 */
export async function resolveEnds(
  { db, tenant }: StoreContext,
  ids: readonly string[],
  { binding = UNBOUND, project_id }: EndLookup = {},
): Promise<(string | null)[]> {
  // A name is looked up among the triples: their index of topics does not begin with a scope.
  const wanted = ids.map((id) => {
    const name = toPatternTopicKey(id);
    return { id, name, key: computeLiteralKey(name) };
  });
  // A set of keys is looked up in each of the two tables that the view may have; the key of a row is not.
  const keys = sql`SELECT value FROM json_each(${JSON.stringify(wanted.map(({ key }) => key))})`;
  const ownFirst = project_id === undefined ? sql`` : sql`m.project_id IS ${project_id} DESC,`;
  const rows = await readAll<{ iri: string | null }>(
    db,
    sql`SELECT coalesce(
        (SELECT 'jido:memory_' || m.id FROM memories m
          WHERE m.tenant = ${tenant} AND m.id = j.value ->> '$.id' AND ${matchOwner(binding, "m")}),
        (SELECT t.subject FROM triples t CROSS JOIN memories m
            ON m.tenant = ${tenant} AND m.id = replace(t.subject, 'jido:memory_', '')
          WHERE t.tenant = ${tenant} AND t.object_key IN (${keys}) AND t.object_key = j.value ->> '$.key' AND ${isLookedUp("t")} AND t.predicate = 'jido:topicKey'
            AND t.object = j.value ->> '$.name' AND ${matchOwner(binding, "m")}
          ORDER BY ${ownFirst} m.live DESC, m.timestamp DESC, m.id DESC LIMIT 1),
        (SELECT 'jido:evidence_' || e.id FROM episodes e
          WHERE e.tenant = ${tenant} AND e.id = j.value ->> '$.id' AND ${matchOwner(binding, "e")})
      ) AS iri FROM json_each(${JSON.stringify(wanted)}) j ORDER BY j.key`,
  );
  return rows.map(({ iri }) => iri);
}

export function endNotFound(field: string, id: string): { ok: false; failure: Failure } {
  return fail("not_found", `${field}: there is no memory, pattern or episode ${id}. Check the id.`, {
    errors: [{ path: field, message: `does not exist: ${id}` }],
  });
}

/** Matches if the memory or episode at an IRI (an expression) meets a condition. Ids contain no colon. */
export function matchEnd(tenant: string, iri: SQL, condition: SQL): SQL {
  return sql`(EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant}
      AND id = replace(${iri}, 'jido:memory_', '') AND ${condition})
    OR EXISTS (SELECT 1 FROM episodes WHERE tenant = ${tenant}
      AND id = replace(${iri}, 'jido:evidence_', '') AND ${condition}))`;
}

/** Aborts the batch if an end no longer exists. */
export function assertEnds(tenant: string, iris: readonly string[]): SQL[] {
  return iris.map((iri) => assertThat(matchEnd(tenant, sql`${iri}`, sql`true`)));
}

export function isMemoryIri(iri: string): boolean {
  return parseInstanceId("memory", iri) !== null;
}

/** Returns the id of a memory or an episode, `class/id` of an entity, or the reference of other evidence. */
export function getEndId(iri: string): string {
  const id = parseInstanceId("memory", iri) ?? parseEvidenceIri(iri);
  if (id !== null) return id;
  const entity = parseEntityIri(iri);
  return entity === null ? iri : `${entity.kind}/${entity.id}`;
}

// Links statements of a lower rank to those that they contradict, in the batch that stores them. GET /v1/contradictions
// lists the links until somebody settles them.

/** A memory that contradicts another, by their ids. */
export type ContradictingMemories = { from: string; to: string };

/** Builds the statements of the links. A pair that is linked already stays as it is, settled or not. */
export function buildContradictionLinks(
  tenant: string,
  pairs: readonly ContradictingMemories[],
  now: string,
): Promise<SQL[]> {
  return Promise.all(
    pairs.map(async ({ from, to }) => {
      const link = {
        from: toInstanceIri("memory", from),
        to: toInstanceIri("memory", to),
        relation: "contradicts" as const,
      };
      const id = await computeLinkId(tenant, link);
      const triples = [
        toLinkingTriple(link),
        ...toLinkTriples({ ...link, id, strength: 1, linked_at: now, resolution: null }),
      ];
      return insertTriples(tenant, triples, {
        where: sql`NOT EXISTS (SELECT 1 FROM triples l WHERE l.tenant = ${tenant} AND l.subject = ${toInstanceIri("link", id)})`,
      });
    }),
  );
}
