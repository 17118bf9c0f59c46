// Types for the tests; the scripts themselves are plain JavaScript.

export const PLACEHOLDER_ID: string;
