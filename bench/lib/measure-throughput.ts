// Measures how many calls a second several clients get through, each with one call at a time.
import type { Call, Connection } from "./connection.ts";
import { getItem } from "./get-item.ts";

export interface Throughput {
  callsPerSecond: number;
  /** Milliseconds; null when no call succeeded. */
  p50: number | null;
  p99: number | null;
  /** How many calls failed. */
  errors: number;
}

/** Each connection is a client, and each call another one. */
export async function measureThroughput(
  connections: readonly Connection[],
  createCall: () => Call,
  seconds: number,
): Promise<Throughput> {
  const started = performance.now();
  const until = started + seconds * 1_000;
  const times: number[] = [];
  let errors = 0;
  const send = async (connection: Connection) => {
    while (performance.now() < until) {
      const { status, ms } = await connection.send(createCall());
      if (status < 300) times.push(ms);
      else errors += 1;
    }
  };
  await Promise.all(connections.map(send));
  const elapsed = (performance.now() - started) / 1_000;
  const sorted = times.toSorted((a, b) => a - b);
  const findPercentile = (part: number) =>
    sorted.length === 0
      ? null
      : getItem(sorted, Math.min(sorted.length - 1, Math.floor(sorted.length * part)));
  return {
    callsPerSecond: times.length / elapsed,
    p50: findPercentile(0.5),
    p99: findPercentile(0.99),
    errors,
  };
}
