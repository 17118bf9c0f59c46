// The predicates of triples that follow from others. Such triples are not stored but added when triples are read.

/** The predicates of derived triples, each with the predicate that it follows from. */
const SOURCES: ReadonlyMap<string, string> = new Map([["jido:hasConfidence", "jido:confidenceValue"]]);

export const DERIVED_PREDICATES: ReadonlySet<string> = new Set(SOURCES.keys());

export const CONFIDENCE_LEVELS: ReadonlySet<string> = new Set(["jido:High", "jido:Medium", "jido:Low"]);

/** Returns the individual of `hasConfidence`: High from 0.8, Medium from 0.5. */
export function getConfidenceLevel(confidence: number): string {
  if (confidence >= 0.8) return "jido:High";
  return confidence >= 0.5 ? "jido:Medium" : "jido:Low";
}

/** Returns the predicate to read for the triples of a predicate: itself, or the one that it follows from. */
export function getStoredPredicate(predicate: string): string {
  return SOURCES.get(predicate) ?? predicate;
}
