// Accesses to triples that follow from the ontology, each triple once.
import type { Term } from "n3";
import { encodeTerm } from "../stored-terms";
import type { CompileContext } from "./compile-context";
import { nameStatements } from "./past-statements";
import { conjoin } from "./select-block";
import {
  accessPredicate,
  describeStatement,
  makeIriColumn,
  readAlias,
  restrictStatement,
  selectNumber,
  selectNumbers,
  type TripleTable,
} from "./statement-access";

export const TYPE_PREDICATE = "rdf:type";

/** The triples of a property and of those that imply it: sub-properties and inverses. */
export function accessImplying(iri: string, context: CompileContext): TripleTable[] {
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
  const isStatedForward = `EXISTS (SELECT 1 FROM ${nameStatements(context, [])} ${d} WHERE ${conjoin([
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

/** The triples of several properties; one that two of them state counts once. */
function accessProperties(context: CompileContext, properties: readonly string[]): TripleTable {
  const { nextAlias } = context;
  const [t, d] = [nextAlias("t"), nextAlias("d")];
  const numbers = selectNumbers(properties, context);
  const isRepeated = `EXISTS (SELECT 1 FROM ${nameStatements(context, [])} ${d} WHERE ${conjoin([
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
    tables: [`${nameStatements(context, properties)} ${t}`],
    where: [
      ...restrictStatement(t, context),
      `${t}.predicate IN ${numbers}`,
      ...(properties.length > 1 ? [`NOT ${isRepeated}`] : []),
    ],
  };
}

/** The types of subjects with all superclasses; a class that two types imply counts once. */
export function accessTypes(object: Term, context: CompileContext): TripleTable[] {
  const { bind, nextAlias, inference } = context;
  const access = accessPredicate(context, TYPE_PREDICATE);
  if (inference === null || object.termType === "Literal") return [access];
  const t = readAlias(access);
  const d = nextAlias("d");
  const isOtherType = [
    ...restrictStatement(d, context),
    `${d}.subject = ${t}.subject`,
    `${d}.predicate = ${selectNumber(TYPE_PREDICATE, context)}`,
    `${d}.graph = ${t}.graph`,
    `${d}.key < ${t}.key`,
  ];
  if (object.termType !== "Variable") {
    const iri = encodeTerm(object).value;
    const classes = inference.listSubclasses(iri);
    if (classes.length === 1) return [access];
    const among = `(SELECT value FROM json_each(${bind(JSON.stringify(classes))}))`;
    const isRepeated = `EXISTS (SELECT 1 FROM ${nameStatements(context, [])} ${d} WHERE ${conjoin([...isOtherType, `${d}.key IN ${among}`])})`;
    return [
      {
        ...access,
        where: [...access.where, `${t}.key IN ${among}`, `${t}.datatype = ''`, `NOT ${isRepeated}`],
        object: makeIriColumn(bind(iri)),
      },
    ];
  }
  const superclasses = bind(JSON.stringify(Object.fromEntries(inference.listSuperclasses())));
  const [c, e] = [nextAlias("c"), nextAlias("e")];
  const list = (alias: string) => `json_each(${superclasses}, '$."' || ${alias}.key || '"')`;
  // CROSS JOIN keeps the order: most subjects have one type.
  const isRepeated = `EXISTS (SELECT 1 FROM ${nameStatements(context, [])} ${d} CROSS JOIN ${list(d)} ${e} WHERE ${conjoin(
    [...isOtherType, `${e}.value = ${c}.value`],
  )})`;
  const unknown = accessPredicate(context, TYPE_PREDICATE);
  return [
    {
      ...access,
      tables: [...access.tables, `${list(t)} ${c}`],
      where: [...access.where, `${t}.datatype = ''`, `NOT ${isRepeated}`],
      object: makeIriColumn(`${c}.value`),
    },
    {
      ...unknown,
      where: [
        ...unknown.where,
        `json_type(${superclasses}, '$."' || ${readAlias(unknown)}.key || '"') IS NULL`,
      ],
    },
  ];
}
