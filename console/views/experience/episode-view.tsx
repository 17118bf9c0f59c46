// One episode: what an agent tried, how it went, and what was learnt from it.
import type { Action, Episode } from "kioku/client";
import { Bar } from "../../components/bars";
import { type Fact, Facts } from "../../components/facts";
import { WhenLoaded } from "../../components/feedback";
import { Owners, StatusLabel, Time } from "../../components/labels";
import { LongText } from "../../components/long-text";
import { formatCount, formatDuration, formatQuantity, formatTime } from "../../state/format";
import { useLoad } from "../../state/load";
import { route, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { useTitle } from "../../state/title";
import { EpisodeLessons, EpisodeLinks } from "./episode-links";

export function EpisodeView() {
  const { kioku } = useConnection();
  const [, id = ""] = route.value.path;
  const episode = useLoad((signal) => kioku.episodes.get(id, { signal }), [id]);
  useTitle(episode.value?.context.goal ?? "Episode");
  return (
    <>
      <p class="breadcrumb">
        <a href={toHref(["experience"])}>Experience</a>
      </p>
      {episode.value === undefined && <h1>Episode</h1>}
      <WhenLoaded loaded={episode} what="the episode">
        {(found) => <EpisodePage key={found.id} episode={found} />}
      </WhenLoaded>
    </>
  );
}

function EpisodePage({ episode }: { episode: Episode }) {
  const { context, outcome, duration_seconds, archived_at } = episode;
  return (
    <>
      <LongText>
        <h1 class="statement">{context.goal}</h1>
      </LongText>
      <p class="meta">
        <span class="label">episode</span>
        <StatusLabel status={outcome} />
        <Time at={episode.timestamp} isExact />
        {duration_seconds != null && <span>took {formatDuration(duration_seconds)}</span>}
        <Owners user_id={episode.user_id} agent_id={episode.agent} project_id={episode.project_id} />
        {context.phase && <span>phase {context.phase}</span>}
        <a href={toHref(["graph", `evidence_${encodeURIComponent(episode.id)}`])}>Show in the graph</a>
      </p>
      {archived_at !== null && (
        <p class="note">
          Archived on {formatTime(archived_at)}: it is no longer recalled, and its patterns keep it as
          evidence.
        </p>
      )}
      <div class="columns">
        <div>
          <section>
            <h2>What was done</h2>
            <Steps episode={episode} />
          </section>
          <section>
            <h2>Errors</h2>
            <Errors episode={episode} />
          </section>
        </div>
        <div>
          <section>
            <h2>What was learnt from it</h2>
            <EpisodeLessons id={episode.id} />
          </section>
          <section>
            <h2>Details</h2>
            <Bar label="importance" value={episode.importance ?? 0} />
            <Facts facts={listFacts(episode)} />
          </section>
          <section>
            <h2>Links</h2>
            <EpisodeLinks id={episode.id} />
          </section>
        </div>
      </div>
    </>
  );
}

/** The steps, or the summary that replaces them once the episode is a week old. */
function Steps({ episode: { summary, action_log = [] } }: { episode: Episode }) {
  return (
    <>
      {summary !== null && (
        <LongText>
          <p class="message-text">{summary}</p>
        </LongText>
      )}
      {summary === null && action_log.length === 0 && <p class="soft">No steps were recorded.</p>}
      <ol class="timeline">
        {action_log.map((action, index) => (
          <li key={index}>
            <Step action={action} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Step({ action: { t, action, target, result, error, ...others } }: { action: Action }) {
  const more = Object.entries(others).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return (
    <>
      <p>
        <strong>{action}</strong> {target}
      </p>
      <p class="meta">
        {t !== undefined && <span>after {formatDuration(t)}</span>}
        {result !== undefined && <span>{result}</span>}
      </p>
      {error !== undefined && (
        <LongText>
          <p class="error-text">{error}</p>
        </LongText>
      )}
      {more.length > 0 && (
        <LongText>
          <p class="soft">{more.join(", ")}</p>
        </LongText>
      )}
    </>
  );
}

function Errors({ episode: { errors_encountered = [] } }: { episode: Episode }) {
  if (errors_encountered.length === 0) return <p class="soft">None.</p>;
  return (
    <ul class="cards cards-small">
      {errors_encountered.map(({ type, message, resolution }, index) => (
        <li key={index}>
          <p class="card-title">{type}</p>
          <LongText>
            {message && <p class="message-text">{message}</p>}
            <p class="soft">{resolution ? `Resolved: ${resolution}` : "Not resolved."}</p>
          </LongText>
        </li>
      ))}
    </ul>
  );
}

function listFacts(episode: Episode): Fact[] {
  const { context, tokens_used, usage_count, last_used } = episode;
  const join = (texts: readonly string[] | undefined) => texts?.join(", ");
  return [
    ["Task", episode.task_id],
    ["Constraints", join(context.constraints)],
    ["Files involved", join(context.files_involved)],
    ["Files read", join(episode.files_read)],
    ["Files changed", join(episode.files_modified)],
    ["Artifacts", join(episode.artifacts_produced)],
    ["Commit", episode.git_commit],
    ["Tokens", tokens_used == null ? null : formatCount(tokens_used)],
    [
      "Used",
      `${formatQuantity(usage_count, "time")}${last_used === null ? "" : `, last ${formatTime(last_used)}`}`,
    ],
    ["Id", episode.id],
  ];
}
