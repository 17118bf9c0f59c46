// Types for the tests; the benchmarks themselves are plain JavaScript.

export function dollarsPerMillion(usage: Record<string, number>): Record<string, number>;
