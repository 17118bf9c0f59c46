// remember: the agent's own decision to keep something. No threshold, no model, no waiting: it is in long-term
// memory when the answer comes.

import { checkShapes } from "../ontology/shapes";
import { FailureError, type FieldError, fail, failure, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { type NewMemory, RememberAnswer, RememberInput, ScopeIds } from "../schemas/memory";
import type { Remembered } from "../session/session-rpc";
import { newMemory } from "../store/memories/commit-plan";
import { toTriples } from "../store/triples/memory-triples";
import { ownProperties } from "./memory-properties";
import type { Services } from "./services";
import { defineTool, type Target } from "./tools/tool";

type Content = Omit<NewMemory, "session_id" | "agent_id" | "project_id">;

export const remember = defineTool({
  name: "remember",
  title: "Remember",
  description:
    "Persist important information to long-term memory. Use it when you learn something valuable for future sessions: " +
    "facts about the project or the user, preferences, decisions and their reasons, conventions, lessons, risks, open questions.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  belongs: ScopeIds,
  input: RememberInput,
  output: RememberAnswer,
  answers: { 201: "Remembered", 200: "Known already: one more access, the higher confidence" },
  async run(services, target, input, idempotency) {
    const started = services.now();
    const content = toContent(input, new Date(started).toISOString());
    const { memory_id, deduplicated } = await store(services, target, content, idempotency);
    services.telemetry({
      event: "remember",
      tenant: services.tenant,
      session_id: target.session_id,
      duration_ms: services.now() - started,
      memory_type: content.type,
      deduplicated,
    });
    const warnings = warningsOf(content, target);
    return {
      status: deduplicated ? 200 : 201,
      body: {
        remembered: true,
        memory_id,
        memory_type: content.type,
        message: deduplicated
          ? `Already remembered as ${content.type} memory ${memory_id}`
          : `Stored ${content.type} memory ${memory_id}`,
        deduplicated,
        ...(warnings.length === 0 ? {} : { warnings }),
      },
    };
  },
});

function toContent(input: RememberInput, now: string): Content {
  return {
    type: input.type,
    content: input.content,
    confidence: input.confidence,
    importance: 1,
    source_type: input.source_type,
    rationale: input.rationale ?? null,
    topic_key: input.key ?? null,
    timestamp: now,
    valid_from: input.valid_from ?? null,
    evidence: input.evidence,
    properties: ownProperties(input.type, input.properties ?? {}),
  };
}

async function store(
  services: Services,
  target: Target,
  content: Content,
  idempotency: Idempotency,
): Promise<Remembered> {
  const { session_id, agent_id, project_id } = target;
  if (session_id !== null) {
    const ref = { tenant: services.tenant, id: session_id };
    return unwrap(
      await services.session(session_id).remember(ref, content, { agent_id, project_id }, idempotency),
    );
  }
  if (agent_id === null && project_id === null) throw new FailureError(noTarget().failure);
  const op = idempotency === null ? crypto.randomUUID() : idempotency.op;
  const [result] = await services.store.commit([
    {
      op,
      fingerprint: idempotency?.fingerprint ?? "",
      memory: { ...content, session_id, agent_id, project_id },
    },
  ]);
  if (result === undefined) throw failure("internal", "The write gave no result.");
  if (result.status === "rejected") throw new FailureError(result.failure);
  services.later(services.store.wakeIndexer());
  return { memory_id: result.memory_id, deduplicated: result.deduplicated };
}

/** Nothing says whose memory it is. */
export function noTarget() {
  const errors: FieldError[] = [
    { path: "session_id", message: "is required, unless agent_id or project_id is given" },
  ];
  return fail(
    "invalid_request",
    "Session ID is required: give session_id, or agent_id or project_id for a memory outside sessions.",
    { errors },
  );
}

/** What a shape asks for and this memory lacks. It is kept all the same: a model should not lose a fact to a form. */
function warningsOf(content: Content, { session_id, agent_id, project_id }: Target): string[] {
  const memory = newMemory("new", { ...content, session_id, agent_id, project_id }, content.timestamp);
  return checkShapes(toTriples(memory), content.type).flatMap(({ path, severity, message }) =>
    severity === "info" ? [] : [`${path.replace("jido:", "")}: ${message}`],
  );
}
