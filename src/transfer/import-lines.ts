// Imports a part of an export in JSON lines. All of it is checked before anything is stored; what is there stays as it
// is, so that a part can be sent again.
import { unwrap } from "../kernel/errors";
import { randomHex } from "../kernel/hash";
import type { JsonObject } from "../kernel/json";
import type { Services } from "../services/services";
import { type CheckedOwners, checkOwners } from "./check-owners";
import { checkRecords, type RecordRules } from "./check-records";
import type { ExportRecord } from "./export-records";
import { checkEach, type NumberedRecord, readImportLines, refuseLine } from "./read-lines";
import { isSessionKind } from "./read-records";
import { getRecordKey, type StoredRecord } from "./transfer-repository";
import type { ImportAnswer } from "./transfer-request";

export async function importLines(
  services: Services,
  text: string,
  rules: RecordRules,
): Promise<ImportAnswer> {
  const read = readImportLines(text);
  refuseDuplicates(read);
  const owners = await checkOwners(services, read);
  await checkRecords(services, read, rules);
  const cleaned: ExportRecord[] = [];
  await checkEach(read, (record) => void cleaned.push(cleanRecord(services, record, owners)));
  const counts = new ImportCounts();
  await storeRecords(services, await endKnownExtensions(services, cleaned), counts);
  services.later(services.indexing.wake());
  return { imported: counts.list() };
}

/** Counts the records of an import by kind. */
export class ImportCounts {
  readonly #counts: ImportAnswer["imported"] = {};

  add(kind: string, { added = 0, known = 0, changed = 0 }): void {
    if (added + known + changed === 0) return;
    const before = this.#counts[kind] ?? { added: 0, known: 0 };
    this.#counts[kind] = {
      added: before.added + added,
      known: before.known + known,
      ...(changed > 0 && { changed }),
    };
  }

  list(): ImportAnswer["imported"] {
    return this.#counts;
  }
}

/** Stores the records that are not stored yet. They are checked, and have passed the privacy gate. */
export async function storeRecords(
  services: Services,
  records: readonly ExportRecord[],
  counts: ImportCounts,
): Promise<void> {
  // Sessions first: a memory is indexed with the message that it rests on.
  await importSessions(
    services,
    records.filter(({ kind }) => isSessionKind(kind)),
    counts,
  );
  const stored = records.filter((record): record is StoredRecord => !isSessionKind(record.kind));
  if (stored.length === 0) return;
  const known = await services.store.transfer.importAll(stored, createSecrets(stored));
  for (const [kind, all] of Map.groupBy(stored, (record) => record.kind)) {
    const there = known.get(kind) ?? 0;
    counts.add(kind, { added: all.length - there, known: there });
  }
}

/** Two lines of one record would be one record, and which of them it is would depend on their order. */
function refuseDuplicates(records: readonly NumberedRecord[]): void {
  const seen = new Map<string, number>();
  for (const { line, record } of records) {
    const key = `${record.kind} ${getIdentity(record)}`;
    const earlier = seen.get(key);
    if (earlier !== undefined)
      throw refuseLine(line, "kind", `is the same ${record.kind} as on line ${earlier}: remove one of them`);
    seen.set(key, line);
  }
}

function getIdentity(record: ExportRecord): string {
  if (record.kind === "session") return record.id;
  if (!isSessionKind(record.kind)) return getRecordKey(record as StoredRecord);
  const { session_id, seq, key, store, name, id } = record as unknown as JsonObject;
  return JSON.stringify([
    session_id,
    seq ?? id ?? name ?? key ?? null,
    store === undefined ? null : [store, key],
  ]);
}

/** The window and the thread of a session keep what was said; terms and addresses would be others if they were masked. */
const UNMASKED = ["message", "thread_entry", "signal", "directive", "ontology_extension", "webhook"];

/** Returns a record as the privacy gate stores it. Throws if the policy refuses it. */
export function cleanRecord(
  { gate }: Services,
  record: ExportRecord,
  owners: CheckedOwners = { memories: new Map(), sessionProjects: new Map() },
): ExportRecord {
  if (UNMASKED.includes(record.kind)) return record;
  const projectId = findProject(owners, record);
  if (record.kind !== "item") return gate.clean(record, projectId);
  // An embedding is not text.
  const { embedding, ...item } = record;
  return { ...gate.clean(item, projectId), embedding };
}

/** Returns the project whose privacy policy holds for a record. */
function findProject({ memories, sessionProjects }: CheckedOwners, record: ExportRecord): string | null {
  if (record.kind === "memory_version") return memories.get(record.memory_id)?.project_id ?? null;
  if ("project_id" in record) return record.project_id;
  return "session_id" in record ? (sessionProjects.get(record.session_id ?? "") ?? null) : null;
}

/** A version of an extension that holds in the tenant keeps holding. */
async function endKnownExtensions(services: Services, records: ExportRecord[]): Promise<ExportRecord[]> {
  if (!records.some(({ kind }) => kind === "ontology_extension")) return records;
  const documents = await services.store.extensions.listDocuments();
  const names = new Set(documents.map(({ name }) => name));
  return records.map((record) =>
    record.kind === "ontology_extension" && names.has(record.name) ? { ...record, current: false } : record,
  );
}

async function importSessions(
  { tenant, session }: Services,
  records: readonly ExportRecord[],
  counts: ImportCounts,
): Promise<void> {
  const sessions = Map.groupBy(records, (record) =>
    record.kind === "session" ? record.id : (record as { session_id: string }).session_id,
  );
  for (const [id, own] of sessions) {
    const { added } = unwrap(await session(id).importRecords({ tenant, id }, own as unknown as JsonObject[]));
    for (const [kind, all] of Map.groupBy(own, (record) => record.kind))
      counts.add(kind, { added: added[kind] ?? 0, known: all.length - (added[kind] ?? 0) });
  }
}

function createSecrets(records: readonly StoredRecord[]): Map<string, string> {
  return new Map(
    records.flatMap((record) =>
      record.kind === "webhook" ? [[record.id, `whsec_${randomHex(32)}`] as const] : [],
    ),
  );
}
