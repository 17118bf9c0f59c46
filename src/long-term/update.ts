// Changes a memory where it stands: its triples and its row in one batch, which aborts when somebody else was quicker.
import { type SQL, sql } from "drizzle-orm";
import { LIMITS } from "../limits";
import type { Memory } from "../schemas/memory";
import { chunks } from "./chunks";
import { batch, type Database, retryRaces, writeOrReadAgain } from "./database";
import { identityOf } from "./identity";
import { instance } from "./iri";
import { findMemories, findMemory } from "./queries";
import { type NewRow, toRow, toTripleRow } from "./rows";
import { assertThat, indexRows, insertTriples } from "./statements";
import { type Triple, toTriples } from "./triples";
import { idList, queueVectors } from "./vector-queue";

export type Change = { before: Memory; after: Memory; identity: string };

/**
 * `change` is given the memory as it stands and gives it as it shall be, or null to leave it. Loses a race when the
 * memory changed meanwhile; changeMemory then begins again. What it was superseded, invalidated or forgotten by is not changed this way. Gives the
 * memory as it then is; null when there is none.
 */
export async function tryChange(
  db: Database,
  tenant: string,
  id: string,
  change: (memory: Memory) => Memory | null,
  { also = [] }: { also?: readonly SQL[] } = {},
): Promise<Memory | null> {
  const before = await findMemory(db, tenant, id);
  const after = before === null ? null : change(before);
  if (before === null || after === null) return before;
  const identity = await identityOf(tenant, after);
  await batch(db, [
    ...standsAs(tenant, [before]),
    ...changeStatements(tenant, { before, after, identity }),
    ...also,
  ]);
  return after;
}

export function changeMemory(...given: Parameters<typeof tryChange>): Promise<Memory | null> {
  return retryRaces(() => tryChange(...given));
}

/** Many at once, a batch for some; gives those that changed. */
export async function changeMemories(
  db: Database,
  tenant: string,
  ids: readonly string[],
  change: (memory: Memory) => Memory | null,
): Promise<Memory[]> {
  const write = async (memories: readonly Memory[]) => {
    const changes = await Promise.all(
      memories.flatMap((before) => {
        const after = change(before);
        if (after === null) return [];
        return identityOf(tenant, after).then((identity) => ({ before, after, identity }));
      }),
    );
    const read = changes.map(({ before }) => before);
    await batch(db, [...standsAs(tenant, read), ...changes.flatMap((one) => changeStatements(tenant, one))]);
    return changes.map(({ after }) => after);
  };
  const changed: Memory[] = [];
  for (let at = 0; at < ids.length; at += LIMITS.commitBatch) {
    for (const piece of chunks(await findMemories(db, tenant, ids.slice(at, at + LIMITS.commitBatch)))) {
      const again = () =>
        findMemories(
          db,
          tenant,
          piece.map(({ id }) => id),
        );
      changed.push(...(await writeOrReadAgain(piece, again, write)));
    }
  }
  return changed;
}

/** Abort the batch when one of them is no longer as it was read. Being recalled is no change. */
export function standsAs(tenant: string, read: readonly Memory[]): SQL[] {
  const same = (column: keyof NewRow) => `m.${column} IS j.value ->> '$.${column}'`;
  return chunks(read.map((memory) => toRow(tenant, "", memory))).map((rows) =>
    assertThat(sql`count(*) = ${rows.length} FROM json_each(${JSON.stringify(rows)}) j
      CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
      WHERE ${sql.raw([...CHANGED, "live" as const].map(same).join(" AND "))}`),
  );
}

const CHANGED = [
  "type",
  "content",
  "confidence",
  "importance",
  "rationale",
  "topic_key",
  "evidence",
  "properties",
] as const satisfies readonly (keyof NewRow)[];

/** What differs between the two, as statements. Accesses are added, because a recall may count one at the same time. */
export function changeStatements(tenant: string, { before, after, identity }: Change): SQL[] {
  const rewritten = propertiesThatLoseValues(before, after);
  const was = new Map(toTriples(before).map((triple) => [keyOf(triple), triple]));
  const is = new Map(toTriples(after).map((triple) => [keyOf(triple), triple]));
  const stays = (key: string, { predicate }: Triple) =>
    was.has(key) && is.has(key) && !rewritten.has(predicate.slice("jido:".length));
  const gone = [...was].flatMap(([key, triple]) => (stays(key, triple) ? [] : [triple]));
  const come = [...is].flatMap(([key, triple]) => (stays(key, triple) ? [] : [triple]));
  if (gone.length === 0 && come.length === 0) return [];
  const row = toRow(tenant, identity, { ...after, properties: inTripleOrder(before, after, rewritten) });
  const reads = before.content !== after.content || before.rationale !== after.rationale;
  return [
    ...chunks(gone).map((triples) => deleteTriples(tenant, triples)),
    ...chunks(come).map((triples) => insertTriples(tenant, triples)),
    sql`UPDATE memories SET identity = ${identity}, type = ${row.type}, content = ${row.content},
        confidence = ${row.confidence}, importance = ${row.importance}, rationale = ${row.rationale},
        topic_key = ${row.topic_key}, evidence = ${row.evidence}, properties = ${row.properties}
      WHERE tenant = ${tenant} AND id = ${row.id}`,
    ...(reads ? [indexRows(tenant, [row])] : []),
    ...(before.content !== after.content || before.type !== after.type
      ? [queueVectors(tenant, "memory", idList([row.id]))]
      : []),
  ];
}

/**
 * Properties that lose a value are written anew, all of their values. Their place among the others is that of their
 * oldest triple: if that one went and a younger one stayed, the row could not tell where the property stands now.
 */
function propertiesThatLoseValues(before: Memory, after: Memory): ReadonlySet<string> {
  const losing = Object.entries(before.properties).filter(([name, values]) =>
    values.some((value) => !after.properties[name]?.includes(value)),
  );
  return new Set(losing.map(([name]) => name));
}

/** In the order in which the triples give them back: what stays where it was, what comes behind it. */
function inTripleOrder(before: Memory, after: Memory, rewritten: ReadonlySet<string>): Memory["properties"] {
  const ordered: Memory["properties"] = Object.fromEntries(
    Object.entries(before.properties).filter(([name]) => !rewritten.has(name)),
  );
  for (const [name, values] of Object.entries(after.properties))
    ordered[name] = [...new Set([...(ordered[name] ?? []), ...values])];
  return ordered;
}

function keyOf({ predicate, object }: Triple): string {
  return `${predicate} ${object}`;
}

export function deleteTriples(tenant: string, triples: readonly Triple[]): SQL {
  const keys = triples.map(toTripleRow).map(({ subject, predicate, object, digest }) => ({
    subject,
    predicate,
    key: digest ?? object,
  }));
  return sql`DELETE FROM triples WHERE id IN (
    SELECT t.id FROM json_each(${JSON.stringify(keys)}) j CROSS JOIN triples t ON t.tenant = ${tenant}
      AND t.subject = j.value ->> '$.subject' AND t.predicate = j.value ->> '$.predicate' AND t.object_key = j.value ->> '$.key')`;
}

/** More uses of a memory, the last of them at a time: in its row and in its triples. */
export function addUses(tenant: string, id: string, { uses, last }: { uses: number; last: string }): SQL[] {
  const follow = (property: string, column: string) => sql`UPDATE triples
    SET object = (SELECT m.${sql.raw(column)} FROM memories m WHERE m.tenant = ${tenant} AND m.id = ${id})
    WHERE tenant = ${tenant} AND subject = ${instance("memory", id)} AND predicate = ${property}`;
  return [
    sql`UPDATE memories SET access_count = access_count + ${uses}, last_accessed = max(last_accessed, ${last})
      WHERE tenant = ${tenant} AND id = ${id}`,
    follow("jido:accessCount", "access_count"),
    follow("jido:lastAccessed", "last_accessed"),
  ];
}
