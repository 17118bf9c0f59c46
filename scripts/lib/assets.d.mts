// Types for the tests; the scripts themselves are plain JavaScript.

export function buildAssets(): Promise<void>;
