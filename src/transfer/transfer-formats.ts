// The formats of exports and imports: the one place that knows which function writes and reads each of them.

import { failure } from "../kernel/errors";
import type { Services } from "../services/services";
import type { RecordRules } from "./check-records";
import type { ExportTarget } from "./export-scope";
import { importLines } from "./import-lines";
import { exportGraph } from "./rdf/export-graph";
import { importGraph } from "./rdf/import-graph";
import { exportLines } from "./read-records";
import { type ImportAnswer, TRANSFER_FORMATS, TRANSFER_TYPES, type TransferFormat } from "./transfer-request";

/** The formats that are written and read, the default first. */
export const SUPPORTED_FORMATS = TRANSFER_FORMATS;

export const SUPPORTED_TYPES: readonly string[] = SUPPORTED_FORMATS.map((format) => TRANSFER_TYPES[format]);

/** Returns the format of a media type. */
export function findFormat(type: string): TransferFormat | undefined {
  return SUPPORTED_FORMATS.find((format) => TRANSFER_TYPES[format] === type);
}

export async function exportAs(
  services: Services,
  scope: ExportTarget,
  format: TransferFormat,
): Promise<ReadableStream<Uint8Array>> {
  // Counts of use are exported from D1, so that those on their way go there first.
  if (!(await services.usageLog.flush()))
    throw failure("unavailable", "The counts of use could not be read. Send the same call again.", {
      retryAfterSeconds: 1,
    });
  return format === "jsonl" ? exportLines(services, scope) : exportGraph(services, scope, format);
}

export function importAs(
  services: Services,
  { format, data }: { format: TransferFormat; data: string },
  rules: RecordRules,
): Promise<ImportAnswer> {
  return format === "jsonl" ? importLines(services, data, rules) : importGraph(services, data, format);
}
