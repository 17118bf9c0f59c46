// Types for the tests; the scripts themselves are plain JavaScript.

export function compileKernels(): Promise<{ path: string; code: Buffer }[]>;
