// The blocks of SELECT that operations compile to, and how they are joined. Nothing here knows the tables.

/** What a statement shares while it is written. */
export type StatementWriter = {
  /** Returns an alias that is unique in the statement. */
  readonly nextAlias: (letter: string) => string;
  /** Returns a part of the statement as it is; throws NotCompilable if all parts together are too long. */
  readonly write: (text: string) => string;
};

/** Thrown for an operation that SQL does not express. It is evaluated in JavaScript then. */
export class NotCompilable extends Error {
  override readonly name = "NotCompilable";
}

/** The SQL expressions of a variable. */
export type Column = {
  /** The text of the term as it is stored; NULL if the variable is unbound. */
  readonly value: string;
  /** "" for IRIs and blank nodes, else the datatype, or "@" and the language; NULL if the variable is unbound. */
  readonly kind: string;
  /** What joins compare, because indexes have it; null if there is none, as for computed values. */
  readonly key: string | null;
  /** The value of a number, and of a date in seconds; NULL for other terms. */
  readonly number: string;
  /** Whether it may be unbound. */
  readonly isOptional: boolean;
  /** Whether it is an IRI or a blank node whenever it is bound. */
  readonly isIri: boolean;
};

export type Columns = ReadonlyMap<string, Column>;

/** One SELECT: inner joins of tables, then outer joins, conditions, and the columns of the variables. */
export type SelectBlock = {
  readonly tables: readonly string[];
  /** The number of tables, from the first, that SQLite joins in their order. It places the others where it likes. */
  readonly fixedTables: number;
  readonly outerJoins: readonly { readonly table: string; readonly on: readonly string[] }[];
  readonly where: readonly string[];
  readonly columns: Columns;
  readonly order: readonly string[];
};

/** The relation with one solution, which binds nothing. */
export const UNIT: SelectBlock = {
  tables: [],
  fixedTables: 0,
  outerJoins: [],
  where: [],
  columns: new Map(),
  order: [],
};

/** D1 allows this many terms of a compound SELECT. */
const COMPOUND_TERMS = 5;
/** SQLite refuses expressions that are deeper than 100, and parses a chain of AND as deep as it is long. */
const CHAIN = 8;

export function conjoin(conditions: readonly string[]): string {
  return chain([...new Set(conditions)], "AND", "1");
}

export function disjoin(conditions: readonly string[]): string {
  return chain(conditions, "OR", "0");
}

function chain(parts: readonly string[], operator: string, empty: string): string {
  if (parts.length <= 1) return parts[0] ?? empty;
  if (parts.length <= CHAIN) return `(${parts.join(` ${operator} `)})`;
  const half = Math.ceil(parts.length / 2);
  return `(${chain(parts.slice(0, half), operator, empty)} ${operator} ${chain(parts.slice(half), operator, empty)})`;
}

/** Returns the conditions under which two columns have the same term, or one of them is unbound. */
export function matchColumns(a: Column, b: Column): string[] {
  const hasKeys = a.key !== null && b.key !== null;
  const equal = [hasKeys ? `${a.key} = ${b.key}` : `${a.value} = ${b.value}`];
  if (a.isIri !== b.isIri) equal.push(`${a.isIri ? b.kind : a.kind} = ''`);
  else if (!a.isIri) equal.push(`${a.kind} = ${b.kind}`);
  if (!a.isOptional && !b.isOptional) return equal;
  const unbound = [a, b].filter(({ isOptional }) => isOptional).map(({ value }) => `${value} IS NULL`);
  return [disjoin([...unbound, conjoin(equal)])];
}

/** Returns the column of a variable that two compatible relations have. */
function mergeColumns(a: Column, b: Column): Column {
  if (!a.isOptional) return a.isIri || b.isOptional ? a : b.isIri ? b : a;
  if (!b.isOptional) return b;
  const either = (x: string, y: string) => (x === y ? x : `coalesce(${x}, ${y})`);
  return {
    value: either(a.value, b.value),
    kind: either(a.kind, b.kind),
    key: a.key === null || b.key === null ? null : either(a.key, b.key),
    number: either(a.number, b.number),
    isOptional: true,
    isIri: a.isIri && b.isIri,
  };
}

/** The operator Join. */
export function joinRelations(a: SelectBlock, b: SelectBlock): SelectBlock {
  const columns = new Map(a.columns);
  const where = [...a.where, ...b.where];
  for (const [name, column] of b.columns) {
    const other = columns.get(name);
    if (other !== undefined) where.push(...matchColumns(other, column));
    columns.set(name, other === undefined ? column : mergeColumns(other, column));
  }
  const [first, second] = a.fixedTables === 0 && b.fixedTables > 0 ? [b, a] : [a, b];
  return {
    tables: [...first.tables, ...second.tables],
    fixedTables: first.fixedTables,
    outerJoins: [...a.outerJoins, ...b.outerJoins],
    where,
    columns,
    order: [],
  };
}

/** The operator LeftJoin, with the conditions of its filter. `b` is one table without outer joins. */
export function leftJoinRelations(a: SelectBlock, b: SelectBlock, filter: readonly string[]): SelectBlock {
  const columns = new Map(a.columns);
  const on = [...b.where, ...filter];
  for (const [name, column] of b.columns) {
    const other = columns.get(name);
    const optional: Column = {
      ...column,
      kind: column.isIri ? `iif(${column.value} IS NULL, NULL, '')` : column.kind,
      isOptional: true,
    };
    if (other !== undefined) on.push(...matchColumns(other, column));
    columns.set(name, other === undefined ? optional : mergeColumns(other, optional));
  }
  const [table = "(SELECT 1)"] = b.tables;
  return { ...a, outerJoins: [...a.outerJoins, { table, on }], columns };
}

export function addConditions(relation: SelectBlock, conditions: readonly string[]): SelectBlock {
  return { ...relation, where: [...relation.where, ...conditions] };
}

export function keepColumns(relation: SelectBlock, names: Iterable<string>): SelectBlock {
  const columns = new Map<string, Column>();
  for (const name of names) {
    const column = relation.columns.get(name);
    if (column !== undefined) columns.set(name, column);
  }
  return { ...relation, columns };
}

/** Has SQLite join the tables in their order. */
export function fixOrder(relation: SelectBlock): SelectBlock {
  return { ...relation, fixedTables: relation.tables.length };
}

/** Writes FROM and WHERE. */
export function writeFrom({ tables, fixedTables, outerJoins, where }: SelectBlock): string {
  // SQLite moves no table before the left side of a CROSS JOIN.
  const joined = tables.map(
    (table, i) => `${i === 0 ? "" : i < fixedTables ? " CROSS JOIN " : ", "}${table}`,
  );
  const inner = tables.length === 0 && outerJoins.length > 0 ? "(SELECT 1)" : joined.join("");
  const outer = outerJoins.map(({ table, on }) => ` LEFT JOIN ${table} ON ${conjoin(on)}`).join("");
  return `${inner === "" ? "" : ` FROM ${inner}`}${outer}${where.length === 0 ? "" : ` WHERE ${conjoin(where)}`}`;
}

type SelectOptions = { isDistinct?: boolean; suffix?: string };

/** Writes a SELECT with four columns for each of the names. */
export function writeSelect(
  relation: SelectBlock,
  names: readonly string[],
  { isDistinct = false, suffix = "" }: SelectOptions = {},
): string {
  const selected = names.map((name, i) => {
    const { value, kind, key, number } = relation.columns.get(name) ?? UNBOUND_COLUMN;
    return `${value} AS v${i}, ${kind} AS k${i}, ${key ?? "NULL"} AS j${i}, ${number} AS n${i}`;
  });
  const order = relation.order.length === 0 ? "" : ` ORDER BY ${relation.order.join(", ")}`;
  const list = selected.length === 0 ? "1 AS one" : selected.join(", ");
  return `SELECT ${isDistinct ? "DISTINCT " : ""}${list}${writeFrom(relation)}${order}${suffix}`;
}

export const UNBOUND_COLUMN: Column = {
  value: "NULL",
  kind: "NULL",
  key: "NULL",
  number: "NULL",
  isOptional: true,
  isIri: false,
};

/** Makes a relation of a SELECT that `writeSelect` wrote; `describe` tells what is known of each column. */
export function makeDerived(
  select: string,
  names: readonly string[],
  describe: (name: string) => { isOptional: boolean; isIri: boolean; hasKey: boolean },
  context: StatementWriter,
): SelectBlock {
  const alias = context.nextAlias("s");
  const columns = names.map((name, i): [string, Column] => {
    const { isOptional, isIri, hasKey } = describe(name);
    return [
      name,
      {
        value: `${alias}.v${i}`,
        kind: isIri && !isOptional ? "''" : `${alias}.k${i}`,
        key: hasKey ? `${alias}.j${i}` : null,
        number: `${alias}.n${i}`,
        isOptional,
        isIri,
      },
    ];
  });
  return { ...UNIT, tables: [`(${select}) ${alias}`], columns: new Map(columns) };
}

/** Makes one table of a relation. */
export function nestRelation(
  relation: SelectBlock,
  context: StatementWriter,
  options: SelectOptions = {},
): SelectBlock {
  const names = [...relation.columns.keys()];
  const describe = (name: string) => {
    const { isOptional, isIri, key } = relation.columns.get(name) ?? UNBOUND_COLUMN;
    return { isOptional, isIri, hasKey: key !== null };
  };
  return makeDerived(context.write(writeSelect(relation, names, options)), names, describe, context);
}

/** Makes one relation of the union of several. */
export function uniteRelations(relations: readonly SelectBlock[], context: StatementWriter): SelectBlock {
  const [only] = relations;
  if (only !== undefined && relations.length === 1) return only;
  const names = [...new Set(relations.flatMap(({ columns }) => [...columns.keys()]))];
  const describe = (name: string) => {
    const columns = relations.map((relation) => relation.columns.get(name));
    return {
      isOptional: columns.some((column) => column === undefined || column.isOptional),
      isIri: columns.every((column) => column === undefined || column.isIri),
      hasKey: columns.every((column) => column === undefined || column.key !== null),
    };
  };
  const selects = relations.map((relation) => context.write(writeSelect({ ...relation, order: [] }, names)));
  return makeDerived(writeCompound(selects), names, describe, context);
}

/** Writes UNION ALL, nested if it has more terms than are allowed. */
function writeCompound(selects: readonly string[]): string {
  if (selects.length === 0) throw new NotCompilable("A union has no branches");
  let terms = selects;
  while (terms.length > COMPOUND_TERMS) {
    const groups: string[] = [];
    for (let i = 0; i < terms.length; i += COMPOUND_TERMS)
      groups.push(`SELECT * FROM (${terms.slice(i, i + COMPOUND_TERMS).join(" UNION ALL ")})`);
    terms = groups;
  }
  return terms.join(" UNION ALL ");
}
