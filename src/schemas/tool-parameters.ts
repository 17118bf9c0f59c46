// What models are told of the tools' parameters. The rules are those of the routes; only the words are for models.
import { LIMITS } from "../limits";
import { AssembleInput } from "./assemble";
import { PrimeInput } from "./briefing";
import { Id, text, z } from "./common";
import { EpisodeCreate } from "./episode";
import { Handoff, HandoffCreate, HandoffStatus, LedgerPut } from "./handover";
import { LearningCreate } from "./learning";
import { ScopeIds } from "./memory";
import { MessagesCreate } from "./session";
import { Skill, SkillPut, SkillSlug } from "./skill";

// Where a call belongs, beside what it says

/** It may name a session, and what is not named is then the session's own. */
export const OfSession = ScopeIds.pick({ session_id: true });
/** It is about one session. */
export const InSession = z.object({ session_id: Id.meta({ description: "The session" }) });
export const Nowhere = z.object({});

const OWN = "the session's own, if it is not given";

// Sessions

const { shape: assembling } = AssembleInput;
export const AssembleToolInput = AssembleInput.extend({
  query: assembling.query.meta({ description: "What the next turn is about: it ranks the memories" }),
  token_budget: assembling.token_budget.meta({ description: "Tokens that the whole context may take" }),
  include: assembling.include.meta({ description: "Only these parts; all of them by default" }),
  scope: assembling.scope.meta({ description: "Whose long-term memories are drawn on" }),
});

export const ContinuityInput = z.object({}).strict();
export const ContinuityAnswer = z.object({
  session_id: z.string(),
  markdown: z.string().meta({ description: "The page" }),
});

export const AddMessagesInput = MessagesCreate.extend({
  messages: MessagesCreate.shape.messages.meta({
    description: "What was said, oldest first. A message with an id that is there already is not added twice",
  }),
});

// Experience

const { shape: priming } = PrimeInput;
export const PrimeToolInput = PrimeInput.omit({ now: true }).extend({
  goal: priming.goal.meta({ description: "The task, in one or two sentences" }),
  project_id: priming.project_id.meta({ description: `The project; ${OWN}` }),
  kind: priming.kind.meta({ description: "What kind of task it is; detected if it is not given" }),
  phase: priming.phase.meta({ description: "Where the work stands, such as planning or testing" }),
  action_type: priming.action_type.meta({ description: "What will be done, such as write_file or run_test" }),
  token_budget: priming.token_budget.meta({ description: "Tokens that the prompt may take" }),
});

const { shape: telling } = EpisodeCreate;
export const RecordEpisodeInput = EpisodeCreate.safeExtend({
  context: telling.context.meta({ description: "The task: its goal, phase, constraints and files" }),
  outcome: telling.outcome.meta({ description: "How it ended" }),
  action_log: telling.action_log.meta({
    description: "The steps in order, each with a short name as action",
  }),
  errors_encountered: telling.errors_encountered.meta({
    description: "What went wrong on the way, and what put it right",
  }),
  project_id: telling.project_id.meta({ description: `The project; ${OWN}` }),
  agent: telling.agent.meta({ description: `The agent that did it; ${OWN}` }),
  task_id: telling.task_id.meta({ description: "Your name for the task" }),
  id: telling.id.meta({ description: "Your own id; the same episode twice is one" }),
  timestamp: telling.timestamp.meta({ description: "When it began; now if it is not given" }),
  duration_seconds: telling.duration_seconds.meta({ description: "How long it took" }),
  artifacts_produced: telling.artifacts_produced.meta({ description: "What came of it" }),
  files_read: telling.files_read.meta({ description: "Files that were read" }),
  files_modified: telling.files_modified.meta({ description: "Files that were changed" }),
  git_commit: telling.git_commit.meta({ description: "The commit it ended in" }),
  tokens_used: telling.tokens_used.meta({ description: "Tokens that it took" }),
  importance: telling.importance.meta({ description: "From 0 to 1" }),
  consolidate: telling.consolidate.meta({
    description: "The task is over: make patterns of the project's episodes soon",
  }),
});

const { shape: learning } = LearningCreate;
export const LearnInput = LearningCreate.extend({
  trigger: learning.trigger.meta({ description: "What was done or happened when it went wrong" }),
  root_cause: learning.root_cause.meta({ description: "Why it went wrong" }),
  fix: learning.fix.meta({ description: "What put it right" }),
  prevention: learning.prevention.meta({ description: "What to do so that it does not happen again" }),
  evidence: learning.evidence.meta({ description: "Ids of episodes, files or tickets that show it" }),
  project_id: learning.project_id.meta({
    description: `The project; ${OWN}. Without one it holds for all projects`,
  }),
});

// Ledgers and handoffs

const OwnAgent = Id.optional().meta({ description: `The agent; ${OWN}` });

const { shape: standing } = LedgerPut;
export const SaveCheckpointInput = LedgerPut.safeExtend({
  agent_id: OwnAgent,
  current_task: standing.current_task.meta({ description: "What the agent is doing" }),
  tasks_completed: standing.tasks_completed.meta({ description: "How many tasks are done" }),
  state: standing.state.meta({ description: "Where the work stands, in your own words and members" }),
  context: standing.context.meta({ description: "What whoever goes on must know" }),
  last_checkpoint: standing.last_checkpoint.meta({ description: "When; now if it is not given" }),
});
export const ReadCheckpointInput = z.object({ agent_id: OwnAgent }).strict();

const { shape: handing } = HandoffCreate;
export const HandOffInput = HandoffCreate.extend({
  from_agent: Id.optional().meta({ description: `Who hands over; the agent of the session, if not given` }),
  to_agent: handing.to_agent.meta({ description: "Who is to go on" }),
  project_id: handing.project_id.meta({ description: `The project; ${OWN}` }),
  context: handing.context.meta({
    description: "What was done, what there is, what is left to test, what is known to be wrong",
  }),
  id: handing.id.meta({ description: "Your own id; the same handoff twice is one" }),
  timestamp: handing.timestamp.meta({ description: "Now, if it is not given" }),
});
export const ListHandoffsInput = z
  .object({
    to_agent: Id.optional().meta({
      description: "Whose; the agent of the session, if not given; without either, everyone's",
    }),
    from_agent: Id.optional().meta({ description: "Only those of this agent" }),
    project_id: Id.optional().meta({ description: "Only those of this project" }),
    status: HandoffStatus.default("pending").meta({ description: "Pending ones wait for somebody" }),
    limit: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.pageMax)
      .default(LIMITS.pageDefault)
      .meta({ description: "How many at most" }),
  })
  .strict();
export const ListHandoffsAnswer = z.object({ count: z.number(), handoffs: z.array(Handoff) });
export const AcknowledgeHandoffInput = z
  .object({
    handoff_id: Id.meta({ description: "The handoff, as list_handoffs names it" }),
    agent_id: OwnAgent,
  })
  .strict();

// Skills

const Slug = SkillSlug.meta({ description: "The short name of the skill, such as release-a-version" });

export const FindSkillInput = z
  .object({
    query: text(0, LIMITS.queryChars)
      .optional()
      .meta({ description: "What you want to do, in plain words; without it, the newest skills" }),
    limit: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.recallMax)
      .default(5)
      .meta({ description: "How many skills at most" }),
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
  name: SkillPut.shape.name.meta({ description: "Its title, in one line" }),
  description: SkillPut.shape.description.meta({ description: "What it is for, and when to follow it" }),
  prerequisites: SkillPut.shape.prerequisites.meta({ description: "What must be there first" }),
  steps: SkillPut.shape.steps.meta({ description: "What to do, in order" }),
  common_errors: SkillPut.shape.common_errors.meta({
    description: "What goes wrong, and how it is put right",
  }),
  exit_criteria: SkillPut.shape.exit_criteria.meta({ description: "How to tell that it is done" }),
  example_usage: SkillPut.shape.example_usage.meta({ description: "An example, as Markdown" }),
});
