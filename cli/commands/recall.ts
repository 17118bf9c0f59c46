// kioku recall: searches memories and messages.
import type { RecallAnswer, RecallInput } from "../../client/index";
import { CLOCK_OPTIONS, defineCommand, getArgument, OWNER_OPTIONS, toClocks, toOwner } from "../command";
import { UsageError } from "../failures";
import { parseNumber } from "../numbers";
import { type Column, formatMinute, renderTable } from "../table";

type Hit = RecallAnswer["memories"][number];

const COLUMNS: readonly Column<Hit>[] = [
  { title: "id", of: ({ id }) => id },
  { title: "type", of: (hit) => ("type" in hit ? hit.type : hit.kind) },
  { title: "score", of: ({ score }) => score.toFixed(2) },
  { title: "when", of: ({ timestamp }) => formatMinute(timestamp) },
  { title: "content", of: ({ content }) => content, free: true },
];

export const recall = defineCommand({
  name: "recall",
  summary: "Search memories and messages by text and meaning",
  takes: ["query"],
  options: {
    ...OWNER_OPTIONS,
    scope: {
      type: "string",
      value: "<scope>",
      choices: ["session", "user", "agent", "project", "tenant"],
      about: "session, user, agent, project or tenant (default: what the session or the named owner knows)",
    },
    type: { type: "string", value: "<type>", about: "only this kind, with its subclasses" },
    limit: { type: "string", value: "<n>", about: "how many, 1 to 50 (default 10)" },
    mode: {
      type: "string",
      value: "<mode>",
      choices: ["text", "semantic", "hybrid"],
      about: "text, semantic or hybrid (default)",
    },
    ...CLOCK_OPTIONS,
    messages: {
      type: "boolean",
      about: "also those left out by default, as in the window of --session",
    },
  },
  example: 'kioku recall "when do we deploy?" --project shop --limit 3',
  async run(context) {
    const { values, terminal, json, api } = context;
    const query = getArgument(context, 0);
    if (query.trim() === "")
      throw new UsageError("recall needs a <query>. To see memories without a search: kioku list");
    const answer = await api().recall({
      query,
      ...toOwner(values),
      ...toClocks(values),
      scope: values.scope,
      // The service validates the type and lists the types in its error.
      type: values.type as RecallInput["type"],
      limit: parseNumber("limit", values.limit),
      mode: values.mode,
      ...(values.messages && { sources: ["memories", "messages"] }),
    });
    if (json) await terminal.json(answer);
    else if (answer.count > 0) await terminal.line(renderTable(terminal, COLUMNS, answer.memories));
    else terminal.note("Nothing was found. Use other words, or a wider --scope.");
    if (!json)
      for (const reason of [answer.degraded, answer.not_reranked])
        if (reason !== undefined) terminal.note(`note: ${reason}`);
    return 0;
  },
});
