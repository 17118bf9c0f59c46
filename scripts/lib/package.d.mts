// Types for the tests; the scripts themselves are plain JavaScript.

export const packagePath: string;
export function buildPackage(): Promise<void>;
