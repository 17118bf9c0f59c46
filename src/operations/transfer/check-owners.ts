// Whose the records of an import are: sessions that they belong to exist, and a key that is bound to an owner imports
// records of that owner alone.
import { type Binding, isBound, isWithinBinding } from "../../domain/binding";
import { type LastingOwner, NO_LASTING_OWNER } from "../../domain/reach";
import { unwrap } from "../../platform/errors";
import type { ExportRecord } from "../../schemas/transfer/export-records";
import { toEvidenceIri, toInstanceIri } from "../../store/triples/triples";
import type { Services } from "../services";
import { type NumberedRecord, refuseLine } from "./read-lines";
import { isSessionKind } from "./read-records";

/** The owners of the memories that versions are of, by id. */
export type MemoryOwners = ReadonlyMap<string, LastingOwner>;

/** Throws if a record may not be the caller's. Returns the owners of the memories that versions are of. */
export async function checkOwners(
  services: Services,
  records: readonly NumberedRecord[],
): Promise<MemoryOwners> {
  await checkSessions(services, records);
  const owners = await checkVersioned(services, records);
  if (!isBound(services.binding)) return owners;
  for (const { line, record } of records)
    if (!isSessionKind(record.kind) || record.kind === "session") checkOwner(services.binding, line, record);
  await checkEnds(services, records);
  return owners;
}

/** Versions follow their memory, in this part or before it. A memory that is stored keeps its owner. */
async function checkVersioned(
  { store, binding }: Services,
  records: readonly NumberedRecord[],
): Promise<MemoryOwners> {
  const ids = new Set(
    records.flatMap(({ record }) => (record.kind === "memory_version" ? record.memory_id : [])),
  );
  const owners = ids.size === 0 ? new Map() : await store.transfer.findMemoryOwners([...ids]);
  for (const { line, record } of records) {
    if (record.kind === "memory" && !owners.has(record.id)) owners.set(record.id, record);
    if (record.kind !== "memory_version") continue;
    const owner = owners.get(record.memory_id);
    if (owner === undefined || !isWithinBinding(binding, owner))
      throw refuseLine(line, "memory_id", `there is no memory ${record.memory_id}: its own line comes first`);
  }
  return owners;
}

/** Records of a session follow that of the session itself, in this part or before it. */
async function checkSessions(services: Services, records: readonly NumberedRecord[]): Promise<void> {
  const { tenant, session, binding } = services;
  const inPart = new Set<string>();
  const known = new Set<string>();
  for (const { line, record } of records) {
    if (record.kind === "session") inPart.add(record.id);
    const id = getSessionId(record);
    if (id === null || inPart.has(id) || known.has(id)) continue;
    const settings = unwrap(await session(id).getSettings({ tenant, id }));
    if (settings !== null && !isWithinBinding(binding, settings)) throw refuseOwner(line, "session_id");
    if (settings === null && isSessionKind(record.kind))
      throw refuseLine(line, "session_id", `there is no session ${id}: its own line comes first`);
    known.add(id);
  }
  if (!isBound(binding)) return;
  // A session of another owner that exists would get its records.
  for (const { line, record } of records)
    if (record.kind === "session") {
      const { id } = record;
      const settings = unwrap(await session(id).getSettings({ tenant, id }));
      if (settings !== null && !isWithinBinding(binding, settings)) throw refuseOwner(line, "id");
    }
}

function getSessionId(record: ExportRecord): string | null {
  return "session_id" in record ? record.session_id : null;
}

function checkOwner(binding: Binding, line: number, record: ExportRecord): void {
  // Their sessions, ends and memories are checked.
  if (["link", "quotation", "memory_version"].includes(record.kind)) return;
  if (record.kind === "item" && record.session_id !== null) return;
  const owner = getOwner(record);
  if (owner === null || !isWithinBinding(binding, owner)) throw refuseOwner(line, "kind");
}

/** Returns the owner of a record; null if it is the tenant's. */
function getOwner(record: ExportRecord): LastingOwner | null {
  switch (record.kind) {
    case "session":
    case "memory":
      return record;
    case "episode":
      return { ...record, agent_id: record.agent };
    case "ledger":
    case "policy":
      return { ...NO_LASTING_OWNER, agent_id: record.agent_id };
    case "handoff":
      return { ...NO_LASTING_OWNER, agent_id: record.from_agent, project_id: record.project_id };
    case "agent":
      return { ...NO_LASTING_OWNER, agent_id: record.id };
    case "project":
      return { ...NO_LASTING_OWNER, project_id: record.id };
    case "resource":
      return { ...NO_LASTING_OWNER, project_id: record.properties.partOfProject?.[0] ?? null };
    case "briefing_count":
    case "skill_proposal":
      return { ...NO_LASTING_OWNER, ...record };
    default:
      return null;
  }
}

/** The ends of links and relations are the owner's, in this part or stored before. */
async function checkEnds({ store, binding }: Services, records: readonly NumberedRecord[]): Promise<void> {
  const inPart = new Set(
    records.flatMap(({ record }) => {
      if (record.kind === "memory") return [toInstanceIri("memory", record.id)];
      return record.kind === "episode" ? [toEvidenceIri(record.id)] : [];
    }),
  );
  const ends = records.flatMap(({ line, record }) => {
    if (record.kind === "link") return [record.from, record.to].map((to) => ({ line, to }));
    return "relations" in record ? record.relations.map(({ to }) => ({ line, to })) : [];
  });
  const outside = ends.filter(({ to }) => !inPart.has(to));
  const owned = await store.transfer.findOwnedEnds(
    outside.map(({ to }) => to),
    binding,
  );
  const foreign = outside.find(({ to }) => !owned.has(to));
  if (foreign !== undefined) throw refuseOwner(foreign.line, "to");
}

function refuseOwner(line: number, path: string) {
  return refuseLine(
    line,
    path,
    "is not of the owner that this key is bound to: import it with a key of the tenant",
    "forbidden",
  );
}
