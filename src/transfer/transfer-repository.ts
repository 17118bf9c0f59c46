// Reads the records of an export from D1, and writes those of an import, a part in one batch.
import { type SQL, sql } from "drizzle-orm";
import { type Binding, OWNER_IDS, type Owner } from "../kernel/access";
import { readAll, retryConflicts, runBatch, splitIntoChunks } from "../kernel/databases/d1";
import { ensureTenant } from "../kernel/databases/statements";
import { declareMethods } from "../kernel/declare-methods";
import { parseJson } from "../kernel/json";
import { forgetKeys } from "../kernel/known-keys";
import { matchOwnerColumns, SESSION_OWNER } from "../kernel/match-owner";
import type { StoreContext } from "../kernel/store-context";
import type { Memory } from "../memories/memory-schemas";
import { toEntityIri } from "../ontology/entity-mapping";
import type { Triple } from "../ontology/triples";
import type { SessionKind } from "../sessions/session-records";
import type { PrivacyRules } from "../trust/privacy/privacy-policy";
import {
  type EntityRecord,
  type ExportRecord,
  type PrivacyRecord,
  RECORD_KINDS,
  type RecordKind,
} from "./export-records";
import { readSubjectPages } from "./subject-pages";
import {
  canOwnRows,
  getRowKey,
  insertTableRows,
  type RecordPlace,
  selectKnownRows,
  selectTablePage,
  type TableKindName,
  toTableRecord,
} from "./table-kinds";
import { insertItemRecords, listItemRecords, selectKnownItems } from "./transferred-items";
import {
  insertEpisodeRecords,
  insertMemoryRecords,
  listEpisodeRecords,
  listMemoryRecords,
} from "./transferred-memories";
import {
  getEntityReference,
  insertEntityRecords,
  insertLinkRecords,
  listEntityRecords,
  listLinkRecords,
  selectKnownSubjects,
  toLinkIri,
} from "./transferred-subjects";
import {
  findVersionedMemories,
  insertVersionRecords,
  listVersionRecords,
  selectKnownVersions,
} from "./transferred-versions";

/** The kinds that D1 stores. */
export type StoredKind = Exclude<RecordKind, SessionKind>;
export type StoredRecord = ExportRecord<StoredKind>;

/** A page of records, and where the next one begins; null if there is none. */
type Page = { records: StoredRecord[]; next: RecordPlace | null };

/** Records of one page: D1 answers with about a megabyte of them. */
const PAGE_SIZE = 500;
/** Records of one page of the kinds whose records may have tens of kilobytes each. */
const LARGE_PAGE_SIZE = 20;
const LARGE_KINDS: readonly StoredKind[] = ["episode", "ledger", "skill_proposal"];

/** The kinds that a key is read with: their change is known to the next call. */
const READ_WITH_KEYS: readonly StoredKind[] = ["agent", "privacy_policy", "ontology_extension"];

export function createTransferRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, unmasked } = declareMethods(context);

  return {
    /** Returns the ids of the owner's sessions after an id, in order. */
    listSessionIds: reads(async (owner: Binding, after: string): Promise<string[]> => {
      const rows = await readAll<{ id: string }>(
        db,
        sql`SELECT s.id FROM sessions s WHERE s.tenant = ${tenant} AND s.id > ${after}
          AND ${matchOwnerColumns(owner, SESSION_OWNER)} ORDER BY s.id LIMIT ${PAGE_SIZE}`,
      );
      return rows.map(({ id }) => id);
    }),

    listRecords: reads((kind: StoredKind, owner: Binding, after: RecordPlace | null) =>
      listPage(context, kind, owner, after),
    ),

    /** Returns the owners of those of the memories that are stored, by id. */
    findMemoryOwners: reads(async (ids: readonly string[]): Promise<Map<string, Owner>> => {
      const rows = await readAll<Owner & { id: string }>(
        db,
        sql`SELECT m.id, m.user_id, m.agent_id, m.project_id FROM json_each(${JSON.stringify(ids)}) j
          CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value`,
      );
      return new Map(rows.map(({ id, ...owner }) => [id, owner]));
    }),

    /**
     * Stores the records that are not stored yet, all in one batch. `secrets` are those of webhooks, by id. Returns how many
     * of each kind there were before. The import has masked each line, so that a refusal names the line.
     */
    importAll: unmasked(
      (
        records: readonly StoredRecord[],
        secrets: ReadonlyMap<string, string>,
      ): Promise<Map<StoredKind, number>> => {
        const kinds = Map.groupBy(records, ({ kind }) => kind);
        return retryConflicts(async () => {
          const known = new Map<StoredKind, number>();
          const statements: SQL[] = [];
          const memories = await findVersionedMemories(
            context,
            (kinds.get("memory_version") ?? []) as ExportRecord<"memory_version">[],
            (kinds.get("memory") ?? []) as ExportRecord<"memory">[],
          );
          // In the order of an export, whatever that of the lines: what others rest on is stored first.
          const inOrder = [...kinds].toSorted(
            ([a], [b]) => RECORD_KINDS.indexOf(a) - RECORD_KINDS.indexOf(b),
          );
          for (const [kind, all] of inOrder) {
            const stored = new Set(
              (await readAll<{ key: string }>(db, selectKnown(tenant, kind, all))).map(({ key }) => key),
            );
            const added = all.filter((record) => !stored.has(getRecordKey(record)));
            known.set(kind, all.length - added.length);
            statements.push(
              ...(await insertRecords(tenant, kind, added, { secrets, memories, now: context.now() })),
            );
          }
          if (statements.length > 0) await runBatch(db, [ensureTenant(tenant), ...statements]);
          if (READ_WITH_KEYS.some((kind) => kinds.has(kind))) forgetKeys({ tenant });
          return known;
        });
      },
    ),
  };
}

/** Whether an owner can have records of a kind. */
export function mayHaveRecords(kind: StoredKind, owner: Binding): boolean {
  const set = OWNER_IDS.filter((id) => owner[id] !== undefined);
  if (set.length === 0) return true;
  switch (kind) {
    case "memory":
    case "memory_version":
    case "link":
    case "item":
      return true;
    case "episode":
      return owner.session_id === undefined;
    case "agent":
      return set.every((id) => id === "agent_id");
    case "project":
    case "resource":
    case "privacy_policy":
      return set.every((id) => id === "project_id");
    default:
      return canOwnRows(kind, owner);
  }
}

async function listPage(
  context: StoreContext,
  kind: StoredKind,
  owner: Binding,
  after: RecordPlace | null,
): Promise<Page> {
  const limit = LARGE_KINDS.includes(kind) ? LARGE_PAGE_SIZE : PAGE_SIZE;
  const toPage = (records: StoredRecord[], last: string | number | null): Page => ({
    records,
    next: last === null ? null : [last],
  });
  const seq = { after: after === null ? null : Number(after[0]), limit };
  const subject = { after: String(after?.[0] ?? ""), limit };
  switch (kind) {
    case "memory": {
      const { records, last } = await listMemoryRecords(context, owner, seq);
      return toPage(records, last);
    }
    case "memory_version": {
      const { records, last } = await listVersionRecords(context, owner, { after, limit });
      return { records, next: last };
    }
    case "episode": {
      const { records, last } = await listEpisodeRecords(context, owner, seq);
      return toPage(records, last);
    }
    case "item": {
      const { records, last } = await listItemRecords(context, owner, seq);
      return toPage(records, last);
    }
    case "link": {
      const { records, last } = await listLinkRecords(context, owner, subject);
      return toPage(records, last);
    }
    case "agent":
    case "project":
    case "resource": {
      const { records, last } = await listEntityRecords(context, kind, owner, subject);
      return toPage(records, last);
    }
    case "privacy_policy":
      return { records: await listPrivacyRecords(context, owner), next: null };
    default:
      return listTableRecords(context, kind, owner, { after, limit });
  }
}

async function listTableRecords(
  { db, tenant }: StoreContext,
  kind: TableKindName,
  owner: Binding,
  page: { after: RecordPlace | null; limit: number },
): Promise<Page> {
  const statement = selectTablePage(tenant, kind, owner, page);
  const rows = statement === null ? [] : await readAll<Record<string, string | number | null>>(db, statement);
  const last = rows.at(-1);
  return {
    records: rows.map((row) => toTableRecord(kind, row)),
    next: last === undefined ? null : getRowKey(kind, last),
  };
}

async function listPrivacyRecords(
  { db, tenant }: StoreContext,
  { project_id, ...others }: Binding,
): Promise<PrivacyRecord[]> {
  if (Object.values(others).some((id) => id !== undefined)) return [];
  const [row] = await readAll<{ rules: string }>(
    db,
    sql`SELECT rules FROM privacy_policies WHERE tenant = ${tenant}`,
  );
  const { tenant: own, projects = {} } = row === undefined ? {} : parseJson<Partial<PrivacyRules>>(row.rules);
  const records: PrivacyRecord[] = Object.entries(projects)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, policy]) => ({ kind: "privacy_policy", project_id: id, policy }));
  if (project_id !== undefined) return records.filter((record) => record.project_id === project_id);
  return own === undefined
    ? records
    : [{ kind: "privacy_policy", project_id: null, policy: own }, ...records];
}

/** Returns what identifies a record among those of its kind. */
export function getRecordKey(record: StoredRecord): string {
  switch (record.kind) {
    case "memory":
    case "episode":
      return record.id;
    case "memory_version":
      return JSON.stringify([record.memory_id, record.until]);
    case "item":
      return JSON.stringify([record.collection, record.key]);
    case "link":
      return toLinkIri(record);
    case "agent":
    case "project":
    case "resource":
      return toEntityIri(getEntityReference(record));
    case "privacy_policy":
      return record.project_id ?? "";
    default:
      return JSON.stringify(getRowKey(record.kind, record));
  }
}

function selectKnown(tenant: string, kind: StoredKind, records: readonly StoredRecord[]): SQL {
  const keys = records.map(getRecordKey);
  switch (kind) {
    case "memory":
    case "episode":
      return sql`SELECT m.id AS key FROM json_each(${JSON.stringify(keys)}) j
        CROSS JOIN ${sql.raw(kind === "memory" ? "memories" : "episodes")} m ON m.tenant = ${tenant} AND m.id = j.value`;
    case "memory_version":
      return selectKnownVersions(tenant, records as ExportRecord<"memory_version">[]);
    case "item":
      return selectKnownItems(tenant, records as ExportRecord<"item">[]);
    case "link":
    case "agent":
    case "project":
    case "resource":
      return selectKnownSubjects(tenant, keys);
    case "privacy_policy":
      return sql`SELECT j.key AS key FROM privacy_policies p, json_each(p.rules, '$.projects') j WHERE p.tenant = ${tenant}
        UNION ALL SELECT '' FROM privacy_policies p WHERE p.tenant = ${tenant} AND p.rules -> '$.tenant' IS NOT NULL`;
    default:
      return selectKnownRows(tenant, kind, records);
  }
}

async function insertRecords(
  tenant: string,
  kind: StoredKind,
  records: readonly StoredRecord[],
  {
    secrets,
    memories,
    now,
  }: { secrets: ReadonlyMap<string, string>; memories: ReadonlyMap<string, Memory>; now: string },
): Promise<SQL[]> {
  if (records.length === 0) return [];
  switch (kind) {
    case "memory":
      return insertMemoryRecords(tenant, records as ExportRecord<"memory">[]);
    case "memory_version":
      return insertVersionRecords(tenant, records as ExportRecord<"memory_version">[], memories);
    case "episode":
      return insertEpisodeRecords(tenant, records as ExportRecord<"episode">[]);
    case "item":
      return insertItemRecords(tenant, records as ExportRecord<"item">[]);
    case "link":
      return insertLinkRecords(tenant, records as ExportRecord<"link">[]);
    case "agent":
    case "project":
    case "resource":
      return insertEntityRecords(tenant, records as EntityRecord[]);
    case "privacy_policy":
      return insertPrivacyRecords(tenant, records as PrivacyRecord[], now);
    case "webhook": {
      const rows = (records as ExportRecord<"webhook">[]).map((record) => ({
        ...record,
        secret: secrets.get(record.id),
      }));
      return [insertTableRows(tenant, kind, rows, ["secret"])];
    }
    default:
      return insertChunks(tenant, kind, records);
  }
}

function insertChunks(tenant: string, kind: TableKindName, records: readonly StoredRecord[]): SQL[] {
  return splitIntoChunks(records).map((chunk) => insertTableRows(tenant, kind, chunk));
}

function insertPrivacyRecords(tenant: string, records: readonly PrivacyRecord[], now: string): SQL[] {
  const own = records.find(({ project_id }) => project_id === null);
  const projects = Object.fromEntries(
    records.flatMap(({ project_id, policy }) => (project_id === null ? [] : [[project_id, policy]])),
  );
  const rules = JSON.stringify({ ...(own !== undefined && { tenant: own.policy }), projects });
  return [
    sql`INSERT INTO privacy_policies (tenant, rules, updated_at) VALUES (${tenant}, ${rules}, ${now})
      ON CONFLICT DO UPDATE SET rules = json_patch(rules, excluded.rules), updated_at = excluded.updated_at`,
  ];
}

// Subjects of the graph for exports and imports, with their statements.

export function createSubjectRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  return {
    /** Returns the subjects of an owner with their statements, page by page. */
    readPages: reads((owner: Binding) => readSubjectPages(context, owner)),

    /** Returns the stored triples of subjects. */
    findTriples: reads(async (subjects: readonly string[]): Promise<Triple[]> => {
      const triples: Triple[] = [];
      for (const chunk of splitIntoChunks(subjects.map((subject) => ({ subject }))))
        triples.push(
          ...(await readAll<Triple>(
            db,
            sql`SELECT t.subject, t.predicate, t.object, t.datatype FROM json_each(${JSON.stringify(chunk)}) j
              CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value ->> '$.subject' ORDER BY j.key, t.position`,
          )),
        );
      return triples;
    }),
  };
}
