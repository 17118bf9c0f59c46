// Tool inputs with descriptions written for models. The validation rules are those of the HTTP routes.
import { LIMITS } from "../limits";
import { AssembleInput } from "./assemble";
import { PrimeInput } from "./briefing";
import { boundedText, Id, z } from "./common";
import { EpisodeCreate } from "./episode";
import { Handoff, HandoffCreate, HandoffStatus, LedgerPut } from "./handover";
import { ScopeIds } from "./memory";
import { MessagesCreate } from "./message";
import { LearningCreate } from "./pattern";
import { Skill, SkillPut, SkillSlug } from "./skill";

// Scope of a call, beside its own input

/** The call may name a session; ids it leaves out are taken from that session. */
export const OptionalSession = ScopeIds.pick({ session_id: true });
/** The call is about one session. */
export const RequiredSession = z.object({ session_id: Id.meta({ description: "The session" }) });
export const NoScope = z.object({});

const OWN = "defaults to the session's";

// Sessions

const { shape: assembling } = AssembleInput;
export const AssembleToolInput = AssembleInput.extend({
  query: assembling.query.meta({ description: "Topic of the next turn, used to rank the memories" }),
  token_budget: assembling.token_budget.meta({ description: "Token budget of the whole context" }),
  include: assembling.include.meta({ description: "Parts to include; all by default" }),
  scope: assembling.scope.meta({ description: "Scope of the long-term memories" }),
});

export const ContinuityInput = z.object({}).strict();
export const ContinuityAnswer = z.object({
  session_id: z.string(),
  markdown: z.string().meta({ description: "The rendered page" }),
});

export const AddMessagesInput = MessagesCreate.extend({
  messages: MessagesCreate.shape.messages.meta({
    description: "The messages, oldest first. A message whose id exists already is not added again",
  }),
});

// Experience

const { shape: priming } = PrimeInput;
export const PrimeToolInput = PrimeInput.omit({ now: true }).extend({
  goal: priming.goal.meta({ description: "The task, in one or two sentences" }),
  project_id: priming.project_id.meta({ description: `The project; ${OWN}` }),
  kind: priming.kind.meta({ description: "Kind of task; detected from the goal by default" }),
  phase: priming.phase.meta({ description: "Phase of the work, such as planning or testing" }),
  action_type: priming.action_type.meta({ description: "Next action, such as write_file or run_test" }),
  token_budget: priming.token_budget.meta({ description: "Token budget of the prompt" }),
});

const { shape: telling } = EpisodeCreate;
export const RecordEpisodeInput = EpisodeCreate.safeExtend({
  context: telling.context.meta({ description: "The task: its goal, phase, constraints and files" }),
  outcome: telling.outcome.meta({ description: "Result of the attempt" }),
  action_log: telling.action_log.meta({
    description: "The steps in order, each with a short name as action",
  }),
  errors_encountered: telling.errors_encountered.meta({
    description: "Errors met on the way, and their resolutions",
  }),
  project_id: telling.project_id.meta({ description: `The project; ${OWN}` }),
  agent: telling.agent.meta({ description: `The agent that made the attempt; ${OWN}` }),
  task_id: telling.task_id.meta({ description: "Your id of the task" }),
  id: telling.id.meta({ description: "Your own id; recording the same episode twice stores one" }),
  timestamp: telling.timestamp.meta({ description: "Start of the attempt; defaults to the current time" }),
  duration_seconds: telling.duration_seconds.meta({ description: "Duration in seconds" }),
  artifacts_produced: telling.artifacts_produced.meta({ description: "Artifacts of the attempt" }),
  files_read: telling.files_read.meta({ description: "Files that were read" }),
  files_modified: telling.files_modified.meta({ description: "Files that were changed" }),
  git_commit: telling.git_commit.meta({ description: "The resulting commit" }),
  tokens_used: telling.tokens_used.meta({ description: "Tokens used" }),
  importance: telling.importance.meta({ description: "From 0 to 1" }),
  consolidate: telling.consolidate.meta({
    description: "The task is finished: consolidate the project's episodes into patterns soon",
  }),
});

const { shape: learning } = LearningCreate;
export const LearnInput = LearningCreate.extend({
  trigger: learning.trigger.meta({ description: "The action or event that led to the mistake" }),
  root_cause: learning.root_cause.meta({ description: "Why it went wrong" }),
  fix: learning.fix.meta({ description: "The fix" }),
  prevention: learning.prevention.meta({ description: "How to prevent it from happening again" }),
  evidence: learning.evidence.meta({ description: "Ids of episodes, files or tickets that show it" }),
  project_id: learning.project_id.meta({
    description: `The project; ${OWN}. Without one the learning applies to all projects`,
  }),
});

// Ledgers and handoffs

const OwnAgent = Id.optional().meta({ description: `The agent; ${OWN}` });

const { shape: standing } = LedgerPut;
export const SaveCheckpointInput = LedgerPut.safeExtend({
  agent_id: OwnAgent,
  current_task: standing.current_task.meta({ description: "Current task of the agent" }),
  tasks_completed: standing.tasks_completed.meta({ description: "Number of completed tasks" }),
  state: standing.state.meta({ description: "State of the work, as free JSON" }),
  context: standing.context.meta({ description: "Context for the agent that continues" }),
  last_checkpoint: standing.last_checkpoint.meta({
    description: "Time of the checkpoint; defaults to the current time",
  }),
});
export const ReadCheckpointInput = z.object({ agent_id: OwnAgent }).strict();

const { shape: handing } = HandoffCreate;
export const HandOffInput = HandoffCreate.extend({
  from_agent: Id.optional().meta({
    description: "The agent that hands over; defaults to the session's agent",
  }),
  to_agent: handing.to_agent.meta({ description: "The agent that takes over" }),
  project_id: handing.project_id.meta({ description: `The project; ${OWN}` }),
  context: handing.context.meta({
    description: "Work done, artifacts, open tests and known issues",
  }),
  id: handing.id.meta({ description: "Your own id; sending the same handoff twice creates one" }),
  timestamp: handing.timestamp.meta({ description: "Defaults to the current time" }),
});
export const ListHandoffsInput = z
  .object({
    to_agent: Id.optional().meta({
      description: "The receiving agent; defaults to the session's agent, and to all agents without one",
    }),
    from_agent: Id.optional().meta({ description: "Only handoffs from this agent" }),
    project_id: Id.optional().meta({ description: "Only handoffs of this project" }),
    status: HandoffStatus.default("pending").meta({
      description: "Pending handoffs have not been acknowledged",
    }),
    limit: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.pageMax)
      .default(LIMITS.pageDefault)
      .meta({ description: "Maximum number of handoffs" }),
  })
  .strict();
export const ListHandoffsAnswer = z.object({ count: z.number(), handoffs: z.array(Handoff) });
export const AcknowledgeHandoffInput = z
  .object({
    handoff_id: Id.meta({ description: "Id of the handoff, from list_handoffs" }),
    agent_id: OwnAgent,
  })
  .strict();

// Skills

const Slug = SkillSlug.meta({ description: "The short name of the skill, such as release-a-version" });

export const FindSkillInput = z
  .object({
    query: boundedText(0, LIMITS.queryChars)
      .optional()
      .meta({ description: "The task, in plain words; without it, the newest skills are returned" }),
    limit: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.recallMax)
      .default(5)
      .meta({ description: "Maximum number of skills" }),
  })
  .strict();
export const FindSkillAnswer = z.object({
  count: z.number(),
  skills: z.array(
    Skill.pick({ slug: true, name: true, description: true, usage_count: true }).extend({
      score: z.number(),
    }),
  ),
});
export const ReadSkillInput = z.object({ slug: Slug }).strict();
export const SaveSkillInput = SkillPut.extend({
  slug: Slug,
  name: SkillPut.shape.name.meta({ description: "Title, in one line" }),
  description: SkillPut.shape.description.meta({
    description: "Purpose of the skill, and when to follow it",
  }),
  prerequisites: SkillPut.shape.prerequisites.meta({ description: "Requirements before the first step" }),
  steps: SkillPut.shape.steps.meta({ description: "The steps, in order" }),
  common_errors: SkillPut.shape.common_errors.meta({
    description: "Common errors and their fixes",
  }),
  exit_criteria: SkillPut.shape.exit_criteria.meta({ description: "How to verify that the task is done" }),
  example_usage: SkillPut.shape.example_usage.meta({ description: "An example, as Markdown" }),
});
