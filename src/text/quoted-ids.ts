// Finds the memories that a tool result may quote.

/** Returns all that may be the id of a memory in a result. */
export function listQuotedIds(result: object): string[] {
  return [...new Set(JSON.stringify(result).match(/(?<![0-9A-Za-z])[0-9a-f]{32}(?![0-9A-Za-z])/g))];
}
