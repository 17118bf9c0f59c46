// kioku metrics: prints metrics of episodes and briefings.
import type { Metrics } from "../../../client/index";
import { defineCommand } from "../../command";
import { parseNumber } from "../../numbers";
import { type Column, renderTable } from "../../table";

const GROUPS = ["project", "agent", "day"] as const;

type Row = Metrics & { name: string };

const COLUMNS: readonly Column<Row>[] = [
  { title: "", of: ({ name }) => name, free: true },
  { title: "episodes", of: ({ episodes }) => episodes },
  { title: "success", of: ({ success_rate }) => formatShare(success_rate) },
  { title: "p50 s", of: ({ duration_seconds }) => duration_seconds.p50 },
  { title: "p95 s", of: ({ duration_seconds }) => duration_seconds.p95 },
  { title: "tokens", of: ({ tokens }) => tokens.used },
  { title: "retries", of: ({ retries }) => retries },
  { title: "errors", of: ({ errors }) => errors },
  { title: "primes", of: ({ prime }) => prime.calls },
  { title: "with patterns", of: ({ prime }) => formatShare(prime.pattern_rate) },
  { title: "tokens saved", of: ({ prime }) => prime.tokens_saved },
];

export const metrics = defineCommand({
  name: "metrics",
  summary: "Show outcomes, time, tokens and retries of recent days",
  takes: [],
  options: {
    project: { type: "string", value: "<id>", about: "of one project" },
    agent: { type: "string", value: "<id>", about: "of one agent" },
    days: { type: "string", value: "<n>", about: "how many days, 7 if not given" },
    by: {
      type: "string",
      value: "<group>",
      choices: GROUPS,
      about: "project, agent or day: project if not given",
    },
  },
  example: "kioku metrics --project shop --days 30 --by agent",
  async run({ values, terminal, json, api }) {
    const by = values.by ?? "project";
    const answer = await api().metrics({
      project_id: values.project,
      agent_id: values.agent,
      window_days: parseNumber("days", values.days),
    });
    if (json) {
      await terminal.json(answer);
      return 0;
    }
    const groups: Record<(typeof GROUPS)[number], Row[]> = {
      project: answer.by_project.map((group) => ({ ...group, name: group.project_id ?? "(none)" })),
      agent: answer.by_agent.map((group) => ({ ...group, name: group.agent_id ?? "(none)" })),
      day: answer.by_day.map((group) => ({ ...group, name: group.day })),
    };
    const total: Row = { ...answer.total, name: "total" };
    await terminal.line(renderTable(terminal, COLUMNS, [...groups[by], total]));
    return 0;
  },
});

function formatShare(share: number | null): string | null {
  return share === null ? null : `${Math.round(share * 100)} %`;
}
