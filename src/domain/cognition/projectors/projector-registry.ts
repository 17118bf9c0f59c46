// The projectors that a session runs.
import type { Projector } from "../projector";
import { OWN } from "./custom-projectors";
import { facts } from "./facts-projector";
import { summary } from "./summary-projector";
import { nextActions } from "./tasks-projector";
import { vectors } from "./vectors-projector";

export const BUILT_IN: readonly Projector[] = [summary, facts, nextActions, vectors];

export const PROJECTORS: readonly Projector[] = distinct([...BUILT_IN, ...OWN]);

export function projectorNamed(name: string): Projector | undefined {
  return PROJECTORS.find((projector) => projector.name === name);
}

/** A name is where a projector's progress is kept: two of one name would each skip what the other has read. */
export function distinct(projectors: readonly Projector[]): readonly Projector[] {
  const names = new Set<string>();
  for (const { name } of projectors) {
    if (names.has(name)) throw new Error(`Two projectors are named ${name}: give one of them another name.`);
    names.add(name);
  }
  return projectors;
}
