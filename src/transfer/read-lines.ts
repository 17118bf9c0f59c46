// Reads the lines of an import and checks each by itself: the header, the kinds, the fields, and the end line.
import { FailureError, type FieldError, failure } from "../kernel/errors";
import { isJsonObject, type JsonObject } from "../kernel/json";
import { parseInput, parseJsonText } from "../kernel/validate-input";
import { type ExportRecord, RECORD_KINDS, RECORD_SCHEMAS } from "./export-records";
import { createDigest, LINES_FORMAT } from "./line-format";

/** A record with the number of its line. */
export type NumberedRecord = { line: number; record: ExportRecord };

/** Returns the records of a part. Throws a failure that names the line and the field if the part is not whole and valid. */
export function readImportLines(text: string): NumberedRecord[] {
  const lines = text.replace(/\n+$/, "").split("\n");
  const [first = "", ...rest] = lines;
  const last = rest.pop();
  checkHeader(parseLine(first, 1));
  const end = last === undefined ? null : parseEnd(last);
  if (end === null)
    throw refuseLine(
      lines.length,
      "kind",
      "must be end: the last line has the counts, and without it the file is cut off. Export it again",
    );
  const records = rest.map((line, i) => ({ line: i + 2, record: parseRecord(line, i + 2) }));
  checkEnd(end, lines.length, records, rest);
  return records;
}

type RefusalCode = "invalid_request" | "forbidden";

/** Returns a failure that names a field of a record. */
export function refuse(path: string, message: string, code: RefusalCode = "invalid_request"): FailureError {
  return failure(code, `${path}: ${message}.`, { errors: [{ path, message }] });
}

/** Returns a failure that names a line, and a field of it. */
export function refuseLine(line: number, path: string, message: string): FailureError {
  return addLine(line, refuse(path, message));
}

/** Checks records one after the other. A failure names the line. */
export async function checkEach(
  records: readonly NumberedRecord[],
  check: (record: ExportRecord) => void | Promise<void>,
): Promise<void> {
  for (const { line, record } of records)
    try {
      await check(record);
    } catch (error) {
      throw error instanceof FailureError ? addLine(line, error) : error;
    }
}

function addLine(line: number, { failure: failed }: FailureError): FailureError {
  return new FailureError({ ...failed, detail: `Line ${line}: ${failed.detail}`, line });
}

function parseLine(text: string, line: number): JsonObject {
  try {
    const value = parseJsonText(text, `text of line ${line}`);
    if (isJsonObject(value)) return value as JsonObject;
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    throw new FailureError({ ...error.failure, line });
  }
  throw failure("invalid_request", `Line ${line} is no JSON object. Send an export in JSON lines.`, {
    errors: [{ path: "", message: "must be a JSON object" }],
    line,
  });
}

/** Returns the end line; null if the last line is another one, or a piece of one. */
function parseEnd(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value.kind === "end" ? (value as JsonObject) : null;
  } catch {
    // A file that is cut off in the middle of a line.
    return null;
  }
}

function checkHeader({ kind, format }: JsonObject): void {
  if (kind !== "kioku")
    throw refuseLine(1, "kind", "must be kioku: each part begins with the header of the export");
  if (format === LINES_FORMAT) return;
  throw refuseLine(
    1,
    "format",
    format === 1
      ? "is 1, which an earlier kioku export wrote: import the file with the command kioku import"
      : `must be ${LINES_FORMAT}: import the file into a service of the version that wrote it`,
  );
}

function parseRecord(text: string, line: number): ExportRecord {
  const value = parseLine(text, line);
  const kind = RECORD_KINDS.find((name) => name === value.kind);
  if (kind === undefined) throw refuseLine(line, "kind", `must be one of: ${RECORD_KINDS.join(", ")}`);
  const parsed = parseInput(RECORD_SCHEMAS[kind], value, "line");
  if (!parsed.ok) throw addLine(line, new FailureError(parsed.failure));
  // The defaults of a directive are needed when it runs.
  if (kind === "directive") return parsed.value as ExportRecord;
  // As it was sent: a schema may complete or trim what it parses, and the record is stored as it was exported.
  return value as unknown as ExportRecord;
}

function checkEnd(
  { lines, counts, digest }: JsonObject,
  line: number,
  records: readonly NumberedRecord[],
  texts: readonly string[],
): void {
  const errors: FieldError[] = [];
  const check = (path: string, stated: unknown, found: number, what: string) => {
    if (stated !== found)
      errors.push({
        path,
        message: `is ${JSON.stringify(stated) ?? "missing"}, and there are ${found} ${what}: lines are missing or were added. Export it again`,
      });
  };
  check("lines", lines, records.length, "lines between the header and the end");
  const kinds = Map.groupBy(records, ({ record }) => record.kind as string);
  const stated = isJsonObject(counts) ? counts : {};
  for (const kind of new Set([...kinds.keys(), ...Object.keys(stated)]))
    check(`counts.${kind}`, stated[kind], kinds.get(kind)?.length ?? 0, `of kind ${kind}`);
  if (errors.length === 0 && digest !== undefined && digest !== computeDigest(texts))
    errors.push({
      path: "digest",
      message:
        "is not that of the lines: one was changed. Export it again, or leave digest out if you changed it on purpose",
    });
  const [error] = errors;
  if (error !== undefined)
    throw failure("invalid_request", `Line ${line}: ${error.path}: ${error.message}.`, { errors, line });
}

/** Returns the digest of lines, as the end line of an export has it. */
function computeDigest(lines: readonly string[]): string {
  const digest = createDigest();
  digest.add(lines.map((line) => `${line}\n`).join(""));
  return digest.finish();
}
