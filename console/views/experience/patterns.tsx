// Patterns and anti-patterns with their confidence and evidence.
import type { Pattern } from "kioku/client";
import { Bar } from "../../components/bars";
import { LoadMore, WhenLoaded } from "../../components/feedback";
import { StatusLabel } from "../../components/labels";
import { formatQuantity } from "../../state/format";
import { usePages } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

export function Patterns({ project }: { project: string }) {
  const { kioku } = useConnection();
  const pages = usePages(() => kioku.patterns.list(project ? { project_id: project } : {}), [project], {
    firstPage: 6,
  });
  return (
    <WhenLoaded loaded={pages} what="patterns">
      {(patterns) => (
        <>
          {patterns.length === 0 && (
            <p class="soft">
              None yet. Similar attempts become patterns when they are consolidated: name a project above, and
              use Consolidation below.
            </p>
          )}
          <ul class="cards cards-grid">
            {patterns.map((pattern) => (
              <li key={pattern.id}>
                <PatternCard pattern={pattern} />
              </li>
            ))}
          </ul>
          <LoadMore {...pages} />
        </>
      )}
    </WhenLoaded>
  );
}

function PatternCard({ pattern }: { pattern: Pattern }) {
  const { id, what_fails, why, prevention, correct_approach, source_episodes, status, usage_count } = pattern;
  return (
    <>
      <a class="card-title" href={toHref(["memories", id])}>
        {pattern.pattern}
      </a>
      {correct_approach !== null && correct_approach !== prevention && (
        <p class="soft excerpt">Do: {correct_approach}</p>
      )}
      {what_fails !== undefined && <p class="soft excerpt">Fails: {what_fails}</p>}
      {why && <p class="soft excerpt">Because: {why}</p>}
      {prevention && <p class="soft excerpt">Instead: {prevention}</p>}
      <Bar
        label="confidence"
        value={pattern.confidence}
        tone={what_fails === undefined ? "good" : "danger"}
      />
      <p class="meta">
        <span class={`label label-${what_fails === undefined ? "good" : "danger"}`}>
          {what_fails === undefined ? "pattern" : "anti-pattern"}
        </span>
        {what_fails === undefined && <span>{pattern.category}</span>}
        {status !== "live" && <StatusLabel status={status} />}
        <span>{formatQuantity(source_episodes.length, "episode")} as evidence</span>
        <span>used {formatQuantity(usage_count, "time")}</span>
      </p>
    </>
  );
}
