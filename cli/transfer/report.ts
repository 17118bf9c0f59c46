// Collects the results of an import: records added, records already known, and rejected lines.
import { isKiokuError, type KiokuErrorCode } from "../../client/index";
import type { Kind } from "./format";

export type Counts = { added: number; known: number };
export type RefusedLine = { line: number; message: string };
export type ImportSummary = { imported: Partial<Record<Kind, Counts>>; refused: RefusedLine[] };

export type ImportReport = {
  summary: ImportSummary;
  /** Runs the import of one record and counts it; records a rejection and lets the import continue. */
  note(kind: Kind, line: number, work: () => Promise<"added" | "known">): Promise<void>;
  /** Runs further work for a record that is counted elsewhere; records a rejection likewise. */
  attempt(line: number, work: () => Promise<void>): Promise<void>;
  /** Counts several records at once. */
  count(kind: Kind, counts: Counts): void;
  refuse(line: number, message: string): void;
};

/** Failures caused by a record itself. Any other failure would repeat for all following records. */
const PER_RECORD_CODES: readonly KiokuErrorCode[] = [
  "invalid_request",
  "conflict",
  "not_found",
  "gone",
  "unprocessable",
  "payload_too_large",
  "limit_exceeded",
];

export function createReport(step: (count: number) => void): ImportReport {
  const summary: ImportSummary = { imported: {}, refused: [] };
  const report: ImportReport = {
    summary,
    note(kind, line, work) {
      return report.attempt(line, async () => {
        const result = await work();
        report.count(kind, { added: 0, known: 0, [result]: 1 });
      });
    },
    async attempt(line, work) {
      try {
        await work();
      } catch (error) {
        if (!isKiokuError(error) || !PER_RECORD_CODES.includes(error.code)) throw error;
        report.refuse(line, error.detail);
      }
    },
    count(kind, { added, known }) {
      const before = summary.imported[kind] ?? { added: 0, known: 0 };
      summary.imported[kind] = { added: before.added + added, known: before.known + known };
      step(added + known);
    },
    refuse(line, message) {
      summary.refused.push({ line, message });
    },
  };
  return report;
}
