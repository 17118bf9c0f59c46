// Reads the records of an export kind by kind, page by page: no more than a page is held at once.

import { unwrap } from "../kernel/errors";
import type { Services } from "../services/services";
import { SESSION_KINDS } from "../sessions/session-records";
import type { RecordCursor, SessionRecords } from "../sessions/session-rpc";
import { RECORD_KINDS } from "./export-records";
import type { ExportTarget } from "./export-scope";
import type { RecordLine } from "./line-format";
import { mayHaveRecords, type StoredKind } from "./transfer-repository";

/** Returns the kinds of records that an export of this scope may have, in their order. */
export function listExportedKinds({ owner }: ExportTarget): string[] {
  return RECORD_KINDS.filter((kind) => isSessionKind(kind) || mayHaveRecords(kind, owner));
}

export async function* readRecords(
  services: Services,
  scope: ExportTarget,
): AsyncGenerator<readonly RecordLine[]> {
  for (const kind of RECORD_KINDS) {
    if (kind === "session") yield* readSessions(services, scope);
    else if (!isSessionKind(kind)) yield* readStored(services, scope, kind);
  }
}

async function* readStored(
  { store }: Services,
  { owner }: ExportTarget,
  kind: StoredKind,
): AsyncGenerator<readonly RecordLine[]> {
  if (!mayHaveRecords(kind, owner)) return;
  let page = await store.transfer.listRecords(kind, owner, null);
  yield page.records;
  while (page.next !== null) {
    page = await store.transfer.listRecords(kind, owner, page.next);
    yield page.records;
  }
}

async function* readSessions(
  { store, session, tenant }: Services,
  { owner }: ExportTarget,
): AsyncGenerator<readonly RecordLine[]> {
  let ids = await store.transfer.listSessionIds(owner, "");
  for (; ids.length > 0; ids = await store.transfer.listSessionIds(owner, ids.at(-1) ?? ""))
    for (const id of ids) {
      let cursor: RecordCursor | null = null;
      do {
        const page: SessionRecords = unwrap(await session(id).readRecords({ tenant, id }, cursor));
        yield page.records as unknown as RecordLine[];
        cursor = page.next;
      } while (cursor !== null);
    }
}

export function isSessionKind(kind: string): kind is (typeof SESSION_KINDS)[number] {
  return (SESSION_KINDS as readonly string[]).includes(kind);
}
