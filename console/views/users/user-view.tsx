// One user: the profile, what happened when, and the erasure.
import type { UserProfile, UserStatement } from "kioku/client";
import { useState } from "preact/hooks";
import { ConfirmDialog, Receipt } from "../../components/dialog";
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel, Time, TypeLabel } from "../../components/labels";
import { formatCount, formatShare, formatTime, shorten } from "../../state/format";
import { useAction, useLoad } from "../../state/load";
import { route, toHref } from "../../state/router";
import { hasScope, useConnection } from "../../state/sign-in";
import { useTitle } from "../../state/title";

export function UserView() {
  const { kioku } = useConnection();
  const [, id = ""] = route.value.path;
  const profile = useLoad((signal) => kioku.users.get(id, { signal }), [id]);
  useTitle(id);
  const [receipt, setReceipt] = useState<Record<string, number> | null>(null);
  return (
    <>
      <p class="breadcrumb">
        <a href={toHref(["users"])}>Users</a>
      </p>
      <h1>{id}</h1>
      {receipt === null ? (
        <WhenLoaded loaded={profile} what="the profile">
          {(user) => <Profile user={user} showReceipt={setReceipt} />}
        </WhenLoaded>
      ) : (
        <Receipt deleted={receipt} />
      )}
    </>
  );
}

function Profile({
  user,
  showReceipt,
}: {
  user: UserProfile;
  showReceipt: (deleted: Record<string, number>) => void;
}) {
  const [isErasing, setErasing] = useState(false);
  return (
    <>
      <p class="meta">
        <span>
          first seen <Time at={user.first_seen} />
        </span>
        <span>
          last seen <Time at={user.last_seen} />
        </span>
        <a href={toHref(["memories"], { user: user.id })}>{formatCount(user.counts.memories)} memories</a>
        <a href={toHref(["sessions"], { user: user.id })}>{formatCount(user.counts.sessions)} sessions</a>
        <span>{formatCount(user.counts.messages)} messages</span>
      </p>
      {user.topics.length > 0 && (
        <p class="meta">
          {user.topics.map((topic) => (
            <a key={topic} class="label" href={toHref(["memories"], { user: user.id, query: topic })}>
              {topic}
            </a>
          ))}
        </p>
      )}
      {hasScope("write") && (
        <p class="actions">
          <button type="button" class="button button-danger" onClick={() => setErasing(true)}>
            Erase the user
          </button>
        </p>
      )}
      {isErasing && <EraseUserDialog user={user} close={() => setErasing(false)} done={showReceipt} />}
      <div class="columns">
        <section>
          <h2>Facts</h2>
          <Statements statements={user.facts} nothing="No facts are known." />
        </section>
        <section>
          <h2>Preferences</h2>
          <Statements statements={user.preferences} nothing="No preferences are known." />
        </section>
      </div>
      <section>
        <h2>Timeline</h2>
        <Timeline id={user.id} />
      </section>
    </>
  );
}

function Statements({ statements, nothing }: { statements: readonly UserStatement[]; nothing: string }) {
  if (statements.length === 0) return <p class="soft">{nothing}</p>;
  return (
    <ul class="cards cards-small">
      {statements.map(({ id, content, type, confidence, timestamp, source_type }) => (
        <li key={id}>
          <a class="card-title" href={toHref(["memories", id])}>
            {content}
          </a>
          <p class="meta">
            <TypeLabel type={type} />
            <span>confidence {formatShare(confidence)}</span>
            {source_type !== undefined && <span>from {source_type.replaceAll("_", " ")}</span>}
            <Time at={timestamp} />
          </p>
        </li>
      ))}
    </ul>
  );
}

type Happening = { at: string; key: string; text: string; href: string; status: string; kind: string };

const TIMELINE_ITEMS = 50;
const EXCERPT = 240;

/** The user's sessions and memories in one order, newest first. */
function Timeline({ id }: { id: string }) {
  const { kioku } = useConnection();
  const happenings = useLoad(async () => {
    const place = { limit: TIMELINE_ITEMS };
    const [sessions, memories] = await Promise.all([
      kioku.sessions.list({ user_id: id }).page(place),
      kioku.memories.list({ user_id: id, include_superseded: true }).page(place),
    ]);
    const list = [
      ...sessions.data.map(
        (session): Happening => ({
          at: session.created_at,
          key: `session ${session.id}`,
          text: session.id,
          href: toHref(["sessions", session.id]),
          status: session.status,
          kind: "session",
        }),
      ),
      ...memories.data.map(
        (memory): Happening => ({
          at: memory.timestamp,
          key: memory.id,
          text: memory.content,
          href: toHref(["memories", memory.id]),
          status: memory.status,
          kind: memory.type,
        }),
      ),
    ].sort((a, b) => b.at.localeCompare(a.at));
    return { list, hasMore: sessions.next_cursor !== null || memories.next_cursor !== null };
  }, [id]);
  return (
    <WhenLoaded loaded={happenings} what="the timeline">
      {({ list, hasMore }) => (
        <>
          <ol class="timeline">
            {list.map(({ at, key, text, href, status, kind }) => (
              <li key={key}>
                <p class="meta">
                  <time dateTime={at}>{formatTime(at)}</time>
                  <TypeLabel type={kind} />
                  <StatusLabel status={status} />
                </p>
                <p>
                  <a href={href}>{shorten(text, EXCERPT)}</a>
                </p>
              </li>
            ))}
          </ol>
          {hasMore && (
            <p class="soft">
              These are the newest {TIMELINE_ITEMS} of each. All of them:{" "}
              <a href={toHref(["memories"], { user: id, status: "all" })}>memories</a>,{" "}
              <a href={toHref(["sessions"], { user: id })}>sessions</a>.
            </p>
          )}
        </>
      )}
    </WhenLoaded>
  );
}

type EraseProps = { user: UserProfile; close: () => void; done: (deleted: Record<string, number>) => void };

function EraseUserDialog({ user, close, done }: EraseProps) {
  const { kioku } = useConnection();
  const erase = useAction(async () => {
    const { deleted } = await kioku.users.erase(user.id);
    close();
    done(deleted);
  });
  return (
    <ConfirmDialog
      title={`Erase ${user.id}?`}
      verb="Erase for good"
      isRunning={erase.isRunning}
      error={erase.error}
      confirm={erase.run}
      close={close}
    >
      <p>
        {formatCount(user.counts.memories)} memories, {formatCount(user.counts.sessions)} sessions and{" "}
        {formatCount(user.counts.messages)} messages go, with their triples, vectors and entries in the text
        index. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
