// Accesses to triples that are not stored: the level of a confidence, and the usage of memories and episodes.
import { renderStatement } from "../../kernel/databases/d1";
import { selectUsage } from "../../memories/usage/usage-counts";
import type { CompileContext } from "./compile-context";
import { accessPredicate, makeIriColumn, type TripleTable } from "./statement-access";

export const CONFIDENCE = "jido:hasConfidence";

/** Produced from the counts of uses, in place of what is stored (decision 33). */
export const USAGE_PREDICATES = ["jido:accessCount", "jido:lastAccessed", "jido:importanceScore"] as const;

export function isUsagePredicate(iri: string): boolean {
  return USAGE_PREDICATES.some((predicate) => predicate === iri);
}

/** `hasConfidence` follows from the confidence (src/ontology/triples.ts). */
export function accessConfidence(context: CompileContext): TripleTable {
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
export function accessUsage(context: CompileContext, predicate: string | null): TripleTable[] {
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
