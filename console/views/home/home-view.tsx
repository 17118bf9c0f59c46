// Home: how to connect, what is stored, and whether the service is well.
import type { Usage } from "kioku/client";
import { DayChart } from "../../components/day-chart";
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel, Time, TypeLabel } from "../../components/labels";
import { formatBytes, formatCount } from "../../state/format";
import { useLoad } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { ConnectSnippets } from "./connect-snippets";

export function HomeView() {
  const { kioku } = useConnection();
  const usage = useLoad((signal) => kioku.usage({ signal }), []);
  return (
    <>
      <h1>Home</h1>
      <WhenLoaded loaded={usage} what="totals">
        {(totals) => (
          <>
            <Totals usage={totals} />
            {totals.memories + totals.messages + totals.sessions + totals.episodes === 0 ? (
              <Start />
            ) : (
              <Overview />
            )}
          </>
        )}
      </WhenLoaded>
      <Version />
    </>
  );
}

function Start() {
  return (
    <section>
      <h2>Connect a program to begin</h2>
      <ConnectSnippets />
    </section>
  );
}

function Overview() {
  return (
    <>
      <div class="columns">
        <section>
          <h2>Newest memories</h2>
          <NewestMemories />
        </section>
        <section>
          <h2>Latest sessions</h2>
          <LatestSessions />
        </section>
      </div>
      <section>
        <h2>Work of the last 30 days</h2>
        <Activity />
      </section>
      <section>
        <h2>Connect</h2>
        <ConnectSnippets />
      </section>
    </>
  );
}

function Totals({ usage }: { usage: Usage }) {
  const { memories, messages, sessions, episodes, bytes, limits } = usage;
  return (
    <dl class="totals">
      <Total name="memories" count={memories} limit={limits.memories} href={toHref(["memories"])} />
      <Total name="sessions" count={sessions} limit={limits.sessions} href={toHref(["sessions"])} />
      <Total name="messages" count={messages} limit={limits.messages} />
      <Total name="episodes" count={episodes} limit={limits.episodes} href={toHref(["experience"])} />
      <div>
        <dt>text stored</dt>
        <dd>{formatBytes(bytes)}</dd>
        {limits.bytes !== null && <dd class="soft">of {formatBytes(limits.bytes)}</dd>}
      </div>
    </dl>
  );
}

function Total({
  name,
  count,
  limit,
  href,
}: {
  name: string;
  count: number;
  limit: number | null;
  href?: string;
}) {
  return (
    <div>
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>{formatCount(count)}</dd>
      {limit !== null && <dd class="soft">of {formatCount(limit)}</dd>}
    </div>
  );
}

const LISTED = 6;

function NewestMemories() {
  const { kioku } = useConnection();
  const memories = useLoad(() => kioku.memories.list().page({ limit: LISTED }), []);
  return (
    <WhenLoaded loaded={memories} what="memories">
      {({ data }) => (
        <>
          {data.length === 0 && <p class="soft">None yet.</p>}
          <ul class="cards cards-small">
            {data.map(({ id, content, type, timestamp }) => (
              <li key={id}>
                <a class="card-title" href={toHref(["memories", id])}>
                  {content}
                </a>
                <p class="meta">
                  <TypeLabel type={type} />
                  <Time at={timestamp} />
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </WhenLoaded>
  );
}

function LatestSessions() {
  const { kioku } = useConnection();
  const sessions = useLoad(() => kioku.sessions.list().page({ limit: LISTED }), []);
  return (
    <WhenLoaded loaded={sessions} what="sessions">
      {({ data }) => (
        <>
          {data.length === 0 && <p class="soft">None yet.</p>}
          <ul class="cards cards-small">
            {data.map(({ id, status, user_id, agent_id, updated_at }) => (
              <li key={id}>
                <a class="card-title" href={toHref(["sessions", id])}>
                  {id}
                </a>
                <p class="meta">
                  <StatusLabel status={status} />
                  <Time at={updated_at} />
                  {user_id !== null && <span>user {user_id}</span>}
                  {agent_id !== null && <span>agent {agent_id}</span>}
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </WhenLoaded>
  );
}

function Activity() {
  const { kioku } = useConnection();
  const metrics = useLoad((signal) => kioku.metrics({ window_days: 30 }, { signal }), []);
  return (
    <WhenLoaded loaded={metrics} what="metrics">
      {({ by_day, total }) =>
        total.episodes === 0 && total.prime.calls === 0 ? (
          <p class="soft">
            No episodes and briefings in this time. Agents record their attempts with{" "}
            <code>POST /v1/episodes</code>.
          </p>
        ) : (
          <DayChart
            label="Episodes and briefings by day"
            days={by_day.map(({ day }) => day)}
            series={[
              { name: "episodes", tone: "accent", values: by_day.map(({ episodes }) => episodes) },
              { name: "briefings", tone: "good", values: by_day.map(({ prime }) => prime.calls) },
            ]}
          />
        )
      }
    </WhenLoaded>
  );
}

function Version() {
  const { kioku } = useConnection();
  const health = useLoad((signal) => kioku.health({ signal }), []);
  return (
    <section>
      <h2>Health</h2>
      <WhenLoaded loaded={health} what="health">
        {({ status, version }) => (
          <p class="meta">
            <StatusLabel status={status} />
            <span>version {version}</span>
            <span>
              All checks: sign in with <code>ADMIN_KEY</code>, or run <code>npx kioku doctor</code>
            </span>
          </p>
        )}
      </WhenLoaded>
    </section>
  );
}
