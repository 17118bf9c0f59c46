// The calls whose costs are counted, each as an agent makes it, and what must be there before them.
import { EVENING, episodeAt, MORNING, taskAt } from "./episodes.mjs";
import { memoryAt, messageAt, queryAt, sessionIds } from "./memories.mjs";

const CONVERSATION = 200;
/** Episodes of the project that `prime` is asked about. */
const EPISODES = 200;
/** Far from the numbers that loading uses. */
const NEW_MEMORIES = 10_000_000;

const [TALKING, GROWING] = sessionIds;

/**
 * Two conversations and a project with its patterns. `ask(path, body)` posts. Sessions promote on demand alone: an
 * alarm would fall into whatever is being counted, so that a run of it has a row of its own.
 */
export async function prepare(ask) {
  for (const id of sessionIds) await ask("/v1/sessions", { id, promotion: { enabled: false } });
  const messages = Array.from({ length: CONVERSATION }, (_, i) => messageAt(i));
  for (const id of [TALKING, GROWING]) await ask(`/v1/sessions/${id}/messages`, { messages });
  for (let i = 0; i < EPISODES; i += 1) await ask("/v1/episodes", episodeAt(i, EPISODES, "known"));
  await ask("/v1/consolidate", { project_id: "known", since: MORNING, now: EVENING });
}

/** What is done `once` does the work of all samples in one call. */
export function costOperations(size) {
  const recall = (mode) => (i) => ["/v1/recall", { query: queryAt(i, size), scope: "tenant", mode }];
  return [
    { name: "remember", call: (i) => rememberCall(memoryAt(NEW_MEMORIES + i)) },
    { name: "recall, text", call: recall("text") },
    { name: "recall, hybrid", call: recall("hybrid") },
    {
      name: "add message",
      call: (i) => [`/v1/sessions/${GROWING}/messages`, { messages: [messageAt(CONVERSATION + i)] }],
    },
    { name: "assemble", call: (i) => [`/v1/sessions/${TALKING}/assemble`, { query: queryAt(i, size) }] },
    { name: "prime", call: (i) => ["/v1/prime", { goal: taskAt(i), project_id: "known", now: EVENING }] },
    { name: "episode", call: (i, samples) => ["/v1/episodes", episodeAt(i, samples, "new")] },
    {
      name: "consolidation, an episode",
      once: true,
      call: () => ["/v1/consolidate", { project_id: "new", since: MORNING, now: EVENING }],
    },
    { name: "promotion run", call: () => [`/v1/sessions/${TALKING}/promote`, {}] },
  ];
}

function rememberCall({ session_id, content, type, confidence, rationale, evidence, source_type }) {
  const body = { content, type, confidence, evidence, source_type, ...(rationale && { rationale }) };
  return [`/v1/sessions/${session_id}/remember`, body];
}
