// The order of texts by code unit, which is that of ISO times, and the same everywhere.

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
