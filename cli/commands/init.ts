// kioku init: adds Kioku to the configuration of MCP clients. Shows the change first, and asks.
import { relative } from "node:path";
import { type Context, defineCommand, type Options } from "../command";
import { createConnection } from "../connection";
import { UsageError } from "../failures";
import { editConfig } from "../setup/edit-config";
import {
  type EntryOptions,
  MCP_CLIENTS,
  type McpClient,
  needsKey,
  selectClients,
} from "../setup/mcp-clients";
import { renderDiff } from "../setup/render-diff";
import { readConfig, writeConfig } from "../setup/write-config";

const OPTIONS = {
  stdio: { type: "boolean", about: "start kioku mcp instead of connecting over HTTP" },
  project: { type: "string", value: "<id>", about: "keep the memories of this client in this project" },
  yes: { type: "boolean", about: "write without asking" },
} as const satisfies Options;

type Change = { client: McpClient; path: string; before: string; after: string };

const CLIENT_NAMES = MCP_CLIENTS.map(({ name }) => name);

export const init = defineCommand({
  name: "init",
  summary: "Add Kioku to Claude Code, Cursor, VS Code, …",
  takes: [],
  takesMore: "client",
  words: CLIENT_NAMES,
  options: OPTIONS,
  about: `Clients: ${CLIENT_NAMES.join(", ")}; by default those that are found, but for claude-desktop, which keeps the key in its file. It shows the change of each file and asks before it writes; without a terminal it only shows it. Files of a project have no key in them; those of --stdio have paths of this machine`,
  example: "npx kioku init cursor --project shop",
  async run(context) {
    const { args, terminal, values, json } = context;
    const options = createEntryOptions(context);
    const { cwd, env } = context;
    const { selected, skipped } = selectClients(args, { cwd, env, platform: process.platform });
    for (const { name, title } of skipped)
      terminal.note(
        `${title} is left out, because its file would have the key. To add it: kioku init ${name}`,
      );
    // All files are read before any is written.
    const changes = await Promise.all(selected.map((client) => planChange(client, context, options)));
    const open = changes.filter(({ before, after }) => before !== after);
    if (!json) await showChanges(context, changes);
    const write = open.length > 0 && (values.yes === true || (await askToWrite(context)));
    if (write) for (const { path, before, after } of open) await writeConfig(path, before, after);
    if (json)
      await terminal.json({
        changes: changes.map(({ client, path, before, after }) => ({
          client: client.name,
          path,
          changed: before !== after,
          written: write && before !== after,
        })),
      });
    else if (write)
      for (const { client } of open) await terminal.line(describeNextStep(client, options, context));
    return 0;
  },
});

/** The ids that the service takes. The client would only show its refusal. */
const PROJECT_ID = /^[\w-]{1,128}$/;

function createEntryOptions(context: Context<typeof OPTIONS>): EntryOptions {
  const { url, apiKey, keyFile, values, cwd, program } = context;
  const { project } = values;
  if (project !== undefined && !PROJECT_ID.test(project))
    throw new UsageError(`--project must be 1 to 128 characters of A-Z, a-z, 0-9, _ and -; is "${project}".`);
  const local = createConnection({ cwd, env: {} });
  return {
    url: url.replace(/\/+$/, ""),
    folder: local.keyFile === null ? null : cwd,
    findsUrl: local.url === url,
    apiKey,
    findsKey: keyFile !== null,
    project,
    stdio: values.stdio === true,
    platform: process.platform,
    program,
  };
}

async function planChange(
  client: McpClient,
  { cwd, env }: Pick<Context, "cwd" | "env">,
  options: EntryOptions,
): Promise<Change> {
  const path = client.path({ cwd, env, platform: options.platform });
  const before = await readConfig(path);
  return { client, path, before, after: editConfig(path, before, client.edits(options)) };
}

async function showChanges({ terminal, cwd, apiKey }: Context, changes: readonly Change[]): Promise<void> {
  for (const { client, path, before, after } of changes) {
    const name = shortenPath(cwd, path);
    if (before === after) {
      await terminal.line(`${client.title} has Kioku already: ${name}`);
      continue;
    }
    const title = terminal.paint("bold", `${client.title}: ${name}${before === "" ? " (new)" : ""}`);
    const diff = renderDiff(terminal, before, after);
    await terminal.line(`${title}\n${hideKeys(diff, apiKey)}\n`);
  }
}

/** Hides the key that is written, and those that the file has. */
function hideKeys(text: string, apiKey: string | null): string {
  const hide = (key: string) => `${key.slice(0, 10)}…`;
  const others = text.replaceAll(/\bkioku_\w{10,}/g, hide);
  return apiKey === null ? others : others.replaceAll(apiKey, hide);
}

async function askToWrite({ terminal, json }: Context): Promise<boolean> {
  if (terminal.interactive && !json) return terminal.confirm("Write this?");
  terminal.note("Nothing was written. Add --yes to write.");
  return false;
}

function describeNextStep(client: McpClient, options: EntryOptions, context: Context): string {
  const { title } = client;
  const keyFile = context.keyFile === null ? null : shortenPath(context.cwd, context.keyFile);
  if (client.keySource !== "file" && !needsKey(options))
    return `${title} starts kioku mcp, which finds the key of the local service. Restart ${title}.`;
  switch (client.keySource) {
    case "prompt":
      return `${title} asks for the key once, and keeps it${keyFile === null ? "" : `: it is in ${keyFile}`}.`;
    case "environment":
      return `${title} reads the key from its environment. Before you start it: ${renderVariable(options, keyFile)}`;
    case "file":
      return `${title} has the key in its own file: do not share it. Restart ${title}.`;
  }
}

/** Renders the line that sets the key in a shell; on Windows in PowerShell. */
function renderVariable({ platform }: EntryOptions, keyFile: string | null): string {
  if (platform === "win32")
    return `$env:KIOKU_API_KEY = ${keyFile === null ? '"<key>"' : `Get-Content '${keyFile}'`}`;
  return `export KIOKU_API_KEY=${keyFile === null ? "<key>" : `$(cat '${keyFile}')`}`;
}

function shortenPath(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.startsWith("..") ? path : short;
}
