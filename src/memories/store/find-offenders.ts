// Finds the stored memories that would not conform to a changed ontology.
import { sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import type { StoreContext } from "../../kernel/store-context";
import { isExtensionName, toLocalTermName, toTermName } from "../../ontology/extension-names";
import { findAddedValuesProblem, toPlainValue } from "../../ontology/extension-values";
import { MEMORY_TYPES } from "../../ontology/generated/terms.generated";
import { SH } from "../../ontology/read-extension";
import {
  findTenantProperty,
  isInDomain,
  isTypeOfClass,
  listMemoryTypes,
  type TenantOntology,
} from "../../ontology/tenant-ontology";
import type { Memory } from "../memory-schemas";
import { selectMemoryRow } from "../usage/usage-counts";
import { checkShapes } from "./check-memory";
import { fromMemoryRow, type MemoryRow } from "./memory-mapping";

/** A memory, and the first thing that is wrong with it. */
type Offender = { id: string; problem: string };

/** Memories that one change checks, each in about a millisecond. */
export const MAX_CHECKED = 10_000;
const MAX_OFFENDERS = 20;
const PAGE_SIZE = 500;

/** Returns the first live memories that would not conform, and whether all that might not were checked. */
export async function findOffenders(
  { db, tenant }: StoreContext,
  ontology: TenantOntology,
): Promise<{ offenders: Offender[]; isComplete: boolean }> {
  const { types, anyProperties } = selectConcerned(ontology);
  const offenders: Offender[] = [];
  let after = 0;
  for (let checked = 0; checked < MAX_CHECKED; checked += PAGE_SIZE) {
    const rows: MemoryRow[] = await readAll<MemoryRow>(
      db,
      sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE tenant = ${tenant} AND seq > ${after} AND live = 1
        AND (type IN (SELECT value FROM json_each(${JSON.stringify(types)}))
          OR type NOT IN (SELECT value FROM json_each(${JSON.stringify(MEMORY_TYPES)}))
          OR ${anyProperties ? sql`properties <> '{}'` : sql`instr(properties, '"ext:') > 0`})
        ORDER BY seq LIMIT ${PAGE_SIZE}`,
    );
    for (const row of rows) {
      const problem = await findProblem(ontology, fromMemoryRow(row));
      if (problem !== null) offenders.push({ id: row.id, problem });
      if (offenders.length === MAX_OFFENDERS) return { offenders, isComplete: true };
    }
    if (rows.length < PAGE_SIZE) return { offenders, isComplete: true };
    after = rows.at(-1)?.seq ?? after;
  }
  return { offenders, isComplete: false };
}

/** Returns the types of memories that the added shapes describe, and whether one describes those with a certain property. */
function selectConcerned(ontology: TenantOntology): { types: string[]; anyProperties: boolean } {
  const targets = ontology.added.quads.flatMap(({ predicate, object }) =>
    predicate.value === `${SH}targetClass` ? [toTermName(object.value)] : [],
  );
  return {
    types: listMemoryTypes(ontology).filter((type) =>
      targets.some((target) => isTypeOfClass(ontology, type, target)),
    ),
    anyProperties: ontology.added.quads.some(({ predicate }) => predicate.value === `${SH}targetSubjectsOf`),
  };
}

async function findProblem(ontology: TenantOntology, memory: Memory): Promise<string | null> {
  if (!listMemoryTypes(ontology).includes(memory.type))
    return `has the type ${memory.type}, which would not exist`;
  for (const [name, values] of Object.entries(memory.properties)) {
    if (!isExtensionName(name)) continue;
    const local = toLocalTermName(name);
    const found = findTenantProperty(ontology, name);
    if (found === null) return `has the property ${local}, which would not exist`;
    if (!isInDomain(ontology, memory.type, found.property))
      return `has the property ${local}, which would not belong to it`;
    const problem = findAddedValuesProblem(ontology, found.property, values.map(toPlainValue));
    if (problem !== null) return `${local} ${problem}`;
  }
  const [violation] = (await checkShapes(ontology, memory)).failure?.errors ?? [];
  return violation === undefined ? null : `${violation.path}: ${violation.message}`;
}
