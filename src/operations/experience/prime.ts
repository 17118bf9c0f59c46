// prime: builds a briefing for a task from one recall over patterns, lessons, skills and episodes.
import { isWithinBinding } from "../../domain/binding";
import { type BriefingCandidates, buildBriefing } from "../../domain/experience/briefing/build-briefing";
import type { BriefingList } from "../../domain/experience/briefing/detail-levels";
import { detectTaskKind } from "../../domain/experience/briefing/task-kind";
import { toLearning } from "../../domain/experience/learning-memory";
import { toPattern } from "../../domain/experience/pattern-memory";
import { reinforceImportance } from "../../domain/experience/retention/retention";
import type { ScopeOwner } from "../../domain/reach";
import { PrimeAnswer, type PrimeInput } from "../../schemas/briefing";
import type { Signals } from "../../schemas/common";
import type { Episode } from "../../schemas/episode";
import type { Memory } from "../../schemas/memory";
import type { Learning, Pattern } from "../../schemas/pattern";
import { OptionalSession, PrimeToolInput } from "../../schemas/tool-parameters";
import type { CorpusCandidate } from "../../search/hits";
import type { RankedCandidate } from "../../search/rank-fusion";
import { PROMPT_RECALL, type RecallRequest } from "../../search/search";
import { type EpisodeRow, fromEpisodeRow } from "../../store/episodes/episode-mapping";
import { fromMemoryRow, type MemoryRow } from "../../store/memories/memory-mapping";
import type { Services } from "../services";
import { toSkill } from "../skill-operations";
import { defineTool, type OperationReply, type OwnerIds } from "../tools/tool";
import { type BriefingReach, type BriefingSearch, resolveBriefingReach } from "./briefing-searches";

/** Candidates considered for each list of the briefing. */
const CANDIDATES_PER_LIST = 10;
/** Minimum cosine similarity of a relevant text; less is enough if the text also has the words of the goal. */
const MIN_SIMILARITY = 0.3;
const MIN_SIMILARITY_WITH_WORDS = 0.15;
/** Lexical score, relative to the best hit, from which a text counts as having the words of the goal. */
const MIN_LEXICAL_SCORE = 0.5;
/** Relevance that a lesson inherits from a failed episode it rests on. */
const INHERITED_RELEVANCE = 0.8;
/** Weight of an episode of nobody's beside those of the user who asks. */
const OTHERS_RELEVANCE = 0.5;
/** Minimum relevance of an item, relative to the most relevant one of its list. */
const MIN_RELATIVE_RELEVANCE = 0.35;

export async function prime(
  services: Services,
  owner: OwnerIds,
  input: PrimeInput,
): Promise<OperationReply<PrimeAnswer>> {
  const { session_id, user_id, agent_id, project_id, ...task } = input;
  const reach = await resolveBriefingReach(services, {
    ...owner,
    session_id: session_id ?? owner.session_id,
    user_id: user_id ?? owner.user_id,
    agent_id: agent_id ?? owner.agent_id,
    project_id: project_id ?? owner.project_id,
  });
  return { status: 200, body: await buildTaskBriefing(services, task, reach) };
}

export const primeTool = defineTool({
  name: "prime",
  title: "Prepare for a task",
  description:
    "Call this before you begin a task. Returns the patterns that worked, the mistakes to avoid, the skills to follow " +
    "and how similar attempts ended, within a token budget. `prompt` has all of it as Markdown.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OptionalSession,
  input: PrimeToolInput,
  output: PrimeAnswer,
  responses: { 200: "The briefing" },
  run: prime,
});

type BriefingTask = Omit<PrimeInput, keyof ScopeOwner>;

/** Builds the briefing and counts one usage of each item in it. */
async function buildTaskBriefing(
  services: Services,
  input: BriefingTask,
  reach: BriefingReach,
): Promise<PrimeAnswer> {
  const started = services.now();
  const { goal, phase, action_type, token_budget, limit } = input;
  const at = input.now ?? new Date(started).toISOString();
  const kind = input.kind ?? detectTaskKind({ goal, phase, action_type });
  const query = action_type === undefined ? goal : `${goal}\n${action_type.replaceAll("_", " ")}`;
  const { candidates, memories, episodes, degraded } = await findBriefingCandidates(services, query, reach);
  const briefing = buildBriefing({
    kind,
    candidates,
    budget: token_budget,
    limit,
    now: Date.parse(at),
  });
  const included = new Set(listItemKeys(briefing));
  // Counted before the response is sent, so that a second call sees the updated counts.
  await services.store.usage.record(
    {
      memories: memories.filter(({ id }) => included.has(`memory ${id}`)),
      episodes: episodes.filter(({ id }) => included.has(`episode ${id}`)),
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
    told: included.size,
    tokens: briefing.tokens.used,
    degraded: degraded !== null,
  });
  return { ...briefing, ...(degraded === null ? {} : { degraded }) };
}

const LIST_BY_TYPE: Readonly<Record<string, BriefingList>> = {
  discovery: "patterns",
  hypothesis: "patterns",
  lesson_learned: "lessons",
  skill: "skills",
};

function selectList({ kind, type }: CorpusCandidate): BriefingList | null {
  return kind === "episode" ? "episodes" : (LIST_BY_TYPE[type ?? ""] ?? null);
}

/** The candidates of a briefing, with the memories and episodes they were made from. */
type BriefingSources = {
  candidates: BriefingCandidates;
  memories: Memory[];
  episodes: Episode[];
  degraded: string | null;
};

const NO_SOURCES: BriefingSources = {
  candidates: { patterns: [], lessons: [], skills: [], episodes: [] },
  memories: [],
  episodes: [],
  degraded: null,
};

type SearchServices = Pick<Services, "store" | "search" | "indexing" | "binding">;

/** Recalls again after draining the backlog if the index was behind, so that a repeated call gives the same result. */
async function recallIndexed(
  { search, indexing }: SearchServices,
  query: string,
  { scope, without_user }: BriefingSearch,
) {
  const request: RecallRequest = {
    ...PROMPT_RECALL,
    query,
    without_user,
    min_confidence: 0,
    limit: CANDIDATES_PER_LIST,
    sources: ["memories", "episodes"],
    types: ["discovery", "hypothesis", "lesson_learned", "skill"],
    choose: selectBestOfEachList,
  };
  const first = await search.recall(scope, request);
  return first.hasUnindexed && (await indexing.tryDrain()) ? search.recall(scope, request) : first;
}

/** Finds the candidates of a briefing, each with its relevance to the query. */
export async function findBriefingCandidates(
  services: SearchServices,
  query: string,
  { searches, user_id }: BriefingReach,
): Promise<BriefingSources> {
  if (query === "") return NO_SOURCES;
  const results = await Promise.all(searches.map((search) => recallIndexed(services, query, search)));
  const hits = results.flatMap((result) => result.hits);
  const rows = results.flatMap((result) => result.rows);
  const degraded = results.find((result) => result.degraded !== null)?.degraded ?? null;
  const relevance = new Map(
    hits.map(({ kind, id, signals }) => [`${kind} ${id}`, computeRelevance(signals)]),
  );
  const selectRows = (kind: "memory" | "episode") => rows.filter((_, i) => hits[i]?.kind === kind);
  const memories = selectRows("memory").map((row) => fromMemoryRow(row as MemoryRow));
  const episodes = selectRows("episode").map((row) => fromEpisodeRow(row as EpisodeRow));
  const withRelevance = <T>(items: readonly T[], toKey: (item: T) => string) =>
    items.map((of) => ({ of, relevance: relevance.get(toKey(of)) ?? 0 }));
  const selectMemories = (list: BriefingList) => memories.filter(({ type }) => LIST_BY_TYPE[type] === list);
  const toMemoryKey = ({ id }: { id: string }) => `memory ${id}`;
  const lessons = await findLessonsOfFailures(services, episodes, memories);
  const inherited = lessons.filter(
    (memory) => user_id === null || memory.user_id === null || memory.user_id === user_id,
  );
  return {
    candidates: {
      patterns: withRelevance(
        selectMemories("patterns").map((memory) => toPattern(memory, [])),
        toMemoryKey,
      ),
      lessons: [
        ...withRelevance(selectMemories("lessons").map(toLesson), toMemoryKey),
        ...inherited.map((memory) => ({
          of: toLesson(memory),
          relevance:
            INHERITED_RELEVANCE *
            Math.max(...memory.evidence.map((id) => relevance.get(`episode ${id}`) ?? 0)),
        })),
      ],
      // A skill without a body was remembered, not written with PUT /v1/skills, and cannot be rendered.
      skills: withRelevance(
        selectMemories("skills")
          .filter(({ properties }) => properties.skillBody !== undefined)
          .map(toSkill),
        ({ memory_id }) => `memory ${memory_id}`,
      ),
      episodes: withRelevance(episodes, ({ id }) => `episode ${id}`).map(({ of, relevance: own }) => ({
        of,
        relevance: user_id === null || of.user_id === user_id ? own : OTHERS_RELEVANCE * own,
      })),
    },
    memories: [...memories, ...inherited],
    episodes,
    degraded,
  };
}

/** Finds lessons that rest on failed episodes among the hits, whatever words the lessons use. */
async function findLessonsOfFailures(
  { store, binding }: SearchServices,
  episodes: readonly Episode[],
  found: readonly Memory[],
): Promise<Memory[]> {
  const failed = episodes.filter(({ outcome }) => outcome === "failure").map(({ id }) => id);
  const known = new Set(found.map(({ id }) => id));
  const lessons = await store.patterns.listLessonsFrom(failed, CANDIDATES_PER_LIST);
  return lessons.filter((lesson) => !known.has(lesson.id) && isWithinBinding(binding, lesson));
}

/** Selects per list, so that a long list does not crowd out the others and weak hits do not accompany strong ones. */
function selectBestOfEachList(
  ranked: readonly RankedCandidate<CorpusCandidate>[],
): RankedCandidate<CorpusCandidate>[] {
  const relevant = ranked.filter(({ signals }) => isRelevant(signals));
  return [...Map.groupBy(relevant, ({ candidate }) => selectList(candidate))].flatMap(([list, items]) => {
    if (list === null) return [];
    const best = Math.max(...items.map(({ signals }) => computeRelevance(signals)));
    return items
      .filter(({ signals }) => computeRelevance(signals) >= MIN_RELATIVE_RELEVANCE * best)
      .slice(0, CANDIDATES_PER_LIST);
  });
}

/** Whether a hit is relevant. Similarity decides, because one common word can give an unrelated text the top lexical score. */
function isRelevant({ mode, lexical = 0, semantic = 0 }: Signals): boolean {
  const minimum = lexical >= MIN_LEXICAL_SCORE ? MIN_SIMILARITY_WITH_WORDS : MIN_SIMILARITY;
  return mode === "text" || semantic >= minimum;
}

/** Returns the mean of the lexical and semantic scores, at most 1. */
function computeRelevance({ mode, lexical = 0, semantic = 0 }: Signals): number {
  const score = mode === "text" ? lexical : (lexical + Math.max(0, semantic)) / 2;
  return Math.min(1, score);
}

/** Returns a lesson as a learning or an anti-pattern. One that was merely remembered has only its content. */
function toLesson(memory: Memory): Pattern | Learning {
  if (memory.properties.trigger !== undefined) return toLearning(memory);
  const pattern = toPattern(memory, []);
  return pattern.what_fails === undefined
    ? { ...pattern, what_fails: memory.content, why: memory.rationale, prevention: null }
    : pattern;
}

function listItemKeys(briefing: Omit<PrimeAnswer, "degraded">): string[] {
  const { relevant_patterns, avoid_these, applicable_skills, similar_episodes } = briefing;
  return [
    ...[...relevant_patterns, ...avoid_these, ...applicable_skills].map(({ id }) => `memory ${id}`),
    ...similar_episodes.map(({ id }) => `episode ${id}`),
  ];
}
