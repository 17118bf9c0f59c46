// kioku history and why: how a memory changed, and where it comes from.
import type { LineageSource, MemoryLineage } from "../../client/index";
import { CLOCK_OPTIONS, type Command, defineCommand, getArgument, toClocks } from "../command";
import { type Column, formatMinute, renderTable } from "../table";
import { toOneLine, truncateToWidth } from "../width";

type State = { id: string; from: string; until: string | null; status: string; content: string };

const COLUMNS: readonly Column<State>[] = [
  { title: "from", of: ({ from }) => formatMinute(from) },
  { title: "until", of: ({ until }) => formatMinute(until) },
  { title: "id", of: ({ id }) => id },
  { title: "status", of: ({ status }) => status },
  { title: "content", of: ({ content }) => content, free: true },
];

export const lineageCommands: readonly Command[] = [
  defineCommand({
    name: "history",
    summary: "Show the versions of a memory, oldest first",
    takes: ["id"],
    options: CLOCK_OPTIONS,
    example: "kioku history f145f5220dc5acb88be9f088c39def83",
    async run(context) {
      const { terminal, json, values } = context;
      const history = await context.api().memories.history(getArgument(context, 0), toClocks(values));
      const states = history.data.flatMap((memory): State[] => [
        ...memory.versions.map((version) => ({
          ...version,
          from: version.recorded_at,
          until: version.recorded_until,
          status: "changed",
        })),
        {
          ...memory,
          from: memory.versions.at(-1)?.recorded_until ?? memory.recorded_at,
          until: memory.ended_at,
        },
      ]);
      if (json) await terminal.json(history);
      else await terminal.line(renderTable(terminal, COLUMNS, states));
      return 0;
    },
  }),
  defineCommand({
    name: "why",
    summary: "Show the sources of a memory, and what was derived from it",
    takes: ["id"],
    options: {},
    example: "kioku why f145f5220dc5acb88be9f088c39def83",
    async run(context) {
      const { terminal, json } = context;
      const lineage = await context
        .api()
        .request("GET", "/v1/memories/{id}/why", { params: { id: getArgument(context, 0) } });
      if (json) {
        await terminal.json(lineage);
        return 0;
      }
      const lines = describeLineage(lineage);
      const width = Math.max(...lines.map(([name]) => name.length));
      for (const [name, text] of lines) {
        const shown = truncateToWidth(toOneLine(text), terminal.columns - width - 2);
        await terminal.line(`${terminal.paint("dim", name.padEnd(width))}  ${shown}`);
      }
      return 0;
    },
  }),
];

function describeLineage(lineage: MemoryLineage): [name: string, text: string][] {
  const { memory, activity, sources, supersedes, superseded_by, forgotten, derived, hidden } = lineage;
  const { importance, extracted_by, key_id } = activity;
  const by = [
    activity.kind,
    ...(key_id === null ? [] : [`with ${key_id}`]),
    ...(extracted_by === null ? [] : [`extracted by ${extracted_by}`]),
    ...(importance === null ? [] : [`importance ${importance.score.toFixed(2)}`]),
  ];
  return [
    [memory.type, memory.content],
    ["id", `${memory.id}, ${memory.status}, confidence ${memory.confidence}`],
    ...toLine("rationale", memory.rationale),
    ["stored", `${formatMinute(activity.at)} by ${by.join(", ")}`],
    ...sources.map((source): [string, string] => ["rests on", describeSource(source)]),
    ...supersedes.map(({ id, content, reason }): [string, string] => [
      "replaces",
      `${id} ${content} (${reason})`,
    ]),
    ...toLine(
      "replaced by",
      superseded_by && `${superseded_by.id} ${superseded_by.content} (${superseded_by.reason})`,
    ),
    ...toLine("forgotten", forgotten && `${formatMinute(forgotten.at)} ${forgotten.reason ?? ""}`),
    ...derived.map(({ id, content }): [string, string] => ["supports", `${id} ${content}`]),
    ...toLine("hidden", hidden === 0 ? null : `${hidden} that this key does not see`),
  ];
}

function describeSource(source: LineageSource): string {
  switch (source.kind) {
    case "message":
      return `message ${source.id} in ${source.session_id}, ${source.role}: ${source.content}`;
    case "memory":
      return `memory ${source.id} ${source.content}`;
    default:
      return Object.values(source).join(" ");
  }
}

function toLine(name: string, text: string | null): [string, string][] {
  return text === null ? [] : [[name, text]];
}
