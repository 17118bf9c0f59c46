// The MCP clients that `kioku init` configures: where each keeps its servers, and the form of an entry.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../connection";
import { CommandError, UsageError } from "../failures";

/** The machine of the user. */
export type Place = { cwd: string; env: Environment; platform: NodeJS.Platform };

export type EntryOptions = {
  /** The base URL of the service. */
  url: string;
  /** The folder in which `kioku mcp` finds a local service; null if there is none. */
  folder: string | null;
  /** Whether it finds the address by itself. */
  findsUrl: boolean;
  /** The key, for a client that cannot read it from elsewhere. */
  apiKey: string | null;
  /** Whether it finds the key, too: that of a local service. */
  findsKey: boolean;
  project: string | undefined;
  stdio: boolean;
  platform: NodeJS.Platform;
  /** The file of this command line. */
  program: string;
};

/** A value to set in a section of the file: the one of a key, or one of a list, which has no keys. */
export type ConfigEdit = { section: string; key: string | null; value: unknown };

export type McpClient = {
  name: string;
  title: string;
  path: (place: Place) => string;
  /** Paths that only its users have. */
  signs: (place: Place) => string[];
  edits: (options: EntryOptions) => ConfigEdit[];
  /** Where the client has the key from. */
  keySource: "environment" | "prompt" | "file";
};

/** What a client has in an entry of each kind, besides the headers, or the command. */
type EntryForm = { http: (url: string) => object; stdio?: object };

const NAME = "kioku";
const INPUT_ID = "kioku-api-key";

const TYPED: EntryForm = { http: (url) => ({ type: "http", url }), stdio: { type: "stdio" } };

export const MCP_CLIENTS: readonly McpClient[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    path: ({ cwd }) => join(cwd, ".mcp.json"),
    signs: (place) => [join(place.cwd, ".mcp.json"), inHome(place, ".claude"), inHome(place, ".claude.json")],
    edits: (options) => [
      {
        section: "mcpServers",
        key: NAME,
        value: createEntry(options, "KIOKU_API_KEY", TYPED),
      },
    ],
    keySource: "environment",
  },
  {
    name: "cursor",
    title: "Cursor",
    path: ({ cwd }) => join(cwd, ".cursor/mcp.json"),
    signs: (place) => [join(place.cwd, ".cursor"), inHome(place, ".cursor")],
    edits: (options) => [
      {
        section: "mcpServers",
        key: NAME,
        value: createEntry(options, "env:KIOKU_API_KEY", { http: (url) => ({ url }) }),
      },
    ],
    keySource: "environment",
  },
  {
    name: "vscode",
    title: "VS Code",
    path: ({ cwd }) => join(cwd, ".vscode/mcp.json"),
    signs: (place) => [join(place.cwd, ".vscode"), inHome(place, ".vscode")],
    edits: (options) => [
      ...(needsKey(options) ? [{ section: "inputs", key: null, value: KEY_INPUT }] : []),
      {
        section: "servers",
        key: NAME,
        value: createEntry(options, `input:${INPUT_ID}`, TYPED),
      },
    ],
    keySource: "prompt",
  },
  {
    name: "windsurf",
    title: "Windsurf",
    path: (place) => inHome(place, ".codeium/windsurf/mcp_config.json"),
    signs: (place) => [inHome(place, ".codeium/windsurf")],
    edits: (options) => [
      {
        section: "mcpServers",
        key: NAME,
        value: createEntry(options, "env:KIOKU_API_KEY", { http: (url) => ({ serverUrl: url }) }),
      },
    ],
    keySource: "environment",
  },
  {
    name: "claude-desktop",
    title: "Claude Desktop",
    path: (place) => join(findDesktopFolder(place), "claude_desktop_config.json"),
    signs: (place) => [findDesktopFolder(place)],
    edits: (options) => {
      if (options.apiKey === null)
        throw new CommandError(
          "Claude Desktop needs the key in its file. Set KIOKU_API_KEY, or run kioku in the folder of a running local service.",
        );
      const value = createBridge({ ...options, findsUrl: false }, options.apiKey);
      return [{ section: "mcpServers", key: NAME, value }];
    },
    keySource: "file",
  },
];

const KEY_INPUT = { type: "promptString", id: INPUT_ID, description: "Key of Kioku", password: true };

/**
 * Returns the clients that are named, or those that the user seems to have. A secret is only written to a file that was
 * asked for: clients that keep the key in theirs are `skipped` unless they are named.
 */
export function selectClients(
  names: readonly string[],
  place: Place,
): { selected: readonly McpClient[]; skipped: readonly McpClient[] } {
  const known = MCP_CLIENTS.map(({ name }) => name).join(", ");
  const unknown = names.find((name) => !MCP_CLIENTS.some((client) => client.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no client ${unknown}. Name some of: ${known}.`);
  if (names.length > 0)
    return { selected: MCP_CLIENTS.filter(({ name }) => names.includes(name)), skipped: [] };
  const found = MCP_CLIENTS.filter(({ signs }) => signs(place).some((path) => existsSync(path)));
  if (found.length === 0)
    throw new CommandError(`No client was found here. Name one, as in kioku init cursor: ${known}.`);
  return {
    selected: found.filter(({ keySource }) => keySource !== "file"),
    skipped: found.filter(({ keySource }) => keySource === "file"),
  };
}

/** Returns whether the entry has to name the key: the bridge finds that of a local service by itself. */
export function needsKey({ stdio, findsKey }: EntryOptions): boolean {
  return !(stdio && findsKey);
}

/** Creates an entry in which the client replaces the variable by the key. */
function createEntry(options: EntryOptions, variable: string, { http, stdio = {} }: EntryForm): object {
  const key = `\${${variable}}`;
  if (options.stdio) return { ...stdio, ...createBridge(options, needsKey(options) ? key : null) };
  const { url, project } = options;
  const pins = project === undefined ? {} : { "Kioku-Project-Id": project };
  return { ...http(`${url}/mcp`), headers: { Authorization: `Bearer ${key}`, ...pins } };
}

/**
 * Creates an entry that starts the program that runs now, with the Node that runs it. `npx kioku` would download whatever
 * has that name on npm, and give it the key.
 */
function createBridge(options: EntryOptions, key: string | null): object {
  const { url, folder, findsUrl, project, program } = options;
  // Some clients start their servers in the user's home, or in no folder of the user's.
  const isFound = folder !== null && (findsUrl || key === null);
  const env = {
    ...(!findsUrl && { KIOKU_URL: url }),
    ...(key !== null && { KIOKU_API_KEY: key }),
  };
  return {
    command: process.execPath,
    args: [
      program,
      "mcp",
      ...(isFound ? ["--folder", folder] : []),
      ...(project === undefined ? [] : ["--project", project]),
    ],
    ...(Object.keys(env).length > 0 && { env }),
  };
}

function inHome({ env }: Place, path: string): string {
  return join(env.HOME || env.USERPROFILE || homedir(), path);
}

function findDesktopFolder(place: Place): string {
  const { env, platform } = place;
  if (platform === "darwin") return inHome(place, "Library/Application Support/Claude");
  if (platform === "win32") return join(env.APPDATA || inHome(place, "AppData/Roaming"), "Claude");
  return join(env.XDG_CONFIG_HOME || inHome(place, ".config"), "Claude");
}
