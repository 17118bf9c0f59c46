// Gathers what CONTINUITY shows of a session: what it is doing now, and what memory has to say to that.

import { buildBriefing } from "../../domain/experience/briefing/build-briefing";
import { type ContinuityView, renderContinuity } from "../../domain/experience/briefing/render-continuity";
import { detectTaskKind } from "../../domain/experience/briefing/task-kind";
import { EXPERIENCE } from "../../limits";
import { unwrap } from "../../platform/errors";
import type { Message } from "../../schemas/message";
import type { Session } from "../../schemas/session";
import type { RecallScope } from "../../search/corpus";
import { FOR_PROMPT } from "../../search/search";
import type { Services } from "../services";
import { findCandidates, sharedScope } from "./gather-briefing";

export async function continuityOf(services: Services, sessionId: string): Promise<string> {
  const { store } = services;
  const ref = { tenant: services.tenant, id: sessionId };
  const object = services.session(sessionId);
  const session = unwrap(await object.get(ref));
  const [tasks, context, said] = await Promise.all([
    object.listTasks(ref, null).then((outcome) => unwrap(outcome).value),
    object.listContext(ref).then(unwrap),
    lastSaid(services, sessionId),
  ]);
  const goal = goalOf(tasks, context);
  const query = [goal, said.findLast(({ role }) => role === "user")?.content].filter(Boolean).join("\n");
  const [memories, primed, checkpoint, handoffs] = await Promise.all([
    remembered(services, session, query),
    prepared(services, session, query),
    session.agent_id === null ? null : store.ledgers.list(session.agent_id, { limit: 1, before: null }),
    session.agent_id === null
      ? []
      : store.handoffs.list(
          { to_agent: session.agent_id, from_agent: null, project_id: null, status: "pending" },
          { limit: EXPERIENCE.primed, after: null },
        ),
  ]);
  const view: ContinuityView = {
    ...primed,
    session,
    goal,
    tasks,
    context,
    messages: said,
    checkpoint: checkpoint?.[0] ?? null,
    handoffs,
    memories,
  };
  return renderContinuity(view);
}

function goalOf(
  tasks: readonly { text: string; status: string }[],
  context: readonly { key: string; value: unknown }[],
): string | null {
  const told = context.find(({ key }) => key === "current_task" || key === "goal")?.value;
  if (typeof told === "string" && told !== "") return told;
  return tasks.find(({ status }) => status === "open")?.text ?? null;
}

/** The newest messages, oldest first. */
async function lastSaid(services: Services, sessionId: string): Promise<Message[]> {
  const ref = { tenant: services.tenant, id: sessionId };
  return unwrap(await services.session(sessionId).lastMessages(ref, EXPERIENCE.said));
}

/** What the project, else the agent, else the session itself remembers; what is experience stands elsewhere. */
async function remembered({ search }: Services, session: Session, query: string) {
  const { id, agent_id, project_id } = session;
  const scope: RecallScope =
    project_id !== null
      ? { kind: "project", id: project_id }
      : agent_id !== null
        ? { kind: "agent", id: agent_id }
        : { kind: "session", id };
  const request = { ...FOR_PROMPT, query, min_confidence: 0.5, limit: 2 * EXPERIENCE.primed };
  // Without a question, what this session itself has remembered last.
  const { hits } = await search.recall(query === "" ? { kind: "session", id } : scope, request);
  return hits.flatMap((hit) => (hit.kind === "memory" ? [hit] : []));
}

/** Of a session without a project, what holds for all projects. */
async function prepared(services: Services, { project_id }: Session, query: string) {
  const { candidates } = await findCandidates(services, query, sharedScope(project_id ?? ""));
  const kind = detectTaskKind({ goal: query });
  return buildBriefing({ kind, candidates, budget: EXPERIENCE.budget.usual, now: services.now() });
}
