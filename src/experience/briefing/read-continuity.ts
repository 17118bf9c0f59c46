// continuity: renders a session's working memory as one Markdown page.

import { requireSession } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import type { Access } from "../../kernel/access";
import { RequiredSession, type z } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import { EXPERIENCE } from "../../kernel/limits";
import { resolveSessionTarget } from "../../recall/search/corpus";
import { PROMPT_RECALL } from "../../recall/search/search";
import type { Services } from "../../services/services";
import type { Session } from "../../sessions/session-schemas";
import { findBriefingCandidates } from "./briefing-candidates";
import { ContinuityAnswer, ContinuityInput } from "./briefing-schemas";
import { planBriefingSearches } from "./briefing-searches";
import { buildBriefing } from "./build-briefing";
import { renderContinuity } from "./render-continuity";
import { detectTaskKind } from "./task-kind";

const RECENT_MESSAGES = 6;
const PENDING_HANDOFFS = 5;
const RELEVANT_MEMORIES = 10;

async function readContinuity(
  services: Services,
  { owner }: Access,
): Promise<OperationReply<z.output<typeof ContinuityAnswer>>> {
  const session_id = requireSession(owner);
  return {
    status: 200,
    body: { session_id, ...(await renderSessionContinuity(services, session_id)) },
  };
}

export const continuityTool = defineTool({
  name: "continuity",
  title: "Read where a session stands",
  description:
    "Read a session's working memory as one Markdown page: the current task, the latest messages, relevant memories, " +
    "mistakes to avoid, pending handoffs. Use it when you resume a session.",
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: RequiredSession,
  input: ContinuityInput,
  output: ContinuityAnswer,
  responses: { 200: "The page" },
  run: readContinuity,
});

/** The page, and the ids of the memories in it: lines of skills and of named patterns do not show them. */
type ContinuityPage = Pick<z.output<typeof ContinuityAnswer>, "markdown" | "memory_ids">;

export async function renderSessionContinuity(
  services: Services,
  sessionId: string,
): Promise<ContinuityPage> {
  const { store } = services;
  const ref = { tenant: services.tenant, id: sessionId };
  const object = services.session(sessionId);
  const session = unwrap(await object.get(ref));
  const [tasks, context, messages] = await Promise.all([
    object.listTasks(ref, null).then((result) => unwrap(result).value),
    object.listContext(ref).then(unwrap),
    object.listRecentMessages(ref, RECENT_MESSAGES).then(unwrap),
  ]);
  const goal = findGoal(tasks, context);
  const query = [goal, messages.findLast(({ role }) => role === "user")?.content].filter(Boolean).join("\n");
  const [memories, briefing, checkpoint, handoffs] = await Promise.all([
    recallMemories(services, session, query),
    buildSessionBriefing(services, session, query),
    session.agent_id === null ? null : store.ledgers.list(session.agent_id, { limit: 1, before: null }),
    session.agent_id === null
      ? []
      : store.handoffs.list(
          { to_agent: session.agent_id, from_agent: null, project_id: null, status: "pending" },
          { limit: PENDING_HANDOFFS, after: null },
        ),
  ]);
  const { relevant_patterns, avoid_these, applicable_skills } = briefing;
  const quoted = [...relevant_patterns, ...avoid_these, ...applicable_skills, ...memories];
  const markdown = renderContinuity({
    ...briefing,
    session,
    goal,
    tasks,
    context,
    messages,
    checkpoint: checkpoint?.[0] ?? null,
    handoffs,
    memories,
  });
  return { markdown, memory_ids: [...new Set(quoted.map(({ id }) => id))] };
}

/** Returns the goal in the working context, else the first open task. */
function findGoal(
  tasks: readonly { text: string; status: string }[],
  context: readonly { key: string; value: unknown }[],
): string | null {
  const value = context.find(({ key }) => key === "current_task" || key === "goal")?.value;
  if (typeof value === "string" && value !== "") return value;
  return tasks.find(({ status }) => status === "open")?.text ?? null;
}

/** Recalls within the session's reach; without a query, the session's own newest memories. */
async function recallMemories({ search }: Services, session: Session, query: string) {
  const request = { ...PROMPT_RECALL, query, min_confidence: 0.5, limit: RELEVANT_MEMORIES };
  const { hits } = await search.recall(
    resolveSessionTarget(session, query === "" ? "session" : session.reach),
    request,
  );
  return hits.flatMap((hit) => (hit.kind === "memory" ? [hit] : []));
}

/** Builds the briefing within the session's reach. The page selects from its lists. */
async function buildSessionBriefing(services: Services, session: Session, query: string) {
  const { id: session_id, user_id, agent_id, project_id, reach } = session;
  const within = planBriefingSearches({ session_id, user_id, agent_id, project_id }, reach);
  const { candidates } = await findBriefingCandidates(services, query, within);
  const kind = detectTaskKind({ goal: query });
  const budget = EXPERIENCE.briefingTokens.default;
  return buildBriefing({ kind, candidates, budget, now: services.now() });
}
