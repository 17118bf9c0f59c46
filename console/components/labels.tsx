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

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAge(at)}
    </time>
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
          user <a href={toHref(["users", user_id])}>{user_id}</a>
        </span>
      )}
      {agent_id && (
        <span class="owner">
          agent <a href={toHref(["memories"], { agent: agent_id })}>{agent_id}</a>
        </span>
      )}
      {project_id && (
        <span class="owner">
          project <a href={toHref(["memories"], { project: project_id })}>{project_id}</a>
        </span>
      )}
      {session_id && (
        <span class="owner">
          session <a href={toHref(["sessions", session_id])}>{session_id}</a>
        </span>
      )}
    </>
  );
}
