// What is measured of experience: one consolidation and one maintenance at several sizes, and the call before a task
// beside one recall over the same project.
import { EVENING, episodeAt, MORNING, taskAt } from "./episodes.mjs";
import { connect } from "./measure.mjs";
import { count } from "./operations.mjs";

/** When every episode is more than a week old, and none more than thirty days. */
const NEXT_WEEK = new Date(Date.parse(EVENING) + 8 * 24 * 3_600_000).toISOString();

/** Tells the episodes of a project, over so many connections at once. */
export async function loadProject(service, { project, size }, { concurrency, progress }) {
  progress.begin(`Episodes of ${project} told`, size);
  let next = 0;
  const tell = async () => {
    const connection = connect(service.url, {
      idle: "/health",
      headers: { Authorization: `Bearer ${service.key}` },
    });
    try {
      for (let at = next++; at < size; at = next++) {
        await ask(connection, "/v1/episodes", episodeAt(at, size, project));
        progress.add(1);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, tell));
  progress.end();
}

/** Two runs over the same day, of which the second must find nothing to do. */
export async function consolidateTwice(connection, { project, size }) {
  const body = { project_id: project, since: MORNING, now: EVENING };
  const first = await ask(connection, "/v1/consolidate", body);
  const second = await ask(connection, "/v1/consolidate", body);
  const { episodes, clusters, created, anti_patterns } = first.answer;
  if (episodes !== size) throw new Error(`${project} was consolidated by ${episodes} episodes of ${size}`);
  const changed = ["created", "updated", "anti_patterns", "merged"].filter(
    (what) => second.answer[what].length > 0,
  );
  if (changed.length > 0) throw new Error(`A second run over ${project} changed ${changed.join(", ")}`);
  return {
    first: first.ms,
    second: second.ms,
    clusters,
    patterns: created.length + anti_patterns.length,
  };
}

/** A week later every episode loses its steps and a little of its importance. */
export async function maintainProject(connection, { project, size }) {
  const body = { project_id: project, now: NEXT_WEEK };
  const { ms, answer } = await ask(connection, "/v1/maintenance", body);
  if (answer.summarised !== size) throw new Error(`Only ${answer.summarised} of ${size} were summarised`);
  return ms;
}

/** Reads D1, and so waits until the uses that an answer counted are written. */
const settle = { path: "/v1/memories?limit=1" };

export function primeOperations(connection, { project, size }) {
  const recall = (sources) => (i) =>
    post("/v1/recall", { query: taskAt(i), project_id: project, scope: "project", mode: "hybrid", sources });
  const found = ({ memories }) => memories.some(({ signals }) => signals.mode === "hybrid");
  const both = `recall memories and episodes, ${count(size)}`;
  return [
    {
      ...{ name: `recall memories, ${count(size)}`, connection, settle, found },
      call: recall(["memories"]),
    },
    { ...{ name: both, connection, settle, found }, call: recall(["memories", "episodes"]) },
    {
      ...{ name: `prime, ${count(size)}`, floor: both, connection, settle },
      found: ({ relevant_patterns }) => relevant_patterns.length > 0,
      call: (i) => post("/v1/prime", { goal: taskAt(i), project_id: project, now: EVENING }),
    },
  ];
}

async function ask(connection, path, body) {
  const { status, text, ms } = await connection.send(post(path, body));
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return { ms, answer: JSON.parse(text) };
}

function post(path, body) {
  return { method: "POST", path, body };
}
