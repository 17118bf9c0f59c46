// Types for the tests; the scripts themselves are plain JavaScript.

export function buildWorker(): Promise<{ path: string; bytes: number; gzipBytes: number }>;
