// Accesses to the table `statements`. Each has the tenant, the binding of the key and the active graph.
import { sql } from "drizzle-orm";
import { isBound } from "../../kernel/access";
import { readAll } from "../../kernel/databases/d1";
import { toInstanceIri, toUserIri } from "../../ontology/triples";
import type { GraphSource } from "../graph-source";
import type { ActiveGraph, CompileContext } from "./compile-context";
import { nameStatements } from "./past-statements";
import { type Column, conjoin, disjoin } from "./select-block";

/** One source of triples: its tables with the columns of a triple. */
export type TripleTable = {
  tables: string[];
  where: string[];
  subject: Column;
  predicate: Column;
  object: Column;
  graph: Column | null;
};

export function makeIriColumn(sql: string): Column {
  return { value: sql, kind: "''", key: sql, number: "NULL", isOptional: false, isIri: true };
}

/** All statements of the tenant that the key may see, in the active graph, with their predicates. */
export function accessStatements(
  context: CompileContext,
  { except }: { except: readonly string[] },
): TripleTable {
  const { nextAlias, bind } = context;
  const [t, p] = [nextAlias("t"), nextAlias("p")];
  const excluded = except.map((iri) => bind(iri)).join(", ");
  return {
    ...describeStatement(t, `${p}.iri`),
    tables: [`${nameStatements(context, [null])} ${t}`, `predicates ${p}`],
    where: [
      ...restrictStatement(t, context),
      `${p}.number = ${t}.predicate`,
      ...(except.length === 0 ? [] : [`${p}.iri NOT IN (${excluded})`]),
    ],
  };
}

export function describeStatement(t: string, predicate: string): Omit<TripleTable, "tables" | "where"> {
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
export function accessPredicate(context: CompileContext, iri: string): TripleTable {
  const t = context.nextAlias("t");
  return {
    ...describeStatement(t, context.bind(iri)),
    tables: [`${nameStatements(context, [iri])} ${t}`],
    where: [...restrictStatement(t, context), `${t}.predicate = ${selectNumber(iri, context)}`],
  };
}

/** Returns the number of a predicate. The dictionary of predicates belongs to no tenant. */
export function selectNumber(iri: string, { bind }: CompileContext): string {
  return `(SELECT number FROM predicates WHERE iri = ${bind(iri)})`;
}

export function selectNumbers(iris: readonly string[], { bind }: CompileContext): string {
  return `(SELECT number FROM predicates WHERE iri IN (${iris.map(bind).join(", ")}))`;
}

/** The conditions on every access to `statements`: the tenant, the key's binding and the active graph. */
export function restrictStatement(t: string, context: CompileContext): string[] {
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

function isFirst(t: string, context: CompileContext, graph: ActiveGraph & { kind: "merge" }): string {
  const { bind, source, nextAlias } = context;
  const d = nextAlias("d");
  return `NOT EXISTS (SELECT 1 FROM ${nameStatements(context, [])} ${d} WHERE ${d}.tenant = ${bind(source.tenant)}
    AND ${d}.subject = ${t}.subject AND ${d}.predicate = ${t}.predicate AND ${d}.key = ${t}.key
    AND ${d}.datatype = ${t}.datatype AND ${d}.graph < ${t}.graph AND ${d}.graph IN (${graph.names.map(bind).join(", ")}))`;
}

export function readAlias({ tables: [table = ""] }: TripleTable): string {
  return table.slice(table.indexOf(" ") + 1);
}

/** Returns the names of the tenant's named graphs, as they are stored. */
export async function listGraphs({ db, tenant }: GraphSource): Promise<string[]> {
  const rows = await readAll<{ graph: string }>(
    db,
    sql`SELECT DISTINCT s.graph FROM statements s WHERE s.tenant = ${tenant} AND s.graph <> ''`,
  );
  return rows.map(({ graph }) => graph);
}
