// How importance goes down with time, and up with use.

import { EXPERIENCE } from "../../../limits";
import { DAY_MS } from "../../../platform/time";

const { rate, periodDays, floor, use } = EXPERIENCE.decay;

/** What is left of an importance that was right at `from`. Two spans give what one over both gives. */
export function decayImportance(importance: number, from: string, to: string): number {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  // The floor ends a decline; it lifts nothing that was set lower.
  if (days <= 0 || importance <= floor) return importance;
  return Math.max(floor, importance * Math.exp((-rate * days) / periodDays));
}

export function reinforceImportance(importance: number): number {
  return importance + use * (1 - importance);
}
