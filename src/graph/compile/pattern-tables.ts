// Triple patterns as accesses to tables. The modules of this folder alone name tables and columns.
import type { Term } from "n3";
import type { OntologyTriple } from "../ontology-graph";
import { encodeIri, encodeKey, encodeTerm, type StoredTerm } from "../stored-terms";
import type { CompileContext } from "./compile-context";
import {
  accessConfidence,
  accessUsage,
  CONFIDENCE,
  isUsagePredicate,
  USAGE_PREDICATES,
} from "./derived-access";
import { accessImplying, accessTypes, TYPE_PREDICATE } from "./inferred-access";
import { addConditions, type Column, matchColumns, type SelectBlock, UNIT } from "./select-block";
import { accessPredicate, accessStatements, makeIriColumn, type TripleTable } from "./statement-access";

export type PatternTerms = { subject: Term; predicate: Term; object: Term };

/** Returns the blocks whose union has the triples that match a pattern, each triple once. */
export function compilePattern(pattern: PatternTerms, context: CompileContext): SelectBlock[] {
  return listAccesses(pattern, context).map((access) => bindTerms(access, pattern, context));
}

/** Returns the ontology's triples that may match a pattern. */
export function matchOntology(
  { subject, predicate, object }: PatternTerms,
  { ontology, graph }: CompileContext,
): OntologyTriple[] {
  if (ontology === null || graph.kind !== "default") return [];
  if (subject.termType === "Literal" || predicate.termType === "Literal") return [];
  return ontology.match({
    ...(subject.termType === "Variable" ? {} : { subject: encodeTerm(subject).value }),
    ...(predicate.termType === "Variable" ? {} : { predicate: encodeTerm(predicate).value }),
    ...(object.termType === "Variable" ? {} : { object: encodeTerm(object) }),
  });
}

function listAccesses(pattern: PatternTerms, context: CompileContext): TripleTable[] {
  const { predicate } = pattern;
  const stated = matchOntology(pattern, context);
  const ontology = stated.length === 0 ? [] : [accessOntology(stated, context)];
  const isDerivedToo = context.graph.kind === "default";
  // Uses have no past.
  const countsUses = isDerivedToo && context.clocks.as_of === undefined;
  if (predicate.termType !== "NamedNode")
    return [
      accessStatements(context, { except: countsUses ? USAGE_PREDICATES : [] }),
      ...(isDerivedToo ? [accessConfidence(context)] : []),
      ...(countsUses ? accessUsage(context, null) : []),
      ...ontology,
    ];
  const iri = encodeIri(predicate.value);
  if (isDerivedToo && iri === CONFIDENCE) return [accessConfidence(context), ...ontology];
  if (countsUses && isUsagePredicate(iri)) return [...accessUsage(context, iri), ...ontology];
  if (context.inference === null) return [accessPredicate(context, iri), ...ontology];
  if (iri === TYPE_PREDICATE) return [...accessTypes(pattern.object, context), ...ontology];
  return [...accessImplying(iri, context), ...ontology];
}

/** Adds the conditions of the constant terms, and names the columns of the variables. */
function bindTerms(access: TripleTable, pattern: PatternTerms, context: CompileContext): SelectBlock {
  const columns = new Map<string, Column>();
  const where = [...access.where];
  const bind = (term: Term, column: Column) => {
    if (term.termType === "Variable") {
      const other = columns.get(term.value);
      if (other === undefined) columns.set(term.value, column);
      else where.push(...matchColumns(other, column));
    } else where.push(...matchConstant(encodeTerm(term), column, context));
  };
  bind(pattern.subject, access.subject);
  // An access is chosen by its predicate, unless that is a variable.
  if (pattern.predicate.termType !== "NamedNode") bind(pattern.predicate, access.predicate);
  bind(pattern.object, access.object);
  const relation: SelectBlock = { ...UNIT, tables: access.tables, where, columns };
  if (context.graph.kind !== "variable" || access.graph === null) return relation;
  const { variable } = context.graph;
  const other = columns.get(variable);
  columns.set(variable, access.graph);
  return other === undefined ? relation : addConditions(relation, matchColumns(other, access.graph));
}

/** Returns the conditions under which a column has a constant term. */
export function matchConstant(term: StoredTerm, column: Column, { bind }: CompileContext): string[] {
  // A constant '' and not a bound one: it selects the partial index by object.
  if (term.kind === "") {
    const equal = `${column.key ?? column.value} = ${bind(term.value)}`;
    return column.isIri ? [equal] : [equal, `${column.kind} = ''`];
  }
  if (column.isIri) return ["0"];
  const equal =
    column.key === null
      ? `${column.value} = ${bind(term.value)}`
      : `${column.key} = ${bind(encodeKey(term))}`;
  return [equal, `${column.kind} = ${bind(term.kind)}`];
}

/** Triples of the ontology, as rows of a JSON array. */
function accessOntology(
  triples: readonly OntologyTriple[],
  { nextAlias, bind }: CompileContext,
): TripleTable {
  const r = nextAlias("r");
  const rows = triples.map(({ subject, predicate, object }) => [
    subject,
    predicate,
    object.value,
    object.kind,
    encodeKey(object),
  ]);
  return {
    // LIMIT keeps SQLite from merging the subquery with the query: it makes a table of it, with an index for joins.
    tables: [
      `(SELECT value ->> 0 AS s, value ->> 1 AS p, value ->> 2 AS v, value ->> 3 AS k, value ->> 4 AS j
        FROM json_each(${bind(JSON.stringify(rows))}) LIMIT -1) ${r}`,
    ],
    where: [],
    subject: makeIriColumn(`${r}.s`),
    predicate: makeIriColumn(`${r}.p`),
    object: {
      value: `${r}.v`,
      kind: `${r}.k`,
      key: `${r}.j`,
      number: "NULL",
      isOptional: false,
      isIri: false,
    },
    graph: null,
  };
}
