// The formats of exports and imports: the one place that knows which function writes and reads each of them.
import { FailureError, failure, invalidField } from "../../platform/errors";
import {
  type ImportAnswer,
  TRANSFER_TYPES,
  type TransferFormat,
} from "../../schemas/transfer/transfer-request";
import type { Services } from "../services";
import type { RecordRules } from "./check-records";
import { exportLines } from "./export-lines";
import type { ExportScope } from "./export-scope";
import { importLines } from "./import-lines";

/** The formats that are written and read, the default first. */
export const SUPPORTED_FORMATS = ["jsonl"] as const satisfies readonly TransferFormat[];

export const SUPPORTED_TYPES: readonly string[] = SUPPORTED_FORMATS.map((format) => TRANSFER_TYPES[format]);

/** Returns the format of a media type. */
export function findFormat(type: string): TransferFormat | undefined {
  return SUPPORTED_FORMATS.find((format) => TRANSFER_TYPES[format] === type);
}

export async function exportAs(
  services: Services,
  scope: ExportScope,
  format: TransferFormat,
): Promise<ReadableStream<Uint8Array>> {
  // Counts of use are exported from D1, so that those on their way go there first.
  if (!(await services.usageLog.flush()))
    throw failure("unavailable", "The counts of use could not be read. Send the same call again.", {
      retryAfterSeconds: 1,
    });
  switch (format) {
    case "jsonl":
      return exportLines(services, scope);
    default:
      throw failure(
        "not_acceptable",
        `format: ${format} is not written. Ask for ${SUPPORTED_FORMATS.join(", ")}.`,
      );
  }
}

export async function importAs(
  services: Services,
  { format, data }: { format: TransferFormat; data: string },
  rules: RecordRules,
): Promise<ImportAnswer> {
  switch (format) {
    case "jsonl":
      return importLines(services, data, rules);
    default:
      throw new FailureError(
        invalidField("format", `${format} is not read: send ${SUPPORTED_FORMATS.join(", ")}`).failure,
      );
  }
}
