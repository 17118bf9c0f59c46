// Finds the sources of what a memory rests on: the memories and messages that its evidence names.
import { type SQL, sql } from "drizzle-orm";
import { ID_PATTERN, SOURCE_TYPES, type SourceType } from "../../kernel/common";
import { runBatch, splitIntoChunks } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import type { StoreContext } from "../../kernel/store-context";
import { limitSourceRank, outranks, toMessageSource } from "../../trust/source-rank";
import type { NewMemory } from "../memory-schemas";
import { ROLES, type Role } from "../message-schemas";

/** Begins evidence that names a memory by its id. */
export const MEMORY_PREFIX = "memory:";
const MESSAGE_PREFIX = "message:";

/** A statement with the source that it claims, and what it rests on. */
export type RankedStatement = Pick<NewMemory, "session_id" | "source_type" | "evidence"> & {
  /** Sources that it rests on besides its evidence: those of messages that only their session has yet. */
  restsOn?: readonly SourceType[];
};

/** Ids in evidence. An id without a prefix names a memory, or a message of the memory's own session. */
type EvidenceIds = { memories: string[]; messages: { id: string; session_id: string | null }[] };

type SaidMessage = { id: string; session_id: string; role: Role };

/** Returns the id of the message that evidence names; null if it names anything else. */
export function parseMessageReference(reference: string): string | null {
  const id = reference.startsWith(MESSAGE_PREFIX) ? reference.slice(MESSAGE_PREFIX.length) : reference;
  return ID_PATTERN.test(id) ? id : null;
}

function parseEvidence({ evidence, session_id }: RankedStatement): EvidenceIds {
  const ids: EvidenceIds = { memories: [], messages: [] };
  for (const reference of evidence) {
    const isMessage = reference.startsWith(MESSAGE_PREFIX);
    const memory = reference.startsWith(MEMORY_PREFIX) ? reference.slice(MEMORY_PREFIX.length) : reference;
    const message = parseMessageReference(reference);
    if (!isMessage && ID_PATTERN.test(memory)) ids.memories.push(memory);
    if (message !== null && (isMessage || session_id !== null))
      ids.messages.push({ id: message, session_id });
  }
  return ids;
}

/**
 * Returns the source of each statement, limited to the rank of the memories and messages that it rests on. Reads nothing
 * without evidence.
 */
export async function limitSourceRanks(
  { db, tenant, ranks }: StoreContext,
  statements: readonly RankedStatement[],
): Promise<SourceType[]> {
  const named = statements.map(parseEvidence);
  const memoryIds = [...new Set(named.flatMap((ids) => ids.memories))].map((id) => ({ id }));
  const messageIds = named.flatMap((ids) => ids.messages);
  const limit = ({ source_type, restsOn = [] }: RankedStatement, found: readonly SourceType[]) =>
    limitSourceRank(ranks, source_type, [...restsOn, ...found]);
  if (memoryIds.length === 0 && messageIds.length === 0) return statements.map((one) => limit(one, []));
  // A pattern may rest on thousands of episodes, whose ids look like any others.
  const memoryReads = splitIntoChunks(memoryIds).map(
    (chunk) => sql`SELECT m.id, m.source_type FROM json_each(${JSON.stringify(chunk)}) j CROSS JOIN memories m
      ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'`,
  );
  const messageReads = splitIntoChunks(messageIds).map(
    (chunk) => sql`SELECT DISTINCT m.id, m.session_id, m.role FROM json_each(${JSON.stringify(chunk)}) j
      CROSS JOIN messages m ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
      WHERE j.value ->> '$.session_id' IS NULL OR m.session_id = j.value ->> '$.session_id'`,
  );
  const results = await runBatch(db, [...memoryReads, ...messageReads]);
  const found = results.slice(0, memoryReads.length).flat() as { id: string; source_type: SourceType }[];
  const said = results.slice(memoryReads.length).flat() as SaidMessage[];
  const sources = new Map(found.map(({ id, source_type }) => [id, source_type]));
  return statements.map((statement, i) => {
    const ids = named[i] ?? { memories: [], messages: [] };
    return limit(statement, [
      ...ids.memories.flatMap((id) => sources.get(id) ?? []),
      ...said
        .filter(({ id, session_id }) =>
          ids.messages.some((one) => one.id === id && (one.session_id ?? session_id) === session_id),
        )
        .map(({ role }) => toMessageSource(role)),
    ]);
  });
}

/** Aborts the batch if a statement outranks something that it rests on, which has changed since `limitSourceRanks`. */
export function assertSourceRanks(
  { tenant, ranks }: StoreContext,
  statements: readonly RankedStatement[],
): SQL[] {
  const named = statements.flatMap((statement) => {
    const sources = SOURCE_TYPES.filter((source) => outranks(ranks, statement.source_type, source));
    const roles = ROLES.filter((role) => sources.includes(toMessageSource(role)));
    return sources.length === 0 ? [] : [{ ...parseEvidence(statement), sources, roles }];
  });
  const lowerMemories = named.flatMap((rest) => rest.memories.map((id) => ({ id, lower: rest.sources })));
  const lowerMessages = named.flatMap((rest) =>
    rest.messages.map((message) => ({ ...message, lower: rest.roles })),
  );
  const isLower = (column: string) =>
    sql`${sql.raw(column)} IN (SELECT value FROM json_each(j.value -> '$.lower'))`;
  return [
    ...splitIntoChunks(lowerMemories).map((chunk) =>
      assertThat(sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(chunk)}) j CROSS JOIN memories m
        ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id' WHERE ${isLower("m.source_type")})`),
    ),
    ...splitIntoChunks(lowerMessages).map((chunk) =>
      assertThat(sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(chunk)}) j CROSS JOIN messages m
        ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id' WHERE ${isLower("m.role")}
        AND (j.value ->> '$.session_id' IS NULL OR m.session_id = j.value ->> '$.session_id'))`),
    ),
  ];
}
