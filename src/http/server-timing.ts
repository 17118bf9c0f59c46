// The time a request spends in each stage, for the Server-Timing header.

export type Timing = {
  measure<T>(stage: string, work: () => Promise<T>): Promise<T>;
  header(): string;
};

export function createTiming(now: () => number = () => performance.now()): Timing {
  const started = now();
  const stages = new Map<string, number>();
  return {
    async measure(stage, work) {
      const from = now();
      try {
        return await work();
      } finally {
        stages.set(stage, (stages.get(stage) ?? 0) + now() - from);
      }
    },
    header() {
      return [...stages, ["total", now() - started] as const]
        .map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`)
        .join(", ");
    },
  };
}
