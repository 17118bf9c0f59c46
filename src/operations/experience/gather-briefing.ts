// What to know before a task: one recall over patterns, lessons, skills and episodes, then the choice of what to tell.

import { type BriefingCandidates, buildBriefing } from "../../domain/experience/briefing/build-briefing";
import type { BriefingList } from "../../domain/experience/briefing/detail-levels";
import { detectTaskKind } from "../../domain/experience/briefing/task-kind";
import { toLearning } from "../../domain/experience/learning-memory";
import { toPattern } from "../../domain/experience/pattern-memory";
import { reinforceImportance } from "../../domain/experience/retention/decay";
import { EXPERIENCE } from "../../limits";
import type { PrimeAnswer, PrimeInput } from "../../schemas/briefing";
import type { Signals } from "../../schemas/common";
import type { Episode } from "../../schemas/episode";
import type { Learning } from "../../schemas/learning";
import type { Memory } from "../../schemas/memory";
import type { Pattern } from "../../schemas/pattern";
import type { RecallScope } from "../../search/corpus";
import type { Ranked } from "../../search/rank-fusion";
import { FOR_PROMPT, type RecallRequest } from "../../search/search";
import type { Placed } from "../../search/search-candidates";
import { type EpisodeRow, fromEpisodeRow } from "../../store/episodes/episode-queries";
import { fromRow, type MemoryRow } from "../../store/memories/memory-rows";
import type { Repositories } from "../../store/repositories";
import type { Services } from "../services";
import { toSkill } from "../skills/write-skill";

export async function prime(services: Services, input: PrimeInput): Promise<PrimeAnswer> {
  const started = services.now();
  const { goal, phase, action_type, token_budget, project_id } = input;
  const at = input.now ?? new Date(started).toISOString();
  const kind = input.kind ?? detectTaskKind({ goal, phase, action_type });
  const query = action_type === undefined ? goal : `${goal}\n${action_type.replaceAll("_", " ")}`;
  const { candidates, memories, episodes, degraded } = await findCandidates(
    services,
    query,
    project_id === undefined ? { kind: "tenant" } : sharedScope(project_id),
  );
  const answer = buildBriefing({ kind, candidates, budget: token_budget, now: Date.parse(at) });
  const told = new Set(toldIds(answer));
  // Before the answer: whoever asks twice is told the second time what the first has changed.
  await services.store.usage.record(
    {
      memories: memories.filter(({ id }) => told.has(`memory ${id}`)),
      episodes: episodes.filter(({ id }) => told.has(`episode ${id}`)),
      at,
    },
    reinforceImportance,
  );
  services.telemetry({
    event: "prime",
    tenant: services.tenant,
    session_id: null,
    duration_ms: services.now() - started,
    kind,
    told: told.size,
    tokens: answer.tokens.used,
    degraded: degraded !== null,
  });
  return { ...answer, ...(degraded === null ? {} : { degraded }) };
}

const LIST_OF: Readonly<Record<string, BriefingList>> = {
  discovery: "patterns",
  hypothesis: "patterns",
  lesson_learned: "lessons",
  skill: "skills",
};

function listOf({ kind, type }: Placed): BriefingList | null {
  return kind === "episode" ? "episodes" : (LIST_OF[type ?? ""] ?? null);
}

/** The candidates, and what they were made of. */
type Found = {
  candidates: BriefingCandidates;
  memories: Memory[];
  episodes: Episode[];
  degraded: string | null;
};

const NOTHING: Found = {
  candidates: { patterns: [], lessons: [], skills: [], episodes: [] },
  memories: [],
  episodes: [],
  degraded: null,
};

/** A project's own, and what holds for all projects. */
export function sharedScope(projectId: string): RecallScope {
  return { kind: "project", id: projectId, shared: true };
}

type SearchServices = Pick<Services, "store" | "search" | "indexing">;

/** After many episodes at once the index is behind: then it is waited for, so that the same is told as a moment later. */
async function recallWhenIndexed({ search, indexing }: SearchServices, query: string, scope: RecallScope) {
  const request: RecallRequest = {
    ...FOR_PROMPT,
    query,
    min_confidence: 0,
    limit: EXPERIENCE.considered,
    sources: ["memories", "episodes"],
    types: ["discovery", "hypothesis", "lesson_learned", "skill"],
    choose: bestOfEach,
  };
  const first = await search.recall(scope, request);
  return first.missed && (await indexing.tryDrain()) ? search.recall(scope, request) : first;
}

/** Whatever may be worth telling, each with its nearness to the question. */
export async function findCandidates(
  services: SearchServices,
  query: string,
  scope: RecallScope,
): Promise<Found> {
  if (query === "") return NOTHING;
  const { hits, rows, degraded } = await recallWhenIndexed(services, query, scope);
  const near = new Map(hits.map(({ kind, id, signals }) => [`${kind} ${id}`, relevanceOf(signals)]));
  const rowsOf = (kind: "memory" | "episode") => rows.filter((_, i) => hits[i]?.kind === kind);
  const memories = rowsOf("memory").map((row) => fromRow(row as MemoryRow));
  const episodes = rowsOf("episode").map((row) => fromEpisodeRow(row as EpisodeRow));
  const told = <T>(things: readonly T[], keyOf: (thing: T) => string) =>
    things.map((of) => ({ of, relevance: near.get(keyOf(of)) ?? 0 }));
  const lessons = await lessonsOf(services.store, episodes, memories);
  const of = (list: BriefingList) => memories.filter(({ type }) => LIST_OF[type] === list);
  const inMemory = ({ id }: { id: string }) => `memory ${id}`;
  return {
    candidates: {
      patterns: told(
        of("patterns").map((memory) => toPattern(memory, [])),
        inMemory,
      ),
      lessons: [
        ...told(of("lessons").map(lessonOf), inMemory),
        ...lessons.map((memory) => ({
          of: lessonOf(memory),
          relevance:
            EXPERIENCE.bySource * Math.max(...memory.evidence.map((id) => near.get(`episode ${id}`) ?? 0)),
        })),
      ],
      // Only what came in by PUT /v1/skills can be told as one.
      skills: told(
        of("skills")
          .filter(({ properties }) => properties.skillBody !== undefined)
          .map(toSkill),
        ({ memory_id }) => `memory ${memory_id}`,
      ),
      episodes: told(episodes, ({ id }) => `episode ${id}`),
    },
    memories: [...memories, ...lessons],
    episodes,
    degraded,
  };
}

/** What attempts at something alike have failed by, in whatever words it is told. */
async function lessonsOf(
  store: Repositories,
  episodes: readonly Episode[],
  found: readonly Memory[],
): Promise<Memory[]> {
  const failed = episodes.filter(({ outcome }) => outcome === "failure").map(({ id }) => id);
  const known = new Set(found.map(({ id }) => id));
  const lessons = await store.patterns.listLessonsFrom(failed, EXPERIENCE.considered);
  return lessons.filter(({ id }) => !known.has(id));
}

/** The nearest of each list: one that has many must not keep the others out, nor far ones come with near ones. */
function bestOfEach(ranked: readonly Ranked<Placed>[]): Ranked<Placed>[] {
  const relevant = ranked.filter(({ signals }) => isRelevant(signals));
  return [...Map.groupBy(relevant, ({ candidate }) => listOf(candidate))].flatMap(([list, mine]) => {
    if (list === null) return [];
    const best = Math.max(...mine.map(({ signals }) => relevanceOf(signals)));
    return mine
      .filter(({ signals }) => relevanceOf(signals) >= EXPERIENCE.beside * best)
      .slice(0, EXPERIENCE.considered);
  });
}

/** One common word makes a text the best of its kind where there is no better: only the meaning tells that it is far. */
function isRelevant({ mode, lexical = 0, semantic = 0 }: Signals): boolean {
  const { relevant, relevantInWords, inWords } = EXPERIENCE;
  return mode === "text" || semantic >= (lexical >= inWords ? relevantInWords : relevant);
}

/** From 0 to 1: how near in meaning, and how much of the words. */
function relevanceOf({ mode, lexical = 0, semantic = 0 }: Signals): number {
  const near = mode === "text" ? lexical : (lexical + Math.max(0, semantic)) / 2;
  return Math.min(1, near);
}

/** A lesson that was only remembered says in one sentence what the others say in three. */
function lessonOf(memory: Memory): Pattern | Learning {
  if (memory.properties.trigger !== undefined) return toLearning(memory);
  const pattern = toPattern(memory, []);
  return pattern.what_fails === undefined
    ? { ...pattern, what_fails: memory.content, why: memory.rationale, prevention: null }
    : pattern;
}

function toldIds(answer: Omit<PrimeAnswer, "degraded">): string[] {
  const { relevant_patterns, avoid_these, applicable_skills, similar_episodes } = answer;
  return [
    ...[...relevant_patterns, ...avoid_these, ...applicable_skills].map(({ id }) => `memory ${id}`),
    ...similar_episodes.map(({ id }) => `episode ${id}`),
  ];
}
