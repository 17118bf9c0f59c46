// Asks the questions of loaded conversations, one at a time and with the options of every variant in turn. Records the
// ranks of the evidence and the times of the answers.
import type { BenchmarkService } from "./benchmark-servers.ts";
import { type Connection, connectToService, post } from "./connection.ts";
import { type Conversation, cutChars, type Question } from "./data/conversations.ts";
import { getItem } from "./get-item.ts";
import {
  type HitId,
  type LoadedConversation,
  type LoadedConversations,
  nameHit,
  type Store,
} from "./load/load-conversations.ts";
import type { Progress } from "./report/progress.ts";
import { type Level, mergeIntoSessions, type Ranks, rankEvidence } from "./report/ranking-quality.ts";

/** The most hits that recall returns, and the longest query that it takes. */
const HITS = 50;
const QUERY_CHARS = 1_000;

/** Untimed questions of every variant: the first semantic one loads the model. */
const WARM_UP = 5;

/** A recall with some options, under a name in the report. */
export interface RecallVariant {
  name: string;
  /** The options of POST /v1/recall, except for those of the question. */
  options: { mode?: string } & Record<string, unknown>;
}

export interface VariantResult {
  ranks: Ranks;
  ms: number;
  /** Why the service searched otherwise than requested; null if it did not. */
  fallback: string | null;
}

export interface QuestionResult {
  conversation: string;
  number: number;
  category: string;
  level: Level;
  /** Hits of later sessions, over all variants. */
  late: number;
  /** By the name of the variant. */
  variants: Record<string, VariantResult>;
}

export interface AskOptions {
  questions: readonly Question[];
  store: Store;
  variants: readonly RecallVariant[];
  progress: Progress;
}

type Hit = HitId & { signals: { mode: string } };

interface RecallResponse {
  memories: Hit[];
  degraded?: string;
  not_reranked?: string;
}

interface QuestionCall {
  question: Question;
  body: object;
  /** Ranks the evidence without hits of later sessions, and counts these. */
  rank(hits: readonly Hit[]): { ranks: Ranks; late: number };
}

export async function askQuestions(
  service: BenchmarkService,
  conversations: readonly Conversation[],
  loaded: LoadedConversations,
  { questions, store, variants, progress }: AskOptions,
): Promise<QuestionResult[]> {
  const connection = connectToService(service);
  const calls = questions.map((question) => {
    const conversation = conversations.find(({ id }) => id === question.conversation);
    const holder = loaded[question.conversation];
    if (!conversation || !holder) throw new Error(`${question.conversation} was not loaded`);
    return createCall(question, conversation, holder, store);
  });
  try {
    for (const { body } of calls.slice(0, WARM_UP))
      for (const { options } of variants) await ask(connection, { ...body, ...options });
    progress.begin("Questions asked", questions.length);
    const results: QuestionResult[] = [];
    for (const [i, { question, body, rank }] of calls.entries()) {
      const { conversation, number, category, level } = question;
      const result: QuestionResult = { conversation, number, category, level, late: 0, variants: {} };
      // The second to ask finds the pages of the database in memory, so the variants take turns at being first.
      for (const variant of variants.map((_, place) => getItem(variants, (place + i) % variants.length))) {
        const { response, ms } = await ask(connection, { ...body, ...variant.options });
        const { ranks, late } = rank(response.memories);
        const fallback = describeFallback(response, variant);
        result.variants[variant.name] = { ranks, ms: Math.round(ms * 100) / 100, fallback };
        result.late += late;
      }
      results.push(result);
      progress.add(1);
    }
    progress.end();
    return results;
  } finally {
    connection.close();
  }
}

/** Returns the result of a variant that was asked. */
export function getVariantResult({ variants }: QuestionResult, name: string): VariantResult {
  const result = variants[name];
  if (result === undefined) throw new Error(`Nothing was asked as ${name}`);
  return result;
}

/** The service may search in another mode than requested, or without its reranker. */
function describeFallback(
  { memories, degraded, not_reranked }: RecallResponse,
  { options: { mode = "hybrid" } }: RecallVariant,
): string | null {
  const found = memories.length === 0 || memories.some(({ signals }) => signals.mode === mode);
  return degraded ?? not_reranked ?? (found ? null : `No hit was found by ${mode} search.`);
}

/** Whether the service can leave out later sessions: a memory's time is when it was written. */
export function canUseUntil(conversation: Conversation, store: Store): boolean {
  return store === "messages" && conversation.ordered;
}

function createCall(
  question: Question,
  conversation: Conversation,
  { agent, hits: turnsByHit }: LoadedConversation,
  store: Store,
): QuestionCall {
  const { query, before } = question;
  const sessionByTurn = new Map(
    conversation.sessions.flatMap(({ number, turns }) => turns.map(({ id }) => [id, number])),
  );
  const findSession = (turn: string): number => {
    const session = sessionByTurn.get(turn);
    if (session === undefined) throw new Error(`${conversation.id} has no turn ${turn}`);
    return session;
  };
  const findTurns = (hit: Hit): string[] => {
    const turns = turnsByHit[nameHit(hit)];
    if (turns === undefined)
      throw new Error(`Recall gave ${nameHit(hit)}, which was not loaded for ${agent}`);
    return turns;
  };
  const isEarlier = (turns: string[]) => before === null || findSession(getItem(turns, 0)) < before;
  const asking = conversation.sessions.find(({ number }) => number === before);
  const until =
    asking && canUseUntil(conversation, store) ? { until: new Date(asking.at - 1).toISOString() } : {};
  return {
    question,
    body: {
      agent_id: agent,
      scope: "agent",
      sources: [store],
      query: cutChars(query, QUERY_CHARS),
      limit: HITS,
      min_confidence: 0,
      ...until,
    },
    rank(hits) {
      const turns = hits.map(findTurns);
      const earlier = turns.filter(isEarlier);
      const ranks =
        question.level === "turn"
          ? rankEvidence(question.evidence, earlier)
          : rankEvidence(question.evidence, mergeIntoSessions(earlier.map((ids) => ids.map(findSession))));
      return { ranks, late: turns.length - earlier.length };
    },
  };
}

async function ask(connection: Connection, body: object): Promise<{ response: RecallResponse; ms: number }> {
  const path = "/v1/recall";
  const { status, text, ms } = await connection.send(post(path, body));
  if (status !== 200) throw new Error(`POST ${path} answered ${status}: ${text}`);
  // Reads D1, and so waits, untimed, until the access counts of this recall are written.
  await connection.send({ path: "/v1/memories?limit=1" });
  return { response: JSON.parse(text), ms };
}
