// ImportanceScorer: scores short-term memory from 0 to 1 by recency, frequency, confidence and salience.

import type { ImportanceParts } from "../../memories/memory-fields";
import { findMemoryType, listAncestors } from "../../ontology/classes";
import { getMemoryClass } from "../../ontology/extension-names";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import type { ImportanceWeights } from "../session-schemas";

export const DEFAULT_WEIGHTS: ImportanceWeights = {
  recency: 0.2,
  frequency: 0.3,
  confidence: 0.25,
  salience: 0.25,
};

/** The half-life of recency. */
const RECENCY_MINUTES = 30;
/** Further accesses do not raise the frequency. */
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
const DEFAULT_SALIENCE = 0.3;

/** Returns the salience of a memory type, or that of its nearest superclass. */
export function getSalience(type: MemoryType | null): number {
  if (type === null) return DEFAULT_SALIENCE;
  const own = getMemoryClass(type);
  for (const name of [own, ...listAncestors(own)]) {
    const known = findMemoryType(name);
    const value = known === undefined ? undefined : SALIENCE[known];
    if (value !== undefined) return value;
  }
  return DEFAULT_SALIENCE;
}

type ImportanceSignals = {
  lastAccessed: number;
  accessCount: number;
  confidence: number;
  type: MemoryType | null;
};

/** Returns the four signals, weighted. */
export function computeImportanceParts(
  signals: ImportanceSignals,
  now: number,
  weights: ImportanceWeights = DEFAULT_WEIGHTS,
): ImportanceParts {
  const minutes = Math.max(0, (now - signals.lastAccessed) / 60_000);
  return {
    recency: weights.recency * clampToUnit(1 / (1 + minutes / RECENCY_MINUTES)),
    frequency: weights.frequency * clampToUnit(signals.accessCount / FREQUENCY_CAP),
    confidence: weights.confidence * clampToUnit(signals.confidence),
    salience: weights.salience * getSalience(signals.type),
  };
}

/** Returns the sum of the parts, at most 1 even if a caller's weights add up to more. */
export function sumImportance({ recency, frequency, confidence, salience }: ImportanceParts): number {
  return clampToUnit(recency + frequency + confidence + salience);
}

export function computeImportance(
  signals: ImportanceSignals,
  now: number,
  weights: ImportanceWeights = DEFAULT_WEIGHTS,
): number {
  return sumImportance(computeImportanceParts(signals, now, weights));
}

/** Clamps a value to 0–1; NaN becomes 0. */
function clampToUnit(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}
