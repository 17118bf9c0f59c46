// Asks the questions of conversations that were loaded, one at a time and in every mode in turn, and notes where
// the evidence stood and how long the answer took.
import { cutChars } from "./conversations.mjs";
import { hitName } from "./load-conversations.mjs";
import { connect } from "./measure.mjs";
import { ranksOf, sessionsOf } from "./quality.mjs";

/** The most hits that recall gives, and the longest query that it takes. */
const HITS = 50;
const QUERY_CHARS = 1_000;

/** Untimed, in every mode: the first semantic question loads the model. */
const WARM_UP = 5;

/**
 * Gives for each question `{ conversation, number, category, level, late, modes }`; for each mode where its evidence
 * stood, the time, and whether the service says that it did search in that mode.
 */
export async function askQuestions(service, conversations, loaded, { questions, store, modes, progress }) {
  const connection = connect(service.url, {
    idle: "/health",
    headers: { Authorization: `Bearer ${service.key}` },
  });
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const calls = questions.map((question) => ({
    question,
    ...toCall(question, byId.get(question.conversation), loaded[question.conversation], store),
  }));
  try {
    for (const { body } of calls.slice(0, WARM_UP))
      for (const mode of modes) await ask(connection, body, mode);
    progress.begin("Questions asked", questions.length);
    const results = [];
    for (const [i, { question, body, rank }] of calls.entries()) {
      const { conversation, number, category, level } = question;
      const result = { conversation, number, category, level, late: 0, modes: {} };
      // Whoever asks second finds the pages of the database in memory: so they take turns at it.
      for (const mode of modes.map((_, place) => modes[(place + i) % modes.length])) {
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

/** Whether the service can leave out what came after a question: a memory's time is when it was written. */
export function usesUntil(conversation, store) {
  return store === "messages" && conversation.ordered;
}

/** The body to send, and how its hits are read: hits of later sessions are taken out, and counted. */
function toCall({ query, level, evidence, before }, conversation, { agent, hits: turnsOf }, store) {
  const sessionOf = new Map(
    conversation.sessions.flatMap(({ number, turns }) => turns.map(({ id }) => [id, number])),
  );
  const asking = conversation.sessions.find(({ number }) => number === before);
  return {
    body: {
      agent_id: agent,
      scope: "agent",
      sources: [store],
      query: cutChars(query, QUERY_CHARS),
      limit: HITS,
      min_confidence: 0,
      ...(asking && usesUntil(conversation, store) && { until: new Date(asking.at - 1).toISOString() }),
    },
    rank(hits) {
      const turns = hits.map((hit) => {
        const found = turnsOf[hitName(hit)];
        if (found === undefined)
          throw new Error(`Recall gave ${hitName(hit)}, which was not loaded for ${agent}`);
        return found;
      });
      const earlier = before === null ? turns : turns.filter(([turn]) => sessionOf.get(turn) < before);
      const ranked =
        level === "turn" ? earlier : sessionsOf(earlier.map((found) => found.map((id) => sessionOf.get(id))));
      return { ranks: ranksOf(evidence, ranked), late: turns.length - earlier.length };
    },
  };
}

async function ask(connection, body, mode) {
  const path = "/v1/recall";
  const search = mode === "rrf" ? { mode: "hybrid", ranking: { fusion: "rrf" } } : { mode };
  const { status, text, ms } = await connection.send({ method: "POST", path, body: { ...body, ...search } });
  if (status !== 200) throw new Error(`POST ${path} answered ${status}: ${text}`);
  // Reads D1, and so waits, untimed, until the access counts of this recall are written.
  await connection.send({ path: "/v1/memories?limit=1" });
  return { hits: JSON.parse(text).memories, ms };
}
