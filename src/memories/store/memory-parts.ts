// Turns that are longer than a memory. They are stored as parts: memories that share the turn's id, are written in one
// batch, and are forgotten and erased together.
import { type SQL, sql } from "drizzle-orm";
import { countCodePoints } from "../../kernel/common";
import { readAll } from "../../kernel/databases/d1";
import { sha256Hex } from "../../kernel/hash";
import { LIMITS } from "../../kernel/limits";
import type { StoreContext } from "../../kernel/store-context";
import { normaliseContent, splitText } from "../../language/normalise-text";
import type { Memory, NewMemory } from "../memory-schemas";
import { selectMemoryRow } from "../usage/usage-counts";
import { getMemoryScope } from "./memory-id";
import { fromMemoryRow, type MemoryRow } from "./memory-mapping";

/** Splits a captured turn into the memories that hold it. Any other memory stays whole. */
export async function splitIntoParts(memory: NewMemory): Promise<[NewMemory, ...NewMemory[]]> {
  const { content, properties } = memory;
  const isTurn = properties.entrySource?.[0] === "conversation";
  if (!isTurn || countCodePoints(content) <= LIMITS.contentChars) return [memory];
  // Derived from the content, so that the same turn, captured again, is the same memories.
  const turn = (await sha256Hex(normaliseContent(content))).slice(0, 32);
  const [first = "", ...rest] = splitText(content, LIMITS.contentChars);
  const toPart = (text: string, number: number) => ({
    ...memory,
    content: text,
    properties: { ...properties, entryTurn: [turn], entryPart: [`${number}/${rest.length + 1}`] },
  });
  return [toPart(first, 1), ...rest.map((text, index) => toPart(text, index + 2))];
}

/** The expression is that of the partial index `memories_by_turn`: SQLite uses it only for the same text. */
const TURN = sql.raw("properties ->> '$.entryTurn[0]'");

/** Matches a row `m` that is a whole memory, or the first part of one. */
export const IS_FIRST_PART = sql.raw(
  "coalesce(substr(m.properties ->> '$.entryPart[0]', 1, 2), '1/') = '1/'",
);

/** Matches a row `m` that is a whole memory. */
export const IS_WHOLE = sql.raw("m.properties ->> '$.entryTurn[0]' IS NULL");

/** Selects the ids of a memory and of the other parts of its turn that are live, or were forgotten, with it. */
export function selectWithParts(tenant: string, id: string): SQL {
  return sql`SELECT id FROM memories WHERE tenant = ${tenant} AND id = ${id}
    UNION SELECT p.id FROM memories m CROSS JOIN memories p INDEXED BY memories_by_turn
      ON p.tenant = m.tenant AND p.${TURN} = m.${TURN} AND p.scope = m.scope AND p.user_id IS m.user_id
        AND p.live = m.live AND p.forgotten_at IS m.forgotten_at
    WHERE m.tenant = ${tenant} AND m.id = ${id} AND p.${TURN} IS NOT NULL`;
}

/** Returns the live parts of the turns that these memories are parts of, in order, by the id of each part. */
export async function findParts(
  { db, tenant }: StoreContext,
  memories: readonly Memory[],
): Promise<Map<string, Memory[]>> {
  const turns = [...new Set(memories.flatMap(({ properties }) => properties.entryTurn ?? []))];
  if (turns.length === 0) return new Map();
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT ${selectMemoryRow("m")} FROM json_each(${JSON.stringify(turns)}) j CROSS JOIN memories m INDEXED BY memories_by_turn
      ON m.tenant = ${tenant} AND m.${TURN} = j.value WHERE m.${TURN} IS NOT NULL AND m.live = 1`,
  );
  const captures = Map.groupBy(rows.map(fromMemoryRow), identifyCapture);
  return new Map(
    [...captures.values()].flatMap((parts) => {
      const ordered = parts.toSorted((a, b) => getPartNumber(a) - getPartNumber(b));
      return ordered.map(({ id }) => [id, ordered] as const);
    }),
  );
}

/** The same turn may be live in several namespaces, and in one of them for several users. */
function identifyCapture(memory: Memory): string {
  return JSON.stringify([memory.properties.entryTurn, getMemoryScope(memory), memory.user_id]);
}

function getPartNumber({ properties }: Memory): number {
  return Number.parseInt(properties.entryPart?.[0] ?? "1", 10);
}
