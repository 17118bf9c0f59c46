// Asks the questions of loaded conversations, one at a time and in every mode in turn. Records the ranks of the
// evidence and the times of the answers.
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

/** Untimed questions in every mode: the first semantic one loads the model. */
const WARM_UP = 5;

export const MODES = ["hybrid", "rrf", "semantic", "text"] as const;
export type Mode = (typeof MODES)[number];

export interface ModeResult {
  ranks: Ranks;
  ms: number;
  /** The service searched in the requested mode. */
  asAsked: boolean;
}

export interface QuestionResult {
  conversation: string;
  number: number;
  category: string;
  level: Level;
  /** Hits of later sessions, over all modes. */
  late: number;
  modes: Partial<Record<Mode, ModeResult>>;
}

export interface AskOptions {
  questions: readonly Question[];
  store: Store;
  modes: readonly Mode[];
  progress: Progress;
}

type Hit = HitId & { signals: { mode: string } };

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
  { questions, store, modes, progress }: AskOptions,
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
      for (const mode of modes) await ask(connection, body, mode);
    progress.begin("Questions asked", questions.length);
    const results: QuestionResult[] = [];
    for (const [i, { question, body, rank }] of calls.entries()) {
      const { conversation, number, category, level } = question;
      const result: QuestionResult = { conversation, number, category, level, late: 0, modes: {} };
      // The second to ask finds the pages of the database in memory, so the modes take turns at being first.
      for (const mode of modes.map((_, place) => getItem(modes, (place + i) % modes.length))) {
        const { hits, ms } = await ask(connection, body, mode);
        const { ranks, late } = rank(hits);
        const found = hits.some(({ signals }) => signals.mode === (mode === "rrf" ? "hybrid" : mode));
        result.modes[mode] = { ranks, ms: Math.round(ms * 100) / 100, asAsked: hits.length === 0 || found };
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

/** Returns the result in a mode that was asked. */
export function getModeResult({ modes }: QuestionResult, mode: Mode): ModeResult {
  const result = modes[mode];
  if (result === undefined) throw new Error(`Nothing was asked in the mode ${mode}`);
  return result;
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

async function ask(connection: Connection, body: object, mode: Mode): Promise<{ hits: Hit[]; ms: number }> {
  const path = "/v1/recall";
  const search = mode === "rrf" ? { mode: "hybrid", ranking: { fusion: "rrf" } } : { mode };
  const { status, text, ms } = await connection.send(post(path, { ...body, ...search }));
  if (status !== 200) throw new Error(`POST ${path} answered ${status}: ${text}`);
  // Reads D1, and so waits, untimed, until the access counts of this recall are written.
  await connection.send({ path: "/v1/memories?limit=1" });
  const { memories }: { memories: Hit[] } = JSON.parse(text);
  return { hits: memories, ms };
}
