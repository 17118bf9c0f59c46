// kioku import: imports a Kioku export or a server-memory file.

import { createReadStream } from "node:fs";
import type { Kioku } from "../../client/index";
import { type Context, defineCommand, getArgument } from "../command";
import { UsageError } from "../failures";
import { openFile } from "../input";
import { renderTable } from "../table";
import type { Terminal } from "../terminal";
import { importBackup, parseHeader, readBackupLines, verifyBackup } from "../transfer/backup";
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
import { type Counts, createReport, type ImportReport, type ImportSummary } from "../transfer/report";
import { toOneLine } from "../width";

/** Maximum number of rejected lines shown; --json lists all. */
const MAX_SHOWN_LINES = 20;

const OPTIONS = {
  agent: { type: "string", value: "<id>", about: "whose knowledge graph a file of server-memory becomes" },
  project: {
    type: "string",
    value: "<id>",
    about: "the same for a project (default: the tenant's own graph)",
  },
} as const;
type OwnerOptions = typeof OPTIONS;

export const importFile = defineCommand({
  name: "import",
  summary: "Import a file of kioku export or server-memory; - reads stdin",
  takes: ["file"],
  options: OPTIONS,
  about: "What is there already is left as it is, so that an import can be repeated",
  example: "kioku export | KIOKU_API_KEY=$OTHER kioku import -",
  async run(context) {
    const { values } = context;
    const api = context.api();
    const hasOwner = (values.agent ?? values.project) !== undefined;
    const file = await openFile(context, getArgument(context, 0));
    try {
      if (!(await isBackup(file.path))) return await importEarlierFile(context, api, file.path);
      if (hasOwner) throw ownerGiven();
      return await restoreBackup(context, api, file.path);
    } finally {
      file.remove();
    }
  },
});

function ownerGiven(): UsageError {
  return new UsageError(
    "--agent and --project are for server-memory's files: an export says itself whose it is.",
  );
}

async function isBackup(path: string): Promise<boolean> {
  for await (const line of readBackupLines(path)) return parseHeader(line) !== null;
  return false;
}

/** Imports a file of `kioku export`: first all of it is read and compared with its end line. */
async function restoreBackup({ terminal, json }: Context, api: Kioku, path: string): Promise<number> {
  const { lines } = await verifyBackup(path);
  const progress = terminal.progress(`of ${lines} imported`);
  try {
    const imported = await importBackup(api, path, progress.step);
    progress.end();
    if (json) await terminal.json({ imported, refused: [] });
    else {
      await printCounts(terminal, imported);
      terminal.note("Not included: keys and secrets: make new ones. Vectors are computed in the background.");
      if (imported.webhook !== undefined && imported.webhook.added > 0)
        terminal.note("An imported webhook has a new secret: delete it and create it again.");
    }
  } finally {
    progress.end();
  }
  return 0;
}

/** Imports a file of an earlier version, or of server-memory. */
async function importEarlierFile(context: Context<OwnerOptions>, api: Kioku, path: string): Promise<number> {
  const { values, terminal, json } = context;
  const read = await readImport(createReadStream(path));
  if (read.from === "kioku" && (values.agent ?? values.project) !== undefined) throw ownerGiven();
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
}

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
  await printCounts(terminal, summary.imported);
  for (const { line, message } of summary.refused.slice(0, MAX_SHOWN_LINES))
    terminal.note(`line ${line}: ${toOneLine(message)}`);
  if (summary.refused.length > 0)
    terminal.note(`kioku: ${summary.refused.length} refused. Fix these lines and import the file again.`);
  if (!complete)
    terminal.note("note: the file has no last line: it may have been cut off when it was written.");
}

async function printCounts(terminal: Terminal, imported: Readonly<Record<string, Counts>>): Promise<void> {
  const rows = Object.entries(imported).map(([kind, counts]) => ({ kind, ...counts }));
  if (rows.length === 0) return terminal.note("There is nothing to import in the file.");
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
}
