// Tool inputs with descriptions written for models. The validation rules are those of the HTTP routes.
import { COGNITION, LIMITS } from "../limits";
import { AssembleInput } from "./assemble";
import { PrimeInput } from "./briefing";
import { AnyJson, boundedText, Id, nonEmptyText, z } from "./common";
import { EpisodeCreate } from "./episode";
import { Handoff, HandoffCreate, HandoffStatus, LedgerPut } from "./handover";
import { OwnerIds } from "./memory";
import { MessagesCreate } from "./message";
import { LearningCreate } from "./pattern";
import { Skill, SkillProject, SkillPut, SkillSlug } from "./skill";
import { MapKey, Task, TaskCreate, TaskStatus } from "./space";

/** The call may name a session; ids it leaves out are taken from that session. */
export const OptionalSession = OwnerIds.pick({ session_id: true });
/** The call is about one session. */
export const RequiredSession = z.object({ session_id: Id.meta({ description: "The session" }) });
export const NoScope = z.object({});

const SESSION_DEFAULT = "defaults to the session's";

// Sessions

const { shape: assembleShape } = AssembleInput;
export const AssembleToolInput = AssembleInput.extend({
  query: assembleShape.query.meta({ description: "Topic of the next turn, used to rank the memories" }),
  token_budget: assembleShape.token_budget.meta({ description: "Token budget of the whole context" }),
  include: assembleShape.include.meta({ description: "Parts to include; all by default" }),
  scope: assembleShape.scope.meta({ description: "Scope of the long-term memories" }),
});

export const ContinuityInput = z.object({}).strict();
export const ContinuityAnswer = z.object({
  session_id: z.string(),
  markdown: z.string().meta({ description: "The rendered page" }),
  memory_ids: z.array(z.string()).meta({ description: "Ids of the memories that the page is made of" }),
});

export const AddMessagesInput = MessagesCreate.extend({
  messages: MessagesCreate.shape.messages.meta({
    description: "The messages, oldest first. A message whose id already exists is not added again",
  }),
});

// Experience

const { shape: primeShape } = PrimeInput;
export const PrimeToolInput = PrimeInput.omit({
  now: true,
  session_id: true,
  user_id: true,
  agent_id: true,
}).extend({
  goal: primeShape.goal.meta({ description: "The task, in one or two sentences" }),
  project_id: primeShape.project_id.meta({ description: `The project; ${SESSION_DEFAULT}` }),
  kind: primeShape.kind.meta({ description: "Kind of task; detected from the goal by default" }),
  phase: primeShape.phase.meta({ description: "Phase of the work, such as planning or testing" }),
  action_type: primeShape.action_type.meta({ description: "Next action, such as write_file or run_test" }),
  token_budget: primeShape.token_budget.meta({ description: "Token budget of the prompt" }),
  limit: primeShape.limit.meta({ description: "Maximum number of items, in all lists together" }),
});

const { shape: episodeShape } = EpisodeCreate;
export const RecordEpisodeInput = EpisodeCreate.safeExtend({
  context: episodeShape.context.meta({ description: "The task: its goal, phase, constraints and files" }),
  outcome: episodeShape.outcome.meta({ description: "Result of the attempt" }),
  action_log: episodeShape.action_log.meta({
    description: "The steps in order, each with a short name as action",
  }),
  errors_encountered: episodeShape.errors_encountered.meta({
    description: "Errors encountered, and their resolutions",
  }),
  project_id: episodeShape.project_id.meta({ description: `The project; ${SESSION_DEFAULT}` }),
  user_id: episodeShape.user_id.meta({
    description: `The user whom the attempt was for; ${SESSION_DEFAULT}`,
  }),
  agent: episodeShape.agent.meta({ description: `The agent that made the attempt; ${SESSION_DEFAULT}` }),
  task_id: episodeShape.task_id.meta({ description: "Your id for the task" }),
  id: episodeShape.id.meta({ description: "Your own id; recording the same episode twice stores one" }),
  timestamp: episodeShape.timestamp.meta({
    description: "Start of the attempt; defaults to the current time",
  }),
  duration_seconds: episodeShape.duration_seconds.meta({ description: "Duration in seconds" }),
  artifacts_produced: episodeShape.artifacts_produced.meta({ description: "Artifacts of the attempt" }),
  files_read: episodeShape.files_read.meta({ description: "Files that were read" }),
  files_modified: episodeShape.files_modified.meta({ description: "Files that were changed" }),
  git_commit: episodeShape.git_commit.meta({ description: "The resulting commit" }),
  tokens_used: episodeShape.tokens_used.meta({ description: "Tokens used" }),
  importance: episodeShape.importance.meta({ description: "From 0 to 1" }),
  consolidate: episodeShape.consolidate.meta({
    description: "The task is finished: consolidate the project's episodes into patterns soon",
  }),
});

const { shape: learningShape } = LearningCreate;
export const LearnInput = LearningCreate.extend({
  trigger: learningShape.trigger.meta({ description: "The action or event that led to the mistake" }),
  root_cause: learningShape.root_cause.meta({ description: "Why it went wrong" }),
  fix: learningShape.fix.meta({ description: "The fix" }),
  prevention: learningShape.prevention.meta({ description: "How to prevent it from happening again" }),
  evidence: learningShape.evidence.meta({ description: "Ids of episodes, files or tickets that show it" }),
  project_id: learningShape.project_id.meta({
    description: `The project; ${SESSION_DEFAULT}. Without one the learning applies to all projects`,
  }),
});

// Ledgers and handoffs

const OwnAgent = Id.optional().meta({ description: `The agent; ${SESSION_DEFAULT}` });

const { shape: ledgerShape } = LedgerPut;
export const SaveCheckpointInput = LedgerPut.safeExtend({
  agent_id: OwnAgent,
  current_task: ledgerShape.current_task.meta({ description: "Current task of the agent" }),
  tasks_completed: ledgerShape.tasks_completed.meta({ description: "Number of completed tasks" }),
  state: ledgerShape.state.meta({ description: "State of the work, as free JSON" }),
  context: ledgerShape.context.meta({ description: "Context for the agent that continues" }),
  last_checkpoint: ledgerShape.last_checkpoint.meta({
    description: "Time of the checkpoint; defaults to the current time",
  }),
});
export const ReadCheckpointInput = z.object({ agent_id: OwnAgent }).strict();

const { shape: handoffShape } = HandoffCreate;
export const HandOffInput = HandoffCreate.extend({
  from_agent: Id.optional().meta({
    description: "The agent that hands over; defaults to the session's agent",
  }),
  to_agent: handoffShape.to_agent.meta({ description: "The agent that takes over" }),
  project_id: handoffShape.project_id.meta({ description: `The project; ${SESSION_DEFAULT}` }),
  context: handoffShape.context.meta({
    description: "Work done, artifacts, open tests and known issues",
  }),
  id: handoffShape.id.meta({ description: "Your own id; sending the same handoff twice creates one" }),
  timestamp: handoffShape.timestamp.meta({ description: "Defaults to the current time" }),
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
    limit: z.number().int().min(1).max(LIMITS.pageMax).default(LIMITS.pageDefault).meta({
      description: "Maximum number of handoffs",
    }),
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
    query: boundedText(0, LIMITS.queryChars).optional().meta({
      description: "The task, in plain words; without it, the newest skills are returned",
    }),
    limit: z.number().int().min(1).max(LIMITS.recallMax).default(5).meta({
      description: "Maximum number of skills",
    }),
    project_id: SkillProject.meta({ description: `Also the project's own skills; ${SESSION_DEFAULT}` }),
  })
  .strict();
export const FindSkillAnswer = z.object({
  count: z.number(),
  skills: z.array(
    Skill.pick({ slug: true, name: true, description: true, memory_id: true, usage_count: true }).extend({
      score: z.number(),
    }),
  ),
});
export const ReadSkillInput = z
  .object({
    slug: Slug,
    project_id: SkillProject.meta({
      description: `The project, whose own skill comes first; ${SESSION_DEFAULT}`,
    }),
  })
  .strict();
export const SaveSkillInput = SkillPut.extend({
  slug: Slug,
  project_id: SkillPut.shape.project_id.meta({
    description: "The project of the skill; without one it applies to all projects",
  }),
  name: SkillPut.shape.name.meta({ description: "Title, in one line" }),
  description: SkillPut.shape.description.meta({
    description: "Purpose of the skill, and when to follow it",
  }),
  prerequisites: SkillPut.shape.prerequisites.meta({ description: "Requirements before the first step" }),
  steps: SkillPut.shape.steps.meta({ description: "The steps, in order; required without instructions" }),
  common_errors: SkillPut.shape.common_errors.meta({
    description: "Common errors and their fixes",
  }),
  exit_criteria: SkillPut.shape.exit_criteria.meta({ description: "How to verify that the task is done" }),
  example_usage: SkillPut.shape.example_usage.meta({ description: "An example, as Markdown" }),
  instructions: SkillPut.shape.instructions.meta({
    description: "Free Markdown in place of steps and the other sections, as the body of a SKILL.md",
  }),
  license: SkillPut.shape.license.meta({ description: "Name of the license" }),
  compatibility: SkillPut.shape.compatibility.meta({ description: "Products or packages it needs" }),
  allowed_tools: SkillPut.shape.allowed_tools.meta({ description: "Tools it may use without asking" }),
  metadata: SkillPut.shape.metadata.meta({ description: "Other texts by name" }),
});

const DEFAULT_ROWS = 50;

export const QueryGraphInput = z
  .object({
    query: z
      .string()
      .min(1, "must not be empty")
      .max(LIMITS.sparqlChars, `must have at most ${LIMITS.sparqlChars} characters`)
      .meta({
        description:
          "A SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE. The prefixes jido, rdf, rdfs, owl, xsd and prov are declared",
      }),
    infer: z.boolean().default(true).meta({
      description: "Whether a class includes its subclasses, and a property its inverse",
    }),
    limit: z.number().int().min(1).max(LIMITS.queryGraphRows).default(DEFAULT_ROWS).meta({
      description: "Maximum number of rows or triples in the answer",
    }),
  })
  .strict();
export type QueryGraphInput = z.output<typeof QueryGraphInput>;

const PlainValue = z.union([z.string(), z.number(), z.boolean()]);

export const QueryGraphAnswer = z.object({
  count: z.number().meta({ description: "The number of rows or triples before the limit; 1 for ASK" }),
  rows: z.array(z.record(z.string(), PlainValue)).optional().meta({
    description: "Of SELECT: the values by variable. A variable without a value is left out",
  }),
  boolean: z.boolean().optional().meta({ description: "Of ASK" }),
  turtle: z.string().optional().meta({ description: "Of CONSTRUCT and DESCRIBE: the graph" }),
  truncated: z.literal(true).optional().meta({
    description: "There are more than the limit: narrow the query, or use LIMIT and OFFSET",
  }),
});
export type QueryGraphAnswer = z.infer<typeof QueryGraphAnswer>;

export const ReadWorldInput = z
  .object({
    key: MapKey.optional().meta({
      description: "Only this part, such as facts or summary; everything by default",
    }),
  })
  .strict();
export const ReadWorldAnswer = z.object({
  rev: z.number().meta({ description: "The revision of the world" }),
  world: z.record(z.string(), AnyJson).meta({ description: "The parts by key; empty if there is none" }),
});

/** Subjects are compared in lower case, as those of the facts projector are. */
export const NoteFactInput = z
  .object({
    subject: nonEmptyText(COGNITION.keyChars)
      .transform((subject) => subject.toLowerCase())
      .pipe(MapKey)
      .meta({
        description: "What the fact is about, such as staging server. A new fact replaces the one before",
      }),
    text: boundedText(1, LIMITS.contentChars).meta({ description: "The fact, as one statement" }),
  })
  .strict();
export const FactNoted = z.object({
  noted: z.literal(true),
  subject: z.string(),
  replaced: z.boolean().meta({ description: "Whether there was a fact on this subject" }),
  rev: z.number().meta({ description: "The revision of the world" }),
});
export type FactNoted = z.infer<typeof FactNoted>;

export const ListTasksInput = z
  .object({
    status: z
      .enum([...TaskStatus.options, "all"])
      .default("open")
      .meta({
        description: "Which tasks",
      }),
    limit: z.number().int().min(1).max(LIMITS.pageMax).default(LIMITS.pageDefault).meta({
      description: "Maximum number of tasks",
    }),
  })
  .strict();
export const ListTasksAnswer = z.object({
  count: z.number().meta({ description: "All tasks of this status, also those beyond the limit" }),
  tasks: z.array(Task).meta({ description: "The tasks, the most important first" }),
});

export const AddTaskInput = z
  .object({
    text: TaskCreate.shape.text.meta({ description: "What to do, in one sentence" }),
    index: TaskCreate.shape.index.meta({
      description: "Position in the list: 0 is the most important. At the end by default",
    }),
    id: TaskCreate.shape.id.meta({ description: "Your own id; generated by default" }),
  })
  .strict();

export const CompleteTaskInput = z
  .object({ task_id: Task.shape.id.meta({ description: "Id of the task, from add_task or list_tasks" }) })
  .strict();

export const NextTaskInput = z.object({}).strict();
export const NextTaskAnswer = z.object({
  task: Task.nullable().meta({ description: "The first open task; null if none is open" }),
});
