// The registry of sessions: a row for lists, and triples of jido:WorkSession. The session's object is the authority and
// sends every change here; a late retry never overwrites a newer version.

import { and, asc, desc, eq, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import { getDefaultScope } from "../kernel/access";
import type { Scope } from "../kernel/common";
import { type Database, readAll, runBatch, sanitiseErrors } from "../kernel/databases/d1";
import { declareMethods } from "../kernel/declare-methods";
import type { Page, StoreContext } from "../kernel/store-context";
import { sessions } from "../kernel/tables";
import { type ErasedMemories, eraseMemories, eraseVectors } from "../memories/store/erase-memories";
import { selectBasedOnMessages } from "../memories/store/memory-entry";
import { deleteSessionQuotations } from "../memories/store/quotation-repository";
import {
  insertTriples,
  parseInstanceId,
  parseUserIri,
  pointsAt,
  type Triple,
  toInstanceIri,
  toUserIri,
} from "../ontology/triples";
import { deleteItems, fromSessionItems, selectItemVectors } from "../recall/search/item-repository";
import { deleteMessages } from "./message-repository";
import type { SessionPhase, SessionStatus, SessionSummary } from "./session-schemas";

export type RegisteredSession = SessionSummary & {
  version: number;
  participating_agents: readonly string[];
};

type SessionFilter = {
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  status: SessionStatus | null;
  phase: SessionPhase | null;
};

const STATUS_INDIVIDUAL: Record<SessionStatus, string> = {
  active: "jido:Active",
  paused: "jido:Paused",
  closed: "jido:Closed",
  abandoned: "jido:Abandoned",
};

const PHASE_INDIVIDUAL: Record<SessionPhase, string> = {
  planning: "jido:PlanningPhase",
  implementation: "jido:ImplementationPhase",
  debugging: "jido:DebuggingPhase",
  review: "jido:ReviewPhase",
};

/** What the triples of a session state: neither its reach, nor when it was last used. */
type StatedSession = Omit<RegisteredSession, "version" | "updated_at" | "reach">;

export function toSessionTriples(session: StatedSession): Triple[] {
  const subject = toInstanceIri("session", session.id);
  const iri = (predicate: string, object: string): Triple => ({ subject, predicate, object, datatype: "" });
  const time = (predicate: string, object: string): Triple => ({
    subject,
    predicate,
    object,
    datatype: "xsd:dateTime",
  });
  const { agent_id, participating_agents } = session;
  const agents = new Set([...(agent_id === null ? [] : [agent_id]), ...participating_agents]);
  return [
    iri("rdf:type", "jido:WorkSession"),
    iri("jido:hasStatus", STATUS_INDIVIDUAL[session.status]),
    ...(session.phase === null ? [] : [iri("jido:hasPhase", PHASE_INDIVIDUAL[session.phase])]),
    time("jido:startedAt", session.created_at),
    ...(session.ended_at === null ? [] : [time("jido:endedAt", session.ended_at)]),
    ...(session.continues === null
      ? []
      : [iri("jido:continuesSession", toInstanceIri("session", session.continues))]),
    ...(agent_id === null ? [] : [iri("jido:hasPrimaryAgent", toInstanceIri("agent", agent_id))]),
    ...[...agents].map((agent) => iri("jido:hasParticipatingAgent", toInstanceIri("agent", agent))),
    ...(session.user_id === null ? [] : [iri("jido:concernsUser", toUserIri(session.user_id))]),
    ...(session.project_id === null
      ? []
      : [iri("jido:partOfProject", toInstanceIri("project", session.project_id))]),
  ];
}

/** Returns the session that the triples of a subject state. Throws if they are not a session's. */
export function parseSessionTriples(triples: readonly Triple[]): StatedSession {
  const listObjects = (name: string) =>
    triples.flatMap(({ predicate, object }) => (predicate === `jido:${name}` ? [object] : []));
  const readId = (kind: "session" | "agent" | "project", name: string) =>
    parseInstanceId(kind, listObjects(name)[0] ?? "");
  const id = parseInstanceId("session", triples[0]?.subject ?? "");
  const [created_at] = listObjects("startedAt");
  const status = findIndividual(STATUS_INDIVIDUAL, listObjects("hasStatus")[0]);
  if (id === null || created_at === undefined || status === null)
    throw new Error("Not the triples of a session");
  return {
    id,
    status,
    phase: findIndividual(PHASE_INDIVIDUAL, listObjects("hasPhase")[0]),
    created_at,
    ended_at: listObjects("endedAt")[0] ?? null,
    continues: readId("session", "continuesSession"),
    user_id: parseUserIri(listObjects("concernsUser")[0] ?? ""),
    agent_id: readId("agent", "hasPrimaryAgent"),
    project_id: readId("project", "partOfProject"),
    participating_agents: listObjects("hasParticipatingAgent").flatMap(
      (iri) => parseInstanceId("agent", iri) ?? [],
    ),
  };
}

function findIndividual<Name extends string>(
  individuals: Readonly<Record<Name, string>>,
  iri: string | undefined,
): Name | null {
  const names = Object.keys(individuals) as Name[];
  return names.find((name) => individuals[name] === iri) ?? null;
}

export function createSessionRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, removes, writes } = declareMethods(context);

  return {
    register: writes(async (session: RegisteredSession & { bytes: number }): Promise<void> => {
      const { id, status, user_id, agent_id, project_id, reach, phase, continues } = session;
      const { created_at, updated_at, ended_at, version, bytes } = session;
      const isNewest = sql`(SELECT version FROM sessions WHERE tenant = ${tenant} AND id = ${id}) = ${version}`;
      await runBatch(db, [
        sql`INSERT INTO sessions (tenant, id, status, user_id, agent_id, project_id, reach, phase, continues, created_at, updated_at, ended_at, version)
          VALUES (${tenant}, ${id}, ${status}, ${user_id}, ${agent_id}, ${project_id}, ${reach}, ${phase}, ${continues}, ${created_at}, ${updated_at}, ${ended_at}, ${version})
          ON CONFLICT DO UPDATE SET status = excluded.status, reach = excluded.reach, phase = excluded.phase, updated_at = excluded.updated_at, ended_at = excluded.ended_at,
            version = excluded.version WHERE excluded.version > sessions.version`,
        sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${toInstanceIri("session", id)} AND ${isNewest}`,
        insertTriples(tenant, toSessionTriples(session), { where: isNewest }),
        sql`UPDATE sessions SET bytes = ${bytes} WHERE tenant = ${tenant} AND id = ${id} AND bytes <> ${bytes}`,
      ]);
    }),

    find: reads(async (id: string): Promise<SessionSummary | null> => {
      const [row] = await sanitiseErrors(() =>
        db.orm
          .select()
          .from(sessions)
          .where(and(eq(sessions.tenant, tenant), eq(sessions.id, id))),
      );
      return row === undefined ? null : toSessionSummary(row);
    }),

    /** Returns sessions, newest first. */
    list: reads(async (filter: SessionFilter, { limit, after }: Page): Promise<SessionSummary[]> => {
      const conditions: (SQL | undefined)[] = [eq(sessions.tenant, tenant)];
      if (filter.user_id !== null) conditions.push(eq(sessions.user_id, filter.user_id));
      if (filter.agent_id !== null) conditions.push(eq(sessions.agent_id, filter.agent_id));
      if (filter.project_id !== null) conditions.push(eq(sessions.project_id, filter.project_id));
      if (filter.status !== null) conditions.push(eq(sessions.status, filter.status));
      if (filter.phase !== null) conditions.push(eq(sessions.phase, filter.phase));
      if (after !== null) {
        const sameTime = and(eq(sessions.created_at, after.timestamp), lt(sessions.id, after.id));
        conditions.push(or(lt(sessions.created_at, after.timestamp), sameTime));
      }
      const query = db.orm
        .select()
        .from(sessions)
        .where(and(...conditions))
        .orderBy(desc(sessions.created_at), desc(sessions.id))
        .limit(limit);
      const rows = await readAll<typeof sessions.$inferSelect>(db, query.getSQL());
      return rows.map(toSessionSummary);
    }),

    /** Returns the agent's latest session for a person, or for none; of one project if it is given. */
    findLatestId: reads(
      async (owner: {
        agent_id: string;
        user_id: string | null;
        project_id: string | null;
      }): Promise<string | null> => {
        const { agent_id, user_id, project_id } = owner;
        const [row] = await readAll<{ id: string }>(
          db,
          sql`SELECT id FROM sessions WHERE tenant = ${tenant} AND agent_id = ${agent_id} AND user_id IS ${user_id}
            AND (${project_id} IS NULL OR project_id = ${project_id}) ORDER BY created_at DESC, id DESC LIMIT 1`,
        );
        return row?.id ?? null;
      },
    ),

    /** Erases a session from the registry, with its messages, its own items and, on request, its memories. */
    erase: removes(async (id: string, { memories }: { memories: boolean }): Promise<ErasedMemories> => {
      const ownItems = fromSessionItems(tenant, id);
      const messageVectors = sql`SELECT vector_id AS id FROM messages WHERE tenant = ${tenant} AND session_id = ${id}`;
      const vectors =
        (await eraseVectors(context, "message", messageVectors)) +
        (await eraseVectors(context, "item", selectItemVectors(ownItems)));
      const isErased = memories ? sql`session_id = ${id}` : sql`false`;
      const erased = await eraseMemories(
        context,
        sql`SELECT id FROM memories WHERE tenant = ${tenant} AND ${isErased}`,
        {
          also: [
            ...deleteMessages(tenant, id),
            ...deleteItems(tenant, ownItems),
            ...deleteSession(tenant, id),
          ],
          outdated: selectBasedOnMessages(tenant, id),
        },
      );
      return { ...erased, vectors: erased.vectors + vectors };
    }),
  };
}

/** Returns open sessions of all tenants without activity since a time, for the sweep that marks them abandoned. */
export async function listIdleSessions(
  db: Database,
  before: string,
  limit: number,
): Promise<{ tenant: string; id: string }[]> {
  return sanitiseErrors(() =>
    db.orm
      .select({ tenant: sessions.tenant, id: sessions.id })
      .from(sessions)
      .where(and(inArray(sessions.status, ["active", "paused"]), lt(sessions.updated_at, before)))
      .orderBy(asc(sessions.updated_at))
      .limit(limit),
  );
}

/** Deletes a session from the registry and from the triples. */
function deleteSession(tenant: string, id: string): SQL[] {
  const subject = toInstanceIri("session", id);
  return [
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${subject}`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND ${pointsAt("triples", subject)} AND predicate = 'jido:continuesSession'`,
    sql`DELETE FROM sessions WHERE tenant = ${tenant} AND id = ${id}`,
    ...deleteSessionQuotations(tenant, id),
  ];
}

function toSessionSummary(row: typeof sessions.$inferSelect): SessionSummary {
  const { id, user_id, agent_id, project_id, continues, created_at, updated_at, ended_at } = row;
  return {
    id,
    status: row.status as SessionStatus,
    user_id,
    agent_id,
    project_id,
    reach: (row.reach as Scope | null) ?? getDefaultScope(row),
    phase: row.phase as SessionPhase | null,
    continues,
    created_at,
    updated_at,
    ended_at,
  };
}
