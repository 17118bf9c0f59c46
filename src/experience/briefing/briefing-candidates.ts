// Finds the candidates of a briefing: one recall over patterns, facts, lessons, skills and episodes, the lessons of
// similar episodes, and the memories that the best patterns are linked with.
import { isWithinBinding } from "../../kernel/access";
import type { Signals } from "../../kernel/common";
import { hasPlainIri } from "../../memories/links/follow-hits";
import type { LinkedMemory } from "../../memories/links/linked-memories";
import type { Memory } from "../../memories/memory-schemas";
import { fromMemoryRow, type MemoryRow } from "../../memories/store/memory-mapping";
import { listSubtypes } from "../../ontology/classes";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import type { LikelyRow } from "../../recall/search/find-candidates";
import type { CorpusCandidate } from "../../recall/search/hits";
import type { RankedCandidate } from "../../recall/search/rank-fusion";
import { PROMPT_RECALL, type RecallRequest } from "../../recall/search/search";
import type { Services } from "../../services/services";
import { type EpisodeRow, fromEpisodeRow } from "../episodes/episode-mapping";
import type { Episode } from "../episodes/episode-schemas";
import { toLearning } from "../patterns/learning-memory";
import { toPattern } from "../patterns/pattern-memory";
import type { Learning, Pattern } from "../patterns/pattern-schemas";
import { toSkill } from "../skills/skill-operations";
import {
  type BriefingPlan,
  type BriefingSearch,
  covers,
  createFollowUps,
  type FollowUps,
} from "./briefing-searches";
import type { BriefingCandidate, BriefingCandidates } from "./build-briefing";
import type { BriefingList } from "./detail-levels";

/** Candidates considered for each list of the briefing. */
const CANDIDATES_PER_LIST = 10;
/** Minimum cosine similarity of a relevant text; less is enough if the text also has the words of the goal. */
const MIN_SIMILARITY = 0.3;
const MIN_SIMILARITY_WITH_WORDS = 0.15;
/** Lexical score, relative to the best hit, from which a text counts as having the words of the goal. */
const MIN_LEXICAL_SCORE = 0.5;
/** Relevance that a lesson inherits from a similar episode it rests on. */
const INHERITED_RELEVANCE = 0.8;
/** Relevance that a memory inherits from a pattern that it is linked with, times the strength of the link. */
const LINKED_RELEVANCE = 0.6;
/** Weight of an episode of nobody's beside those of the user who asks. */
const OTHERS_RELEVANCE = 0.5;
/** Minimum relevance of an item, relative to the most relevant one of its list. */
const MIN_RELATIVE_RELEVANCE = 0.35;

/** Facts and decisions, which are searched together with patterns. */
const FACT_TYPES: readonly MemoryType[] = [...listSubtypes("fact"), ...listSubtypes("decision")];

const LIST_BY_TYPE: Readonly<Partial<Record<string, BriefingList>>> = {
  discovery: "patterns",
  hypothesis: "patterns",
  lesson_learned: "lessons",
  skill: "skills",
  ...Object.fromEntries(FACT_TYPES.map((type) => [type, "patterns" as const])),
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

/** Returns the rows that may be among the candidates, whose links and lessons are read while the search ends. */
function selectFollowed(likely: readonly LikelyRow[]): LikelyRow[] {
  return likely.filter(({ type, cosine }) => type !== null || (cosine ?? 0) >= MIN_SIMILARITY);
}

/** Recalls again after draining the backlog if the index was behind, so that a repeated call gives the same result. */
async function recallIndexed(
  { search, indexing }: SearchServices,
  query: string,
  { scope, without_user, with_facts }: BriefingSearch,
  followUps: FollowUps,
) {
  const request: RecallRequest = {
    ...PROMPT_RECALL,
    query,
    without_user,
    min_confidence: 0,
    limit: CANDIDATES_PER_LIST,
    sources: ["memories", "episodes"],
    types: ["discovery", "hypothesis", "lesson_learned", "skill", ...(with_facts ? FACT_TYPES : [])],
    choose: selectBestOfEachList,
    prefetch: (likely) => followUps.begin(selectFollowed(likely)),
  };
  const first = await search.recall(scope, request);
  return first.hasUnindexed && (await indexing.tryDrain()) ? search.recall(scope, request) : first;
}

/** Finds the candidates of a briefing, each with its relevance to the query. */
export async function findBriefingCandidates(
  services: SearchServices,
  query: string,
  reach: BriefingPlan,
): Promise<BriefingSources> {
  if (query === "") return NO_SOURCES;
  const { searches, user_id } = reach;
  const followUps = createFollowUps(services.store, reach.project_id);
  const results = await Promise.all(
    searches.map((search) => recallIndexed(services, query, search, followUps)),
  );
  const degraded = results.find((result) => result.degraded !== null)?.degraded ?? null;
  const relevance = new Map<string, number>();
  const rows = new Map<string, { kind: string; row: unknown }>();
  // Two searches may find the same item: an agent's own episode is also one of the project. It counts once.
  for (const result of results)
    for (const [i, { kind, id, signals }] of result.hits.entries()) {
      const key = `${kind} ${id}`;
      relevance.set(key, Math.max(relevance.get(key) ?? 0, computeRelevance(signals)));
      rows.set(key, { kind, row: result.rows[i] });
    }
  const selectRows = (kind: "memory" | "episode") =>
    [...rows.values()].flatMap((found) => (found.kind === kind ? [found.row] : []));
  const recalled = selectRows("memory").map((row) => fromMemoryRow(row as MemoryRow));
  const episodeRows = selectRows("episode").map((row) => row as EpisodeRow);
  const episodes = episodeRows.map(fromEpisodeRow);
  const found = recalled
    .filter((memory) => isUsable(memory, user_id))
    .map((of) => ({ of, relevance: relevance.get(`memory ${of.id}`) ?? 0 }));
  const followed = await followUps.finish({
    memories: found.filter(({ of }) => !isFact(of)).map(({ of }) => of.id),
    episodes: episodeRows.map(({ vector_id }) => vector_id),
  });
  const lessons = await findLessonsOfEpisodes(services, episodes, recalled, followed.lessons);
  const inherited = lessons
    .filter((memory) => user_id === null || memory.user_id === null || memory.user_id === user_id)
    .map((of) => ({
      of,
      relevance:
        INHERITED_RELEVANCE * Math.max(...of.evidence.map((id) => relevance.get(`episode ${id}`) ?? 0)),
    }));
  const linkedToLessons = await services.store.links.listLinked(inherited.map(({ of }) => of.id));
  const linked = mergeLinked(
    [...found, ...inherited],
    [
      ...selectLinked(services, found, followed.linked, reach),
      ...selectLinked(services, inherited, linkedToLessons, reach),
    ],
  );
  const all = [
    ...dropOverridden(found, followed.ownSkills),
    ...(await dropOverriddenSkills(services, [...inherited, ...linked], reach)),
  ];
  const select = (list: BriefingList) => all.filter(({ of }) => LIST_BY_TYPE[of.type] === list);
  return {
    candidates: {
      patterns: select("patterns").map((one) => ({
        ...one,
        of: isFact(one.of) ? one.of : toPattern(one.of, []),
      })),
      lessons: select("lessons").map((one) => ({ ...one, of: toLesson(one.of) })),
      // A skill without a body was remembered, not written with PUT /v1/skills, and cannot be rendered.
      skills: select("skills")
        .filter(({ of }) => of.properties.skillBody !== undefined)
        .map((one) => ({ ...one, of: toSkill(one.of) })),
      episodes: episodes.map((of) => {
        const own = relevance.get(`episode ${of.id}`) ?? 0;
        return {
          of,
          relevance: user_id === null || of.user_id === user_id ? own : OTHERS_RELEVANCE * own,
        };
      }),
    },
    memories: all.map(({ of }) => of),
    episodes,
    degraded,
  };
}

function isFact({ type }: Memory): boolean {
  return FACT_TYPES.includes(type);
}

/** Facts are those of a project, or of all; personal ones, captured turns and those of one session or agent are not. */
function isUsable(memory: Memory, userId: string | null): boolean {
  if (!isFact(memory)) return true;
  const { user_id, project_id, session_id, agent_id, properties } = memory;
  const isShared = project_id !== null || (session_id === null && agent_id === null);
  return isShared && properties.namespace === undefined && (user_id === null || user_id === userId);
}

/**
 * Finds lessons that rest on episodes with errors among the hits, whatever words the lessons use. `prefetched` has them among
 * others, unless the id of an episode is stored in another form.
 */
async function findLessonsOfEpisodes(
  { store, binding }: SearchServices,
  episodes: readonly Episode[],
  found: readonly Memory[],
  prefetched: readonly Memory[] | null,
): Promise<Memory[]> {
  const faulty = new Set(
    episodes
      .filter(({ outcome, errors_encountered }) => outcome === "failure" || errors_encountered.length > 0)
      .map(({ id }) => id),
  );
  const known = new Set(found.map(({ id }) => id));
  const lessons =
    prefetched === null || ![...faulty].every(hasPlainIri)
      ? await store.patterns.listLessonsFrom([...faulty], CANDIDATES_PER_LIST)
      : prefetched
          .filter(({ evidence }) => evidence.some((id) => faulty.has(id)))
          .slice(0, CANDIDATES_PER_LIST);
  return lessons.filter((lesson) => !known.has(lesson.id) && isWithinBinding(binding, lesson));
}

/** Returns the memories within the reach that patterns, lessons and skills are linked with. */
function selectLinked(
  { binding }: SearchServices,
  found: readonly BriefingCandidate<Memory>[],
  links: readonly LinkedMemory[],
  { searches, user_id }: BriefingPlan,
): BriefingCandidate<Memory>[] {
  const sources = new Map(found.filter(({ of }) => !isFact(of)).map((one) => [one.of.id, one]));
  return links.flatMap(({ memory, from, relation, strength }) => {
    const source = sources.get(from);
    if (source === undefined || LIST_BY_TYPE[memory.type] === undefined) return [];
    const isVisible = isWithinBinding(binding, memory) && searches.some((search) => covers(search, memory));
    if (!isVisible || !isUsable(memory, user_id)) return [];
    const relevance = LINKED_RELEVANCE * strength * source.relevance;
    return [{ of: memory, relevance, via: { from, relation, strength } }];
  });
}

/** Returns each linked memory that was not found otherwise, by its most relevant link. */
function mergeLinked(
  found: readonly BriefingCandidate<Memory>[],
  linked: readonly BriefingCandidate<Memory>[],
): BriefingCandidate<Memory>[] {
  const known = new Set(found.map(({ of }) => of.id));
  const best = new Map<string, BriefingCandidate<Memory>>();
  for (const one of linked)
    if (!known.has(one.of.id) && one.relevance > (best.get(one.of.id)?.relevance ?? 0))
      best.set(one.of.id, one);
  return [...best.values()];
}

/** Drops the skills of all projects that the project has its own version of. */
async function dropOverriddenSkills(
  { store }: SearchServices,
  found: readonly BriefingCandidate<Memory>[],
  { project_id }: BriefingPlan,
): Promise<readonly BriefingCandidate<Memory>[]> {
  const shared = found.flatMap(({ of }) => (isSharedSkill(of) ? (of.topic_key ?? []) : []));
  if (project_id === null || shared.length === 0) return found;
  return dropOverridden(found, await store.skills.listTopicKeys(project_id, shared));
}

/** Drops the skills of all projects with one of the topic keys. */
function dropOverridden(
  found: readonly BriefingCandidate<Memory>[],
  ownSkills: ReadonlySet<string>,
): readonly BriefingCandidate<Memory>[] {
  return found.filter(({ of }) => !isSharedSkill(of) || !ownSkills.has(of.topic_key ?? ""));
}

function isSharedSkill({ type, project_id }: Memory): boolean {
  return type === "skill" && project_id === null;
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
