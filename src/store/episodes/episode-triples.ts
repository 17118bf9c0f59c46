// An episode as triples, and back. It is evidence: what a pattern is derived from. The triples are the truth.
import type { Episode, EpisodeOutcome } from "../../schemas/episode";
import { evidenceIri, evidenceReference, idOf, instance } from "../triples/iri";
import { decimal, type Triple } from "../triples/memory-triples";

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

export function traceOf(episode: Episode): Trace {
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

export function episodeTriples(episode: Episode): Triple[] {
  const subject = evidenceIri(episode.id);
  const triples: Triple[] = [];
  const iri = (predicate: string, object: string | null) => {
    if (object !== null) triples.push({ subject, predicate, object, datatype: "" });
  };
  const literal = (name: string, datatype: string, object: string | null) => {
    if (object !== null)
      triples.push({ subject, predicate: `jido:${name}`, object, datatype: `xsd:${datatype}` });
  };
  const number = (value: number | null) => (value === null ? null : decimal(value));
  iri("rdf:type", "jido:Episode");
  literal("goal", "string", episode.context.goal);
  iri("jido:hasOutcome", OUTCOME[episode.outcome]);
  iri("jido:performedBy", episode.agent === null ? null : instance("agent", episode.agent));
  iri("jido:partOfProject", episode.project_id === null ? null : instance("project", episode.project_id));
  literal("occurredAt", "dateTime", episode.timestamp);
  literal("durationSeconds", "decimal", number(episode.duration_seconds));
  literal("episodePhase", "string", episode.context.phase);
  literal("taskReference", "string", episode.task_id);
  literal("tokensUsed", "integer", number(episode.tokens_used));
  literal("importanceScore", "decimal", number(episode.importance));
  literal("episodeTrace", "string", JSON.stringify(traceOf(episode)));
  literal("episodeSummary", "string", episode.summary);
  literal("accessCount", "integer", String(episode.usage_count));
  literal("lastAccessed", "dateTime", episode.last_used);
  literal("decayedAt", "dateTime", episode.decayed_at);
  literal("archivedAt", "dateTime", episode.archived_at);
  return triples;
}

/** The episode that a subject's triples state. Throws on a subject that is not an episode: the store is broken. */
export function episodeOf(triples: readonly Triple[]): Episode {
  const objects = new Map(triples.map(({ predicate, object }) => [predicate, object]));
  const maybe = (name: string) => objects.get(`jido:${name}`) ?? null;
  const need = (name: string) => {
    const value = maybe(name);
    if (value === null) throw new Error(`An episode has no jido:${name}`);
    return value;
  };
  const number = (name: string) => (maybe(name) === null ? null : Number(maybe(name)));
  const id = evidenceReference(triples[0]?.subject ?? "");
  const outcome = Object.entries(OUTCOME).find(([, individual]) => individual === need("hasOutcome"));
  if (id === null || outcome === undefined) throw new Error("Not the triples of an episode");
  const agent = maybe("performedBy");
  const project = maybe("partOfProject");
  return assemble({
    id,
    task_id: maybe("taskReference"),
    project_id: project === null ? null : idOf("project", project),
    agent: agent === null ? null : idOf("agent", agent),
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
export function assemble({ phase, goal, trace, ...fields }: Parts): Episode {
  const { constraints, files_involved, ...rest } = trace;
  return {
    ...fields,
    ...rest,
    context: { phase, goal, constraints, files_involved },
    summarised: fields.summary !== null,
    archived: fields.archived_at !== null,
  };
}
