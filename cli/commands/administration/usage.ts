// kioku usage: prints what the tenant stores, and its quotas.
import { defineCommand } from "../../command";
import { type Column, renderTable } from "../../table";

type Row = { name: string; used: number; quota: number | null };

const COLUMNS: readonly Column<Row>[] = [
  { title: "", of: ({ name }) => name },
  { title: "used", of: ({ used }) => used },
  { title: "quota", of: ({ quota }) => quota },
];

export const usage = defineCommand({
  name: "usage",
  summary: "Show the usage and the quotas of the tenant",
  takes: [],
  options: {},
  example: "kioku usage",
  async run({ terminal, json, api }) {
    const answer = await api().usage();
    if (json) {
      await terminal.json(answer);
      return 0;
    }
    const { limits, ...used } = answer;
    const names = ["memories", "messages", "sessions", "episodes", "bytes", "streams"] as const;
    const rows = names.map((name) => ({ name, used: used[name], quota: limits[name] }));
    await terminal.line(renderTable(terminal, COLUMNS, rows));
    return 0;
  },
});
