// Reads the records of an export kind by kind, page by page: no more than a page is held at once.

import { unwrap } from "../kernel/errors";
import { VERSION } from "../kernel/version";
import type { Services } from "../services/services";
import { SESSION_KINDS } from "../sessions/session-records";
import type { RecordCursor, SessionRecords } from "../sessions/session-rpc";
import { RECORD_KINDS } from "./export-records";
import type { ExportTarget } from "./export-scope";
import {
  createDigest,
  type ExportEnd,
  type ExportHeader,
  LEFT_OUT,
  LINES_FORMAT,
  type RecordLine,
  streamBytes,
} from "./line-format";
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

export function exportLines(services: Services, scope: ExportTarget): ReadableStream<Uint8Array> {
  return streamBytes(writeLines(services, scope));
}

async function* writeLines(services: Services, scope: ExportTarget): AsyncGenerator<Uint8Array> {
  const { scope: name, id } = scope;
  const header: ExportHeader = {
    kind: "kioku",
    format: LINES_FORMAT,
    version: VERSION,
    exported_at: new Date(services.now()).toISOString(),
    scope: name,
    id,
    contains: listExportedKinds(scope),
    leaves_out: [...LEFT_OUT],
  };
  const encoder = new TextEncoder();
  yield encoder.encode(`${JSON.stringify(header)}\n`);
  const digest = createDigest();
  const counts: Record<string, number> = {};
  let lines = 0;
  for await (const page of readRecords(services, scope)) {
    if (page.length === 0) continue;
    const text = page.map((record) => `${JSON.stringify(record)}\n`).join("");
    digest.add(text);
    for (const { kind } of page) counts[kind] = (counts[kind] ?? 0) + 1;
    lines += page.length;
    yield encoder.encode(text);
  }
  const end: ExportEnd = { kind: "end", lines, counts, digest: digest.finish() };
  yield encoder.encode(`${JSON.stringify(end)}\n`);
}
