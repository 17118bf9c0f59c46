// kioku users: lists and shows the people whom memories concern.
import type { UserSummary } from "../../client/index";
import { type Command, defineCommand, getArgument, PAGE_OPTIONS } from "../command";
import { showPage } from "../list";
import { type Column, formatMinute } from "../table";

const COLUMNS: readonly Column<UserSummary>[] = [
  { title: "id", of: ({ id }) => id, free: true },
  { title: "sessions", of: ({ counts }) => `${counts.sessions}` },
  { title: "messages", of: ({ counts }) => `${counts.messages}` },
  { title: "memories", of: ({ counts }) => `${counts.memories}` },
  { title: "first seen", of: ({ first_seen }) => formatMinute(first_seen) },
  { title: "last seen", of: ({ last_seen }) => formatMinute(last_seen) },
];

export const userCommands: readonly Command[] = [
  defineCommand({
    name: "users list",
    summary: "List users, by id",
    takes: [],
    options: PAGE_OPTIONS,
    example: "kioku users list --limit 100",
    async run(context) {
      await showPage(context, context.api().users.list(), { columns: COLUMNS, none: "There are no users." });
      return 0;
    },
  }),
  defineCommand({
    name: "users show",
    summary: "Print a user's profile, as text for a prompt",
    takes: ["id"],
    options: {},
    example: "kioku users show mia",
    async run(context) {
      const { terminal, json } = context;
      const id = getArgument(context, 0);
      const { users } = context.api();
      if (json) await terminal.json(await users.get(id));
      else await terminal.line(await users.getMarkdown(id));
      return 0;
    },
  }),
];
