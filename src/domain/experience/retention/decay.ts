// The importance of episodes, patterns and learnings: it decays with time and rises with use.

import { DAY_MS } from "../../../platform/time";
import type { Memory } from "../../../schemas/memory";

/** Importance decays by a factor of e^(-rate) per period, down to the floor. */
const DECAY_RATE = 0.1;
const DECAY_PERIOD_DAYS = 30;
export const IMPORTANCE_FLOOR = 0.01;

/** Share of the missing importance that one use restores. */
const USE_GAIN = 0.05;

/** Returns the importance at `to` of an item whose importance was set at `from`. Consecutive spans compose. */
export function decayImportance(importance: number, from: string, to: string): number {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  // The floor stops the decay; it does not raise an importance that was set lower.
  if (days <= 0 || importance <= IMPORTANCE_FLOOR) return importance;
  return Math.max(IMPORTANCE_FLOOR, importance * Math.exp((-DECAY_RATE * days) / DECAY_PERIOD_DAYS));
}

/** Returns the importance of an item after a use. */
export function reinforceImportance(importance: number): number {
  return importance + USE_GAIN * (1 - importance);
}

/** When a maintenance run takes place, and the age in days from which it updates an importance. */
export type DecaySchedule = { now: string; intervalDays: number };

/** Returns the importance at the time of a run; unchanged if it was set less than an interval ago. */
export function decayOnSchedule(
  importance: number,
  from: string,
  { now, intervalDays }: DecaySchedule,
): number {
  const recent = Date.parse(now) - Date.parse(from) < intervalDays * DAY_MS;
  return recent ? importance : decayImportance(importance, from, now);
}

/** Returns a pattern or learning with its importance decayed; null if it stays the same. */
export function decayMemory(memory: Memory, schedule: DecaySchedule): Memory | null {
  const from = memory.properties.decayedAt?.[0] ?? memory.timestamp;
  const importance = decayOnSchedule(memory.importance, from, schedule);
  if (importance === memory.importance) return null;
  return { ...memory, importance, properties: { ...memory.properties, decayedAt: [schedule.now] } };
}
