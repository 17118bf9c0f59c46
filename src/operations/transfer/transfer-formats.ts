// The formats of exports and imports: the one place that knows which function writes and reads each of them.
import { FailureError, failure, invalidField } from "../../platform/errors";
import { type ImportAnswer, TRANSFER_TYPES, type TransferFormat } from "../../schemas/transfer/transfer-request";
import type { Services } from "../services";
import { exportLines } from "./export-lines";
import type { ExportScope } from "./export-scope";

/** The formats that are written and read, the default first. */
export const SUPPORTED_FORMATS = ["jsonl"] as const satisfies readonly TransferFormat[];

export const SUPPORTED_TYPES: readonly string[] = SUPPORTED_FORMATS.map((format) => TRANSFER_TYPES[format]);

/** Returns the format of a media type. */
export function findFormat(type: string): TransferFormat | undefined {
  return SUPPORTED_FORMATS.find((format) => TRANSFER_TYPES[format] === type);
}

export function exportAs(
  services: Services,
  scope: ExportScope,
  format: TransferFormat,
): ReadableStream<Uint8Array> {
  switch (format) {
    case "jsonl":
      return exportLines(services, scope);
    default:
      throw failure("not_acceptable", `format: ${format} is not written. Ask for ${SUPPORTED_FORMATS.join(", ")}.`);
  }
}

/** `isAdmin` tells whether the key may administer: policies and webhooks are imported for such a key alone. */
export async function importAs(
  _services: Services,
  _text: string,
  { format }: { format: TransferFormat; isAdmin: boolean },
): Promise<ImportAnswer> {
  throw new FailureError(
    invalidField("format", `${format} is not read: send ${SUPPORTED_FORMATS.join(", ")}`).failure,
  );
}
