// Sessions, newest first.

import type { SessionSummary } from "kioku/client";
import { CodeBlock } from "../../components/code-block";
import { EmptyState, LoadMore, WhenLoaded } from "../../components/feedback";
import { Filters, SelectField, TextField } from "../../components/fields";
import { IdLink, StatusLabel, Time } from "../../components/labels";
import { OpenById } from "../../components/open-by-id";
import { ScrollRegion } from "../../components/scroll-region";
import { usePages } from "../../state/load";
import { replaceQuery, route, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

const NAMES = ["user", "agent", "project", "status", "phase"] as const;
type SessionFilters = Partial<Record<(typeof NAMES)[number], string>>;

const STATUSES = [["", "any"], "active", "paused", "closed", "abandoned"] as const;
const PHASES = [["", "any"], "planning", "implementation", "debugging", "review"] as const;

export function SessionsView() {
  const { kioku } = useConnection();
  const filters: SessionFilters = route.value.query;
  const change = (changes: SessionFilters) => replaceQuery({ ...filters, ...changes });
  const count = NAMES.filter((name) => filters[name]).length;
  const pages = usePages(
    () =>
      kioku.sessions.list({
        ...(filters.user ? { user_id: filters.user } : {}),
        ...(filters.agent ? { agent_id: filters.agent } : {}),
        ...(filters.project ? { project_id: filters.project } : {}),
        ...(filters.status ? { status: filters.status as SessionSummary["status"] } : {}),
        ...(filters.phase ? { phase: filters.phase as NonNullable<SessionSummary["phase"]> } : {}),
      }),
    [filters],
  );
  return (
    <>
      <h1>Sessions</h1>
      {(count > 0 || pages.value?.length !== 0) && <OpenById view="sessions" what="session" />}
      <Filters count={count}>
        <SelectField
          label="Status"
          value={filters.status ?? ""}
          options={STATUSES}
          change={(status) => change({ status })}
        />
        <TextField label="User" value={filters.user ?? ""} change={(user) => change({ user })} />
        <TextField label="Agent" value={filters.agent ?? ""} change={(agent) => change({ agent })} />
        <TextField label="Project" value={filters.project ?? ""} change={(project) => change({ project })} />
        <SelectField
          label="Phase"
          value={filters.phase ?? ""}
          options={PHASES}
          change={(phase) => change({ phase })}
        />
        {count > 0 && (
          <button type="button" class="button" onClick={() => replaceQuery({})}>
            Clear filters
          </button>
        )}
      </Filters>
      <WhenLoaded loaded={pages} what="sessions">
        {(sessions) => (
          <>
            {sessions.length === 0 ? (
              <NoSessions isFiltered={count > 0} />
            ) : (
              <SessionTable sessions={sessions} />
            )}
            <LoadMore {...pages} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function NoSessions({ isFiltered }: { isFiltered: boolean }) {
  const { key } = useConnection();
  if (isFiltered)
    return (
      <EmptyState title="No session passes these filters">
        <p>Clear them, or change one of them.</p>
      </EmptyState>
    );
  const call = `curl -sS ${location.origin}/v1/sessions/monday/messages \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"user_id":"alex","messages":[{"role":"user","content":"I live in Lisbon."}]}'`;
  return (
    <EmptyState title="No agent has talked to the service yet">
      <p>The first message creates a session:</p>
      <CodeBlock code={call} label="Send a message" />
    </EmptyState>
  );
}

export function SessionTable({ sessions }: { sessions: readonly SessionSummary[] }) {
  return (
    <ScrollRegion label="Sessions">
      <table>
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Last change</th>
            <th scope="col">Status</th>
            <th scope="col">User</th>
            <th scope="col">Agent</th>
            <th scope="col">Project</th>
            <th scope="col">Phase</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.id}>
              <th scope="row">
                <IdLink id={session.id} href={toHref(["sessions", session.id])} />
              </th>
              <td>
                <Time at={session.updated_at} />
              </td>
              <td>
                <StatusLabel status={session.status} />
              </td>
              <td>
                {session.user_id !== null && (
                  <IdLink id={session.user_id} href={toHref(["users", session.user_id])} />
                )}
              </td>
              <td>
                {session.agent_id !== null && (
                  <IdLink id={session.agent_id} href={toHref(["sessions"], { agent: session.agent_id })} />
                )}
              </td>
              <td>
                {session.project_id !== null && (
                  <IdLink
                    id={session.project_id}
                    href={toHref(["sessions"], { project: session.project_id })}
                  />
                )}
              </td>
              <td>{session.phase}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
