// query_graph: a SPARQL query by a model, within the reach of its call.
import { defineTool, type OperationReply } from "../calls/tool";
import type { Access, Binding } from "../kernel/access";
import { OwnerIds } from "../kernel/common";
import { FailureError, failure } from "../kernel/errors";
import { PREFIXES } from "../ontology/triples";
import type { Services } from "../services/services";
import { XSD } from "./rdf-terms";
import { serialiseGraph } from "./results/result-formats";
import { createBlankNodeLabels, type LabelBlankNode } from "./results/sparql-results";
import { runSparql } from "./run-sparql";
import type { RdfTerm, SolutionsAnswer, SparqlAnswer } from "./sparql-answer";
import { QueryGraphAnswer, QueryGraphInput } from "./sparql-request";
import { encodeIri } from "./stored-terms";

// Solutions as plain values for people and models: compact IRIs, texts, numbers and booleans, without their datatypes.

type PlainRow = Record<string, string | number | boolean>;

export function toPlainRows({ variables, solutions }: SolutionsAnswer): PlainRow[] {
  const label = createBlankNodeLabels();
  return solutions.map((solution) =>
    Object.fromEntries(
      variables.flatMap((variable) => {
        const term = solution.get(variable);
        return term === undefined ? [] : [[variable, toPlainValue(term, label)]];
      }),
    ),
  );
}

const NUMBERS: ReadonlySet<string> = new Set([XSD.integer, XSD.decimal, XSD.double, XSD.float]);

function toPlainValue(term: RdfTerm, label: LabelBlankNode): string | number | boolean {
  if (term.termType === "BlankNode") return `_:${label(term)}`;
  if (term.termType === "NamedNode") return encodeIri(term.value);
  const datatype = term.datatype.value;
  if (datatype === XSD.boolean) return term.value === "true" || term.value === "1";
  const number = NUMBERS.has(datatype) ? Number(term.value) : Number.NaN;
  // JSON has no infinity, and an integer beyond 2^53 would become another one.
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact ? number : term.value;
}

/** In front of the query, on its first line. A query may declare the same prefixes again. */
const PROLOGUE = Object.entries(PREFIXES)
  .map(([prefix, iri]) => `PREFIX ${prefix}: <${iri}> `)
  .join("");

async function queryGraph(
  services: Services,
  access: Access,
  { query, infer, limit }: QueryGraphInput,
): Promise<OperationReply<QueryGraphAnswer>> {
  const request = { query: PROLOGUE + query, infer };
  try {
    const answer = await runSparql(services, selectBinding(access), request);
    return { status: 200, body: await limitAnswer(answer, limit) };
  } catch (error) {
    throw shiftPosition(error);
  }
}

/** Returns the binding of the key, narrowed to its scope. */
function selectBinding({ owner, scope, binding }: Access): Binding {
  if (scope === null || scope === "tenant") return binding;
  if (scope === "session")
    throw failure(
      "forbidden",
      "This session reaches only itself, and a graph query covers a user, an agent or a project. Use recall, or name a user_id, agent_id or project_id.",
    );
  return { ...binding, [`${scope}_id`]: owner[`${scope}_id`] ?? undefined };
}

async function limitAnswer(answer: SparqlAnswer, limit: number): Promise<QueryGraphAnswer> {
  switch (answer.kind) {
    case "boolean":
      return { count: 1, boolean: answer.value };
    case "graph": {
      const turtle = await serialiseGraph(answer.quads.slice(0, limit), "text/turtle");
      return { ...describeSize(answer.quads.length, limit), turtle };
    }
    case "solutions": {
      const rows = toPlainRows({ ...answer, solutions: answer.solutions.slice(0, limit) });
      return { ...describeSize(answer.solutions.length, limit), rows };
    }
  }
}

function describeSize(count: number, limit: number): Pick<QueryGraphAnswer, "count" | "truncated"> {
  return { count, ...(count > limit && { truncated: true }) };
}

/** Counts the columns of an error on the first line without the prologue. */
function shiftPosition(error: unknown): unknown {
  if (!(error instanceof FailureError) || error.failure.line !== 1) return error;
  const { failure: reported } = error;
  const { column = 1 } = reported;
  const shifted = Math.max(1, column - PROLOGUE.length);
  const shift = (text: string) => text.replace(`column ${column}:`, `column ${shifted}:`);
  return new FailureError({
    ...reported,
    detail: shift(reported.detail),
    column: shifted,
    ...(reported.errors && {
      errors: reported.errors.map(({ path, message }) => ({ path, message: shift(message) })),
    }),
  });
}

const DESCRIPTION = `Ask a precise question about what is remembered, in SPARQL 1.1: counts, lists, gaps, chains of relations, what changed when. Use recall to search by meaning.

Memories have a class: jido:Fact, Assumption, Hypothesis, Discovery, Risk, Unknown, Preference, Decision (ArchitecturalDecision, ImplementationDecision), Alternative, TradeOff, Task, Plan, Milestone, Convention (CodingStandard, ArchitecturalConvention, AgentRule, ProcessConvention), Error (Bug, Failure, Incident), RootCause, LessonLearned, Skill; all are jido:MemoryItem. A class includes its subclasses. Others: jido:Episode, WorkSession, Agent, Project, User, Link, SourceFile, Module.

Properties of memories: jido:summary (the text), rationale, hasTimestamp, confidenceValue (0 to 1), hasConfidence, importanceScore, accessCount, tag, assertedIn (session), assertedBy (agent), appliesToProject, concernsUser, derivedFrom, validFrom, validUntil, supersededBy, forgottenAt. Relations: hasAlternative, selectedAlternative, hasTradeOff, justifiedBy, dependsOn, blockedBy, hasTaskStatus, hasRootCause, producedLesson, relatedError, hasErrorStatus, contradicts, confirms, refines, supports, relatedTo, hasEnforcementLevel. Of episodes: goal, hasOutcome, occurredAt, performedBy.

Ids are IRIs: jido:memory_<id>, jido:project_<id>, jido:agent_<id>, jido:session_<id>. Replaced and forgotten memories stay in the graph: leave them out with FILTER NOT EXISTS { ?m jido:supersededBy|jido:forgottenAt ?x }.

Example: SELECT ?decision ?text WHERE { ?decision a jido:Decision ; jido:summary ?text FILTER NOT EXISTS { ?decision jido:hasAlternative ?a } } LIMIT 20`;

export const queryGraphTool = defineTool({
  name: "query_graph",
  title: "Query the graph",
  description: DESCRIPTION,
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OwnerIds,
  input: QueryGraphInput,
  output: QueryGraphAnswer,
  responses: { 200: "The rows, the truth value or the graph" },
  servesBound: true,
  quotesUnnamed: true,
  run: queryGraph,
});
