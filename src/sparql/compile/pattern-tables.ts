// Triple patterns as accesses to tables. This module alone names tables and columns, and adds the tenant and the binding
// of the key to every access. Tables: `statements` (migration 0026), and `memories`, `episodes` for what is derived.
import type { Term } from "n3";
import { isBound } from "../../domain/binding";
import { renderStatement } from "../../platform/d1";
import { selectUsage } from "../../store/memories/usage-counts";
import { toInstanceIri, toUserIri } from "../../store/triples/triples";
import type { OntologyTriple } from "../infer/ontology-graph";
import { encodeIri, encodeKey, encodeTerm, type StoredTerm } from "../terms/stored-terms";
import type { ActiveGraph, CompileContext } from "./compile-context";
import { addConditions, type Column, conjoin, disjoin, matchColumns, type Relation, UNIT } from "./relation";

export type PatternTerms = { subject: Term; predicate: Term; object: Term };

/** One source of triples: its tables with the columns of a triple. */
type Access = {
  tables: string[];
  where: string[];
  subject: Column;
  predicate: Column;
  object: Column;
  graph: Column | null;
};

const RDF_TYPE = "rdf:type";
const CONFIDENCE = "jido:hasConfidence";
/** Produced from the counts of uses, in place of what is stored (decision 34). */
const USAGE_PREDICATES = ["jido:accessCount", "jido:lastAccessed", "jido:importanceScore"] as const;

function makeIriColumn(sql: string): Column {
  return { value: sql, kind: "''", key: sql, number: "NULL", isOptional: false, isIri: true };
}

/** Returns the blocks whose union has the triples that match a pattern, each triple once. */
export function compilePattern(pattern: PatternTerms, context: CompileContext): Relation[] {
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

function listAccesses(pattern: PatternTerms, context: CompileContext): Access[] {
  const { predicate } = pattern;
  const stated = matchOntology(pattern, context);
  const ontology = stated.length === 0 ? [] : [accessOntology(stated, context)];
  const isDerivedToo = context.graph.kind === "default";
  if (predicate.termType !== "NamedNode")
    return [
      accessStatements(context, { except: isDerivedToo ? USAGE_PREDICATES : [] }),
      ...(isDerivedToo ? [accessConfidence(context), ...accessUsage(context, null)] : []),
      ...ontology,
    ];
  const iri = encodeIri(predicate.value);
  if (isDerivedToo && iri === CONFIDENCE) return [accessConfidence(context), ...ontology];
  if (isDerivedToo && isUsagePredicate(iri)) return [...accessUsage(context, iri), ...ontology];
  if (context.inference === null) return [accessPredicate(context, iri), ...ontology];
  if (iri === RDF_TYPE) return [...accessTypes(pattern.object, context), ...ontology];
  return [...accessImplying(iri, context), ...ontology];
}

function isUsagePredicate(iri: string): boolean {
  return USAGE_PREDICATES.some((predicate) => predicate === iri);
}

/** Adds the conditions of the constant terms, and names the columns of the variables. */
function bindTerms(access: Access, pattern: PatternTerms, context: CompileContext): Relation {
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
  const relation: Relation = { ...UNIT, tables: access.tables, where, columns };
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

/** All statements of the tenant that the key may see, in the active graph, with their predicates. */
function accessStatements(context: CompileContext, { except }: { except: readonly string[] }): Access {
  const { nextAlias, bind } = context;
  const [t, p] = [nextAlias("t"), nextAlias("p")];
  const excluded = except.map((iri) => bind(iri)).join(", ");
  return {
    ...describeStatement(t, `${p}.iri`),
    tables: [`statements ${t}`, `predicates ${p}`],
    where: [
      ...restrictStatement(t, context),
      `${p}.number = ${t}.predicate`,
      ...(except.length === 0 ? [] : [`${p}.iri NOT IN (${excluded})`]),
    ],
  };
}

function describeStatement(t: string, predicate: string): Omit<Access, "tables" | "where"> {
  return {
    subject: makeIriColumn(`${t}.subject`),
    predicate: makeIriColumn(predicate),
    object: {
      value: `coalesce(${t}.literal, ${t}.key)`,
      kind: `${t}.datatype`,
      key: `${t}.key`,
      number: `${t}.number`,
      isOptional: false,
      isIri: false,
    },
    graph: makeIriColumn(`${t}.graph`),
  };
}

/** The statements with a predicate. */
function accessPredicate(context: CompileContext, iri: string): Access {
  const t = context.nextAlias("t");
  return {
    ...describeStatement(t, context.bind(iri)),
    tables: [`statements ${t}`],
    where: [...restrictStatement(t, context), `${t}.predicate = ${selectNumber(iri, context)}`],
  };
}

/** Returns the number of a predicate. The dictionary of predicates belongs to no tenant. */
function selectNumber(iri: string, { bind }: CompileContext): string {
  return `(SELECT number FROM predicates WHERE iri = ${bind(iri)})`;
}

function selectNumbers(iris: readonly string[], { bind }: CompileContext): string {
  return `(SELECT number FROM predicates WHERE iri IN (${iris.map(bind).join(", ")}))`;
}

/** The conditions on every access to `statements`: the tenant, the key's binding and the active graph. */
function restrictStatement(t: string, context: CompileContext): string[] {
  return [...restrictTenant(t, context), ...restrictGraph(t, context)];
}

function restrictTenant(t: string, context: CompileContext): string[] {
  const tenant = `${t}.tenant = ${context.bind(context.source.tenant)}`;
  if (!isBound(context.source.binding)) return [tenant];
  const hidden = conjoin([
    `${t}.datatype = ''`,
    disjoin(["memory", "evidence", "session", "link"].map((kind) => `${t}.key GLOB 'jido:${kind}_*'`)),
    `EXISTS (SELECT 1 FROM statements h WHERE h.tenant = ${context.bind(context.source.tenant)} AND h.subject = ${t}.key)`,
    `NOT ${isOwned(`${t}.key`, context)}`,
  ]);
  return [tenant, isOwned(`${t}.subject`, context), `NOT ${hidden}`];
}

/** The properties that name the owner of a subject. */
const OWNER_PROPERTIES = {
  user_id: ["jido:concernsUser"],
  agent_id: ["jido:assertedBy", "jido:performedBy", "jido:hasPrimaryAgent"],
  project_id: ["jido:appliesToProject", "jido:partOfProject"],
} as const;

/** Returns whether a subject belongs to the owner that the key is bound to, or is that owner. */
function isOwned(subject: string, context: CompileContext): string {
  const { binding, tenant } = context.source;
  const owners = [
    { id: "user_id", iri: binding.user_id === undefined ? null : toUserIri(binding.user_id) },
    { id: "agent_id", iri: binding.agent_id === undefined ? null : toInstanceIri("agent", binding.agent_id) },
    {
      id: "project_id",
      iri: binding.project_id === undefined ? null : toInstanceIri("project", binding.project_id),
    },
  ] as const;
  const bound = owners.flatMap(({ id, iri }) => (iri === null ? [] : [{ id, iri }]));
  const belongs = bound.map(
    ({ id, iri }) => `EXISTS (SELECT 1 FROM statements o WHERE o.tenant = ${context.bind(tenant)}
      AND o.subject = ${subject} AND o.predicate IN ${selectNumbers(OWNER_PROPERTIES[id], context)}
      AND o.key = ${context.bind(iri)} AND o.datatype = '')`,
  );
  const [only] = bound;
  // With several ids, none of the owners is within the binding as a whole.
  const isOwner = only !== undefined && bound.length === 1 ? [`${subject} = ${context.bind(only.iri)}`] : [];
  return disjoin([...isOwner, conjoin(belongs)]);
}

function restrictGraph(t: string, context: CompileContext): string[] {
  const { graph, bind } = context;
  const isAmong = (names: readonly string[]) => `${t}.graph IN (${names.map(bind).join(", ")})`;
  switch (graph.kind) {
    case "default":
      return [`${t}.graph = ''`];
    case "named":
      return [`${t}.graph = ${bind(graph.name)}`];
    case "variable":
      return [graph.names === null ? `${t}.graph <> ''` : isAmong(graph.names)];
    case "merge":
      // A triple of several graphs counts once: that of the first graph by name.
      return [isAmong(graph.names), ...(graph.names.length > 1 ? [isFirst(t, context, graph)] : [])];
  }
}

function isFirst(
  t: string,
  { bind, source, nextAlias }: CompileContext,
  graph: ActiveGraph & { kind: "merge" },
): string {
  const d = nextAlias("d");
  return `NOT EXISTS (SELECT 1 FROM statements ${d} WHERE ${d}.tenant = ${bind(source.tenant)}
    AND ${d}.subject = ${t}.subject AND ${d}.predicate = ${t}.predicate AND ${d}.key = ${t}.key
    AND ${d}.datatype = ${t}.datatype AND ${d}.graph < ${t}.graph AND ${d}.graph IN (${graph.names.map(bind).join(", ")}))`;
}

/** `hasConfidence` follows from the confidence (src/store/triples/derived-triples.ts). */
function accessConfidence(context: CompileContext): Access {
  const access = accessPredicate(context, "jido:confidenceValue");
  const { number } = access.object;
  return {
    ...access,
    predicate: makeIriColumn(context.bind(CONFIDENCE)),
    object: makeIriColumn(
      `CASE WHEN ${number} >= 0.8 THEN 'jido:High' WHEN ${number} >= 0.5 THEN 'jido:Medium' ELSE 'jido:Low' END`,
    ),
  };
}

const USED = [
  {
    kind: "memory",
    prefix: "jido:memory_",
    end: "jido:memory`",
    table: "memories",
    count: "access_count",
    last: "last_accessed",
  },
  {
    kind: "episode",
    prefix: "jido:evidence_",
    end: "jido:evidence`",
    table: "episodes",
    count: "usage_count",
    last: "last_used",
  },
] as const;

/** The usage of memories and episodes; of one predicate, or of all three. */
function accessUsage(context: CompileContext, predicate: string | null): Access[] {
  const { nextAlias, bind } = context;
  return USED.map(({ kind, prefix, end, table, count, last }) => {
    const [r, u] = [nextAlias("r"), nextAlias("u")];
    const access = accessPredicate(context, "jido:importanceScore");
    const subject = access.subject.value;
    const usage = renderStatement(selectUsage(kind, r)).sql;
    const wanted = predicate === null ? USAGE_PREDICATES : [predicate];
    const name = `${u}.value`;
    const value = `CASE ${name}
      WHEN 'jido:accessCount' THEN CAST(${r}.${count} + coalesce(${usage} ->> 0, 0) AS TEXT)
      WHEN 'jido:lastAccessed' THEN iif(${r}.${count} > 0 AND ${r}.${last} > coalesce(${usage} ->> 1, ''), ${r}.${last}, coalesce(${usage} ->> 1, ${r}.${last}))
      ELSE coalesce(nullif(${usage} -> 2, 'null'), ${access.object.value}) END`;
    const datatype = `CASE ${name} WHEN 'jido:accessCount' THEN 'xsd:integer' WHEN 'jido:lastAccessed' THEN 'xsd:dateTime' ELSE 'xsd:decimal' END`;
    return {
      ...access,
      tables: [...access.tables, `${table} ${r}`, `json_each(${bind(JSON.stringify(wanted))}) ${u}`],
      where: [
        ...access.where,
        `${subject} >= '${prefix}' AND ${subject} < '${end}'`,
        `${r}.tenant = ${bind(context.source.tenant)} AND ${r}.id = substr(${subject}, ${prefix.length + 1})`,
        `${value} IS NOT NULL`,
      ],
      predicate: makeIriColumn(name),
      object: {
        value,
        kind: datatype,
        key: value,
        number: `iif(${name} = 'jido:lastAccessed', unixepoch(${value}, 'subsec'), CAST(${value} AS REAL))`,
        isOptional: false,
        isIri: false,
      },
    };
  });
}

/** Triples of the ontology, as rows of a JSON array. */
function accessOntology(triples: readonly OntologyTriple[], { nextAlias, bind }: CompileContext): Access {
  const r = nextAlias("r");
  const rows = triples.map(({ subject, predicate, object }) => [
    subject,
    predicate,
    object.value,
    object.kind,
    encodeKey(object),
  ]);
  return {
    tables: [`json_each(${bind(JSON.stringify(rows))}) ${r}`],
    where: [],
    subject: makeIriColumn(`(${r}.value ->> 0)`),
    predicate: makeIriColumn(`(${r}.value ->> 1)`),
    object: {
      value: `(${r}.value ->> 2)`,
      kind: `(${r}.value ->> 3)`,
      key: `(${r}.value ->> 4)`,
      number: "NULL",
      isOptional: false,
      isIri: false,
    },
    graph: null,
  };
}

/** The triples of a property and of those that imply it: sub-properties and inverses. */
function accessImplying(iri: string, context: CompileContext): Access[] {
  const implying = context.inference?.listImplying(iri) ?? [];
  const forward = implying.filter(({ isInverse }) => !isInverse).map(({ property }) => property);
  const inverse = implying.filter(({ isInverse }) => isInverse).map(({ property }) => property);
  if (forward.length === 1 && inverse.length === 0) return [accessPredicate(context, iri)];
  const predicate = makeIriColumn(context.bind(iri));
  const access = accessProperties(context, forward);
  if (inverse.length === 0) return [{ ...access, predicate }];
  const inverted = accessProperties(context, inverse);
  const t = readAlias(inverted);
  const d = context.nextAlias("d");
  const isStatedForward = `EXISTS (SELECT 1 FROM statements ${d} WHERE ${conjoin([
    ...restrictStatement(d, context),
    `${d}.subject = ${t}.key`,
    `${d}.predicate IN ${selectNumbers(forward, context)}`,
    `${d}.key = ${t}.subject`,
    `${d}.datatype = ''`,
  ])})`;
  return [
    { ...access, predicate },
    {
      ...inverted,
      where: [...inverted.where, `${t}.datatype = ''`, `NOT ${isStatedForward}`],
      subject: makeIriColumn(`${t}.key`),
      predicate,
      object: makeIriColumn(`${t}.subject`),
    },
  ];
}

function readAlias({ tables: [table = ""] }: Access): string {
  return table.slice(table.indexOf(" ") + 1);
}

/** The triples of several properties; one that two of them state counts once. */
function accessProperties(context: CompileContext, properties: readonly string[]): Access {
  const { nextAlias } = context;
  const [t, d] = [nextAlias("t"), nextAlias("d")];
  const numbers = selectNumbers(properties, context);
  const isRepeated = `EXISTS (SELECT 1 FROM statements ${d} WHERE ${conjoin([
    ...restrictStatement(d, context),
    `${d}.subject = ${t}.subject`,
    `${d}.predicate IN ${numbers}`,
    `${d}.key = ${t}.key`,
    `${d}.datatype = ${t}.datatype`,
    `${d}.graph = ${t}.graph`,
    `${d}.predicate < ${t}.predicate`,
  ])})`;
  return {
    ...describeStatement(t, "NULL"),
    tables: [`statements ${t}`],
    where: [
      ...restrictStatement(t, context),
      `${t}.predicate IN ${numbers}`,
      ...(properties.length > 1 ? [`NOT ${isRepeated}`] : []),
    ],
  };
}

/** The types of subjects with all superclasses; a class that two types imply counts once. */
function accessTypes(object: Term, context: CompileContext): Access[] {
  const { bind, nextAlias, inference } = context;
  const access = accessPredicate(context, RDF_TYPE);
  if (inference === null || object.termType === "Literal") return [access];
  const t = readAlias(access);
  const d = nextAlias("d");
  const isOtherType = [
    ...restrictStatement(d, context),
    `${d}.subject = ${t}.subject`,
    `${d}.predicate = ${selectNumber(RDF_TYPE, context)}`,
    `${d}.graph = ${t}.graph`,
    `${d}.key < ${t}.key`,
  ];
  if (object.termType !== "Variable") {
    const iri = encodeTerm(object).value;
    const classes = inference.listSubclasses(iri);
    if (classes.length === 1) return [access];
    const among = `(SELECT value FROM json_each(${bind(JSON.stringify(classes))}))`;
    const isRepeated = `EXISTS (SELECT 1 FROM statements ${d} WHERE ${conjoin([...isOtherType, `${d}.key IN ${among}`])})`;
    return [
      {
        ...access,
        where: [...access.where, `${t}.key IN ${among}`, `${t}.datatype = ''`, `NOT ${isRepeated}`],
        object: makeIriColumn(bind(iri)),
      },
    ];
  }
  const pairs = `json_each(${bind(JSON.stringify(inference.listSuperclassPairs()))})`;
  const [c, e] = [nextAlias("c"), nextAlias("e")];
  const isRepeated = `EXISTS (SELECT 1 FROM statements ${d}, ${pairs} ${e} WHERE ${conjoin([
    ...isOtherType,
    `${e}.value ->> 0 = ${d}.key`,
    `${e}.value ->> 1 = ${c}.value ->> 1`,
  ])})`;
  const unknown = accessPredicate(context, RDF_TYPE);
  return [
    {
      ...access,
      tables: [...access.tables, `${pairs} ${c}`],
      where: [...access.where, `${c}.value ->> 0 = ${t}.key`, `${t}.datatype = ''`, `NOT ${isRepeated}`],
      object: makeIriColumn(`(${c}.value ->> 1)`),
    },
    {
      ...unknown,
      where: [...unknown.where, `${readAlias(unknown)}.key NOT IN (SELECT value ->> 0 FROM ${pairs})`],
    },
  ];
}
