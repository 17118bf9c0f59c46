// An episode as triples, and back. It is evidence: what a pattern is derived from. The triples are the truth.
import { type SQL, sql } from "drizzle-orm";
import { sha256Hex } from "../../platform/hash";
import { parseJson } from "../../platform/json";
import type { Episode, EpisodeOutcome } from "../../schemas/episode";
import { toIndexText } from "../../text/query-terms";
import { listScopeTokens } from "../memories/memory-id";
import { ensureTenant, nextSeq } from "../statements";
import { formatDecimal, toEvidenceIri, parseEvidenceIri, parseInstanceId, toInstanceIri, type Triple } from "../triples/triples";

const OUTCOME: Record<EpisodeOutcome, string> = {
  success: "jido:SucceededOutcome",
  failure: "jido:FailedOutcome",
  partial: "jido:PartialOutcome",
};

/** What stands in one literal: lists, whose order matters and whose parts nobody asks for alone. */
export type Trace = Pick<
  Episode,
  "action_log" | "errors_encountered" | "artifacts_produced" | "files_read" | "files_modified" | "git_commit"
> & { constraints: string[]; files_involved: string[] };

export function toTrace(episode: Episode): Trace {
  const { action_log, errors_encountered, artifacts_produced, files_read, files_modified, git_commit } =
    episode;
  const { constraints, files_involved } = episode.context;
  return {
    constraints,
    files_involved,
    action_log,
    errors_encountered,
    artifacts_produced,
    files_read,
    files_modified,
    git_commit,
  };
}

export function toEpisodeTriples(episode: Episode): Triple[] {
  const subject = toEvidenceIri(episode.id);
  const triples: Triple[] = [];
  const iri = (predicate: string, object: string | null) => {
    if (object !== null) triples.push({ subject, predicate, object, datatype: "" });
  };
  const literal = (name: string, datatype: string, object: string | null) => {
    if (object !== null)
      triples.push({ subject, predicate: `jido:${name}`, object, datatype: `xsd:${datatype}` });
  };
  const number = (value: number | null) => (value === null ? null : formatDecimal(value));
  iri("rdf:type", "jido:Episode");
  literal("goal", "string", episode.context.goal);
  iri("jido:hasOutcome", OUTCOME[episode.outcome]);
  iri("jido:performedBy", episode.agent === null ? null : toInstanceIri("agent", episode.agent));
  iri("jido:partOfProject", episode.project_id === null ? null : toInstanceIri("project", episode.project_id));
  literal("occurredAt", "dateTime", episode.timestamp);
  literal("durationSeconds", "decimal", number(episode.duration_seconds));
  literal("episodePhase", "string", episode.context.phase);
  literal("taskReference", "string", episode.task_id);
  literal("tokensUsed", "integer", number(episode.tokens_used));
  literal("importanceScore", "decimal", number(episode.importance));
  literal("episodeTrace", "string", JSON.stringify(toTrace(episode)));
  literal("episodeSummary", "string", episode.summary);
  literal("accessCount", "integer", String(episode.usage_count));
  literal("lastAccessed", "dateTime", episode.last_used);
  literal("decayedAt", "dateTime", episode.decayed_at);
  literal("archivedAt", "dateTime", episode.archived_at);
  return triples;
}

/** The episode that a subject's triples state. Throws on a subject that is not an episode: the store is broken. */
export function parseEpisodeTriples(triples: readonly Triple[]): Episode {
  const objects = new Map(triples.map(({ predicate, object }) => [predicate, object]));
  const maybe = (name: string) => objects.get(`jido:${name}`) ?? null;
  const need = (name: string) => {
    const value = maybe(name);
    if (value === null) throw new Error(`An episode has no jido:${name}`);
    return value;
  };
  const number = (name: string) => (maybe(name) === null ? null : Number(maybe(name)));
  const id = parseEvidenceIri(triples[0]?.subject ?? "");
  const outcome = Object.entries(OUTCOME).find(([, individual]) => individual === need("hasOutcome"));
  if (id === null || outcome === undefined) throw new Error("Not the triples of an episode");
  const agent = maybe("performedBy");
  const project = maybe("partOfProject");
  return assembleEpisode({
    id,
    task_id: maybe("taskReference"),
    project_id: project === null ? null : parseInstanceId("project", project),
    agent: agent === null ? null : parseInstanceId("agent", agent),
    timestamp: need("occurredAt"),
    duration_seconds: number("durationSeconds"),
    phase: maybe("episodePhase"),
    goal: need("goal"),
    outcome: outcome[0] as EpisodeOutcome,
    tokens_used: number("tokensUsed"),
    importance: Number(need("importanceScore")),
    trace: JSON.parse(need("episodeTrace")) as Trace,
    summary: maybe("episodeSummary"),
    usage_count: Number(need("accessCount")),
    last_used: maybe("lastAccessed"),
    decayed_at: maybe("decayedAt"),
    archived_at: maybe("archivedAt"),
  });
}

type Parts = Omit<Episode, keyof Trace | "context" | "summarised" | "archived"> & {
  phase: string | null;
  goal: string;
  trace: Trace;
};

/** An episode of what is kept of it. */
export function assembleEpisode({ phase, goal, trace, ...fields }: Parts): Episode {
  const { constraints, files_involved, ...rest } = trace;
  return {
    ...fields,
    ...rest,
    context: { phase, goal, constraints, files_involved },
    summarised: fields.summary !== null,
    archived: fields.archived_at !== null,
  };
}

export type EpisodeRow = {
  seq: number;
  tenant: string;
  id: string;
  vector_id: string;
  project_id: string | null;
  agent_id: string | null;
  task_id: string | null;
  timestamp: string;
  duration_seconds: number | null;
  phase: string | null;
  goal: string;
  outcome: string;
  importance: number;
  tokens_used: number | null;
  trace: string;
  summary: string | null;
  usage_count: number;
  last_used: string | null;
  decayed_at: string | null;
  archived_at: string | null;
  live: number;
};
export const COLUMNS = [
  "id",
  "vector_id",
  "project_id",
  "agent_id",
  "task_id",
  "timestamp",
  "duration_seconds",
  "phase",
  "goal",
  "outcome",
  "importance",
  "tokens_used",
  "trace",
  "summary",
  "usage_count",
  "last_used",
  "decayed_at",
  "archived_at",
  "live",
] as const satisfies readonly (keyof EpisodeRow)[];
/** A row as it goes into a batch, with what the text index takes. */

export type NewEpisodeRow = Omit<EpisodeRow, "seq" | "tenant"> & {
  fts: { scope: string; goal: string; detail: string };
};
/** An episode's id in the vector index. */
export async function computeEpisodeVectorId(tenant: string, id: string): Promise<string> {
  return (await sha256Hex(`episode\n${tenant}\n${id}`)).slice(0, 32);
}
export async function toEpisodeRow(tenant: string, episode: Episode): Promise<NewEpisodeRow> {
  const { id, project_id, agent, task_id, timestamp, duration_seconds, outcome, importance } = episode;
  const { tokens_used, summary, usage_count, last_used, decayed_at, archived_at, context } = episode;
  const belongs = { session_id: null, agent_id: agent, project_id };
  return {
    id,
    vector_id: await computeEpisodeVectorId(tenant, id),
    project_id,
    agent_id: agent,
    task_id,
    timestamp,
    duration_seconds,
    phase: context.phase,
    goal: context.goal,
    outcome,
    importance,
    tokens_used,
    trace: JSON.stringify(toTrace(episode)),
    summary,
    usage_count,
    last_used,
    decayed_at,
    archived_at,
    live: archived_at === null ? 1 : 0,
    fts: {
      scope: listScopeTokens(tenant, belongs).join(" "),
      goal: toIndexText(context.goal),
      detail: toIndexText(buildDetailText(episode)),
    },
  };
}
/** What an episode is found by besides its goal: what it met, and where. */

export function buildDetailText({ context, errors_encountered, artifacts_produced }: Episode): string {
  return [
    context.phase ?? "",
    ...context.constraints,
    ...context.files_involved,
    ...artifacts_produced,
    ...errors_encountered.flatMap(({ type, message, resolution }) => [type, message, resolution ?? ""]),
  ].join("\n");
}
export function fromEpisodeRow(row: EpisodeRow): Episode {
  const { seq: _seq, tenant: _tenant, vector_id: _vector, live: _live, agent_id, trace, ...fields } = row;
  return assembleEpisode({
    ...fields,
    agent: agent_id,
    outcome: row.outcome as Episode["outcome"],
    trace: parseJson<Trace>(trace),
  });
}
/** The rows of episodes and their entries in the text index. */

export function insertEpisodeRows(tenant: string, rows: readonly NewEpisodeRow[]): SQL[] {
  const json = JSON.stringify(rows);
  const names = sql.raw(COLUMNS.join(", "));
  const values = sql.raw(COLUMNS.map((column) => `value ->> '$.${column}'`).join(", "));
  return [
    ensureTenant(tenant),
    sql`INSERT INTO episodes (seq, tenant, ${names})
      SELECT ${nextSeq(tenant, "episodes")} + key, ${tenant}, ${values} FROM json_each(${json})`,
    sql`INSERT OR REPLACE INTO episodes_fts (rowid, scope, goal, detail)
      SELECT e.seq, value ->> '$.fts.scope', value ->> '$.fts.goal', value ->> '$.fts.detail'
      FROM json_each(${json}) CROSS JOIN episodes e ON e.tenant = ${tenant} AND e.id = value ->> '$.id'`,
  ];
}
