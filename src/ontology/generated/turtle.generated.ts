// Generated from ontology/*.ttl by `npm run ontology`. Do not edit.

/** The ten modules and the hub, merged into one Turtle document. The shapes are not part of it. */
export const ONTOLOGY_TURTLE = `@prefix jido: <https://jido.ai/ontology#>.
@prefix owl: <http://www.w3.org/2002/07/owl#>.
@prefix prov: <http://www.w3.org/ns/prov#>.
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#>.
@prefix xsd: <http://www.w3.org/2001/XMLSchema#>.

jido:Entity a owl:Class;
    rdfs:label "entity"@en;
    rdfs:comment "Anything with an identity of its own; the root of every class that is not an enumeration."@en.
jido:Agent a owl:Class;
    rdfs:subClassOf jido:Entity, prov:Agent;
    rdfs:label "agent"@en;
    rdfs:comment "Someone or something that acts: works in sessions, asserts memories, takes on tasks."@en.
jido:Project a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "project"@en;
    rdfs:comment "A body of software work that sessions, memories and code belong to."@en.
jido:WorkSession a owl:Class;
    rdfs:subClassOf jido:Entity, prov:Activity;
    rdfs:label "work session"@en;
    rdfs:comment "One bounded stretch of work by one or more agents."@en.
jido:MemoryItem a owl:Class;
    rdfs:subClassOf jido:Entity, prov:Entity;
    rdfs:label "memory item"@en;
    rdfs:comment "A unit of long-term memory: one thing worth keeping, with its provenance."@en.
jido:Evidence a owl:Class;
    rdfs:subClassOf jido:Entity, prov:Entity;
    rdfs:label "evidence"@en;
    rdfs:comment "Material that speaks for or against a memory: a file, a log, a test run, a document."@en.
jido:Justification a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "justification"@en;
    rdfs:comment "A reason given for a decision, as a thing that several decisions can share."@en.
jido:ConfidenceLevel a owl:Class;
    rdfs:label "confidence level"@en;
    rdfs:comment "How far a memory can be relied on, in three steps."@en.
jido:SourceType a owl:Class;
    rdfs:label "source type"@en;
    rdfs:comment "The kind of origin a memory comes from."@en.
jido:assertedBy a owl:ObjectProperty;
    rdfs:label "asserted by"@en;
    rdfs:comment "The agent that put the memory forward."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:Agent;
    rdfs:subPropertyOf prov:wasAttributedTo.
jido:assertedIn a owl:ObjectProperty;
    rdfs:label "asserted in"@en;
    rdfs:comment "The session in which the memory was put forward."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:WorkSession.
jido:appliesToProject a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "applies to project"@en;
    rdfs:comment "The project the memory is about."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:Project.
jido:derivedFrom a owl:ObjectProperty;
    rdfs:label "derived from"@en;
    rdfs:comment "Material the memory was drawn from."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:Evidence;
    rdfs:subPropertyOf prov:wasDerivedFrom.
jido:hasConfidence a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has confidence"@en;
    rdfs:comment "How far the memory can be relied on."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:ConfidenceLevel.
jido:hasSourceType a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has source type"@en;
    rdfs:comment "The kind of origin the memory comes from."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:SourceType.
jido:hasTimestamp a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "has timestamp"@en;
    rdfs:comment "When the memory was made."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:dateTime;
    rdfs:subPropertyOf prov:generatedAtTime.
jido:supersededBy a owl:ObjectProperty, owl:AsymmetricProperty, owl:IrreflexiveProperty, owl:FunctionalProperty;
    rdfs:label "superseded by"@en;
    rdfs:comment "The memory that takes this one's place; from then on this one is history."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:MemoryItem.
jido:invalidatedBy a owl:ObjectProperty, owl:IrreflexiveProperty;
    rdfs:label "invalidated by"@en;
    rdfs:comment "A memory that shows this one to be wrong, without having to take its place."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:MemoryItem.
jido:summary a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "summary"@en;
    rdfs:comment "What is remembered, in one statement: the text that is searched and shown."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:detailedExplanation a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "detailed explanation"@en;
    rdfs:comment "What the summary leaves out."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:rationale a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "rationale"@en;
    rdfs:comment "Why it is so, or why it was chosen."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:High a owl:NamedIndividual, jido:ConfidenceLevel;
    rdfs:label "high"@en;
    rdfs:comment "Safe to act on as it stands: a confidence of 0.8 or more."@en.
jido:Medium a owl:NamedIndividual, jido:ConfidenceLevel;
    rdfs:label "medium"@en;
    rdfs:comment "Probably right, worth checking before much depends on it: from 0.5 up to 0.8."@en.
jido:Low a owl:NamedIndividual, jido:ConfidenceLevel;
    rdfs:label "low"@en;
    rdfs:comment "A guess or a weak signal: a confidence below 0.5."@en.
jido:UserSource a owl:NamedIndividual, jido:SourceType;
    rdfs:label "user"@en;
    rdfs:comment "Said by the person the agent works for."@en.
jido:AgentSource a owl:NamedIndividual, jido:SourceType;
    rdfs:label "agent"@en;
    rdfs:comment "Concluded by an agent."@en.
jido:ToolSource a owl:NamedIndividual, jido:SourceType;
    rdfs:label "tool"@en;
    rdfs:comment "Returned by a tool: a compiler, a test run, a search, a file read."@en.
jido:ExternalDocumentSource a owl:NamedIndividual, jido:SourceType;
    rdfs:label "external document"@en;
    rdfs:comment "Read in a document from outside the session."@en.
jido:Fact a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "fact"@en;
    rdfs:comment "Knowledge that has been verified."@en.
jido:Assumption a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "assumption"@en;
    rdfs:comment "A belief that work proceeds on although nobody has verified it."@en.
jido:Hypothesis a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "hypothesis"@en;
    rdfs:comment "A proposed explanation, stated so that it can be tested."@en.
jido:Discovery a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "discovery"@en;
    rdfs:comment "A finding that was new, and matters, when it was made."@en.
jido:Risk a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "risk"@en;
    rdfs:comment "Something that may go wrong, and would do harm."@en.
jido:Unknown a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "unknown"@en;
    rdfs:comment "A gap in knowledge, recorded so that it is not overlooked."@en.
jido:EvidenceStrength a owl:Class;
    rdfs:label "evidence strength"@en;
    rdfs:comment "How much weight a piece of evidence carries."@en.
jido:refines a owl:ObjectProperty, owl:TransitiveProperty;
    rdfs:label "refines"@en;
    rdfs:comment "The hypothesis that this one states more sharply."@en;
    rdfs:domain jido:Hypothesis;
    rdfs:range jido:Hypothesis.
jido:confirms a owl:ObjectProperty;
    rdfs:label "confirms"@en;
    rdfs:comment "A fact the evidence speaks for; a hypothesis that is confirmed gives way to a fact."@en;
    rdfs:domain jido:Evidence;
    rdfs:range jido:Fact.
jido:contradicts a owl:ObjectProperty;
    rdfs:label "contradicts"@en;
    rdfs:comment "A memory the evidence speaks against; a memory that speaks against another is evidence too."@en;
    rdfs:domain jido:Evidence;
    rdfs:range jido:MemoryItem.
jido:hasEvidenceStrength a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has evidence strength"@en;
    rdfs:comment "The weight the evidence carries."@en;
    rdfs:domain jido:Evidence;
    rdfs:range jido:EvidenceStrength.
jido:WeakEvidence a owl:NamedIndividual, jido:EvidenceStrength;
    rdfs:label "weak evidence"@en;
    rdfs:comment "Suggestive; leaves other explanations open."@en.
jido:ModerateEvidence a owl:NamedIndividual, jido:EvidenceStrength;
    rdfs:label "moderate evidence"@en;
    rdfs:comment "Makes one explanation clearly more likely than the others."@en.
jido:StrongEvidence a owl:NamedIndividual, jido:EvidenceStrength;
    rdfs:label "strong evidence"@en;
    rdfs:comment "Leaves no reasonable doubt."@en.
jido:Decision a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "decision"@en;
    rdfs:comment "A choice the project is committed to."@en.
jido:ArchitecturalDecision a owl:Class;
    rdfs:subClassOf jido:Decision;
    rdfs:label "architectural decision"@en;
    rdfs:comment "A choice about structure that is costly to reverse."@en.
jido:ImplementationDecision a owl:Class;
    rdfs:subClassOf jido:Decision;
    rdfs:label "implementation decision"@en;
    rdfs:comment "A choice about how one part is built, with local effect."@en.
jido:Alternative a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "alternative"@en;
    rdfs:comment "An option that was weighed for a decision, chosen or not."@en.
jido:TradeOff a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "trade-off"@en;
    rdfs:comment "A compromise: what was gained, and at the price of what."@en.
jido:hasAlternative a owl:ObjectProperty;
    rdfs:label "has alternative"@en;
    rdfs:comment "An option weighed for the decision."@en;
    rdfs:domain jido:Decision;
    rdfs:range jido:Alternative.
jido:selectedAlternative a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "selected alternative"@en;
    rdfs:comment "The option the decision settled on."@en;
    rdfs:domain jido:Decision;
    rdfs:range jido:Alternative;
    rdfs:subPropertyOf jido:hasAlternative.
jido:hasTradeOff a owl:ObjectProperty;
    rdfs:label "has trade-off"@en;
    rdfs:comment "A compromise the decision accepts."@en;
    rdfs:domain jido:Decision;
    rdfs:range jido:TradeOff.
jido:justifiedBy a owl:ObjectProperty;
    rdfs:label "justified by"@en;
    rdfs:comment "A reason given for the decision."@en;
    rdfs:domain jido:Decision;
    rdfs:range jido:Justification.
jido:decisionStatus a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "decision status"@en;
    rdfs:comment "Where the decision stands: proposed, accepted, deprecated or rejected."@en;
    rdfs:domain jido:Decision;
    rdfs:range xsd:string.
jido:impactLevel a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "impact level"@en;
    rdfs:comment "How much depends on the decision: low, medium, high or critical."@en;
    rdfs:domain jido:Decision;
    rdfs:range xsd:string.
jido:Task a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "task"@en;
    rdfs:comment "A unit of work that someone can do."@en.
jido:Milestone a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "milestone"@en;
    rdfs:comment "A point that is reached when a number of tasks are done."@en.
jido:Plan a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "plan"@en;
    rdfs:comment "An ordered set of tasks and milestones towards one end."@en.
jido:TaskStatus a owl:Class;
    rdfs:label "task status"@en;
    rdfs:comment "How far a task has come."@en.
jido:dependsOn a owl:ObjectProperty, owl:TransitiveProperty;
    rdfs:label "depends on"@en;
    rdfs:comment "A task whose result this one needs."@en;
    rdfs:domain jido:Task;
    rdfs:range jido:Task.
jido:blockedBy a owl:ObjectProperty, owl:TransitiveProperty;
    rdfs:label "blocked by"@en;
    rdfs:comment "A task that keeps this one from going on."@en;
    rdfs:domain jido:Task;
    rdfs:range jido:Task.
jido:partOfMilestone a owl:ObjectProperty;
    rdfs:label "part of milestone"@en;
    rdfs:comment "A milestone the task counts towards."@en;
    rdfs:domain jido:Task;
    rdfs:range jido:Milestone.
jido:partOfPlan a owl:ObjectProperty;
    rdfs:label "part of plan"@en;
    rdfs:comment "A plan the task belongs to."@en;
    rdfs:domain jido:Task;
    rdfs:range jido:Plan.
jido:assignedTo a owl:ObjectProperty;
    rdfs:label "assigned to"@en;
    rdfs:comment "An agent that is to do the task."@en;
    rdfs:domain jido:Task;
    rdfs:range jido:Agent.
jido:createdBy a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "created by"@en;
    rdfs:comment "The agent that set the task."@en;
    rdfs:domain jido:Task;
    rdfs:range jido:Agent.
jido:hasTaskStatus a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has task status"@en;
    rdfs:comment "How far the task has come."@en;
    rdfs:domain jido:Task;
    rdfs:range jido:TaskStatus.
jido:taskCreatedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "task created at"@en;
    rdfs:comment "When the task was set."@en;
    rdfs:domain jido:Task;
    rdfs:range xsd:dateTime.
jido:taskStartedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "task started at"@en;
    rdfs:comment "When work on the task began."@en;
    rdfs:domain jido:Task;
    rdfs:range xsd:dateTime.
jido:taskCompletedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "task completed at"@en;
    rdfs:comment "When the task was done."@en;
    rdfs:domain jido:Task;
    rdfs:range xsd:dateTime.
jido:Planned a owl:NamedIndividual, jido:TaskStatus;
    rdfs:label "planned"@en;
    rdfs:comment "Agreed, not yet begun."@en.
jido:InProgress a owl:NamedIndividual, jido:TaskStatus;
    rdfs:label "in progress"@en;
    rdfs:comment "Being worked on."@en.
jido:Blocked a owl:NamedIndividual, jido:TaskStatus;
    rdfs:label "blocked"@en;
    rdfs:comment "Begun or due, and unable to go on."@en.
jido:Completed a owl:NamedIndividual, jido:TaskStatus;
    rdfs:label "completed"@en;
    rdfs:comment "Done."@en.
jido:Abandoned a owl:NamedIndividual, jido:TaskStatus, jido:SessionStatus;
    rdfs:label "abandoned"@en;
    rdfs:comment "Given up before it was finished; a status of tasks and of sessions alike."@en.
jido:Convention a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "convention"@en;
    rdfs:comment "A standard the project has accepted."@en.
jido:CodingStandard a owl:Class;
    rdfs:subClassOf jido:Convention;
    rdfs:label "coding standard"@en;
    rdfs:comment "A rule on how code is written: style, format, structure."@en.
jido:ArchitecturalConvention a owl:Class;
    rdfs:subClassOf jido:Convention;
    rdfs:label "architectural convention"@en;
    rdfs:comment "A rule on how the parts of a system are arranged."@en.
jido:AgentRule a owl:Class;
    rdfs:subClassOf jido:Convention;
    rdfs:label "agent rule"@en;
    rdfs:comment "A rule on what agents may do, must do or must not do."@en.
jido:ProcessConvention a owl:Class;
    rdfs:subClassOf jido:Convention;
    rdfs:label "process convention"@en;
    rdfs:comment "A rule on how work is done: workflow, review, release, operations."@en.
jido:ConventionScope a owl:Class;
    rdfs:label "convention scope"@en;
    rdfs:comment "How widely a convention holds."@en.
jido:EnforcementLevel a owl:Class;
    rdfs:label "enforcement level"@en;
    rdfs:comment "How firmly a convention holds."@en.
jido:appliesToModule a owl:ObjectProperty;
    rdfs:label "applies to module"@en;
    rdfs:comment "A part of the project the convention is limited to."@en;
    rdfs:domain jido:Convention;
    rdfs:range jido:Module;
    rdfs:subPropertyOf jido:refersTo.
jido:appliesToDomain a owl:ObjectProperty;
    rdfs:label "applies to domain"@en;
    rdfs:comment "A subject area the convention is limited to."@en;
    rdfs:domain jido:Convention;
    rdfs:range jido:Domain;
    rdfs:subPropertyOf jido:refersTo.
jido:governsAgent a owl:ObjectProperty;
    rdfs:label "governs agent"@en;
    rdfs:comment "An agent the rule is addressed to."@en;
    rdfs:domain jido:AgentRule;
    rdfs:range jido:Agent.
jido:hasConventionScope a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has convention scope"@en;
    rdfs:comment "How widely the convention holds."@en;
    rdfs:domain jido:Convention;
    rdfs:range jido:ConventionScope.
jido:hasEnforcementLevel a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has enforcement level"@en;
    rdfs:comment "How firmly the convention holds."@en;
    rdfs:domain jido:Convention;
    rdfs:range jido:EnforcementLevel.
jido:conventionName a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "convention name"@en;
    rdfs:comment "The short name the convention goes by."@en;
    rdfs:domain jido:Convention;
    rdfs:range xsd:string.
jido:conventionDescription a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "convention description"@en;
    rdfs:comment "The convention in full."@en;
    rdfs:domain jido:Convention;
    rdfs:range xsd:string.
jido:violationConsequence a owl:DatatypeProperty;
    rdfs:label "violation consequence"@en;
    rdfs:comment "What follows when the convention is not kept."@en;
    rdfs:domain jido:Convention;
    rdfs:range xsd:string.
jido:GlobalScope a owl:NamedIndividual, jido:ConventionScope;
    rdfs:label "global scope"@en;
    rdfs:comment "Holds in every project."@en.
jido:ProjectScope a owl:NamedIndividual, jido:ConventionScope;
    rdfs:label "project scope"@en;
    rdfs:comment "Holds in one project."@en.
jido:AgentScope a owl:NamedIndividual, jido:ConventionScope;
    rdfs:label "agent scope"@en;
    rdfs:comment "Holds for particular agents."@en.
jido:Advisory a owl:NamedIndividual, jido:EnforcementLevel;
    rdfs:label "advisory"@en;
    rdfs:comment "Recommended; departing from it needs no excuse."@en.
jido:Required a owl:NamedIndividual, jido:EnforcementLevel;
    rdfs:label "required"@en;
    rdfs:comment "Expected; departing from it needs a stated reason."@en.
jido:Strict a owl:NamedIndividual, jido:EnforcementLevel;
    rdfs:label "strict"@en;
    rdfs:comment "Without exception."@en.
jido:Error a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "error"@en;
    rdfs:comment "Something that went wrong in development or in operation."@en.
jido:Bug a owl:Class;
    rdfs:subClassOf jido:Error;
    rdfs:label "bug"@en;
    rdfs:comment "A defect in code."@en.
jido:Failure a owl:Class;
    rdfs:subClassOf jido:Error;
    rdfs:label "failure"@en;
    rdfs:comment "A system or component that stopped doing its work."@en.
jido:Incident a owl:Class;
    rdfs:subClassOf jido:Error;
    rdfs:label "incident"@en;
    rdfs:comment "An event in operation that disturbed the service and called for a response."@en.
jido:RootCause a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "root cause"@en;
    rdfs:comment "What an error ultimately comes from."@en.
jido:LessonLearned a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "lesson learned"@en;
    rdfs:comment "What to do, or not to do, next time."@en.
jido:ErrorStatus a owl:Class;
    rdfs:label "error status"@en;
    rdfs:comment "How far the handling of an error has come."@en.
jido:hasRootCause a owl:ObjectProperty;
    rdfs:label "has root cause"@en;
    rdfs:comment "What the error ultimately comes from."@en;
    rdfs:domain jido:Error;
    rdfs:range jido:RootCause.
jido:producedLesson a owl:ObjectProperty;
    rdfs:label "produced lesson"@en;
    rdfs:comment "What was learned from the error."@en;
    rdfs:domain jido:Error;
    rdfs:range jido:LessonLearned.
jido:relatedError a owl:ObjectProperty, owl:SymmetricProperty;
    rdfs:label "related error"@en;
    rdfs:comment "An error of a kind with this one, or connected to it."@en;
    rdfs:domain jido:Error;
    rdfs:range jido:Error;
    rdfs:subPropertyOf jido:relatedTo.
jido:hasErrorStatus a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has error status"@en;
    rdfs:comment "How far the handling of the error has come."@en;
    rdfs:domain jido:Error;
    rdfs:range jido:ErrorStatus.
jido:severityLevel a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "severity level"@en;
    rdfs:comment "How bad the error is: low, medium, high or critical."@en;
    rdfs:domain jido:Error;
    rdfs:range xsd:string.
jido:errorCode a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "error code"@en;
    rdfs:comment "The code the failing system gives the error."@en;
    rdfs:domain jido:Error;
    rdfs:range xsd:string.
jido:Reported a owl:NamedIndividual, jido:ErrorStatus;
    rdfs:label "reported"@en;
    rdfs:comment "Known; nobody is looking into it yet."@en.
jido:Investigating a owl:NamedIndividual, jido:ErrorStatus;
    rdfs:label "investigating"@en;
    rdfs:comment "Being looked into."@en.
jido:Resolved a owl:NamedIndividual, jido:ErrorStatus;
    rdfs:label "resolved"@en;
    rdfs:comment "Put right."@en.
jido:Deferred a owl:NamedIndividual, jido:ErrorStatus;
    rdfs:label "deferred"@en;
    rdfs:comment "Left for later on purpose."@en.
jido:SessionStatus a owl:Class;
    rdfs:label "session status"@en;
    rdfs:comment "Where a session stands in its life."@en.
jido:SessionPhase a owl:Class;
    rdfs:label "session phase"@en;
    rdfs:comment "The kind of work a session is occupied with."@en.
jido:continuesSession a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "continues session"@en;
    rdfs:comment "The earlier session whose work this one takes up."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range jido:WorkSession;
    rdfs:subPropertyOf jido:hasPreviousSession.
jido:hasPreviousSession a owl:ObjectProperty, owl:AsymmetricProperty, owl:IrreflexiveProperty;
    rdfs:label "has previous session"@en;
    rdfs:comment "A session that came before this one, whether or not its work is taken up."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range jido:WorkSession.
jido:hasParticipatingAgent a owl:ObjectProperty;
    rdfs:label "has participating agent"@en;
    rdfs:comment "An agent that takes part in the session."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range jido:Agent;
    rdfs:subPropertyOf prov:wasAssociatedWith.
jido:hasPrimaryAgent a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has primary agent"@en;
    rdfs:comment "The agent that leads the session."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range jido:Agent;
    rdfs:subPropertyOf jido:hasParticipatingAgent.
jido:hasStatus a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has status"@en;
    rdfs:comment "Where the session stands in its life."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range jido:SessionStatus.
jido:hasPhase a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has phase"@en;
    rdfs:comment "The kind of work the session is occupied with."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range jido:SessionPhase.
jido:startedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "started at"@en;
    rdfs:comment "When the session began."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range xsd:dateTime;
    rdfs:subPropertyOf prov:startedAtTime.
jido:endedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "ended at"@en;
    rdfs:comment "When the session ended."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range xsd:dateTime;
    rdfs:subPropertyOf prov:endedAtTime.
jido:Active a owl:NamedIndividual, jido:SessionStatus;
    rdfs:label "active"@en;
    rdfs:comment "Open and in use."@en.
jido:Paused a owl:NamedIndividual, jido:SessionStatus;
    rdfs:label "paused"@en;
    rdfs:comment "Set aside, to be resumed."@en.
jido:Closed a owl:NamedIndividual, jido:SessionStatus;
    rdfs:label "closed"@en;
    rdfs:comment "Ended in good order."@en.
jido:PlanningPhase a owl:NamedIndividual, jido:SessionPhase;
    rdfs:label "planning phase"@en;
    rdfs:comment "Working out what to do."@en.
jido:ImplementationPhase a owl:NamedIndividual, jido:SessionPhase;
    rdfs:label "implementation phase"@en;
    rdfs:comment "Building it."@en.
jido:DebuggingPhase a owl:NamedIndividual, jido:SessionPhase;
    rdfs:label "debugging phase"@en;
    rdfs:comment "Finding out why it does not work."@en.
jido:ReviewPhase a owl:NamedIndividual, jido:SessionPhase;
    rdfs:label "review phase"@en;
    rdfs:comment "Judging what was built."@en.
jido:PrimaryAgent a owl:Class;
    rdfs:subClassOf jido:Agent;
    rdfs:label "primary agent"@en;
    rdfs:comment "An agent that coordinates the work of others."@en.
jido:SubAgent a owl:Class;
    rdfs:subClassOf jido:Agent;
    rdfs:label "sub-agent"@en;
    rdfs:comment "An agent that another one started, to do a part of its work."@en.
jido:AgentRole a owl:Class;
    rdfs:label "agent role"@en;
    rdfs:comment "A part an agent plays in the work."@en.
jido:Capability a owl:Class;
    rdfs:label "capability"@en;
    rdfs:comment "Something an agent is able and allowed to do."@en.
jido:spawnedSubAgent a owl:ObjectProperty;
    rdfs:label "spawned sub-agent"@en;
    rdfs:comment "A sub-agent that this agent started."@en;
    rdfs:domain jido:Agent;
    rdfs:range jido:SubAgent.
jido:reportsTo a owl:ObjectProperty;
    rdfs:label "reports to"@en;
    rdfs:comment "The agent that the sub-agent works for and answers to."@en;
    rdfs:domain jido:SubAgent;
    rdfs:range jido:Agent;
    rdfs:subPropertyOf prov:actedOnBehalfOf.
jido:hasRole a owl:ObjectProperty;
    rdfs:label "has role"@en;
    rdfs:comment "A part the agent plays."@en;
    rdfs:domain jido:Agent;
    rdfs:range jido:AgentRole.
jido:hasCapability a owl:ObjectProperty;
    rdfs:label "has capability"@en;
    rdfs:comment "Something the agent is able and allowed to do."@en;
    rdfs:domain jido:Agent;
    rdfs:range jido:Capability.
jido:agentName a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "agent name"@en;
    rdfs:comment "The name the agent goes by."@en;
    rdfs:domain jido:Agent;
    rdfs:range xsd:string.
jido:agentVersion a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "agent version"@en;
    rdfs:comment "The version of the agent."@en;
    rdfs:domain jido:Agent;
    rdfs:range xsd:string.
jido:agentDescription a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "agent description"@en;
    rdfs:comment "What the agent is for."@en;
    rdfs:domain jido:Agent;
    rdfs:range xsd:string.
jido:Planner a owl:NamedIndividual, jido:AgentRole;
    rdfs:label "planner"@en;
    rdfs:comment "Breaks work down and puts it in order."@en.
jido:Architect a owl:NamedIndividual, jido:AgentRole;
    rdfs:label "architect"@en;
    rdfs:comment "Decides on structure."@en.
jido:Implementer a owl:NamedIndividual, jido:AgentRole;
    rdfs:label "implementer"@en;
    rdfs:comment "Writes the code."@en.
jido:Reviewer a owl:NamedIndividual, jido:AgentRole;
    rdfs:label "reviewer"@en;
    rdfs:comment "Judges the work of others."@en.
jido:Debugger a owl:NamedIndividual, jido:AgentRole;
    rdfs:label "debugger"@en;
    rdfs:comment "Finds the causes of errors."@en.
jido:MemoryWriter a owl:NamedIndividual, jido:AgentRole;
    rdfs:label "memory writer"@en;
    rdfs:comment "Decides what is kept, and writes it to long-term memory."@en.
jido:MemoryReader a owl:NamedIndividual, jido:AgentRole;
    rdfs:label "memory reader"@en;
    rdfs:comment "Finds in long-term memory what the work at hand needs."@en.
jido:CanPlan a owl:NamedIndividual, jido:Capability;
    rdfs:label "can plan"@en;
    rdfs:comment "Able to plan work."@en.
jido:CanWriteCode a owl:NamedIndividual, jido:Capability;
    rdfs:label "can write code"@en;
    rdfs:comment "Able to write and change code."@en.
jido:CanReviewCode a owl:NamedIndividual, jido:Capability;
    rdfs:label "can review code"@en;
    rdfs:comment "Able to review code."@en.
jido:CanDebug a owl:NamedIndividual, jido:Capability;
    rdfs:label "can debug"@en;
    rdfs:comment "Able to trace errors to their cause."@en.
jido:CanWriteMemory a owl:NamedIndividual, jido:Capability;
    rdfs:label "can write memory"@en;
    rdfs:comment "Able to write to long-term memory."@en.
jido:CanQueryMemory a owl:NamedIndividual, jido:Capability;
    rdfs:label "can query memory"@en;
    rdfs:comment "Able to read from long-term memory."@en.
jido:Repository a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "repository"@en;
    rdfs:comment "A repository under version control."@en.
jido:Module a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "module"@en;
    rdfs:comment "A logical part of a project's code, in whatever language."@en.
jido:Domain a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "domain"@en;
    rdfs:comment "A subject area, of the business or of the technology, that a project deals with."@en.
jido:hasRepository a owl:ObjectProperty;
    rdfs:label "has repository"@en;
    rdfs:comment "A repository that holds code of the project."@en;
    rdfs:domain jido:Project;
    rdfs:range jido:Repository.
jido:hasModule a owl:ObjectProperty;
    rdfs:label "has module"@en;
    rdfs:comment "A logical part of the project."@en;
    rdfs:domain jido:Project;
    rdfs:range jido:Module.
jido:hasDomain a owl:ObjectProperty;
    rdfs:label "has domain"@en;
    rdfs:comment "A subject area the project deals with."@en;
    rdfs:domain jido:Project;
    rdfs:range jido:Domain.
jido:partOfProject a owl:ObjectProperty;
    rdfs:label "part of project"@en;
    rdfs:comment "A project this belongs to."@en;
    rdfs:domain jido:Entity;
    rdfs:range jido:Project.
jido:repoUrl a owl:DatatypeProperty;
    rdfs:label "repository URL"@en;
    rdfs:comment "Where the repository is found."@en;
    rdfs:domain jido:Repository;
    rdfs:range xsd:anyURI.
jido:repoBranch a owl:DatatypeProperty;
    rdfs:label "repository branch"@en;
    rdfs:comment "A branch the project works on."@en;
    rdfs:domain jido:Repository;
    rdfs:range xsd:string.
jido:projectName a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "project name"@en;
    rdfs:comment "The name the project goes by."@en;
    rdfs:domain jido:Project;
    rdfs:range xsd:string.
jido:projectVersion a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "project version"@en;
    rdfs:comment "The version the project is at."@en;
    rdfs:domain jido:Project;
    rdfs:range xsd:string.
jido:projectDescription a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "project description"@en;
    rdfs:comment "What the project is for."@en;
    rdfs:domain jido:Project;
    rdfs:range xsd:string.
jido:SourceFile a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "source file"@en;
    rdfs:comment "A file of source code."@en.
jido:CodeConcept a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "code concept"@en;
    rdfs:comment "A construct in code; the base of the kinds below."@en.
jido:ElixirModule a owl:Class;
    rdfs:subClassOf jido:CodeConcept;
    rdfs:label "Elixir module"@en;
    rdfs:comment "A module of the Elixir language."@en.
jido:AshResource a owl:Class;
    rdfs:subClassOf jido:CodeConcept;
    rdfs:label "Ash resource"@en;
    rdfs:comment "A resource defined with the Ash framework."@en.
jido:DSL a owl:Class;
    rdfs:subClassOf jido:CodeConcept;
    rdfs:label "DSL"@en;
    rdfs:comment "A domain-specific language, or a construct of one."@en.
jido:Command a owl:Class;
    rdfs:subClassOf jido:CodeConcept;
    rdfs:label "command"@en;
    rdfs:comment "A request for a change, in the sense of CQRS."@en.
jido:Event a owl:Class;
    rdfs:subClassOf jido:CodeConcept;
    rdfs:label "event"@en;
    rdfs:comment "A record that something happened in the domain."@en.
jido:Projection a owl:Class;
    rdfs:subClassOf jido:CodeConcept;
    rdfs:label "projection"@en;
    rdfs:comment "A read model that is built from events."@en.
jido:definedInFile a owl:ObjectProperty;
    rdfs:label "defined in file"@en;
    rdfs:comment "A file that holds the construct's definition."@en;
    rdfs:domain jido:CodeConcept;
    rdfs:range jido:SourceFile.
jido:partOfModule a owl:ObjectProperty;
    rdfs:label "part of module"@en;
    rdfs:comment "The Elixir module the construct belongs to."@en;
    rdfs:domain jido:CodeConcept;
    rdfs:range jido:ElixirModule.
jido:implementsDSL a owl:ObjectProperty;
    rdfs:label "implements DSL"@en;
    rdfs:comment "A domain-specific language the module implements."@en;
    rdfs:domain jido:ElixirModule;
    rdfs:range jido:DSL.
jido:emitsEvent a owl:ObjectProperty;
    rdfs:label "emits event"@en;
    rdfs:comment "An event that the command gives rise to."@en;
    rdfs:domain jido:Command;
    rdfs:range jido:Event.
jido:handledByProjection a owl:ObjectProperty;
    rdfs:label "handled by projection"@en;
    rdfs:comment "A projection that takes the event in."@en;
    rdfs:domain jido:Event;
    rdfs:range jido:Projection.
jido:moduleName a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "module name"@en;
    rdfs:comment "The module's full name."@en;
    rdfs:domain jido:ElixirModule;
    rdfs:range xsd:string.
jido:filePath a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "file path"@en;
    rdfs:comment "The file's path within its repository."@en;
    rdfs:domain jido:SourceFile;
    rdfs:range xsd:string.
jido:codeSummary a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "code summary"@en;
    rdfs:comment "What the construct does."@en;
    rdfs:domain jido:CodeConcept;
    rdfs:range xsd:string.
jido:JidoMemoryOntology a owl:Ontology;
    rdfs:label "Jido memory"@en;
    rdfs:comment "The hub: imports the ten modules and declares what a memory service needs beyond them."@en;
    owl:versionInfo "1.0.0".
jido:User a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "user"@en;
    rdfs:comment "A person whom agents serve, and whose memories they keep apart from those of others."@en.
jido:concernsUser a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "concerns user"@en;
    rdfs:comment "The person whom a memory, an episode or a session concerns, and with whom it is erased."@en;
    rdfs:domain jido:Entity;
    rdfs:range jido:User.
jido:Preference a owl:Class;
    rdfs:subClassOf jido:Fact;
    rdfs:label "preference"@en;
    rdfs:comment "What somebody likes, dislikes, or wants done in a certain way."@en.
jido:memoryMetadata a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "memory metadata"@en;
    rdfs:comment "What the caller said about a memory, by key, as JSON."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:tag a owl:DatatypeProperty;
    rdfs:label "tag"@en;
    rdfs:comment "A word that the caller marked a memory with."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:confidenceValue a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "confidence value"@en;
    rdfs:comment "The exact confidence, from 0 to 1, of which hasConfidence gives the level."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:decimal.
jido:importanceScore a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "importance score"@en;
    rdfs:comment "How much a memory or an episode matters, from 0 to 1."@en;
    rdfs:domain jido:Entity;
    rdfs:range xsd:decimal.
jido:accessCount a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "access count"@en;
    rdfs:comment "How often a memory or an episode has been given back."@en;
    rdfs:domain jido:Entity;
    rdfs:range xsd:integer.
jido:lastAccessed a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "last accessed"@en;
    rdfs:comment "When a memory or an episode was last given back."@en;
    rdfs:domain jido:Entity;
    rdfs:range xsd:dateTime.
jido:decayedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "decayed at"@en;
    rdfs:comment "Up to when the importance score has been let decline with time."@en;
    rdfs:domain jido:Entity;
    rdfs:range xsd:dateTime.
jido:topicKey a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "topic key"@en;
    rdfs:comment "The name of a topic that has one live memory per scope: a new memory with the same key supersedes the one before."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:namespace a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "namespace"@en;
    rdfs:comment "The namespace a memory was written under, when agents share memory by name rather than by identity."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:entrySource a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "entry source"@en;
    rdfs:comment "How a memory came under its namespace: written by hand, or captured from a turn."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:entryMetadata a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "entry metadata"@en;
    rdfs:comment "What the writer of a memory under a namespace said about it, as JSON."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:entryLasting a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "entry lasting"@en;
    rdfs:comment "False for a captured turn that holds nothing of lasting value; a memory without it is lasting."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:boolean.
jido:entryTurn a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "entry turn"@en;
    rdfs:comment "Identifies a captured turn that is longer than a memory: its parts share it."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:entryPart a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "entry part"@en;
    rdfs:comment "Which part of its turn a memory is, and of how many: 2/3."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:inGraph a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "in graph"@en;
    rdfs:comment "The knowledge graph that a memory is part of: that of a tenant, a project or an agent."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:graphKey a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "graph key"@en;
    rdfs:comment "What tells a memory of a graph from every other: a hash of the graph and of what is said. Copies share it."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:nodeName a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "node name"@en;
    rdfs:comment "The name of an entity in a graph, as it was given."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:nodeType a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "node type"@en;
    rdfs:comment "The type of an entity in a graph, as it was given."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:nodeCopy a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "node copy"@en;
    rdfs:comment "Which of the entities of one name is meant, when a graph was given several at once; none means the first."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:integer.
jido:aboutNode a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "about node"@en;
    rdfs:comment "The graph key of the entity that a memory is an observation of."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:relationFrom a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "relation from"@en;
    rdfs:comment "The name of the entity that a relation of a graph begins at."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:relationTo a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "relation to"@en;
    rdfs:comment "The name of the entity that a relation of a graph ends at."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:relationType a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "relation type"@en;
    rdfs:comment "What a relation of a graph says of its two ends, in the caller's words."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:validFrom a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "valid from"@en;
    rdfs:comment "When what the memory says became true."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:dateTime.
jido:validUntil a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "valid until"@en;
    rdfs:comment "When what the memory says ceased to be true."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:dateTime.
jido:forgottenAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "forgotten at"@en;
    rdfs:comment "The tombstone: when the memory was forgotten, with or without a replacement."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:dateTime.
jido:forgetReason a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "forget reason"@en;
    rdfs:comment "Why the memory was forgotten."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:supersedes a owl:ObjectProperty;
    owl:inverseOf jido:supersededBy;
    rdfs:label "supersedes"@en;
    rdfs:comment "A memory whose place this one takes."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:MemoryItem.
jido:belongsTo a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:subPropertyOf jido:partOfProject;
    rdfs:label "belongs to"@en;
    rdfs:comment "The project a session works on."@en;
    rdfs:domain jido:WorkSession;
    rdfs:range jido:Project.
jido:relatedTo a owl:ObjectProperty, owl:SymmetricProperty;
    rdfs:label "related to"@en;
    rdfs:comment "A memory on a kindred matter, often of use together with this one."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:MemoryItem.
jido:elaborates a owl:ObjectProperty;
    rdfs:label "elaborates"@en;
    rdfs:comment "A memory to which this one adds detail."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:MemoryItem.
jido:exampleOf a owl:ObjectProperty;
    rdfs:label "example of"@en;
    rdfs:comment "A general memory of which this one is an instance."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:MemoryItem.
jido:refersTo a owl:ObjectProperty;
    rdfs:label "refers to"@en;
    rdfs:comment "Something that the memory is about: a file, a module, a concept, a repository, an agent or a project."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:Entity.
jido:appliesToFile a owl:ObjectProperty;
    rdfs:label "applies to file"@en;
    rdfs:comment "A source file that the memory holds for."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:SourceFile;
    rdfs:subPropertyOf jido:refersTo.
jido:supports a owl:ObjectProperty;
    rdfs:label "supports"@en;
    rdfs:comment "A memory that this one makes more credible."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range jido:MemoryItem.
jido:Link a owl:Class;
    rdfs:subClassOf jido:Entity;
    rdfs:label "link"@en;
    rdfs:comment "A link between two things, as a thing of its own, so that its strength can be stated."@en.
jido:linkFrom a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "link from"@en;
    rdfs:comment "What the link leads from: the subject of the linking triple."@en;
    rdfs:domain jido:Link;
    rdfs:range jido:Entity.
jido:linkTo a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "link to"@en;
    rdfs:comment "What the link leads to: the object of the linking triple."@en;
    rdfs:domain jido:Link;
    rdfs:range jido:Entity.
jido:linkRelation a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "link relation"@en;
    rdfs:comment "The property that links the two: the predicate of the linking triple."@en;
    rdfs:domain jido:Link;
    rdfs:range xsd:anyURI.
jido:linkStrength a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "link strength"@en;
    rdfs:comment "How strongly the link holds, from 0 to 1."@en;
    rdfs:domain jido:Link;
    rdfs:range xsd:decimal.
jido:linkedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "linked at"@en;
    rdfs:comment "When the link was made."@en;
    rdfs:domain jido:Link;
    rdfs:range xsd:dateTime.
jido:resolution a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "resolution"@en;
    rdfs:comment "How a contradiction was settled: one superseded the other, one invalidated the other, or both were kept."@en;
    rdfs:domain jido:Link;
    rdfs:range xsd:string.
jido:resolutionReason a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "resolution reason"@en;
    rdfs:comment "Why a contradiction was settled that way."@en;
    rdfs:domain jido:Link;
    rdfs:range xsd:string.
jido:resolvedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "resolved at"@en;
    rdfs:comment "When a contradiction was settled."@en;
    rdfs:domain jido:Link;
    rdfs:range xsd:dateTime.
jido:Episode a owl:Class;
    rdfs:subClassOf jido:Evidence;
    rdfs:label "episode"@en;
    rdfs:comment "The recorded trace of one attempt at a task: what was tried, what happened, how it ended."@en.
jido:EpisodeOutcome a owl:Class;
    rdfs:label "episode outcome"@en;
    rdfs:comment "How an attempt at a task ended."@en.
jido:goal a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "goal"@en;
    rdfs:comment "What the attempt was to achieve."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:string.
jido:hasOutcome a owl:ObjectProperty, owl:FunctionalProperty;
    rdfs:label "has outcome"@en;
    rdfs:comment "How the attempt ended."@en;
    rdfs:domain jido:Episode;
    rdfs:range jido:EpisodeOutcome.
jido:performedBy a owl:ObjectProperty;
    rdfs:label "performed by"@en;
    rdfs:comment "The agent that made the attempt."@en;
    rdfs:domain jido:Episode;
    rdfs:range jido:Agent;
    rdfs:subPropertyOf prov:wasAttributedTo.
jido:occurredAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "occurred at"@en;
    rdfs:comment "When the attempt began."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:dateTime.
jido:durationSeconds a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "duration in seconds"@en;
    rdfs:comment "How long the attempt took."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:decimal.
jido:episodePhase a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "episode phase"@en;
    rdfs:comment "The phase of work in which the attempt was made, in the agent's own words."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:string.
jido:tokensUsed a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "tokens used"@en;
    rdfs:comment "How many tokens the attempt cost."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:integer.
jido:taskReference a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "task reference"@en;
    rdfs:comment "The task that the attempt was at, by the name that its tracker gives it."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:string.
jido:episodeTrace a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "episode trace"@en;
    rdfs:comment "What the attempt was bound to, what it did in order, which errors it met and what it left, as JSON."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:string.
jido:episodeSummary a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "episode summary"@en;
    rdfs:comment "What is kept of the steps of an attempt once it is no longer kept whole."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:string.
jido:archivedAt a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "archived at"@en;
    rdfs:comment "When the episode was set aside; it is still read by its id."@en;
    rdfs:domain jido:Episode;
    rdfs:range xsd:dateTime.
jido:SucceededOutcome a owl:NamedIndividual, jido:EpisodeOutcome;
    rdfs:label "succeeded"@en;
    rdfs:comment "The goal was reached."@en.
jido:FailedOutcome a owl:NamedIndividual, jido:EpisodeOutcome;
    rdfs:label "failed"@en;
    rdfs:comment "The goal was not reached."@en.
jido:PartialOutcome a owl:NamedIndividual, jido:EpisodeOutcome;
    rdfs:label "partial"@en;
    rdfs:comment "The goal was reached in part."@en.
jido:category a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "category"@en;
    rdfs:comment "The heading a pattern is filed under."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:condition a owl:DatatypeProperty;
    rdfs:label "condition"@en;
    rdfs:comment "A circumstance under which the pattern holds."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:correctApproach a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "correct approach"@en;
    rdfs:comment "What works under these conditions; for a pattern to avoid, how to prevent it."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:incorrectApproach a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "incorrect approach"@en;
    rdfs:comment "What fails under these conditions."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:theme a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "theme"@en;
    rdfs:comment "What the episodes of a pattern have in common to do, as a phrase: new episodes are compared with it."@en;
    rdfs:domain jido:MemoryItem;
    rdfs:range xsd:string.
jido:trigger a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "trigger"@en;
    rdfs:comment "What showed that something was wrong."@en;
    rdfs:domain jido:LessonLearned;
    rdfs:range xsd:string.
jido:cause a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "cause"@en;
    rdfs:comment "Why it happened, in words; hasRootCause leads to a cause that is a memory of its own."@en;
    rdfs:domain jido:LessonLearned;
    rdfs:range xsd:string.
jido:fix a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "fix"@en;
    rdfs:comment "What put it right."@en;
    rdfs:domain jido:LessonLearned;
    rdfs:range xsd:string.
jido:prevention a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "prevention"@en;
    rdfs:comment "What keeps it from happening again."@en;
    rdfs:domain jido:LessonLearned;
    rdfs:range xsd:string.
jido:occurrences a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "occurrences"@en;
    rdfs:comment "How often the lesson was met."@en;
    rdfs:domain jido:LessonLearned;
    rdfs:range xsd:integer.
jido:lastSeen a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "last seen"@en;
    rdfs:comment "When the lesson was last met."@en;
    rdfs:domain jido:LessonLearned;
    rdfs:range xsd:dateTime.
jido:Skill a owl:Class;
    rdfs:subClassOf jido:MemoryItem;
    rdfs:label "skill"@en;
    rdfs:comment "A way of doing something that has proved itself: steps that can be followed again."@en.
jido:skillName a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "skill name"@en;
    rdfs:comment "The name the skill goes by."@en;
    rdfs:domain jido:Skill;
    rdfs:range xsd:string.
jido:skillBody a owl:DatatypeProperty, owl:FunctionalProperty;
    rdfs:label "skill body"@en;
    rdfs:comment "Prerequisites, steps in order, common errors with their fixes, and exit criteria, as Markdown."@en;
    rdfs:domain jido:Skill;
    rdfs:range xsd:string.
prov:Entity a owl:Class.
prov:Activity a owl:Class.
prov:Agent a owl:Class.
prov:wasDerivedFrom a owl:ObjectProperty.
prov:wasAttributedTo a owl:ObjectProperty.
prov:wasAssociatedWith a owl:ObjectProperty.
prov:actedOnBehalfOf a owl:ObjectProperty.
prov:generatedAtTime a owl:DatatypeProperty.
prov:startedAtTime a owl:DatatypeProperty.
prov:endedAtTime a owl:DatatypeProperty.
[] owl:inverseOf jido:hasRepository;
    rdfs:subPropertyOf jido:partOfProject.
[] owl:inverseOf jido:hasModule;
    rdfs:subPropertyOf jido:partOfProject.
[] owl:inverseOf jido:hasDomain;
    rdfs:subPropertyOf jido:partOfProject.
[] a owl:AllDisjointClasses;
    owl:members (jido:Agent jido:Project jido:WorkSession jido:MemoryItem jido:Repository jido:SourceFile jido:Link).
[] a owl:AllDisjointClasses;
    owl:members (jido:Fact jido:Assumption jido:Hypothesis jido:Unknown).
[] a owl:AllDisjointClasses;
    owl:members (jido:Task jido:Milestone jido:Plan).
[] a owl:AllDisjointClasses;
    owl:members (jido:Entity jido:TaskStatus jido:ConfidenceLevel jido:SourceType jido:EvidenceStrength jido:ConventionScope jido:EnforcementLevel jido:ErrorStatus jido:SessionPhase jido:AgentRole jido:Capability jido:EpisodeOutcome).
[] a owl:AllDisjointClasses;
    owl:members (jido:Entity jido:SessionStatus jido:ConfidenceLevel jido:SourceType jido:EvidenceStrength jido:ConventionScope jido:EnforcementLevel jido:ErrorStatus jido:SessionPhase jido:AgentRole jido:Capability jido:EpisodeOutcome).
[] a owl:AllDifferent;
    owl:distinctMembers (jido:High jido:Medium jido:Low jido:UserSource jido:AgentSource jido:ToolSource jido:ExternalDocumentSource jido:WeakEvidence jido:ModerateEvidence jido:StrongEvidence jido:Planned jido:InProgress jido:Blocked jido:Completed jido:Abandoned jido:GlobalScope jido:ProjectScope jido:AgentScope jido:Advisory jido:Required jido:Strict jido:Reported jido:Investigating jido:Resolved jido:Deferred jido:Active jido:Paused jido:Closed jido:PlanningPhase jido:ImplementationPhase jido:DebuggingPhase jido:ReviewPhase jido:Planner jido:Architect jido:Implementer jido:Reviewer jido:Debugger jido:MemoryWriter jido:MemoryReader jido:CanPlan jido:CanWriteCode jido:CanReviewCode jido:CanDebug jido:CanWriteMemory jido:CanQueryMemory jido:SucceededOutcome jido:FailedOutcome jido:PartialOutcome).
`;
