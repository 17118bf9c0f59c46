// What the records of an import belong to: their sessions and memories exist, or come before them.
import type { Owner } from "../kernel/access";
import { unwrap } from "../kernel/errors";
import type { Services } from "../services/services";
import type { ExportRecord } from "./export-records";
import { type NumberedRecord, refuseLine } from "./read-lines";
import { isSessionKind } from "./read-records";

/** By id: the owners of the memories that versions are of, and the projects of the sessions that records are of. */
export type CheckedOwners = {
  memories: ReadonlyMap<string, Owner>;
  sessionProjects: ReadonlyMap<string, string | null>;
};

/** Throws if a record belongs to a session or a memory that does not exist. Returns the owners of those that do. */
export async function checkOwners(
  services: Services,
  records: readonly NumberedRecord[],
): Promise<CheckedOwners> {
  const sessionProjects = await checkSessions(services, records);
  await checkMessageOrder(services, records);
  return { memories: await checkVersioned(services, records), sessionProjects };
}

/** Versions follow their memory, in this part or before it. A memory that is stored keeps its owner. */
async function checkVersioned(
  { store }: Services,
  records: readonly NumberedRecord[],
): Promise<Map<string, Owner>> {
  const ids = new Set(
    records.flatMap(({ record }) => (record.kind === "memory_version" ? record.memory_id : [])),
  );
  const owners = ids.size === 0 ? new Map() : await store.transfer.findMemoryOwners([...ids]);
  for (const { line, record } of records) {
    if (record.kind === "memory" && !owners.has(record.id)) owners.set(record.id, record);
    if (record.kind === "memory_version" && !owners.has(record.memory_id))
      throw refuseLine(line, "memory_id", `there is no memory ${record.memory_id}: its own line comes first`);
  }
  return owners;
}

/**
 * Records of a session follow that of the session itself, in this part or before it. A session that is stored keeps its
 * project. Returns the projects of the sessions.
 */
async function checkSessions(
  { tenant, session }: Services,
  records: readonly NumberedRecord[],
): Promise<Map<string, string | null>> {
  const projects = new Map<string, string | null>();
  for (const { line, record } of records) {
    const id = getSessionId(record);
    if (id === null || projects.has(id)) continue;
    const settings = unwrap(await session(id).getSettings({ tenant, id }));
    const stated = record.kind === "session" ? record : null;
    if (settings === null && stated === null && isSessionKind(record.kind))
      throw refuseLine(line, "session_id", `there is no session ${id}: its own line comes first`);
    // A memory may come before its session, or without it.
    if (settings !== null || stated !== null) projects.set(id, (settings ?? stated)?.project_id ?? null);
  }
  return projects;
}

/** Messages are numbered without gaps: each is stored already, or follows the last one. */
async function checkMessageOrder(
  { tenant, session }: Services,
  records: readonly NumberedRecord[],
): Promise<void> {
  const last = new Map<string, number>();
  for (const { line, record } of records) {
    if (record.kind !== "message") continue;
    const { session_id: id, seq } = record;
    const before = last.get(id) ?? unwrap(await session(id).findLastSeq({ tenant, id }));
    if (seq > before + 1)
      throw refuseLine(
        line,
        "seq",
        `must be ${before + 1}, which follows the last message: add those before`,
      );
    last.set(id, Math.max(before, seq));
  }
}

function getSessionId(record: ExportRecord): string | null {
  if (record.kind === "session") return record.id;
  return isSessionKind(record.kind) || record.kind === "item"
    ? (record as { session_id: string | null }).session_id
    : null;
}
