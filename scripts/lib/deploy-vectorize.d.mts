// Types for the tests; the scripts themselves are plain JavaScript.

export const METADATA_INDEXES: Readonly<Record<string, "string" | "boolean" | "number">>;
