// Types for the tests; the benchmarks themselves are plain JavaScript.

export interface Usage {
  requests: number;
  cpuMs: number | null;
  d1RowsRead: number;
  d1RowsWritten: number;
  objectRequests: number;
  objectMs: number;
  objectRoundTrips: number;
  objectRowsRead: number;
  objectRowsWritten: number;
  embeddedTokens: number;
  vectorQueries: number;
}

export function costReport(
  results: Partial<Record<"embedded" | "cloud", Record<string, Usage>>>,
  run: { samples: number; size: number; bytes: number },
): string;
export function priceTable(): string;
