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

export interface Clients {
  count: number;
  /** Opens the connection of a client. */
  open(): Connection;
}

/** Each client has a connection of its own, opened now: the server closes one that is idle for some seconds. */
export async function measureThroughput(
  { count, open }: Clients,
  createCall: () => Call,
  seconds: number,
): Promise<Throughput> {
  const connections = Array.from({ length: count }, open);
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
  try {
    await Promise.all(connections.map(send));
  } finally {
    for (const connection of connections) connection.close();
  }
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
