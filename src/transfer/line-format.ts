// The frame of an export in JSON lines: its header, its end line, and the digest of the lines between.
import { createHash } from "node:crypto";
import type { Scope } from "../kernel/common";
import { VERSION } from "../kernel/version";
import type { Services } from "../services/services";
import type { ExportTarget } from "./export-scope";
import { listExportedKinds, readRecords } from "./read-records";

/** Incremented when an older version could misread a newer file. Format 1 is that of earlier versions of `kioku export`. */
export const LINES_FORMAT = 2;

/** What no export has. */
export const LEFT_OUT = ["keys", "secrets", "audit log", "vectors"] as const;

export type ExportHeader = {
  kind: "kioku";
  format: typeof LINES_FORMAT;
  version: string;
  exported_at: string;
  scope: Scope;
  /** The id of the owner; null for the tenant. */
  id: string | null;
  /** The kinds of records that the export may have, in their order. */
  contains: string[];
  leaves_out: string[];
};

export type RecordLine = { kind: string };

/** The last line: a file without it is cut off. */
export type ExportEnd = { kind: "end"; lines: number; counts: Record<string, number>; digest: string };

/** Computes the digest of lines as they come: SHA-256 of their UTF-8, each with its line feed. */
export function createDigest(): { add(text: string): void; finish(): string } {
  const hash = createHash("sha256");
  return {
    add: (text) => void hash.update(text),
    finish: () => `sha256-${hash.digest("hex")}`,
  };
}

/** Returns a stream that takes the next bytes when its reader asks for them. */
export function streamBytes(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
}

// Streams records as JSON lines, a page at a time: a header, a record a line, and an end line with counts and a digest.

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
