// Streams records as JSON lines, a page at a time: a header, a record a line, and an end line with counts and a digest.
import { VERSION } from "../kernel/version";
import type { Services } from "../services/services";
import type { ExportTarget } from "./export-scope";
import {
  createDigest,
  type ExportEnd,
  type ExportHeader,
  LEFT_OUT,
  LINES_FORMAT,
  streamBytes,
} from "./line-format";
import { listExportedKinds, readRecords } from "./read-records";

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
