// Finds the memories that a tool result may quote.

/** Returns all that may be the id of a memory in a result. */
export function listQuotedIds(result: object): string[] {
  return [...new Set(JSON.stringify(result).match(/\b[0-9a-f]{32}\b/g))];
}
