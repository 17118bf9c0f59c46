// Reads the records of an export kind by kind, page by page.
import type { Services } from "../services";
import type { ExportScope } from "./export-scope";
import type { RecordLine } from "./line-format";

/** Returns the kinds of records that an export of this scope may have, in their order. */
export function listExportedKinds(_scope: ExportScope): string[] {
  return [];
}

export async function* readRecords(
  _services: Services,
  _scope: ExportScope,
): AsyncGenerator<readonly RecordLine[]> {}
