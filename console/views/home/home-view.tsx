// Home: how to connect, what is stored, and whether the service is well.
import type { Usage } from "kioku/client";
import { WhenLoaded } from "../../components/feedback";
import { Owners, StatusLabel, Time, TypeLabel } from "../../components/labels";
import { SearchForm } from "../../components/search-form";
import { formatBytes, formatCount } from "../../state/format";
import { useLoad } from "../../state/load";
import { navigate, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { Activity } from "./activity";
import { ConnectSnippets } from "./connect-snippets";
import { Health } from "./health";

export function HomeView() {
  const { own } = useConnection();
  return (
    <>
      <h1>Home</h1>
      {/* The totals are those of the whole tenant. */}
      {own.bind === null ? (
        <Tenant />
      ) : (
        <>
          <WhyForm />
          <Overview />
        </>
      )}
      <Health />
    </>
  );
}

function Tenant() {
  const { kioku } = useConnection();
  const usage = useLoad((signal) => kioku.usage({ signal }), []);
  return (
    <WhenLoaded loaded={usage} what="totals">
      {(totals) =>
        totals.memories + totals.messages + totals.sessions + totals.episodes === 0 ? (
          <>
            <Totals usage={totals} />
            <Start />
          </>
        ) : (
          <>
            <WhyForm />
            <Totals usage={totals} />
            <Overview />
          </>
        )
      }
    </WhenLoaded>
  );
}

/** The question that people come with. */
function WhyForm() {
  return (
    <>
      <h2>Why did an agent say that?</h2>
      <SearchForm
        label="What did the agent say?"
        placeholder="Its words, or yours"
        verb="Find out"
        query=""
        search={(query) => navigate(toHref(["memories"], { query }))}
      />
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
  const { own } = useConnection();
  return (
    <>
      {/* There are no metrics of a user. */}
      {own.bind?.user_id === undefined && <Activity />}
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
                  <Owners user_id={user_id} agent_id={agent_id} />
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </WhenLoaded>
  );
}
