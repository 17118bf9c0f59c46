// Formats numbers and conditions for the reports.
import { cpus } from "node:os";

export function formatCount(number: number): string {
  return number.toLocaleString("en-US");
}

export function describeMachine(): string {
  return `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
}

export function describeConditions(samples: number): string {
  return `${samples} samples a row, ${describeMachine()}`;
}
