// Maps an episode to its triples and to its row, and back. As a subject it is evidence, which patterns are derived
// from. The triples are canonical.

import { type SQL, sql } from "drizzle-orm";
import type { EpisodeOutcome } from "../../kernel/common";
import { ensureTenant, fromJson, nextSeq } from "../../kernel/databases/statements";
import { sha256Hex } from "../../kernel/hash";
import { parseJson } from "../../kernel/json";
import { episodes, listInsertColumns } from "../../kernel/tables";
import { toIndexText } from "../../language/words/query-terms";
import { listScopeTokens } from "../../memories/store/memory-id";
import { addPackedUsage } from "../../memories/usage/usage-counts";
import {
  formatDecimal,
  parseEvidenceIri,
  parseInstanceId,
  parseUserIri,
  type Triple,
  toEvidenceIri,
  toInstanceIri,
  toUserIri,
} from "../../ontology/triples";
import type { Episode } from "./episode-schemas";

const OUTCOME_INDIVIDUAL: Record<EpisodeOutcome, string> = {
  success: "jido:SucceededOutcome",
  failure: "jido:FailedOutcome",
  partial: "jido:PartialOutcome",
};

/** The part of an episode that is one literal: ordered lists that are always read together. */
type Trace = Pick<
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
  const decimal = (value: number | null) => (value === null ? null : formatDecimal(value));
  iri("rdf:type", "jido:Episode");
  literal("goal", "string", episode.context.goal);
  iri("jido:hasOutcome", OUTCOME_INDIVIDUAL[episode.outcome]);
  iri("jido:performedBy", episode.agent === null ? null : toInstanceIri("agent", episode.agent));
  iri(
    "jido:partOfProject",
    episode.project_id === null ? null : toInstanceIri("project", episode.project_id),
  );
  iri("jido:concernsUser", episode.user_id === null ? null : toUserIri(episode.user_id));
  literal("occurredAt", "dateTime", episode.timestamp);
  literal("durationSeconds", "decimal", decimal(episode.duration_seconds));
  literal("episodePhase", "string", episode.context.phase);
  literal("taskReference", "string", episode.task_id);
  literal("tokensUsed", "integer", decimal(episode.tokens_used));
  literal("importanceScore", "decimal", decimal(episode.importance));
  literal("episodeTrace", "string", JSON.stringify(toTrace(episode)));
  literal("episodeSummary", "string", episode.summary);
  // Imported uses. Those of the service itself are counted beside the triples.
  if (episode.usage_count > 0) {
    literal("accessCount", "integer", String(episode.usage_count));
    literal("lastAccessed", "dateTime", episode.last_used);
  }
  literal("decayedAt", "dateTime", episode.decayed_at);
  literal("archivedAt", "dateTime", episode.archived_at);
  return triples;
}

/** Returns the episode that the triples of a subject state. Throws if they are not an episode's. */
export function parseEpisodeTriples(triples: readonly Triple[]): Episode {
  const objects = new Map(triples.map(({ predicate, object }) => [predicate, object]));
  const read = (name: string) => objects.get(`jido:${name}`) ?? null;
  const require = (name: string) => {
    const value = read(name);
    if (value === null) throw new Error(`An episode has no jido:${name}`);
    return value;
  };
  const readNumber = (name: string) => (read(name) === null ? null : Number(read(name)));
  const id = parseEvidenceIri(triples[0]?.subject ?? "");
  const outcome = Object.entries(OUTCOME_INDIVIDUAL).find(
    ([, individual]) => individual === require("hasOutcome"),
  );
  if (id === null || outcome === undefined) throw new Error("Not the triples of an episode");
  const agent = read("performedBy");
  const project = read("partOfProject");
  return assembleEpisode({
    id,
    task_id: read("taskReference"),
    project_id: project === null ? null : parseInstanceId("project", project),
    user_id: parseUserIri(read("concernsUser") ?? ""),
    agent: agent === null ? null : parseInstanceId("agent", agent),
    timestamp: require("occurredAt"),
    duration_seconds: readNumber("durationSeconds"),
    phase: read("episodePhase"),
    goal: require("goal"),
    outcome: outcome[0] as EpisodeOutcome,
    tokens_used: readNumber("tokensUsed"),
    importance: Number(require("importanceScore")),
    trace: JSON.parse(require("episodeTrace")) as Trace,
    summary: read("episodeSummary"),
    usage_count: Number(read("accessCount") ?? 0),
    last_used: read("lastAccessed"),
    decayed_at: read("decayedAt"),
    archived_at: read("archivedAt"),
  });
}

type EpisodeParts = Omit<Episode, keyof Trace | "context" | "summarised" | "archived"> & {
  phase: string | null;
  goal: string;
  trace: Trace;
};

function assembleEpisode({ phase, goal, trace, ...fields }: EpisodeParts): Episode {
  const { constraints, files_involved, ...rest } = trace;
  return {
    ...fields,
    ...rest,
    context: { phase, goal, constraints, files_involved },
    summarised: fields.summary !== null,
    archived: fields.archived_at !== null,
  };
}

/** A row as it is read. Without `usage`, it has the usage of the row alone. */
export type EpisodeRow = typeof episodes.$inferSelect & { usage?: string | null };

/** A row as it is inserted, with its entry in the text index. */
export type NewEpisodeRow = Omit<EpisodeRow, "seq" | "tenant" | "usage"> & {
  /** The number of a row that is rebuilt; a new one gets the next. */
  seq?: number;
  fts: { scope: string; goal: string; detail: string };
};

/** Returns the id of an episode in the vector index. */
async function computeVectorId(tenant: string, id: string): Promise<string> {
  return (await sha256Hex(`episode\n${tenant}\n${id}`)).slice(0, 32);
}

export async function toEpisodeRow(tenant: string, episode: Episode): Promise<NewEpisodeRow> {
  const { id, project_id, user_id, agent, task_id, timestamp, duration_seconds, outcome, importance } =
    episode;
  const { tokens_used, summary, usage_count, last_used, decayed_at, archived_at, context } = episode;
  const owner = { session_id: null, user_id, agent_id: agent, project_id };
  return {
    id,
    vector_id: await computeVectorId(tenant, id),
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
    user_id,
    fts: {
      scope: listScopeTokens(tenant, owner).join(" "),
      goal: toIndexText(context.goal),
      detail: toIndexText(buildDetailText(episode)),
    },
  };
}

/** Returns the searchable text of an episode besides its goal: phase, constraints, files, artifacts and errors. */
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
  const { seq: _seq, tenant: _tenant, vector_id: _vector, live: _live, agent_id, trace, ...columns } = row;
  const { usage, ...fields } = columns;
  const { usage_count: count, last_used: last, importance } = row;
  const used = addPackedUsage({ count, last, importance }, usage);
  return assembleEpisode({
    ...fields,
    importance: used.importance,
    ...(used.importance === importance ? {} : { base_importance: importance }),
    usage_count: used.count,
    last_used: used.last,
    agent: agent_id,
    outcome: row.outcome as Episode["outcome"],
    trace: parseJson<Trace>(trace),
  });
}

const COLUMNS = listInsertColumns(episodes);

/** Inserts rows and their entries in the text index. */
export function insertEpisodeRows(tenant: string, rows: readonly NewEpisodeRow[]): SQL[] {
  const json = JSON.stringify(rows);
  const highest = Math.max(0, ...rows.map(({ seq }) => seq ?? 0));
  return [
    ensureTenant(tenant),
    sql`INSERT INTO episodes (seq, tenant, ${sql.raw(COLUMNS.join(", "))})
      SELECT coalesce(value ->> '$.seq', max(${nextSeq(tenant, "episodes")}, ${highest + 1}) + key), ${tenant}, ${fromJson(COLUMNS)} FROM json_each(${json})`,
    indexEpisodeRows(tenant, json),
  ];
}

/** Writes the text-index entries of rows that exist, replacing earlier ones. `json` is a list of new rows. */
export function indexEpisodeRows(tenant: string, json: string): SQL {
  return sql`INSERT OR REPLACE INTO episodes_fts (rowid, scope, goal, detail)
    SELECT e.seq, value ->> '$.fts.scope', value ->> '$.fts.goal', value ->> '$.fts.detail'
    FROM json_each(${json}) CROSS JOIN episodes e ON e.tenant = ${tenant} AND e.id = value ->> '$.id'`;
}
