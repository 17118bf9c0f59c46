// Small labels: types, statuses, outcomes, times, and links to other views.
import { formatAge, formatName, formatTime } from "../state/format";
import { toHref } from "../state/router";

export function TypeLabel({ type }: { type: string }) {
  return <span class="label">{formatName(type)}</span>;
}

const TONES: Readonly<Record<string, string>> = {
  live: "good",
  active: "good",
  success: "good",
  ok: "good",
  delivered: "good",
  good: "good",
  done: "good",
  superseded: "quiet",
  closed: "quiet",
  resolved: "quiet",
  paused: "warn",
  partial: "warn",
  warn: "warn",
  weak: "warn",
  pending: "warn",
  abandoned: "warn",
  open: "warn",
  invalidated: "danger",
  forgotten: "danger",
  failure: "danger",
  fail: "danger",
  failed: "danger",
  refused: "danger",
  dead: "danger",
  none: "danger",
};

/** A status as text with a colour: the colour alone says nothing. */
export function StatusLabel({ status }: { status: string }) {
  return <span class={`label label-${TONES[status] ?? "quiet"}`}>{formatName(status)}</span>;
}

/** A time as an age; with `isExact` as a date, where the age would say too little. The other one is its title. */
export function Time({ at, isExact = false }: { at: string; isExact?: boolean }) {
  const [text, title] = isExact ? [formatTime(at), formatAge(at)] : [formatAge(at), formatTime(at)];
  return (
    <time dateTime={at} title={title}>
      {text}
    </time>
  );
}

/** A link whose text is an id. Long ids are cut: the title has the whole. */
export function IdLink({ id, href }: { id: string; href: string }) {
  return (
    <a class="id" href={href} title={id}>
      {id}
    </a>
  );
}

const MEMORY_ID = /^[0-9a-f]{32}$/;

/** What a link leads to: a memory or an episode, or something with its class, such as `project/shop`, which the relation names. */
export function LinkedItem({ id }: { id: string }) {
  const [kind = "", name] = id.split("/", 2);
  if (name !== undefined) return <IdLink id={name} href={toHref(["graph", `${kind}_${name}`])} />;
  return MEMORY_ID.test(id) ? (
    <a href={toHref(["memories", id])}>{id.slice(0, 12)}</a>
  ) : (
    <>
      episode <IdLink id={id} href={toHref(["experience", id])} />
    </>
  );
}

type OwnerIds = {
  user_id?: string | null | undefined;
  agent_id?: string | null | undefined;
  project_id?: string | null | undefined;
  session_id?: string | null | undefined;
};

/** The owners of a memory or session, with links to those that have a view. */
export function Owners({ user_id, agent_id, project_id, session_id }: OwnerIds) {
  return (
    <>
      {user_id && (
        <span class="owner">
          user <IdLink id={user_id} href={toHref(["users", user_id])} />
        </span>
      )}
      {agent_id && (
        <span class="owner">
          agent <IdLink id={agent_id} href={toHref(["memories"], { agent: agent_id })} />
        </span>
      )}
      {project_id && (
        <span class="owner">
          project <IdLink id={project_id} href={toHref(["memories"], { project: project_id })} />
        </span>
      )}
      {session_id && (
        <span class="owner">
          session <IdLink id={session_id} href={toHref(["sessions", session_id])} />
        </span>
      )}
    </>
  );
}
