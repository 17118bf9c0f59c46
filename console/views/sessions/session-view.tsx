// One session, live: the conversation, what it holds in short-term memory, and what it is about to remember.
import type { Session } from "kioku/client";
import { useEffect, useState } from "preact/hooks";
import { BudgetBar } from "../../components/bars";
import { EmptyState, Loading, WhenLoaded } from "../../components/feedback";
import { Owners, StatusLabel, Time } from "../../components/labels";
import { formatDuration, formatName, formatQuantity } from "../../state/format";
import { useAction, useLoad } from "../../state/load";
import { route, toHref } from "../../state/router";
import { hasScope, useConnection } from "../../state/sign-in";
import { AssemblePreview } from "./assemble-preview";
import { Cognition } from "./cognition";
import { type LiveSession, useLiveSession } from "./live-session";
import { PendingMemories, WorkingContext } from "./short-term";

export function SessionView() {
  const [, id = ""] = route.value.path;
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
  const { session, revision, state } = live;
  if (session === undefined)
    return state === "lost" ? (
      <EmptyState title="This session cannot be read">
        <p>It does not exist, was erased, or belongs to another tenant.</p>
      </EmptyState>
    ) : (
      <Loading what="the session" />
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
        {session.phase !== null && <span>{session.phase}</span>}
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
            <Conversation id={id} revision={revision} />
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
              {formatQuantity(session.counts.context, "context key")}, memories: {session.counts.memories}
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

function Conversation({ id, revision }: { id: string; revision: number }) {
  const { kioku } = useConnection();
  // The window is small: it fits the conversation's token budget.
  const messages = useLoad(async () => {
    const all = [];
    for await (const message of kioku.session(id).messages.list()) all.push(message);
    return all;
  }, [id, revision]);
  return (
    <WhenLoaded loaded={messages} what="the conversation">
      {(list) =>
        list.length === 0 ? (
          <p class="soft">The window is empty.</p>
        ) : (
          <ol class="messages">
            {list.map((message) => (
              <li key={message.id} class={`message message-${message.role}`}>
                <p class="meta">
                  <strong>{message.name ?? message.role}</strong>
                  <Time at={message.timestamp} />
                  <span>{message.token_count} tokens</span>
                </p>
                <p class="message-text">{message.content}</p>
              </li>
            ))}
          </ol>
        )
      }
    </WhenLoaded>
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
        {promotion.total_promoted} promoted in {formatQuantity(promotion.runs, "run")}; from importance{" "}
        {promotion.threshold} on
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
            <code>{formatName(signal.type)}</code> <Time at={signal.time} />
          </li>
        ))}
      </ul>
    </section>
  );
}
