// Measures operations in turn, in another order each round: background load on the machine, and the effects of one
// operation on the next, fall on all of them alike, so that their ratios hold even where their milliseconds do not.
import type { Call, MeasuredConnection } from "./connection.ts";
import { getItem } from "./get-item.ts";

export interface Operation {
  name: string;
  connection: MeasuredConnection;
  /** The call that is timed. */
  call(round: number): Call;
  /** Sent untimed just before, instead of the connection's idle call. */
  before?(round: number): Call;
  /** Sent untimed afterwards; waits until the service has finished its work after the answer. */
  settle?: Call | Call[];
  /** Checks the answer's text: the time of a call that found nothing is meaningless. */
  accept?(text: string): boolean;
  /** The operation whose median it is compared with. */
  floor?: string;
  /** The ratio to the floor that should not be exceeded. */
  aim?: number;
}

/** Median and 95th percentile, in milliseconds. */
export interface Summary {
  p50: number;
  p95: number;
}

/** By the name of the operation. */
export type Summaries = ReadonlyMap<string, Summary>;

export interface Rounds {
  warmUp: number;
  samples: number;
}

/** Creates `accept` from a check of the parsed answer. */
export function acceptIf<T>(check: (answer: T) => boolean): (text: string) => boolean {
  return (text) => check(JSON.parse(text));
}

/**
 * Runs each operation `warmUp` + `samples` times, and returns the summaries by name. An untimed call precedes each
 * timed one, because a server that has slept since its last call would answer more slowly.
 */
export async function measure(
  operations: readonly Operation[],
  { warmUp, samples, progress }: Rounds & { progress: (line: string) => void },
): Promise<Summaries> {
  const timesByName = new Map(operations.map(({ name }): [string, number[]] => [name, []]));
  for (let i = 0; i < warmUp + samples; i += 1) {
    for (const operation of shuffle(operations, i)) {
      const { name, connection, before, call, accept, settle } = operation;
      await connection.send(before ? before(i) : connection.idle);
      const { status, text, ms } = await connection.send(call(i));
      if (status >= 300) throw new Error(`${name} answered ${status}: ${text}`);
      if (accept && !accept(text)) throw new Error(`${name} found nothing: ${JSON.stringify(call(i))}`);
      if (i >= warmUp) timesByName.get(name)?.push(ms);
      for (const wait of [settle ?? []].flat()) await connection.send(wait);
    }
    if ((i + 1) % 50 === 0) progress(`measured ${i + 1} of ${warmUp + samples} rounds`);
  }
  return new Map([...timesByName].map(([name, times]) => [name, summarise(times)]));
}

/** Returns the summary of an operation that was measured. */
export function getSummary(summaries: Summaries, name: string): Summary {
  const summary = summaries.get(name);
  if (summary === undefined) throw new Error(`${name} was not measured`);
  return summary;
}

/** The round alone determines the order, so that two runs do the same. */
function shuffle(operations: readonly Operation[], round: number): Operation[] {
  const place = (at: number) => Math.imul((at + 1) * 2_654_435_761 + round * 40_503, 2_246_822_519) >>> 0;
  return operations
    .map((operation, at) => ({ operation, place: place(at) }))
    .sort((a, b) => a.place - b.place)
    .map(({ operation }) => operation);
}

export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => getItem(sorted, Math.min(sorted.length - 1, Math.floor(sorted.length * part)));
  return { p50: at(0.5), p95: at(0.95) };
}
