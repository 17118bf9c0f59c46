// The operators of the SPARQL algebra in SQL. An operation compiles to blocks whose union it is, so that each block is a
// join of plain tables, for which SQLite uses indexes.
import type { Term } from "n3";
import { Algebra } from "sparqlalgebrajs";
import { encodeIri, encodeKey, encodeTerm } from "../stored-terms";
import { compileFilter } from "./compile-conditions";
import { type CompileContext, refuseInExists } from "./compile-context";
import { compileDistinct, compileGroup, compileOrder, compileSlice } from "./compile-modifiers";
import { compilePath, isClosing, joinClosure, MAX_BLOCKS } from "./compile-path";
import { compileValue } from "./compile-values";
import { orderPatterns } from "./order-patterns";
import { compilePattern, matchOntology } from "./pattern-tables";
import {
  addConditions,
  type Column,
  conjoin,
  disjoin,
  fixOrder,
  joinRelations,
  keepColumns,
  leftJoinRelations,
  matchColumns,
  NotCompilable,
  nestRelation,
  type SelectBlock,
  UNIT,
  uniteRelations,
  writeFrom,
} from "./select-block";

export function compileOperation(operation: Algebra.Operation, context: CompileContext): SelectBlock[] {
  const { types } = Algebra;
  switch (operation.type) {
    case types.BGP:
      return compileBgp(operation.patterns, context);
    case types.PATH:
      return compilePath(
        operation.predicate,
        { subject: operation.subject as Term, object: operation.object as Term },
        context,
      );
    case types.JOIN:
      return compileJoin(operation, context);
    case types.LEFT_JOIN:
      return compileLeftJoin(operation, context);
    case types.UNION:
      return operation.input.flatMap((branch) => compileOperation(branch, context));
    case types.FILTER:
      return compileOperation(operation.input, context).map((block) =>
        addConditions(block, compileFilter(operation.expression, block.columns, context)),
      );
    case types.MINUS:
      return compileMinus(operation, context);
    case types.EXTEND:
      return compileExtend(operation, context);
    case types.VALUES:
      return [compileTable(operation, context)];
    case types.GRAPH:
      return compileGraph(operation, context);
    case types.PROJECT:
      return compileProject(operation, context);
    case types.GROUP:
      return [compileGroup(operation, context)];
    case types.REDUCED:
      return compileOperation(operation.input, context);
    case types.DISTINCT:
      return [compileDistinct(operation, context)];
    case types.ORDER_BY:
      return [compileOrder(operation, context)];
    case types.SLICE:
      return [compileSlice(operation, context)];
    default:
      throw new NotCompilable(operation.type);
  }
}

function compileOne(operation: Algebra.Operation, context: CompileContext): SelectBlock {
  return uniteRelations(compileOperation(operation, context), context);
}

/** Joins each block of one side with each of the other. */
function joinBlocks(a: readonly SelectBlock[], b: readonly SelectBlock[]): SelectBlock[] {
  if (a.length * b.length > MAX_BLOCKS) throw new NotCompilable("A join with many branches");
  return a.flatMap((left) => b.map((right) => joinRelations(left, right)));
}

function compileBgp(patterns: readonly Algebra.Pattern[], context: CompileContext): SelectBlock[] {
  const given = patterns.map(({ subject, predicate, object }) => ({
    subject: subject as Term,
    predicate: predicate as Term,
    object: object as Term,
  }));
  const ordered = orderPatterns(given);
  const parts = ordered ?? given;
  // No subject is both in the ontology and stored, so a pattern without a match there leaves out the ontology for the
  // other patterns of its subject.
  const stored = new Set(
    parts
      .filter(({ subject }) => subject.termType === "Variable")
      .filter((part) => matchOntology(part, context).length === 0)
      .map(({ subject }) => subject.value),
  );
  const blocks = parts
    .map((part) => {
      const isStored = part.subject.termType === "Variable" && stored.has(part.subject.value);
      return compilePattern(part, isStored ? { ...context, ontology: null } : context);
    })
    .reduce<SelectBlock[]>(joinBlocks, [UNIT]);
  return ordered === null ? blocks : blocks.map(fixOrder);
}

function compileJoin({ input }: Algebra.Join, context: CompileContext): SelectBlock[] {
  const operands = input.flatMap(listOperands);
  const isClosure = (operand: Algebra.Operation): operand is Algebra.Path =>
    operand.type === Algebra.types.PATH && isClosing(operand.predicate);
  const others = operands.filter((operand) => !isClosure(operand));
  const areNodes = others.every((operand) => [Algebra.types.BGP, Algebra.types.PATH].includes(operand.type));
  const blocks = others
    .map((operand) => compileOperation(operand, context))
    .reduce<SelectBlock[]>(joinBlocks, [UNIT]);
  // Closures come last: they start from what the others bind.
  return operands.filter(isClosure).reduce(
    (joined, { predicate, subject, object }) =>
      joined.map((block) => {
        if (!isClosing(predicate)) throw new NotCompilable("path");
        return joinClosure(
          block,
          predicate,
          { subject: subject as Term, object: object as Term },
          areNodes,
          context,
        );
      }),
    blocks,
  );
}

function listOperands(operation: Algebra.Operation): Algebra.Operation[] {
  return operation.type === Algebra.types.JOIN ? operation.input.flatMap(listOperands) : [operation];
}

/** An expression that is NULL if all columns of its table are. */
const PLAIN_COLUMN = /^(\w+\.\w+|coalesce\(\w+\.\w+, \w+\.\w+\))$/;

function compileLeftJoin(
  { input: [left, right], expression }: Algebra.LeftJoin,
  context: CompileContext,
): SelectBlock[] {
  refuseInExists(context);
  const optional = compileOne(right, context);
  // A row that is missing has NULL in the columns of its table, but not in every expression of them.
  const isTable =
    optional.tables.length === 1 &&
    optional.outerJoins.length === 0 &&
    [...optional.columns.values()].every(({ value }) => PLAIN_COLUMN.test(value));
  return compileOperation(left, context).map((block) => {
    const table = isTable ? optional : nestRelation(optional, context);
    const filter =
      expression === undefined ? [] : compileFilter(expression, joinRelations(block, table).columns, context);
    return leftJoinRelations(block, table, filter);
  });
}

function compileMinus({ input: [left, right] }: Algebra.Minus, context: CompileContext): SelectBlock[] {
  refuseInExists(context);
  const removed = compileOne(right, context);
  return compileOperation(left, context).map((block) => {
    const shared = [...removed.columns].flatMap(([name, column]) => {
      const own = block.columns.get(name);
      return own === undefined ? [] : [{ own, column }];
    });
    if (shared.length === 0) return block;
    const matching = shared.flatMap(({ own, column }) => matchColumns(own, column));
    // Solutions that share no bound variable are not removed.
    const isShared = disjoin(
      shared.map(({ own, column }) => conjoin([`${own.value} IS NOT NULL`, `${column.value} IS NOT NULL`])),
    );
    const from = context.write(writeFrom({ ...removed, where: [...removed.where, ...matching, isShared] }));
    return addConditions(block, [`NOT EXISTS (SELECT 1${from})`]);
  });
}

function compileExtend(
  { input, variable, expression }: Algebra.Extend,
  context: CompileContext,
): SelectBlock[] {
  return compileOperation(input, context).map((block) => {
    if (block.columns.has(variable.value) || context.outer.has(variable.value))
      throw new NotCompilable("A variable that is bound already");
    const columns = new Map(block.columns);
    columns.set(variable.value, compileValue(expression, block.columns, context));
    return { ...block, columns };
  });
}

/** VALUES, as rows of a JSON array. */
function compileTable({ variables, bindings }: Algebra.Values, context: CompileContext): SelectBlock {
  const r = context.nextAlias("r");
  const names = variables.map(({ value }) => value);
  const rows = bindings.map((binding) =>
    names.map((name) => {
      const term = binding[`?${name}`];
      if (term === undefined) return null;
      const stored = encodeTerm(term as Term);
      return [stored.value, stored.kind, encodeKey(stored)];
    }),
  );
  const columns = names.map((name, i): [string, Column] => {
    const isAlwaysBound = rows.every((row) => row[i] !== null);
    const isIri = rows.every((row) => row[i]?.[1] === "" || row[i] === null);
    return [
      name,
      {
        value: `(${r}.value ->> '$[${i}][0]')`,
        kind: isIri && isAlwaysBound ? "''" : `(${r}.value ->> '$[${i}][1]')`,
        key: `(${r}.value ->> '$[${i}][2]')`,
        // Comparisons with numbers are left to JavaScript.
        number: "NULL",
        isOptional: !isAlwaysBound,
        isIri,
      },
    ];
  });
  return {
    ...UNIT,
    tables: [`json_each(${context.bind(JSON.stringify(rows))}) ${r}`],
    columns: new Map(columns),
  };
}

function compileGraph({ input, name }: Algebra.Graph, context: CompileContext): SelectBlock[] {
  const { named } = context;
  if (name.termType === "NamedNode") {
    const graph = encodeIri(name.value);
    if (named !== null && !named.includes(graph)) return [addConditions(compileOne(input, context), ["0"])];
    return compileOperation(input, { ...context, graph: { kind: "named", name: graph } });
  }
  if (named?.length === 0) throw new NotCompilable("No named graph");
  // In other operations the variable is bound after they are evaluated in each graph.
  if (!isPattern(input)) throw new NotCompilable("GRAPH with a variable around more than patterns");
  return compileOperation(input, {
    ...context,
    graph: { kind: "variable", variable: name.value, names: named },
  });
}

function isPattern(operation: Algebra.Operation): boolean {
  const { types } = Algebra;
  if (operation.type === types.BGP) return operation.patterns.length > 0;
  return (
    (operation.type === types.JOIN || operation.type === types.UNION) && operation.input.every(isPattern)
  );
}

function compileProject({ input, variables }: Algebra.Project, context: CompileContext): SelectBlock[] {
  const names = variables.map(({ value }) => value);
  // In a subquery of EXISTS, only projected variables are those of the solution.
  const outer = new Map([...context.outer].filter(([name]) => names.includes(name)));
  return compileOperation(input, { ...context, outer }).map((block) => keepColumns(block, names));
}
