// Importance: how much a piece of short-term memory deserves to be kept, from 0 to 1.
import { ancestorsOf, typeOfClass } from "../../ontology/classes";
import { MEMORY_CLASS } from "../../ontology/terms.generated";
import type { MemoryType, Weights } from "../../schemas/session";

export const DEFAULT_WEIGHTS: Weights = { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 };

/** Half the recency is gone after this many minutes. */
const RECENCY_MINUTES = 30;
/** More accesses than this add nothing. */
const FREQUENCY_CAP = 10;

const SALIENCE: Partial<Record<MemoryType, number>> = {
  decision: 1,
  architectural_decision: 1,
  convention: 1,
  coding_standard: 1,
  lesson_learned: 1,
  risk: 1,
  discovery: 0.8,
  fact: 0.7,
  hypothesis: 0.5,
  assumption: 0.4,
};
const LEAST_SALIENCE = 0.3;

/** What a kind of memory is worth by itself: its own entry, else that of its nearest superclass. */
export function salience(type: MemoryType | null): number {
  if (type === null) return LEAST_SALIENCE;
  for (const name of [MEMORY_CLASS[type], ...ancestorsOf(MEMORY_CLASS[type])]) {
    const known = typeOfClass(name);
    const value = known === undefined ? undefined : SALIENCE[known];
    if (value !== undefined) return value;
  }
  return LEAST_SALIENCE;
}

export type Signals = {
  lastAccessed: number;
  accessCount: number;
  confidence: number;
  type: MemoryType | null;
};

/** The weighted sum of the four signals; weights of a caller may add up to more, the result never does. */
export function importance(signals: Signals, now: number, weights: Weights = DEFAULT_WEIGHTS): number {
  const minutes = Math.max(0, (now - signals.lastAccessed) / 60_000);
  return unit(
    weights.recency * unit(1 / (1 + minutes / RECENCY_MINUTES)) +
      weights.frequency * unit(signals.accessCount / FREQUENCY_CAP) +
      weights.confidence * unit(signals.confidence) +
      weights.salience * salience(signals.type),
  );
}

/** Within 0 and 1; what is no number counts as nothing. */
function unit(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}
