// The operations of the experience benchmark: consolidation and maintenance at several sizes, and the call before a
// task beside recalls over the same project.
import type { BenchmarkService } from "../benchmark-servers.ts";
import { type Call, type Connection, connectToService, post, sendOk } from "../connection.ts";
import { EVENING, generateEpisode, generateTask, MORNING } from "../data/episodes.ts";
import { acceptIf, type Operation } from "../measure.ts";
import { formatCount } from "../report/format.ts";
import type { Progress } from "../report/progress.ts";
import { foundByMode, WAIT_FOR_ACCESS_COUNTS } from "./core-operations.ts";

/** Every episode is then more than a week old, and none more than thirty days. */
const NEXT_WEEK = new Date(Date.parse(EVENING) + 8 * 24 * 3_600_000).toISOString();

export interface Project {
  project: string;
  /** The number of its episodes. */
  size: number;
}

export interface Consolidation {
  /** Milliseconds of the first run over the day, and of the second. */
  first: number;
  second: number;
  clusters: number;
  patterns: number;
}

/** The answer of a consolidation, as far as it is used. */
interface ConsolidationAnswer {
  episodes: number;
  clusters: number;
  created: unknown[];
  updated: unknown[];
  anti_patterns: unknown[];
  merged: unknown[];
}

/** Sends the episodes of a project, over several connections at once. */
export async function loadProject(
  service: BenchmarkService,
  { project, size }: Project,
  { concurrency, progress }: { concurrency: number; progress: Progress },
): Promise<void> {
  progress.begin(`Episodes of ${project} told`, size);
  let next = 0;
  const send = async () => {
    const connection = connectToService(service);
    try {
      for (let at = next++; at < size; at = next++) {
        await sendOk(connection, post("/v1/episodes", generateEpisode(at, size, project)));
        progress.add(1);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, send));
  progress.end();
}

/** Consolidates the same day twice; the second run must change nothing. */
export async function consolidateTwice(
  connection: Connection,
  { project, size }: Project,
): Promise<Consolidation> {
  const call = post("/v1/consolidate", { project_id: project, since: MORNING, now: EVENING });
  const first = await ask<ConsolidationAnswer>(connection, call);
  const second = await ask<ConsolidationAnswer>(connection, call);
  const { episodes, clusters, created, anti_patterns } = first.answer;
  if (episodes !== size) throw new Error(`${project} was consolidated by ${episodes} episodes of ${size}`);
  const changed = (["created", "updated", "anti_patterns", "merged"] as const).filter(
    (change) => second.answer[change].length > 0,
  );
  if (changed.length > 0) throw new Error(`A second run over ${project} changed ${changed.join(", ")}`);
  return {
    first: first.ms,
    second: second.ms,
    clusters,
    patterns: created.length + anti_patterns.length,
  };
}

/** Maintains a week later, when every episode loses its steps and some importance. Returns the milliseconds. */
export async function maintainProject(connection: Connection, { project, size }: Project): Promise<number> {
  const call = post("/v1/maintenance", { project_id: project, now: NEXT_WEEK });
  const { ms, answer } = await ask<{ summarised: number }>(connection, call);
  if (answer.summarised !== size) throw new Error(`Only ${answer.summarised} of ${size} were summarised`);
  return ms;
}

export function createPrimeOperations(connection: Connection, { project, size }: Project): Operation[] {
  const createRecall = (sources: string[]) => (i: number) =>
    post("/v1/recall", {
      query: generateTask(i),
      project_id: project,
      scope: "project",
      mode: "hybrid",
      sources,
    });
  const shared = { connection, settle: WAIT_FOR_ACCESS_COUNTS, accept: foundByMode("hybrid") };
  const both = `recall memories and episodes, ${formatCount(size)}`;
  return [
    { ...shared, name: `recall memories, ${formatCount(size)}`, call: createRecall(["memories"]) },
    { ...shared, name: both, call: createRecall(["memories", "episodes"]) },
    {
      ...shared,
      name: `prime, ${formatCount(size)}`,
      floor: both,
      accept: acceptIf<{ relevant_patterns: unknown[] }>((answer) => answer.relevant_patterns.length > 0),
      call: (i) => post("/v1/prime", { goal: generateTask(i), project_id: project, now: EVENING }),
    },
  ];
}

async function ask<T>(connection: Connection, call: Call): Promise<{ ms: number; answer: T }> {
  const { text, ms } = await sendOk(connection, call);
  return { ms, answer: JSON.parse(text) };
}
