// kioku sessions: lists, shows, closes and deletes sessions.
import type { Session, SessionSummary } from "../../client/index";
import { type Command, defineCommand, getArgument, PAGE_OPTIONS } from "../command";
import { confirmErasure, ERASE_OPTIONS } from "../confirm-erasure";
import { showPage } from "../list";
import { type Column, formatMinute, renderFields } from "../table";

const STATUSES = ["active", "paused", "closed", "abandoned"] as const;

const COLUMNS: readonly Column<SessionSummary>[] = [
  { title: "id", of: ({ id }) => id, free: true },
  { title: "status", of: ({ status }) => status },
  { title: "user", of: ({ user_id }) => user_id, free: true },
  { title: "agent", of: ({ agent_id }) => agent_id, free: true },
  { title: "project", of: ({ project_id }) => project_id, free: true },
  { title: "created", of: ({ created_at }) => formatMinute(created_at) },
  { title: "updated", of: ({ updated_at }) => formatMinute(updated_at) },
];

export const sessionCommands: readonly Command[] = [
  defineCommand({
    name: "sessions list",
    summary: "List sessions, newest first",
    takes: [],
    options: {
      user: { type: "string", value: "<id>", about: "only of this user" },
      agent: { type: "string", value: "<id>", about: "only of this agent" },
      project: { type: "string", value: "<id>", about: "only of this project" },
      status: { type: "string", value: "<status>", choices: STATUSES, about: STATUSES.join(", ") },
      ...PAGE_OPTIONS,
    },
    example: "kioku sessions list --agent ada --status active",
    async run(context) {
      const { user, agent, project, status } = context.values;
      const list = context.api().sessions.list({
        user_id: user,
        agent_id: agent,
        project_id: project,
        status,
      });
      await showPage(context, list, { columns: COLUMNS, none: "There are no such sessions." });
      return 0;
    },
  }),
  defineCommand({
    name: "sessions show",
    summary: "Show a session",
    takes: ["id"],
    options: {},
    example: "kioku sessions show tour",
    async run(context) {
      const { terminal, json } = context;
      const session = await context.api().session(getArgument(context, 0)).get();
      if (json) await terminal.json(session);
      else await terminal.line(renderFields(terminal, selectFields(session)));
      return 0;
    },
  }),
  defineCommand({
    name: "sessions close",
    summary: "Promote pending memories, then close a session",
    takes: ["id"],
    options: {},
    example: "kioku sessions close tour",
    async run(context) {
      const { terminal, json } = context;
      const closed = await context.api().session(getArgument(context, 0)).close();
      if (json) await terminal.json(closed);
      else await terminal.line(`Closed ${closed.id}, ${closed.promoted} promoted`);
      return 0;
    },
  }),
  defineCommand({
    name: "sessions delete",
    summary: "Erase a session's short-term memory",
    takes: ["id"],
    options: { memories: { type: "boolean", about: "and its long-term memories" }, ...ERASE_OPTIONS },
    about: "There is no way back",
    example: "kioku sessions delete tour --memories",
    async run(context) {
      const { terminal, json, values } = context;
      const id = getArgument(context, 0);
      const target = values.memories ? `session ${id} and its memories` : `session ${id}`;
      if (!(await confirmErasure(context, target))) return 1;
      const receipt = await context.api().session(id).delete({ memories: values.memories });
      if (json) await terminal.json(receipt);
      else await terminal.line(`Deleted ${id}\n${renderFields(terminal, receipt.deleted)}`);
      return 0;
    },
  }),
];

function selectFields({
  id,
  status,
  user_id,
  agent_id,
  project_id,
  created_at,
  updated_at,
  ended_at,
  counts,
  promotion,
}: Session) {
  return {
    id,
    status,
    user: user_id,
    agent: agent_id,
    project: project_id,
    created: formatMinute(created_at),
    updated: formatMinute(updated_at),
    ended: formatMinute(ended_at),
    messages: counts.messages,
    context: counts.context,
    pending: counts.pending,
    memories: counts.memories,
    promoted: promotion.total_promoted,
  };
}
