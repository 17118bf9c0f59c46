// Generated from ontology/*.ttl by `npm run ontology`. Do not edit.

/** The classes whose members the shapes describe. */
export const SHAPE_TARGETS: readonly string[] = ["MemoryItem","Decision","Task","Convention","Error","RootCause","Agent"];

/** Those of them whose members can violate a shape. */
export const VIOLATION_TARGETS: readonly string[] = ["MemoryItem","Task"];

/** The SHACL shapes, as Turtle. */
export const SHAPES_TURTLE = `
@prefix jido: <https://jido.ai/ontology#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
jido:MemoryItemContentShape a sh:NodeShape ;
  sh:targetClass jido:MemoryItem ;
  sh:property [
    sh:path jido:summary ;
    sh:minCount 1 ;
    sh:maxCount 1 ;
    sh:datatype xsd:string ;
    sh:minLength 1 ;
    sh:severity sh:Violation ;
    sh:message "A memory has exactly one summary, and it is not empty."
  ] .
jido:MemoryItemProvenanceShape a sh:NodeShape ;
  sh:targetClass jido:MemoryItem ;
  sh:property [
    sh:path jido:hasConfidence ;
    sh:minCount 1 ;
    sh:maxCount 1 ;
    sh:class jido:ConfidenceLevel ;
    sh:severity sh:Violation ;
    sh:message "A memory has exactly one confidence level: High, Medium or Low."
  ] , [
    sh:path jido:confidenceValue ;
    sh:minCount 1 ;
    sh:maxCount 1 ;
    sh:datatype xsd:decimal ;
    sh:minInclusive 0.0 ;
    sh:maxInclusive 1.0 ;
    sh:severity sh:Violation ;
    sh:message "A memory has exactly one confidence value, a decimal from 0 to 1."
  ] , [
    sh:path jido:hasSourceType ;
    sh:minCount 1 ;
    sh:maxCount 1 ;
    sh:class jido:SourceType ;
    sh:severity sh:Violation ;
    sh:message "A memory has exactly one source type."
  ] , [
    sh:path jido:hasTimestamp ;
    sh:minCount 1 ;
    sh:maxCount 1 ;
    sh:datatype xsd:dateTime ;
    sh:severity sh:Violation ;
    sh:message "A memory has exactly one timestamp, a date and time."
  ] .
jido:MemoryItemProjectShape a sh:NodeShape ;
  sh:targetClass jido:MemoryItem ;
  sh:property [
    sh:path jido:appliesToProject ;
    sh:minCount 1 ;
    sh:severity sh:Info ;
    sh:message "A memory is easier to find again when it names the project it applies to."
  ] , [
    sh:path jido:appliesToProject ;
    sh:maxCount 1 ;
    sh:severity sh:Violation ;
    sh:message "A memory applies to at most one project."
  ] .
jido:MemoryItemUseShape a sh:NodeShape ;
  sh:targetClass jido:MemoryItem ;
  sh:property [
    sh:path jido:importanceScore ;
    sh:maxCount 1 ;
    sh:datatype xsd:decimal ;
    sh:minInclusive 0.0 ;
    sh:maxInclusive 1.0 ;
    sh:severity sh:Violation ;
    sh:message "A memory has at most one importance score, a decimal from 0 to 1."
  ] , [
    sh:path jido:accessCount ;
    sh:maxCount 1 ;
    sh:datatype xsd:integer ;
    sh:minInclusive 0 ;
    sh:severity sh:Violation ;
    sh:message "A memory has at most one access count, a whole number of 0 or more."
  ] .
jido:MemoryItemForgettingShape a sh:NodeShape ;
  sh:targetClass jido:MemoryItem ;
  sh:property [
    sh:path jido:forgottenAt ;
    sh:maxCount 1 ;
    sh:datatype xsd:dateTime ;
    sh:severity sh:Violation ;
    sh:message "A memory is forgotten at most once, at a date and time."
  ] , [
    sh:path jido:forgetReason ;
    sh:maxCount 1 ;
    sh:datatype xsd:string ;
    sh:severity sh:Violation ;
    sh:message "A forgotten memory has at most one reason for it."
  ] .
jido:DecisionUniquenessShape a sh:NodeShape ;
  sh:targetClass jido:MemoryItem ;
  sh:property [
    sh:path jido:supersededBy ;
    sh:maxCount 1 ;
    sh:severity sh:Violation ;
    sh:message "A memory is superseded by at most one other."
  ] .
jido:NoReactivationShape a sh:NodeShape ;
  sh:targetSubjectsOf jido:supersededBy ;
  sh:property [
    sh:path jido:hasTaskStatus ;
    sh:not [ sh:hasValue jido:InProgress ] ;
    sh:severity sh:Warning ;
    sh:message "A task that has been superseded is not in progress: carry on with its successor."
  ] .
jido:DecisionRationaleShape a sh:NodeShape ;
  sh:targetClass jido:Decision ;
  sh:property [
    sh:path jido:rationale ;
    sh:minCount 1 ;
    sh:datatype xsd:string ;
    sh:severity sh:Warning ;
    sh:message "A decision should say why it was taken: give a rationale."
  ] .
jido:DecisionVocabularyShape a sh:NodeShape ;
  sh:targetClass jido:Decision ;
  sh:property [
    sh:path jido:decisionStatus ;
    sh:in ( "proposed" "accepted" "deprecated" "rejected" ) ;
    sh:severity sh:Warning ;
    sh:message "The status of a decision should be proposed, accepted, deprecated or rejected."
  ] , [
    sh:path jido:impactLevel ;
    sh:in ( "low" "medium" "high" "critical" ) ;
    sh:severity sh:Warning ;
    sh:message "The impact of a decision should be low, medium, high or critical."
  ] .
jido:TaskAssignmentShape a sh:NodeShape ;
  sh:targetClass jido:Task ;
  sh:property [
    sh:path jido:assignedTo ;
    sh:minCount 1 ;
    sh:severity sh:Info ;
    sh:message "A task is more likely to be done when it is assigned to an agent."
  ] .
jido:TaskTimesShape a sh:NodeShape ;
  sh:targetClass jido:Task ;
  sh:property [
    sh:path jido:taskCreatedAt ;
    sh:lessThanOrEquals jido:taskStartedAt ;
    sh:severity sh:Violation ;
    sh:message "A task is not started before it is created: give a taskStartedAt that is not before taskCreatedAt."
  ] , [
    sh:path jido:taskStartedAt ;
    sh:lessThanOrEquals jido:taskCompletedAt ;
    sh:severity sh:Violation ;
    sh:message "A task is not completed before it is started: give a taskCompletedAt that is not before taskStartedAt."
  ] , [
    sh:path jido:taskCreatedAt ;
    sh:lessThanOrEquals jido:taskCompletedAt ;
    sh:severity sh:Violation ;
    sh:message "A task is not completed before it is created: give a taskCompletedAt that is not before taskCreatedAt."
  ] .
jido:ConventionGovernanceShape a sh:NodeShape ;
  sh:targetClass jido:Convention ;
  sh:property [
    sh:path jido:hasConventionScope ;
    sh:minCount 1 ;
    sh:class jido:ConventionScope ;
    sh:severity sh:Warning ;
    sh:message "A convention should say how widely it holds: give its scope (global, project or agent)."
  ] , [
    sh:path jido:hasEnforcementLevel ;
    sh:minCount 1 ;
    sh:class jido:EnforcementLevel ;
    sh:severity sh:Warning ;
    sh:message "A convention should say how firmly it holds: give its enforcement level (advisory, required or strict)."
  ] .
jido:ErrorStatusShape a sh:NodeShape ;
  sh:targetClass jido:Error ;
  sh:property [
    sh:path jido:hasErrorStatus ;
    sh:minCount 1 ;
    sh:class jido:ErrorStatus ;
    sh:severity sh:Warning ;
    sh:message "An error should say how far its handling has come: give its status (reported, investigating, resolved or deferred)."
  ] .
jido:ErrorSeverityShape a sh:NodeShape ;
  sh:targetClass jido:Error ;
  sh:property [
    sh:path jido:severityLevel ;
    sh:in ( "low" "medium" "high" "critical" ) ;
    sh:severity sh:Warning ;
    sh:message "The severity of an error should be low, medium, high or critical."
  ] .
jido:RootCauseExplainsErrorShape a sh:NodeShape ;
  sh:targetClass jido:RootCause ;
  sh:property [
    sh:path [ sh:inversePath jido:hasRootCause ] ;
    sh:minCount 1 ;
    sh:severity sh:Info ;
    sh:message "A root cause explains something when at least one error names it as its root cause."
  ] .
jido:AgentGovernanceShape a sh:NodeShape ;
  sh:targetClass jido:Agent ;
  sh:property [
    sh:path jido:hasRole ;
    sh:minCount 1 ;
    sh:class jido:AgentRole ;
    sh:severity sh:Info ;
    sh:message "It is good to know which role an agent plays."
  ] , [
    sh:path jido:hasCapability ;
    sh:minCount 1 ;
    sh:class jido:Capability ;
    sh:severity sh:Info ;
    sh:message "It is good to know what an agent is able to do."
  ] .
`;
