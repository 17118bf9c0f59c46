// What an import came to: how many were added and how many were there, and which lines were refused.
import { isKiokuError, type KiokuErrorCode } from "../../client/index";
import type { Kind } from "./format";

export type Counts = { added: number; known: number };
export type Refused = { line: number; message: string };
export type Summary = { imported: Partial<Record<Kind, Counts>>; refused: Refused[] };

export type Report = {
  summary: Summary;
  /** Work for the record on a line; a refusal of it alone is noted, and the others go on. */
  note(kind: Kind, line: number, work: () => Promise<"added" | "known">): Promise<void>;
  /** Several at once. */
  count(kind: Kind, counts: Counts): void;
  refuse(line: number, message: string): void;
};

/** The service's word on one record. Any other failure would meet every record after it, too. */
const OF_ONE: readonly KiokuErrorCode[] = [
  "invalid_request",
  "conflict",
  "not_found",
  "gone",
  "unprocessable",
  "payload_too_large",
  "limit_exceeded",
];

export function createReport(step: (count: number) => void): Report {
  const summary: Summary = { imported: {}, refused: [] };
  const report: Report = {
    summary,
    async note(kind, line, work) {
      try {
        const became = await work();
        report.count(kind, { added: 0, known: 0, [became]: 1 });
      } catch (error) {
        if (!isKiokuError(error) || !OF_ONE.includes(error.code)) throw error;
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
