// A consolidation run: what it would change, beside what it changed.
import type { ConsolidateAnswer } from "kioku/client";
import { useState } from "preact/hooks";
import { ErrorNote } from "../../components/feedback";
import { formatName } from "../../state/format";
import { useAction } from "../../state/load";
import { hasScope, useConnection } from "../../state/sign-in";

/** Without a project, episodes belong to this one. */
const DEFAULT_PROJECT = "default";
const WINDOW_DAYS = 30;

export function Consolidation({ project }: { project: string }) {
  const { kioku } = useConnection();
  const [runs, setRuns] = useState<{ planned?: ConsolidateAnswer; made?: ConsolidateAnswer }>({});
  const run = useAction(async (dry_run: boolean) => {
    const since = new Date(Date.now() - WINDOW_DAYS * 86_400_000).toISOString();
    const answer = await kioku.consolidate({ project_id: project || DEFAULT_PROJECT, since, dry_run });
    setRuns(dry_run ? { planned: answer } : { ...runs, made: answer });
  });
  if (!hasScope("write")) return <p class="soft">It needs a key with the scope write.</p>;
  return (
    <>
      <p>
        Turns the episodes of the last {WINDOW_DAYS} days of <strong>{project || DEFAULT_PROJECT}</strong>{" "}
        into patterns.
      </p>
      <p class="actions">
        <button type="button" class="button" onClick={() => run.run(true)} disabled={run.isRunning}>
          Dry run
        </button>
        <button type="button" class="button" onClick={() => run.run(false)} disabled={run.isRunning}>
          {run.isRunning ? "Running…" : "Consolidate"}
        </button>
      </p>
      {run.error !== null && <ErrorNote message={run.error} />}
      {(runs.planned !== undefined || runs.made !== undefined) && <RunTable {...runs} />}
    </>
  );
}

const COUNTS = [
  "episodes",
  "clusters",
  "created",
  "updated",
  "anti_patterns",
  "merged",
  "learnings",
  "contradictions",
  "proposed_skills",
] as const;

function RunTable({ planned, made }: { planned?: ConsolidateAnswer; made?: ConsolidateAnswer }) {
  const count = (answer: ConsolidateAnswer | undefined, name: (typeof COUNTS)[number]) => {
    const value = answer?.[name];
    return value === undefined ? "" : typeof value === "number" ? value : value.length;
  };
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Result</th>
          <th scope="col" class="number">
            Dry run
          </th>
          <th scope="col" class="number">
            Run
          </th>
        </tr>
      </thead>
      <tbody>
        {COUNTS.map((name) => (
          <tr key={name}>
            <th scope="row">{formatName(name)}</th>
            <td class="number">{count(planned, name)}</td>
            <td class="number">{count(made, name)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
