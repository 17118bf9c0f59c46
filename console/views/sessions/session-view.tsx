// One session, live: the conversation, what it holds in short-term memory, and what it is about to remember.
import type { Session } from "kioku/client";
import { useEffect, useState } from "preact/hooks";
import { BudgetBar } from "../../components/bars";
import { EmptyState, Loading } from "../../components/feedback";
import { Owners, StatusLabel, Time } from "../../components/labels";
import { formatCount, formatDuration, formatQuantity } from "../../state/format";
import { useAction } from "../../state/load";
import { route, toHref } from "../../state/router";
import { hasScope, useConnection } from "../../state/sign-in";
import { useTitle } from "../../state/title";
import { AssemblePreview } from "./assemble-preview";
import { Cognition } from "./cognition";
import { Conversation } from "./conversation";
import { type LiveSession, useLiveSession } from "./live-session";
import { PendingMemories, WorkingContext } from "./short-term";

export function SessionView() {
  const [, id = ""] = route.value.path;
  useTitle(id);
  return (
    <>
      <p class="breadcrumb">
        <a href={toHref(["sessions"])}>Sessions</a>
      </p>
      <h1>{id}</h1>
      <SessionPage key={id} id={id} />
    </>
  );
}

function SessionPage({ id }: { id: string }) {
  const live = useLiveSession(id);
  const { session, revision, state, error } = live;
  if (session === undefined)
    return error === null ? (
      <Loading what="the session" />
    ) : (
      <EmptyState title="This session cannot be read">
        <p role="alert">{error}</p>
        <p class="soft">The page tries again every few seconds.</p>
      </EmptyState>
    );
  return (
    <>
      <p class="meta">
        <StatusLabel status={session.status} />
        <span class={`live live-${state}`} role="status">
          {state === "lost" ? "not connected" : state}
        </span>
        <span>
          last change <Time at={session.updated_at} />
        </span>
        <Owners {...session} />
        <span>reach {session.reach}</span>
        {session.phase !== null && <span>phase {session.phase}</span>}
        {session.continues !== null && (
          <span>
            continues <a href={toHref(["sessions", session.continues])}>{session.continues}</a>
          </span>
        )}
      </p>
      <div class="columns columns-session">
        <div>
          <section>
            <h2>Conversation</h2>
            <Conversation session={session} revision={revision} />
          </section>
          <AssemblePreview id={id} budget={session.token_budget.total} />
        </div>
        <div>
          <section>
            <h2>Budget</h2>
            <div class="bars">
              <BudgetBar
                label="conversation"
                used={session.counts.tokens}
                total={session.token_budget.conversation}
              />
            </div>
            <p class="soft">
              {formatQuantity(session.counts.messages, "message")},{" "}
              {formatQuantity(session.counts.context, "context key")} and{" "}
              {formatQuantity(session.counts.memories, "memory", "memories")}. The model gets at most{" "}
              {formatCount(session.token_budget.total)} tokens, {formatCount(session.token_budget.context)} of
              them context.
            </p>
          </section>
          <Promotion id={id} session={session} />
          <section>
            <h2>Pending memories</h2>
            <PendingMemories id={id} revision={revision} threshold={session.promotion.threshold} />
          </section>
          <section>
            <h2>Working context</h2>
            <WorkingContext id={id} revision={revision} />
          </section>
          <Cognition id={id} revision={revision} />
          <Signals live={live} />
        </div>
      </div>
    </>
  );
}

function Promotion({ id, session }: { id: string; session: Session }) {
  const { kioku } = useConnection();
  const { promotion, status } = session;
  const run = useAction(async () => {
    await kioku.session(id).promote();
  });
  return (
    <section>
      <h2>Promotion</h2>
      <p>
        {promotion.next_run === null ? (
          <span class="soft">{promotion.enabled ? "Nothing is due." : "It is off."}</span>
        ) : (
          <Countdown until={promotion.next_run} />
        )}
      </p>
      <p class="soft">
        {formatQuantity(promotion.total_promoted, "memory", "memories")} promoted in{" "}
        {formatQuantity(promotion.runs, "run")}. An importance of {promotion.threshold} is enough.
      </p>
      {hasScope("write") && status === "active" && (
        <button type="button" class="button" onClick={run.run} disabled={run.isRunning}>
          {run.isRunning ? "Promoting…" : "Promote now"}
        </button>
      )}
      {run.error !== null && (
        <p class="note note-danger" role="alert">
          {run.error}
        </p>
      )}
    </section>
  );
}

function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
  return (
    <>
      Next run{" "}
      <strong class="countdown" role="timer">
        {seconds === 0 ? "now" : `in ${formatDuration(seconds)}`}
      </strong>
    </>
  );
}

function Signals({ live: { signals } }: { live: LiveSession }) {
  if (signals.length === 0) return null;
  return (
    <section>
      <h2>Signals</h2>
      <ul class="plain">
        {signals.map((signal) => (
          <li key={signal.seq}>
            <code>{signal.type}</code> <Time at={signal.time} />
          </li>
        ))}
      </ul>
    </section>
  );
}
