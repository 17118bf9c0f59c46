// kioku import: imports a Kioku export or a server-memory file.
import type { Kioku } from "../../client/index";
import { defineCommand, getArgument } from "../command";
import { UsageError } from "../failures";
import { openInput } from "../input";
import { renderTable } from "../table";
import type { Terminal } from "../terminal";
import { importAgents, importProjects } from "../transfer/entities";
import { loadExistingMemories } from "../transfer/existing";
import { importGraphs } from "../transfer/graphs";
import { importMemories } from "../transfer/memories";
import {
  importEntries,
  importEpisodes,
  importLearnings,
  importPatterns,
  importSkills,
} from "../transfer/others";
import { type ImportFile, type ImportRecords, readImport } from "../transfer/read";
import { createReport, type ImportReport, type ImportSummary } from "../transfer/report";
import { toOneLine } from "../width";

/** Maximum number of rejected lines shown; --json lists all. */
const MAX_SHOWN_LINES = 20;

export const importFile = defineCommand({
  name: "import",
  summary: "A file of kioku export, or of server-memory; - is stdin",
  takes: ["file"],
  options: {
    agent: { type: "string", value: "<id>", about: "whose knowledge graph a file of server-memory becomes" },
    project: {
      type: "string",
      value: "<id>",
      about: "the same for a project (default: the tenant's own graph)",
    },
  },
  about: "What is there already is left as it is, so that an import can be repeated",
  example: "kioku export | KIOKU_API_KEY=$OTHER kioku import -",
  async run(context) {
    const { values, terminal, json } = context;
    const api = context.api();
    const read = await readImport(await openInput(getArgument(context, 0), terminal.input));
    if (read.from === "kioku" && (values.agent ?? values.project) !== undefined)
      throw new UsageError(
        "--agent and --project are for server-memory's files: an export says itself whose it is.",
      );
    const progress = terminal.progress("done");
    const report = createReport(progress.step);
    try {
      const owner = { agent_id: values.agent ?? null, project_id: values.project ?? null };
      await importGraphs(api, read.records, owner, report);
      await importRecords(api, read.records, report, progress.step);
    } finally {
      progress.end();
    }
    report.summary.refused.sort((a, b) => a.line - b.line);
    await printSummary(terminal, json, read, report.summary);
    return report.summary.refused.length > 0 ? 1 : 0;
  },
});

async function importRecords(
  api: Kioku,
  records: ImportRecords,
  report: ImportReport,
  step: () => void,
): Promise<void> {
  await importProjects(api, records, report);
  if (records.memory.length + records.entry.length > 0) {
    const existing = await loadExistingMemories(api, step);
    await importMemories(api, records.memory, existing, report);
    await importEntries(api, records, existing, report);
  }
  await importEpisodes(api, records, report);
  await importLearnings(api, records, report);
  await importPatterns(api, records, report);
  await importSkills(api, records, report);
  await importAgents(api, records, report);
}

async function printSummary(
  terminal: Terminal,
  json: boolean,
  { complete }: ImportFile,
  summary: ImportSummary,
): Promise<void> {
  if (json) return terminal.json(summary);
  const rows = Object.entries(summary.imported).map(([kind, counts]) => ({ kind, ...counts }));
  if (rows.length === 0) terminal.note("There is nothing to import in the file.");
  else
    await terminal.line(
      renderTable(
        terminal,
        [
          { title: "kind", of: ({ kind }) => kind },
          { title: "added", of: ({ added }) => added },
          { title: "there already", of: ({ known }) => known },
        ],
        rows,
      ),
    );
  for (const { line, message } of summary.refused.slice(0, MAX_SHOWN_LINES))
    terminal.note(`line ${line}: ${toOneLine(message)}`);
  if (summary.refused.length > 0)
    terminal.note(
      `kioku: ${summary.refused.length} refused. Put these lines right and import the file again.`,
    );
  if (!complete)
    terminal.note("note: the file has no last line: it may have been cut off when it was written.");
}
