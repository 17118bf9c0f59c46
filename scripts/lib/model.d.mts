// Types for the tests; the scripts themselves are plain JavaScript.

export const modelPath: string;
export function buildModel(path?: string): Promise<{ path: string; made: boolean }>;
