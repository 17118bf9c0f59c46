// The formats of exports and imports: the one place that knows which function writes and reads each of them.
import { FailureError, invalidField } from "../../platform/errors";
import {
  type ImportAnswer,
  TRANSFER_FORMATS,
  TRANSFER_TYPES,
  type TransferFormat,
} from "../../schemas/transfer/transfer-request";
import type { Services } from "../services";
import { exportLines } from "./export-lines";
import type { ExportScope } from "./export-scope";
import { exportGraph } from "./rdf/export-graph";
import { importGraph } from "./rdf/import-graph";

/** The formats that are written and read, the default first. */
export const SUPPORTED_FORMATS = TRANSFER_FORMATS;

export const SUPPORTED_TYPES: readonly string[] = SUPPORTED_FORMATS.map((format) => TRANSFER_TYPES[format]);

/** Returns the format of a media type. */
export function findFormat(type: string): TransferFormat | undefined {
  return SUPPORTED_FORMATS.find((format) => TRANSFER_TYPES[format] === type);
}

export function exportAs(
  services: Services,
  scope: ExportScope,
  format: TransferFormat,
): ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>> {
  return format === "jsonl" ? exportLines(services, scope) : exportGraph(services, scope, format);
}

/** `isAdmin` tells whether the key may administer: policies and webhooks are imported for such a key alone. */
export async function importAs(
  services: Services,
  text: string,
  { format }: { format: TransferFormat; isAdmin: boolean },
): Promise<ImportAnswer> {
  if (format !== "jsonl") return importGraph(services, text, format);
  throw new FailureError(
    invalidField("format", `${format} is not read: send ${SUPPORTED_FORMATS.join(", ")}`).failure,
  );
}
