// Experience: attempts and their outcomes, what was learnt from them, and what an agent would be told.
import { useState } from "preact/hooks";
import { CodeBlock } from "../../components/code-block";
import { DayChart } from "../../components/day-chart";
import { EmptyState, LoadMore, WhenLoaded } from "../../components/feedback";
import { SelectField, TextField } from "../../components/fields";
import { Owners, StatusLabel, Time } from "../../components/labels";
import { formatQuantity } from "../../state/format";
import { useLoad, usePages } from "../../state/load";
import { replaceQuery, route, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { Consolidation } from "./consolidation";
import { Contradictions } from "./contradictions";
import { Patterns } from "./patterns";
import { PrimePreview } from "./prime-preview";

const WINDOW_DAYS = 30;

export function ExperienceView() {
  const { kioku } = useConnection();
  const project = route.value.query.project ?? "";
  const metrics = useLoad((signal) => kioku.metrics({ window_days: WINDOW_DAYS }, { signal }), []);
  const projects = metrics.value?.by_project.flatMap(({ project_id }) => project_id ?? []) ?? [];
  return (
    <>
      <h1>Experience</h1>
      <div class="inline-form">
        <TextField
          label="Project"
          value={project}
          placeholder="all"
          suggestions={projects}
          change={(next) => replaceQuery({ project: next })}
        />
      </div>
      <Outcomes key={project} project={project} />
    </>
  );
}

function Outcomes({ project }: { project: string }) {
  const { kioku, own } = useConnection();
  const metrics = useLoad(
    (signal) =>
      kioku.metrics({ window_days: WINDOW_DAYS, ...(project ? { project_id: project } : {}) }, { signal }),
    [project],
  );
  return (
    <>
      <section>
        <h2>Outcomes of the last {WINDOW_DAYS} days</h2>
        <WhenLoaded loaded={metrics} what="metrics">
          {({ by_day, total }) =>
            total.episodes === 0 ? (
              <NoEpisodes />
            ) : (
              <>
                <DayChart
                  label="Episodes by outcome and day"
                  days={by_day.map(({ day }) => day)}
                  series={[
                    { name: "success", tone: "good", values: by_day.map(({ outcomes }) => outcomes.success) },
                    { name: "partial", tone: "warn", values: by_day.map(({ outcomes }) => outcomes.partial) },
                    {
                      name: "failure",
                      tone: "danger",
                      values: by_day.map(({ outcomes }) => outcomes.failure),
                    },
                  ]}
                />
                <p class="soft">
                  {total.success_rate !== null && `${Math.round(total.success_rate * 100)} % succeeded. `}
                  {formatQuantity(total.retries, "retry", "retries")}, {formatQuantity(total.errors, "error")}
                  , {formatQuantity(total.prime.calls, "briefing")}
                  {total.prime.tokens_saved > 0 &&
                    ` that saved ${formatQuantity(total.prime.tokens_saved, "token")}`}
                  .
                </p>
              </>
            )
          }
        </WhenLoaded>
      </section>
      {/* Patterns belong to projects, and contradictions to the tenant. */}
      {own.bind?.agent_id === undefined && (
        <section>
          <h2>Patterns</h2>
          <Patterns project={project} />
        </section>
      )}
      {own.bind === null && (
        <section>
          <h2>Contradictions</h2>
          <Contradictions project={project} />
        </section>
      )}
      <div class="columns">
        <section>
          <h2>What an agent would be told</h2>
          <PrimePreview project={project} />
        </section>
        <section>
          <h2>Consolidation</h2>
          <Consolidation project={project} />
        </section>
      </div>
      <section>
        <h2>Episodes</h2>
        <Episodes project={project} />
      </section>
    </>
  );
}

function NoEpisodes() {
  const { key } = useConnection();
  const call = `curl -sS ${location.origin}/v1/episodes \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"project_id":"shop","context":{"goal":"Add a login page"},"outcome":"success"}'`;
  return (
    <EmptyState title="No attempts are recorded in this time">
      <p>An agent records each attempt at a task; Kioku turns them into patterns:</p>
      <CodeBlock code={call} label="Record an episode" />
    </EmptyState>
  );
}

const OUTCOMES = [["", "any"], "success", "partial", "failure"] as const;

function Episodes({ project }: { project: string }) {
  const { kioku } = useConnection();
  const [outcome, setOutcome] = useState("");
  const pages = usePages(
    () =>
      kioku.episodes.list({
        ...(project ? { project_id: project } : {}),
        ...(outcome ? { outcome: outcome as "success" | "partial" | "failure" } : {}),
      }),
    [project, outcome],
  );
  return (
    <>
      <div class="inline-form">
        <SelectField label="Outcome" value={outcome} options={OUTCOMES} change={setOutcome} />
      </div>
      <WhenLoaded loaded={pages} what="episodes">
        {(episodes) => (
          <>
            {episodes.length === 0 && (
              <p class="soft">None{outcome === "" ? " yet" : " with this outcome"}.</p>
            )}
            <ul class="cards cards-small">
              {episodes.map((episode) => (
                <li key={episode.id}>
                  <a class="card-title" href={toHref(["experience", episode.id])}>
                    {episode.context.goal}
                  </a>
                  {episode.errors_encountered?.map(({ type, message, resolution }, index) => (
                    <p key={index} class="soft excerpt">
                      {type}: {message}
                      {resolution && ` → ${resolution}`}
                    </p>
                  ))}
                  <p class="meta">
                    <StatusLabel status={episode.outcome} />
                    <Time at={episode.timestamp} />
                    <Owners
                      user_id={episode.user_id}
                      agent_id={episode.agent}
                      project_id={episode.project_id}
                    />
                    {episode.usage_count > 0 && (
                      <span>used {formatQuantity(episode.usage_count, "time")}</span>
                    )}
                  </p>
                </li>
              ))}
            </ul>
            <LoadMore {...pages} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}
