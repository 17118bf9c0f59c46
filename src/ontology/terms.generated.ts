// Generated from ontology/*.ttl by `npm run ontology`. Do not edit.

export const NAMESPACE = "https://jido.ai/ontology#";

export interface Term {
  readonly label: string;
  readonly comment: string;
  /** The file that declares it, without its ending. */
  readonly module: string;
}

export interface ClassTerm extends Term {
  readonly subClassOf: string | null;
}

export interface PropertyTerm extends Term {
  readonly kind: "object" | "datatype";
  readonly domain: string;
  /** The local name of a class, or a datatype such as "xsd:string". */
  readonly range: string;
  /** At most one value per subject. */
  readonly functional: boolean;
  readonly inverseOf: string | null;
}

export interface IndividualTerm extends Term {
  readonly classes: readonly string[];
}

export const CLASSES = {
  Entity: { subClassOf: null, label: "entity", comment: "Anything with an identity of its own; the root of every class that is not an enumeration.", module: "jido-core" },
  Agent: { subClassOf: "Entity", label: "agent", comment: "Someone or something that acts: works in sessions, asserts memories, takes on tasks.", module: "jido-core" },
  Project: { subClassOf: "Entity", label: "project", comment: "A body of software work that sessions, memories and code belong to.", module: "jido-core" },
  WorkSession: { subClassOf: "Entity", label: "work session", comment: "One bounded stretch of work by one or more agents.", module: "jido-core" },
  MemoryItem: { subClassOf: "Entity", label: "memory item", comment: "A unit of long-term memory: one thing worth keeping, with its provenance.", module: "jido-core" },
  Evidence: { subClassOf: "Entity", label: "evidence", comment: "Material that speaks for or against a memory: a file, a log, a test run, a document.", module: "jido-core" },
  Justification: { subClassOf: "Entity", label: "justification", comment: "A reason given for a decision, as a thing that several decisions can share.", module: "jido-core" },
  ConfidenceLevel: { subClassOf: null, label: "confidence level", comment: "How far a memory can be relied on, in three steps.", module: "jido-core" },
  SourceType: { subClassOf: null, label: "source type", comment: "The kind of origin a memory comes from.", module: "jido-core" },
  Fact: { subClassOf: "MemoryItem", label: "fact", comment: "Knowledge that has been verified.", module: "jido-knowledge" },
  Assumption: { subClassOf: "MemoryItem", label: "assumption", comment: "A belief that work proceeds on although nobody has verified it.", module: "jido-knowledge" },
  Hypothesis: { subClassOf: "MemoryItem", label: "hypothesis", comment: "A proposed explanation, stated so that it can be tested.", module: "jido-knowledge" },
  Discovery: { subClassOf: "MemoryItem", label: "discovery", comment: "A finding that was new, and matters, when it was made.", module: "jido-knowledge" },
  Risk: { subClassOf: "MemoryItem", label: "risk", comment: "Something that may go wrong, and would do harm.", module: "jido-knowledge" },
  Unknown: { subClassOf: "MemoryItem", label: "unknown", comment: "A gap in knowledge, recorded so that it is not overlooked.", module: "jido-knowledge" },
  EvidenceStrength: { subClassOf: null, label: "evidence strength", comment: "How much weight a piece of evidence carries.", module: "jido-knowledge" },
  Decision: { subClassOf: "MemoryItem", label: "decision", comment: "A choice the project is committed to.", module: "jido-decision" },
  ArchitecturalDecision: { subClassOf: "Decision", label: "architectural decision", comment: "A choice about structure that is costly to reverse.", module: "jido-decision" },
  ImplementationDecision: { subClassOf: "Decision", label: "implementation decision", comment: "A choice about how one part is built, with local effect.", module: "jido-decision" },
  Alternative: { subClassOf: "MemoryItem", label: "alternative", comment: "An option that was weighed for a decision, chosen or not.", module: "jido-decision" },
  TradeOff: { subClassOf: "MemoryItem", label: "trade-off", comment: "A compromise: what was gained, and at the price of what.", module: "jido-decision" },
  Task: { subClassOf: "MemoryItem", label: "task", comment: "A unit of work that someone can do.", module: "jido-task" },
  Milestone: { subClassOf: "MemoryItem", label: "milestone", comment: "A point that is reached when a number of tasks are done.", module: "jido-task" },
  Plan: { subClassOf: "MemoryItem", label: "plan", comment: "An ordered set of tasks and milestones towards one end.", module: "jido-task" },
  TaskStatus: { subClassOf: null, label: "task status", comment: "How far a task has come.", module: "jido-task" },
  Convention: { subClassOf: "MemoryItem", label: "convention", comment: "A standard the project has accepted.", module: "jido-convention" },
  CodingStandard: { subClassOf: "Convention", label: "coding standard", comment: "A rule on how code is written: style, format, structure.", module: "jido-convention" },
  ArchitecturalConvention: { subClassOf: "Convention", label: "architectural convention", comment: "A rule on how the parts of a system are arranged.", module: "jido-convention" },
  AgentRule: { subClassOf: "Convention", label: "agent rule", comment: "A rule on what agents may do, must do or must not do.", module: "jido-convention" },
  ProcessConvention: { subClassOf: "Convention", label: "process convention", comment: "A rule on how work is done: workflow, review, release, operations.", module: "jido-convention" },
  ConventionScope: { subClassOf: null, label: "convention scope", comment: "How widely a convention holds.", module: "jido-convention" },
  EnforcementLevel: { subClassOf: null, label: "enforcement level", comment: "How firmly a convention holds.", module: "jido-convention" },
  Error: { subClassOf: "MemoryItem", label: "error", comment: "Something that went wrong in development or in operation.", module: "jido-error" },
  Bug: { subClassOf: "Error", label: "bug", comment: "A defect in code.", module: "jido-error" },
  Failure: { subClassOf: "Error", label: "failure", comment: "A system or component that stopped doing its work.", module: "jido-error" },
  Incident: { subClassOf: "Error", label: "incident", comment: "An event in operation that disturbed the service and called for a response.", module: "jido-error" },
  RootCause: { subClassOf: "MemoryItem", label: "root cause", comment: "What an error ultimately comes from.", module: "jido-error" },
  LessonLearned: { subClassOf: "MemoryItem", label: "lesson learned", comment: "What to do, or not to do, next time.", module: "jido-error" },
  ErrorStatus: { subClassOf: null, label: "error status", comment: "How far the handling of an error has come.", module: "jido-error" },
  SessionStatus: { subClassOf: null, label: "session status", comment: "Where a session stands in its life.", module: "jido-session" },
  SessionPhase: { subClassOf: null, label: "session phase", comment: "The kind of work a session is occupied with.", module: "jido-session" },
  PrimaryAgent: { subClassOf: "Agent", label: "primary agent", comment: "An agent that coordinates the work of others.", module: "jido-agent" },
  SubAgent: { subClassOf: "Agent", label: "sub-agent", comment: "An agent that another one started, to do a part of its work.", module: "jido-agent" },
  AgentRole: { subClassOf: null, label: "agent role", comment: "A part an agent plays in the work.", module: "jido-agent" },
  Capability: { subClassOf: null, label: "capability", comment: "Something an agent is able and allowed to do.", module: "jido-agent" },
  Repository: { subClassOf: "Entity", label: "repository", comment: "A repository under version control.", module: "jido-project" },
  Module: { subClassOf: "Entity", label: "module", comment: "A logical part of a project's code, in whatever language.", module: "jido-project" },
  Domain: { subClassOf: "Entity", label: "domain", comment: "A subject area, of the business or of the technology, that a project deals with.", module: "jido-project" },
  SourceFile: { subClassOf: "Entity", label: "source file", comment: "A file of source code.", module: "jido-code" },
  CodeConcept: { subClassOf: "Entity", label: "code concept", comment: "A construct in code; the base of the kinds below.", module: "jido-code" },
  ElixirModule: { subClassOf: "CodeConcept", label: "Elixir module", comment: "A module of the Elixir language.", module: "jido-code" },
  AshResource: { subClassOf: "CodeConcept", label: "Ash resource", comment: "A resource defined with the Ash framework.", module: "jido-code" },
  DSL: { subClassOf: "CodeConcept", label: "DSL", comment: "A domain-specific language, or a construct of one.", module: "jido-code" },
  Command: { subClassOf: "CodeConcept", label: "command", comment: "A request for a change, in the sense of CQRS.", module: "jido-code" },
  Event: { subClassOf: "CodeConcept", label: "event", comment: "A record that something happened in the domain.", module: "jido-code" },
  Projection: { subClassOf: "CodeConcept", label: "projection", comment: "A read model that is built from events.", module: "jido-code" },
  Link: { subClassOf: "Entity", label: "link", comment: "A link between two things, as a thing of its own, so that its strength can be stated.", module: "jido-memory" },
  Episode: { subClassOf: "Evidence", label: "episode", comment: "The recorded trace of one attempt at a task: what was tried, what happened, how it ended.", module: "jido-memory" },
  EpisodeOutcome: { subClassOf: null, label: "episode outcome", comment: "How an attempt at a task ended.", module: "jido-memory" },
  Skill: { subClassOf: "MemoryItem", label: "skill", comment: "A way of doing something that has proved itself: steps that can be followed again.", module: "jido-memory" },
} as const satisfies Record<string, ClassTerm>;

export type ClassName = keyof typeof CLASSES;

export const PROPERTIES = {
  assertedBy: { kind: "object", domain: "MemoryItem", range: "Agent", functional: false, inverseOf: null, label: "asserted by", comment: "The agent that put the memory forward.", module: "jido-core" },
  assertedIn: { kind: "object", domain: "MemoryItem", range: "WorkSession", functional: false, inverseOf: null, label: "asserted in", comment: "The session in which the memory was put forward.", module: "jido-core" },
  appliesToProject: { kind: "object", domain: "MemoryItem", range: "Project", functional: true, inverseOf: null, label: "applies to project", comment: "The project the memory is about.", module: "jido-core" },
  derivedFrom: { kind: "object", domain: "MemoryItem", range: "Evidence", functional: false, inverseOf: null, label: "derived from", comment: "Material the memory was drawn from.", module: "jido-core" },
  hasConfidence: { kind: "object", domain: "MemoryItem", range: "ConfidenceLevel", functional: true, inverseOf: null, label: "has confidence", comment: "How far the memory can be relied on.", module: "jido-core" },
  hasSourceType: { kind: "object", domain: "MemoryItem", range: "SourceType", functional: true, inverseOf: null, label: "has source type", comment: "The kind of origin the memory comes from.", module: "jido-core" },
  supersededBy: { kind: "object", domain: "MemoryItem", range: "MemoryItem", functional: true, inverseOf: "supersedes", label: "superseded by", comment: "The memory that takes this one's place; from then on this one is history.", module: "jido-core" },
  invalidatedBy: { kind: "object", domain: "MemoryItem", range: "MemoryItem", functional: false, inverseOf: null, label: "invalidated by", comment: "A memory that shows this one to be wrong, without having to take its place.", module: "jido-core" },
  hasTimestamp: { kind: "datatype", domain: "MemoryItem", range: "xsd:dateTime", functional: true, inverseOf: null, label: "has timestamp", comment: "When the memory was made.", module: "jido-core" },
  summary: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "summary", comment: "What is remembered, in one statement: the text that is searched and shown.", module: "jido-core" },
  detailedExplanation: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "detailed explanation", comment: "What the summary leaves out.", module: "jido-core" },
  rationale: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "rationale", comment: "Why it is so, or why it was chosen.", module: "jido-core" },
  refines: { kind: "object", domain: "Hypothesis", range: "Hypothesis", functional: false, inverseOf: null, label: "refines", comment: "The hypothesis that this one states more sharply.", module: "jido-knowledge" },
  confirms: { kind: "object", domain: "Evidence", range: "Fact", functional: false, inverseOf: null, label: "confirms", comment: "A fact the evidence speaks for; a hypothesis that is confirmed gives way to a fact.", module: "jido-knowledge" },
  contradicts: { kind: "object", domain: "Evidence", range: "MemoryItem", functional: false, inverseOf: null, label: "contradicts", comment: "A memory the evidence speaks against; a memory that speaks against another is evidence too.", module: "jido-knowledge" },
  hasEvidenceStrength: { kind: "object", domain: "Evidence", range: "EvidenceStrength", functional: true, inverseOf: null, label: "has evidence strength", comment: "The weight the evidence carries.", module: "jido-knowledge" },
  hasAlternative: { kind: "object", domain: "Decision", range: "Alternative", functional: false, inverseOf: null, label: "has alternative", comment: "An option weighed for the decision.", module: "jido-decision" },
  selectedAlternative: { kind: "object", domain: "Decision", range: "Alternative", functional: true, inverseOf: null, label: "selected alternative", comment: "The option the decision settled on.", module: "jido-decision" },
  hasTradeOff: { kind: "object", domain: "Decision", range: "TradeOff", functional: false, inverseOf: null, label: "has trade-off", comment: "A compromise the decision accepts.", module: "jido-decision" },
  justifiedBy: { kind: "object", domain: "Decision", range: "Justification", functional: false, inverseOf: null, label: "justified by", comment: "A reason given for the decision.", module: "jido-decision" },
  decisionStatus: { kind: "datatype", domain: "Decision", range: "xsd:string", functional: true, inverseOf: null, label: "decision status", comment: "Where the decision stands: proposed, accepted, deprecated or rejected.", module: "jido-decision" },
  impactLevel: { kind: "datatype", domain: "Decision", range: "xsd:string", functional: true, inverseOf: null, label: "impact level", comment: "How much depends on the decision: low, medium, high or critical.", module: "jido-decision" },
  dependsOn: { kind: "object", domain: "Task", range: "Task", functional: false, inverseOf: null, label: "depends on", comment: "A task whose result this one needs.", module: "jido-task" },
  blockedBy: { kind: "object", domain: "Task", range: "Task", functional: false, inverseOf: null, label: "blocked by", comment: "A task that keeps this one from going on.", module: "jido-task" },
  partOfMilestone: { kind: "object", domain: "Task", range: "Milestone", functional: false, inverseOf: null, label: "part of milestone", comment: "A milestone the task counts towards.", module: "jido-task" },
  partOfPlan: { kind: "object", domain: "Task", range: "Plan", functional: false, inverseOf: null, label: "part of plan", comment: "A plan the task belongs to.", module: "jido-task" },
  assignedTo: { kind: "object", domain: "Task", range: "Agent", functional: false, inverseOf: null, label: "assigned to", comment: "An agent that is to do the task.", module: "jido-task" },
  createdBy: { kind: "object", domain: "Task", range: "Agent", functional: true, inverseOf: null, label: "created by", comment: "The agent that set the task.", module: "jido-task" },
  hasTaskStatus: { kind: "object", domain: "Task", range: "TaskStatus", functional: true, inverseOf: null, label: "has task status", comment: "How far the task has come.", module: "jido-task" },
  taskCreatedAt: { kind: "datatype", domain: "Task", range: "xsd:dateTime", functional: true, inverseOf: null, label: "task created at", comment: "When the task was set.", module: "jido-task" },
  taskStartedAt: { kind: "datatype", domain: "Task", range: "xsd:dateTime", functional: true, inverseOf: null, label: "task started at", comment: "When work on the task began.", module: "jido-task" },
  taskCompletedAt: { kind: "datatype", domain: "Task", range: "xsd:dateTime", functional: true, inverseOf: null, label: "task completed at", comment: "When the task was done.", module: "jido-task" },
  appliesToModule: { kind: "object", domain: "Convention", range: "Module", functional: false, inverseOf: null, label: "applies to module", comment: "A part of the project the convention is limited to.", module: "jido-convention" },
  appliesToDomain: { kind: "object", domain: "Convention", range: "Domain", functional: false, inverseOf: null, label: "applies to domain", comment: "A subject area the convention is limited to.", module: "jido-convention" },
  governsAgent: { kind: "object", domain: "AgentRule", range: "Agent", functional: false, inverseOf: null, label: "governs agent", comment: "An agent the rule is addressed to.", module: "jido-convention" },
  hasConventionScope: { kind: "object", domain: "Convention", range: "ConventionScope", functional: true, inverseOf: null, label: "has convention scope", comment: "How widely the convention holds.", module: "jido-convention" },
  hasEnforcementLevel: { kind: "object", domain: "Convention", range: "EnforcementLevel", functional: true, inverseOf: null, label: "has enforcement level", comment: "How firmly the convention holds.", module: "jido-convention" },
  conventionName: { kind: "datatype", domain: "Convention", range: "xsd:string", functional: true, inverseOf: null, label: "convention name", comment: "The short name the convention goes by.", module: "jido-convention" },
  conventionDescription: { kind: "datatype", domain: "Convention", range: "xsd:string", functional: true, inverseOf: null, label: "convention description", comment: "The convention in full.", module: "jido-convention" },
  violationConsequence: { kind: "datatype", domain: "Convention", range: "xsd:string", functional: false, inverseOf: null, label: "violation consequence", comment: "What follows when the convention is not kept.", module: "jido-convention" },
  hasRootCause: { kind: "object", domain: "Error", range: "RootCause", functional: false, inverseOf: null, label: "has root cause", comment: "What the error ultimately comes from.", module: "jido-error" },
  producedLesson: { kind: "object", domain: "Error", range: "LessonLearned", functional: false, inverseOf: null, label: "produced lesson", comment: "What was learned from the error.", module: "jido-error" },
  relatedError: { kind: "object", domain: "Error", range: "Error", functional: false, inverseOf: null, label: "related error", comment: "An error of a kind with this one, or connected to it.", module: "jido-error" },
  hasErrorStatus: { kind: "object", domain: "Error", range: "ErrorStatus", functional: true, inverseOf: null, label: "has error status", comment: "How far the handling of the error has come.", module: "jido-error" },
  severityLevel: { kind: "datatype", domain: "Error", range: "xsd:string", functional: true, inverseOf: null, label: "severity level", comment: "How bad the error is: low, medium, high or critical.", module: "jido-error" },
  errorCode: { kind: "datatype", domain: "Error", range: "xsd:string", functional: true, inverseOf: null, label: "error code", comment: "The code the failing system gives the error.", module: "jido-error" },
  continuesSession: { kind: "object", domain: "WorkSession", range: "WorkSession", functional: true, inverseOf: null, label: "continues session", comment: "The earlier session whose work this one takes up.", module: "jido-session" },
  hasPreviousSession: { kind: "object", domain: "WorkSession", range: "WorkSession", functional: false, inverseOf: null, label: "has previous session", comment: "A session that came before this one, whether or not its work is taken up.", module: "jido-session" },
  hasParticipatingAgent: { kind: "object", domain: "WorkSession", range: "Agent", functional: false, inverseOf: null, label: "has participating agent", comment: "An agent that takes part in the session.", module: "jido-session" },
  hasPrimaryAgent: { kind: "object", domain: "WorkSession", range: "Agent", functional: true, inverseOf: null, label: "has primary agent", comment: "The agent that leads the session.", module: "jido-session" },
  hasStatus: { kind: "object", domain: "WorkSession", range: "SessionStatus", functional: true, inverseOf: null, label: "has status", comment: "Where the session stands in its life.", module: "jido-session" },
  hasPhase: { kind: "object", domain: "WorkSession", range: "SessionPhase", functional: true, inverseOf: null, label: "has phase", comment: "The kind of work the session is occupied with.", module: "jido-session" },
  startedAt: { kind: "datatype", domain: "WorkSession", range: "xsd:dateTime", functional: true, inverseOf: null, label: "started at", comment: "When the session began.", module: "jido-session" },
  endedAt: { kind: "datatype", domain: "WorkSession", range: "xsd:dateTime", functional: true, inverseOf: null, label: "ended at", comment: "When the session ended.", module: "jido-session" },
  spawnedSubAgent: { kind: "object", domain: "Agent", range: "SubAgent", functional: false, inverseOf: null, label: "spawned sub-agent", comment: "A sub-agent that this agent started.", module: "jido-agent" },
  reportsTo: { kind: "object", domain: "SubAgent", range: "Agent", functional: false, inverseOf: null, label: "reports to", comment: "The agent that the sub-agent works for and answers to.", module: "jido-agent" },
  hasRole: { kind: "object", domain: "Agent", range: "AgentRole", functional: false, inverseOf: null, label: "has role", comment: "A part the agent plays.", module: "jido-agent" },
  hasCapability: { kind: "object", domain: "Agent", range: "Capability", functional: false, inverseOf: null, label: "has capability", comment: "Something the agent is able and allowed to do.", module: "jido-agent" },
  agentName: { kind: "datatype", domain: "Agent", range: "xsd:string", functional: true, inverseOf: null, label: "agent name", comment: "The name the agent goes by.", module: "jido-agent" },
  agentVersion: { kind: "datatype", domain: "Agent", range: "xsd:string", functional: true, inverseOf: null, label: "agent version", comment: "The version of the agent.", module: "jido-agent" },
  agentDescription: { kind: "datatype", domain: "Agent", range: "xsd:string", functional: true, inverseOf: null, label: "agent description", comment: "What the agent is for.", module: "jido-agent" },
  hasRepository: { kind: "object", domain: "Project", range: "Repository", functional: false, inverseOf: null, label: "has repository", comment: "A repository that holds code of the project.", module: "jido-project" },
  hasModule: { kind: "object", domain: "Project", range: "Module", functional: false, inverseOf: null, label: "has module", comment: "A logical part of the project.", module: "jido-project" },
  hasDomain: { kind: "object", domain: "Project", range: "Domain", functional: false, inverseOf: null, label: "has domain", comment: "A subject area the project deals with.", module: "jido-project" },
  partOfProject: { kind: "object", domain: "Entity", range: "Project", functional: false, inverseOf: null, label: "part of project", comment: "A project this belongs to.", module: "jido-project" },
  repoUrl: { kind: "datatype", domain: "Repository", range: "xsd:anyURI", functional: false, inverseOf: null, label: "repository URL", comment: "Where the repository is found.", module: "jido-project" },
  repoBranch: { kind: "datatype", domain: "Repository", range: "xsd:string", functional: false, inverseOf: null, label: "repository branch", comment: "A branch the project works on.", module: "jido-project" },
  projectName: { kind: "datatype", domain: "Project", range: "xsd:string", functional: true, inverseOf: null, label: "project name", comment: "The name the project goes by.", module: "jido-project" },
  projectVersion: { kind: "datatype", domain: "Project", range: "xsd:string", functional: true, inverseOf: null, label: "project version", comment: "The version the project is at.", module: "jido-project" },
  projectDescription: { kind: "datatype", domain: "Project", range: "xsd:string", functional: true, inverseOf: null, label: "project description", comment: "What the project is for.", module: "jido-project" },
  definedInFile: { kind: "object", domain: "CodeConcept", range: "SourceFile", functional: false, inverseOf: null, label: "defined in file", comment: "A file that holds the construct's definition.", module: "jido-code" },
  partOfModule: { kind: "object", domain: "CodeConcept", range: "ElixirModule", functional: false, inverseOf: null, label: "part of module", comment: "The Elixir module the construct belongs to.", module: "jido-code" },
  implementsDSL: { kind: "object", domain: "ElixirModule", range: "DSL", functional: false, inverseOf: null, label: "implements DSL", comment: "A domain-specific language the module implements.", module: "jido-code" },
  emitsEvent: { kind: "object", domain: "Command", range: "Event", functional: false, inverseOf: null, label: "emits event", comment: "An event that the command gives rise to.", module: "jido-code" },
  handledByProjection: { kind: "object", domain: "Event", range: "Projection", functional: false, inverseOf: null, label: "handled by projection", comment: "A projection that takes the event in.", module: "jido-code" },
  moduleName: { kind: "datatype", domain: "ElixirModule", range: "xsd:string", functional: true, inverseOf: null, label: "module name", comment: "The module's full name.", module: "jido-code" },
  filePath: { kind: "datatype", domain: "SourceFile", range: "xsd:string", functional: true, inverseOf: null, label: "file path", comment: "The file's path within its repository.", module: "jido-code" },
  codeSummary: { kind: "datatype", domain: "CodeConcept", range: "xsd:string", functional: true, inverseOf: null, label: "code summary", comment: "What the construct does.", module: "jido-code" },
  supersedes: { kind: "object", domain: "MemoryItem", range: "MemoryItem", functional: false, inverseOf: "supersededBy", label: "supersedes", comment: "A memory whose place this one takes.", module: "jido-memory" },
  belongsTo: { kind: "object", domain: "WorkSession", range: "Project", functional: true, inverseOf: null, label: "belongs to", comment: "The project a session works on.", module: "jido-memory" },
  relatedTo: { kind: "object", domain: "MemoryItem", range: "MemoryItem", functional: false, inverseOf: null, label: "related to", comment: "A memory on a kindred matter, often of use together with this one.", module: "jido-memory" },
  elaborates: { kind: "object", domain: "MemoryItem", range: "MemoryItem", functional: false, inverseOf: null, label: "elaborates", comment: "A memory to which this one adds detail.", module: "jido-memory" },
  exampleOf: { kind: "object", domain: "MemoryItem", range: "MemoryItem", functional: false, inverseOf: null, label: "example of", comment: "A general memory of which this one is an instance.", module: "jido-memory" },
  supports: { kind: "object", domain: "MemoryItem", range: "MemoryItem", functional: false, inverseOf: null, label: "supports", comment: "A memory that this one makes more credible.", module: "jido-memory" },
  linkFrom: { kind: "object", domain: "Link", range: "Entity", functional: true, inverseOf: null, label: "link from", comment: "What the link leads from: the subject of the linking triple.", module: "jido-memory" },
  linkTo: { kind: "object", domain: "Link", range: "Entity", functional: true, inverseOf: null, label: "link to", comment: "What the link leads to: the object of the linking triple.", module: "jido-memory" },
  hasOutcome: { kind: "object", domain: "Episode", range: "EpisodeOutcome", functional: true, inverseOf: null, label: "has outcome", comment: "How the attempt ended.", module: "jido-memory" },
  performedBy: { kind: "object", domain: "Episode", range: "Agent", functional: false, inverseOf: null, label: "performed by", comment: "The agent that made the attempt.", module: "jido-memory" },
  confidenceValue: { kind: "datatype", domain: "MemoryItem", range: "xsd:decimal", functional: true, inverseOf: null, label: "confidence value", comment: "The exact confidence, from 0 to 1, of which hasConfidence gives the level.", module: "jido-memory" },
  importanceScore: { kind: "datatype", domain: "Entity", range: "xsd:decimal", functional: true, inverseOf: null, label: "importance score", comment: "How much a memory or an episode matters, from 0 to 1.", module: "jido-memory" },
  accessCount: { kind: "datatype", domain: "Entity", range: "xsd:integer", functional: true, inverseOf: null, label: "access count", comment: "How often a memory or an episode has been given back.", module: "jido-memory" },
  lastAccessed: { kind: "datatype", domain: "Entity", range: "xsd:dateTime", functional: true, inverseOf: null, label: "last accessed", comment: "When a memory or an episode was last given back.", module: "jido-memory" },
  decayedAt: { kind: "datatype", domain: "Entity", range: "xsd:dateTime", functional: true, inverseOf: null, label: "decayed at", comment: "Up to when the importance score has been let decline with time.", module: "jido-memory" },
  topicKey: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "topic key", comment: "The name of a topic that has one live memory per scope: a new memory with the same key supersedes the one before.", module: "jido-memory" },
  namespace: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "namespace", comment: "The namespace a memory was written under, when agents share memory by name rather than by identity.", module: "jido-memory" },
  entrySource: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "entry source", comment: "How a memory came under its namespace: written by hand, or captured from a turn.", module: "jido-memory" },
  entryMetadata: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "entry metadata", comment: "What the writer of a memory under a namespace said about it, as JSON.", module: "jido-memory" },
  inGraph: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "in graph", comment: "The knowledge graph that a memory is part of: that of a tenant, a project or an agent.", module: "jido-memory" },
  graphKey: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "graph key", comment: "What tells a memory of a graph from every other: a hash of the graph and of what is said. Copies share it.", module: "jido-memory" },
  nodeName: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "node name", comment: "The name of an entity in a graph, as it was given.", module: "jido-memory" },
  nodeType: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "node type", comment: "The type of an entity in a graph, as it was given.", module: "jido-memory" },
  nodeCopy: { kind: "datatype", domain: "MemoryItem", range: "xsd:integer", functional: true, inverseOf: null, label: "node copy", comment: "Which of the entities of one name is meant, when a graph was given several at once; none means the first.", module: "jido-memory" },
  aboutNode: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "about node", comment: "The graph key of the entity that a memory is an observation of.", module: "jido-memory" },
  relationFrom: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "relation from", comment: "The name of the entity that a relation of a graph begins at.", module: "jido-memory" },
  relationTo: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "relation to", comment: "The name of the entity that a relation of a graph ends at.", module: "jido-memory" },
  relationType: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "relation type", comment: "What a relation of a graph says of its two ends, in the caller's words.", module: "jido-memory" },
  validFrom: { kind: "datatype", domain: "MemoryItem", range: "xsd:dateTime", functional: true, inverseOf: null, label: "valid from", comment: "When what the memory says became true.", module: "jido-memory" },
  validUntil: { kind: "datatype", domain: "MemoryItem", range: "xsd:dateTime", functional: true, inverseOf: null, label: "valid until", comment: "When what the memory says ceased to be true.", module: "jido-memory" },
  forgottenAt: { kind: "datatype", domain: "MemoryItem", range: "xsd:dateTime", functional: true, inverseOf: null, label: "forgotten at", comment: "The tombstone: when the memory was forgotten, with or without a replacement.", module: "jido-memory" },
  forgetReason: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "forget reason", comment: "Why the memory was forgotten.", module: "jido-memory" },
  linkRelation: { kind: "datatype", domain: "Link", range: "xsd:anyURI", functional: true, inverseOf: null, label: "link relation", comment: "The property that links the two: the predicate of the linking triple.", module: "jido-memory" },
  linkStrength: { kind: "datatype", domain: "Link", range: "xsd:decimal", functional: true, inverseOf: null, label: "link strength", comment: "How strongly the link holds, from 0 to 1.", module: "jido-memory" },
  linkedAt: { kind: "datatype", domain: "Link", range: "xsd:dateTime", functional: true, inverseOf: null, label: "linked at", comment: "When the link was made.", module: "jido-memory" },
  resolution: { kind: "datatype", domain: "Link", range: "xsd:string", functional: true, inverseOf: null, label: "resolution", comment: "How a contradiction was settled: one superseded the other, one invalidated the other, or both were kept.", module: "jido-memory" },
  resolutionReason: { kind: "datatype", domain: "Link", range: "xsd:string", functional: true, inverseOf: null, label: "resolution reason", comment: "Why a contradiction was settled that way.", module: "jido-memory" },
  resolvedAt: { kind: "datatype", domain: "Link", range: "xsd:dateTime", functional: true, inverseOf: null, label: "resolved at", comment: "When a contradiction was settled.", module: "jido-memory" },
  goal: { kind: "datatype", domain: "Episode", range: "xsd:string", functional: true, inverseOf: null, label: "goal", comment: "What the attempt was to achieve.", module: "jido-memory" },
  occurredAt: { kind: "datatype", domain: "Episode", range: "xsd:dateTime", functional: true, inverseOf: null, label: "occurred at", comment: "When the attempt began.", module: "jido-memory" },
  durationSeconds: { kind: "datatype", domain: "Episode", range: "xsd:decimal", functional: true, inverseOf: null, label: "duration in seconds", comment: "How long the attempt took.", module: "jido-memory" },
  episodePhase: { kind: "datatype", domain: "Episode", range: "xsd:string", functional: true, inverseOf: null, label: "episode phase", comment: "The phase of work in which the attempt was made, in the agent's own words.", module: "jido-memory" },
  tokensUsed: { kind: "datatype", domain: "Episode", range: "xsd:integer", functional: true, inverseOf: null, label: "tokens used", comment: "How many tokens the attempt cost.", module: "jido-memory" },
  taskReference: { kind: "datatype", domain: "Episode", range: "xsd:string", functional: true, inverseOf: null, label: "task reference", comment: "The task that the attempt was at, by the name that its tracker gives it.", module: "jido-memory" },
  episodeTrace: { kind: "datatype", domain: "Episode", range: "xsd:string", functional: true, inverseOf: null, label: "episode trace", comment: "What the attempt was bound to, what it did in order, which errors it met and what it left, as JSON.", module: "jido-memory" },
  episodeSummary: { kind: "datatype", domain: "Episode", range: "xsd:string", functional: true, inverseOf: null, label: "episode summary", comment: "What is kept of the steps of an attempt once it is no longer kept whole.", module: "jido-memory" },
  archivedAt: { kind: "datatype", domain: "Episode", range: "xsd:dateTime", functional: true, inverseOf: null, label: "archived at", comment: "When the episode was set aside; it is still read by its id.", module: "jido-memory" },
  category: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "category", comment: "The heading a pattern is filed under.", module: "jido-memory" },
  condition: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: false, inverseOf: null, label: "condition", comment: "A circumstance under which the pattern holds.", module: "jido-memory" },
  correctApproach: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "correct approach", comment: "What works under these conditions; for a pattern to avoid, how to prevent it.", module: "jido-memory" },
  incorrectApproach: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "incorrect approach", comment: "What fails under these conditions.", module: "jido-memory" },
  theme: { kind: "datatype", domain: "MemoryItem", range: "xsd:string", functional: true, inverseOf: null, label: "theme", comment: "What the episodes of a pattern have in common to do, as a phrase: new episodes are compared with it.", module: "jido-memory" },
  trigger: { kind: "datatype", domain: "LessonLearned", range: "xsd:string", functional: true, inverseOf: null, label: "trigger", comment: "What showed that something was wrong.", module: "jido-memory" },
  cause: { kind: "datatype", domain: "LessonLearned", range: "xsd:string", functional: true, inverseOf: null, label: "cause", comment: "Why it happened, in words; hasRootCause leads to a cause that is a memory of its own.", module: "jido-memory" },
  fix: { kind: "datatype", domain: "LessonLearned", range: "xsd:string", functional: true, inverseOf: null, label: "fix", comment: "What put it right.", module: "jido-memory" },
  prevention: { kind: "datatype", domain: "LessonLearned", range: "xsd:string", functional: true, inverseOf: null, label: "prevention", comment: "What keeps it from happening again.", module: "jido-memory" },
  occurrences: { kind: "datatype", domain: "LessonLearned", range: "xsd:integer", functional: true, inverseOf: null, label: "occurrences", comment: "How often the lesson was met.", module: "jido-memory" },
  lastSeen: { kind: "datatype", domain: "LessonLearned", range: "xsd:dateTime", functional: true, inverseOf: null, label: "last seen", comment: "When the lesson was last met.", module: "jido-memory" },
  skillName: { kind: "datatype", domain: "Skill", range: "xsd:string", functional: true, inverseOf: null, label: "skill name", comment: "The name the skill goes by.", module: "jido-memory" },
  skillBody: { kind: "datatype", domain: "Skill", range: "xsd:string", functional: true, inverseOf: null, label: "skill body", comment: "Prerequisites, steps in order, common errors with their fixes, and exit criteria, as Markdown.", module: "jido-memory" },
} as const satisfies Record<string, PropertyTerm>;

export type PropertyName = keyof typeof PROPERTIES;

export const INDIVIDUALS = {
  High: { classes: ["ConfidenceLevel"], label: "high", comment: "Safe to act on as it stands: a confidence of 0.8 or more.", module: "jido-core" },
  Medium: { classes: ["ConfidenceLevel"], label: "medium", comment: "Probably right, worth checking before much depends on it: from 0.5 up to 0.8.", module: "jido-core" },
  Low: { classes: ["ConfidenceLevel"], label: "low", comment: "A guess or a weak signal: a confidence below 0.5.", module: "jido-core" },
  UserSource: { classes: ["SourceType"], label: "user", comment: "Said by the person the agent works for.", module: "jido-core" },
  AgentSource: { classes: ["SourceType"], label: "agent", comment: "Concluded by an agent.", module: "jido-core" },
  ToolSource: { classes: ["SourceType"], label: "tool", comment: "Returned by a tool: a compiler, a test run, a search, a file read.", module: "jido-core" },
  ExternalDocumentSource: { classes: ["SourceType"], label: "external document", comment: "Read in a document from outside the session.", module: "jido-core" },
  WeakEvidence: { classes: ["EvidenceStrength"], label: "weak evidence", comment: "Suggestive; leaves other explanations open.", module: "jido-knowledge" },
  ModerateEvidence: { classes: ["EvidenceStrength"], label: "moderate evidence", comment: "Makes one explanation clearly more likely than the others.", module: "jido-knowledge" },
  StrongEvidence: { classes: ["EvidenceStrength"], label: "strong evidence", comment: "Leaves no reasonable doubt.", module: "jido-knowledge" },
  Planned: { classes: ["TaskStatus"], label: "planned", comment: "Agreed, not yet begun.", module: "jido-task" },
  InProgress: { classes: ["TaskStatus"], label: "in progress", comment: "Being worked on.", module: "jido-task" },
  Blocked: { classes: ["TaskStatus"], label: "blocked", comment: "Begun or due, and unable to go on.", module: "jido-task" },
  Completed: { classes: ["TaskStatus"], label: "completed", comment: "Done.", module: "jido-task" },
  Abandoned: { classes: ["TaskStatus","SessionStatus"], label: "abandoned", comment: "Given up before it was finished; a status of tasks and of sessions alike.", module: "jido-task" },
  GlobalScope: { classes: ["ConventionScope"], label: "global scope", comment: "Holds in every project.", module: "jido-convention" },
  ProjectScope: { classes: ["ConventionScope"], label: "project scope", comment: "Holds in one project.", module: "jido-convention" },
  AgentScope: { classes: ["ConventionScope"], label: "agent scope", comment: "Holds for particular agents.", module: "jido-convention" },
  Advisory: { classes: ["EnforcementLevel"], label: "advisory", comment: "Recommended; departing from it needs no excuse.", module: "jido-convention" },
  Required: { classes: ["EnforcementLevel"], label: "required", comment: "Expected; departing from it needs a stated reason.", module: "jido-convention" },
  Strict: { classes: ["EnforcementLevel"], label: "strict", comment: "Without exception.", module: "jido-convention" },
  Reported: { classes: ["ErrorStatus"], label: "reported", comment: "Known; nobody is looking into it yet.", module: "jido-error" },
  Investigating: { classes: ["ErrorStatus"], label: "investigating", comment: "Being looked into.", module: "jido-error" },
  Resolved: { classes: ["ErrorStatus"], label: "resolved", comment: "Put right.", module: "jido-error" },
  Deferred: { classes: ["ErrorStatus"], label: "deferred", comment: "Left for later on purpose.", module: "jido-error" },
  Active: { classes: ["SessionStatus"], label: "active", comment: "Open and in use.", module: "jido-session" },
  Paused: { classes: ["SessionStatus"], label: "paused", comment: "Set aside, to be resumed.", module: "jido-session" },
  Closed: { classes: ["SessionStatus"], label: "closed", comment: "Ended in good order.", module: "jido-session" },
  PlanningPhase: { classes: ["SessionPhase"], label: "planning phase", comment: "Working out what to do.", module: "jido-session" },
  ImplementationPhase: { classes: ["SessionPhase"], label: "implementation phase", comment: "Building it.", module: "jido-session" },
  DebuggingPhase: { classes: ["SessionPhase"], label: "debugging phase", comment: "Finding out why it does not work.", module: "jido-session" },
  ReviewPhase: { classes: ["SessionPhase"], label: "review phase", comment: "Judging what was built.", module: "jido-session" },
  Planner: { classes: ["AgentRole"], label: "planner", comment: "Breaks work down and puts it in order.", module: "jido-agent" },
  Architect: { classes: ["AgentRole"], label: "architect", comment: "Decides on structure.", module: "jido-agent" },
  Implementer: { classes: ["AgentRole"], label: "implementer", comment: "Writes the code.", module: "jido-agent" },
  Reviewer: { classes: ["AgentRole"], label: "reviewer", comment: "Judges the work of others.", module: "jido-agent" },
  Debugger: { classes: ["AgentRole"], label: "debugger", comment: "Finds the causes of errors.", module: "jido-agent" },
  MemoryWriter: { classes: ["AgentRole"], label: "memory writer", comment: "Decides what is kept, and writes it to long-term memory.", module: "jido-agent" },
  MemoryReader: { classes: ["AgentRole"], label: "memory reader", comment: "Finds in long-term memory what the work at hand needs.", module: "jido-agent" },
  CanPlan: { classes: ["Capability"], label: "can plan", comment: "Able to plan work.", module: "jido-agent" },
  CanWriteCode: { classes: ["Capability"], label: "can write code", comment: "Able to write and change code.", module: "jido-agent" },
  CanReviewCode: { classes: ["Capability"], label: "can review code", comment: "Able to review code.", module: "jido-agent" },
  CanDebug: { classes: ["Capability"], label: "can debug", comment: "Able to trace errors to their cause.", module: "jido-agent" },
  CanWriteMemory: { classes: ["Capability"], label: "can write memory", comment: "Able to write to long-term memory.", module: "jido-agent" },
  CanQueryMemory: { classes: ["Capability"], label: "can query memory", comment: "Able to read from long-term memory.", module: "jido-agent" },
  SucceededOutcome: { classes: ["EpisodeOutcome"], label: "succeeded", comment: "The goal was reached.", module: "jido-memory" },
  FailedOutcome: { classes: ["EpisodeOutcome"], label: "failed", comment: "The goal was not reached.", module: "jido-memory" },
  PartialOutcome: { classes: ["EpisodeOutcome"], label: "partial", comment: "The goal was reached in part.", module: "jido-memory" },
} as const satisfies Record<string, IndividualTerm>;

export type IndividualName = keyof typeof INDIVIDUALS;

/** Every class under jido:MemoryItem, in snake_case, in the order of the tree. */
export const MEMORY_TYPES = [
  "fact",
  "assumption",
  "hypothesis",
  "discovery",
  "risk",
  "unknown",
  "decision",
  "architectural_decision",
  "implementation_decision",
  "alternative",
  "trade_off",
  "task",
  "milestone",
  "plan",
  "convention",
  "coding_standard",
  "architectural_convention",
  "agent_rule",
  "process_convention",
  "error",
  "bug",
  "failure",
  "incident",
  "root_cause",
  "lesson_learned",
  "skill",
] as const;

export type MemoryType = (typeof MEMORY_TYPES)[number];

export const MEMORY_CLASS = {
  fact: "Fact",
  assumption: "Assumption",
  hypothesis: "Hypothesis",
  discovery: "Discovery",
  risk: "Risk",
  unknown: "Unknown",
  decision: "Decision",
  architectural_decision: "ArchitecturalDecision",
  implementation_decision: "ImplementationDecision",
  alternative: "Alternative",
  trade_off: "TradeOff",
  task: "Task",
  milestone: "Milestone",
  plan: "Plan",
  convention: "Convention",
  coding_standard: "CodingStandard",
  architectural_convention: "ArchitecturalConvention",
  agent_rule: "AgentRule",
  process_convention: "ProcessConvention",
  error: "Error",
  bug: "Bug",
  failure: "Failure",
  incident: "Incident",
  root_cause: "RootCause",
  lesson_learned: "LessonLearned",
  skill: "Skill",
} as const satisfies Record<MemoryType, ClassName>;

export type Severity = "violation" | "warning" | "info";

/** One property shape: what is expected of the values at `path`. A null bound is no bound. */
export interface ShapeConstraint {
  readonly shape: string;
  readonly targetClass: ClassName | null;
  readonly targetSubjectsOf: PropertyName | null;
  readonly path: PropertyName;
  /** The path is walked backwards: it counts the subjects that point here. */
  readonly inverse: boolean;
  readonly minCount: number | null;
  readonly maxCount: number | null;
  readonly minLength: number | null;
  readonly minInclusive: number | null;
  readonly maxInclusive: number | null;
  readonly datatype: string | null;
  /** The class every value is an individual of. */
  readonly valueClass: ClassName | null;
  /** The one value that is excluded. */
  readonly notValue: IndividualName | null;
  readonly severity: Severity;
  readonly message: string;
}

export const SHAPES: readonly ShapeConstraint[] = [
  { shape: "MemoryItemContentShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "summary", inverse: false, minCount: 1, maxCount: 1, minLength: 1, minInclusive: null, maxInclusive: null, datatype: "xsd:string", valueClass: null, notValue: null, severity: "violation", message: "A memory has exactly one summary, and it is not empty." },
  { shape: "MemoryItemProvenanceShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "hasConfidence", inverse: false, minCount: 1, maxCount: 1, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: "ConfidenceLevel", notValue: null, severity: "violation", message: "A memory has exactly one confidence level: High, Medium or Low." },
  { shape: "MemoryItemProvenanceShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "confidenceValue", inverse: false, minCount: 1, maxCount: 1, minLength: null, minInclusive: 0, maxInclusive: 1, datatype: "xsd:decimal", valueClass: null, notValue: null, severity: "violation", message: "A memory has exactly one confidence value, a decimal from 0 to 1." },
  { shape: "MemoryItemProvenanceShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "hasSourceType", inverse: false, minCount: 1, maxCount: 1, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: "SourceType", notValue: null, severity: "violation", message: "A memory has exactly one source type." },
  { shape: "MemoryItemProvenanceShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "hasTimestamp", inverse: false, minCount: 1, maxCount: 1, minLength: null, minInclusive: null, maxInclusive: null, datatype: "xsd:dateTime", valueClass: null, notValue: null, severity: "violation", message: "A memory has exactly one timestamp, a date and time." },
  { shape: "MemoryItemProjectShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "appliesToProject", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: null, notValue: null, severity: "info", message: "A memory is easier to find again when it names the project it applies to." },
  { shape: "MemoryItemProjectShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "appliesToProject", inverse: false, minCount: null, maxCount: 1, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: null, notValue: null, severity: "violation", message: "A memory applies to at most one project." },
  { shape: "MemoryItemUseShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "importanceScore", inverse: false, minCount: null, maxCount: 1, minLength: null, minInclusive: 0, maxInclusive: 1, datatype: "xsd:decimal", valueClass: null, notValue: null, severity: "violation", message: "A memory has at most one importance score, a decimal from 0 to 1." },
  { shape: "MemoryItemUseShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "accessCount", inverse: false, minCount: null, maxCount: 1, minLength: null, minInclusive: 0, maxInclusive: null, datatype: "xsd:integer", valueClass: null, notValue: null, severity: "violation", message: "A memory has at most one access count, a whole number of 0 or more." },
  { shape: "MemoryItemForgettingShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "forgottenAt", inverse: false, minCount: null, maxCount: 1, minLength: null, minInclusive: null, maxInclusive: null, datatype: "xsd:dateTime", valueClass: null, notValue: null, severity: "violation", message: "A memory is forgotten at most once, at a date and time." },
  { shape: "MemoryItemForgettingShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "forgetReason", inverse: false, minCount: null, maxCount: 1, minLength: null, minInclusive: null, maxInclusive: null, datatype: "xsd:string", valueClass: null, notValue: null, severity: "violation", message: "A forgotten memory has at most one reason for it." },
  { shape: "DecisionUniquenessShape", targetClass: "MemoryItem", targetSubjectsOf: null, path: "supersededBy", inverse: false, minCount: null, maxCount: 1, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: null, notValue: null, severity: "violation", message: "A memory is superseded by at most one other." },
  { shape: "NoReactivationShape", targetClass: null, targetSubjectsOf: "supersededBy", path: "hasTaskStatus", inverse: false, minCount: null, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: null, notValue: "InProgress", severity: "warning", message: "A task that has been superseded is not in progress: carry on with its successor." },
  { shape: "DecisionRationaleShape", targetClass: "Decision", targetSubjectsOf: null, path: "rationale", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: "xsd:string", valueClass: null, notValue: null, severity: "warning", message: "A decision should say why it was taken: give a rationale." },
  { shape: "TaskAssignmentShape", targetClass: "Task", targetSubjectsOf: null, path: "assignedTo", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: null, notValue: null, severity: "info", message: "A task is more likely to be done when it is assigned to an agent." },
  { shape: "ConventionGovernanceShape", targetClass: "Convention", targetSubjectsOf: null, path: "hasConventionScope", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: "ConventionScope", notValue: null, severity: "warning", message: "A convention should say how widely it holds: give its scope (global, project or agent)." },
  { shape: "ConventionGovernanceShape", targetClass: "Convention", targetSubjectsOf: null, path: "hasEnforcementLevel", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: "EnforcementLevel", notValue: null, severity: "warning", message: "A convention should say how firmly it holds: give its enforcement level (advisory, required or strict)." },
  { shape: "ErrorStatusShape", targetClass: "Error", targetSubjectsOf: null, path: "hasErrorStatus", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: "ErrorStatus", notValue: null, severity: "warning", message: "An error should say how far its handling has come: give its status (reported, investigating, resolved or deferred)." },
  { shape: "RootCauseExplainsErrorShape", targetClass: "RootCause", targetSubjectsOf: null, path: "hasRootCause", inverse: true, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: null, notValue: null, severity: "info", message: "A root cause explains something when at least one error names it as its root cause." },
  { shape: "AgentGovernanceShape", targetClass: "Agent", targetSubjectsOf: null, path: "hasRole", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: "AgentRole", notValue: null, severity: "info", message: "It is good to know which role an agent plays." },
  { shape: "AgentGovernanceShape", targetClass: "Agent", targetSubjectsOf: null, path: "hasCapability", inverse: false, minCount: 1, maxCount: null, minLength: null, minInclusive: null, maxInclusive: null, datatype: null, valueClass: "Capability", notValue: null, severity: "info", message: "It is good to know what an agent is able to do." },
];
