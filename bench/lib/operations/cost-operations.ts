// The calls whose costs are counted, each as an agent makes it, and their preconditions.
import { type Call, post } from "../connection.ts";
import { EVENING, generateEpisode, generateTask, MORNING } from "../data/episodes.ts";
import {
  GROWING,
  generateMemory,
  generateMessage,
  generateMessages,
  generateQuery,
  SESSION_IDS,
  TALKING,
} from "../data/memories.ts";
import { createRemember, type RecallMode } from "./core-operations.ts";

const CONVERSATION = 200;
/** Episodes of the project that `prime` is asked about. */
const EPISODES = 200;
/** Far from the numbers that loading uses. */
const NEW_MEMORIES = 10_000_000;

export interface CostOperation {
  name: string;
  /** One call does the work of all samples. */
  once?: boolean;
  call(index: number, samples: number): Call;
}

/**
 * Creates two conversations and a project with its patterns. Sessions promote on demand only: an alarm would be counted
 * with another call, and promotion has a row of its own.
 */
export async function prepareCosts(send: (call: Call) => Promise<unknown>): Promise<void> {
  for (const id of SESSION_IDS) await send(post("/v1/sessions", { id, promotion: { enabled: false } }));
  const messages = generateMessages(CONVERSATION);
  for (const id of [TALKING, GROWING]) await send(post(`/v1/sessions/${id}/messages`, { messages }));
  for (let i = 0; i < EPISODES; i += 1)
    await send(post("/v1/episodes", generateEpisode(i, EPISODES, "known")));
  await send(createConsolidation("known"));
}

export function createCostOperations(size: number): CostOperation[] {
  const createRecall = (mode: RecallMode) => (i: number) =>
    post("/v1/recall", { query: generateQuery(i, size), scope: "tenant", mode });
  return [
    { name: "remember", call: (i) => createRemember(generateMemory(NEW_MEMORIES + i)) },
    { name: "recall, text", call: createRecall("text") },
    { name: "recall, hybrid", call: createRecall("hybrid") },
    {
      name: "add message",
      call: (i) =>
        post(`/v1/sessions/${GROWING}/messages`, { messages: [generateMessage(CONVERSATION + i)] }),
    },
    {
      name: "assemble",
      call: (i) => post(`/v1/sessions/${TALKING}/assemble`, { query: generateQuery(i, size) }),
    },
    {
      name: "prime",
      call: (i) => post("/v1/prime", { goal: generateTask(i), project_id: "known", now: EVENING }),
    },
    { name: "episode", call: (i, samples) => post("/v1/episodes", generateEpisode(i, samples, "new")) },
    { name: "consolidation, an episode", once: true, call: () => createConsolidation("new") },
    { name: "promotion run", call: () => post(`/v1/sessions/${TALKING}/promote`, {}) },
  ];
}

function createConsolidation(project: string): Call {
  return post("/v1/consolidate", { project_id: project, since: MORNING, now: EVENING });
}
