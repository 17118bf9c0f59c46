// Reads the options of `start` and `dev`. A wrong one is refused before anything is started or deleted.
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findNearest } from "../../../cli/suggest.ts";
import { readMessage, UsageError } from "../errors.ts";
import type { Installation } from "../installation.ts";

const OPTIONS = {
  port: { type: "string" },
  host: { type: "string" },
  data: { type: "string" },
  reset: { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const DEFAULT_PORT = "8787";
const DEFAULT_HOST = "127.0.0.1";

export interface StartOptions {
  port: number;
  host: string;
  stateDir: string;
  /** Delete the data first. */
  reset: boolean;
  /** Delete without asking. */
  yes: boolean;
  /** Show the log of every request. */
  verbose: boolean;
  help: boolean;
}

export type StartCommand = "start" | "dev";

export function renderStartUsage(
  { describeCommand, stateDir, userDir }: Installation,
  command: StartCommand,
): string {
  return `${describeCommand(command, "[options]")}

  --port N     the port (default: PORT, or ${DEFAULT_PORT})
  --host HOST  the address to listen on (default: HOST, or ${DEFAULT_HOST}: this machine only)
  --data DIR   the folder of the data (default: ${relative(userDir, stateDir)})
  --reset      delete the data first, after a question
  --yes        with --reset: do not ask; needed without a terminal
  --verbose    show the log of every request; errors are always shown
  --help       show this`;
}

export function readStartOptions(
  argv: readonly string[],
  installation: Installation,
  command: StartCommand,
): StartOptions {
  const { port, host, data, ...switches } = parseOptions(argv, installation, command);
  if (data === "") throw new Error("--data takes a folder.");
  if (host === "") throw new Error("--host takes an address, as in --host 0.0.0.0.");
  if (switches.yes && !switches.reset) throw new Error("--yes belongs to --reset.");
  if (switches.reset && !switches.yes && !process.stdin.isTTY)
    throw new Error(
      "--reset asks first, and there is no terminal to ask on: add --yes. Nothing was deleted.",
    );
  return {
    ...switches,
    port: port === undefined ? readPort("PORT", process.env.PORT || DEFAULT_PORT) : readPort("--port", port),
    host: host ?? (process.env.HOST || DEFAULT_HOST),
    stateDir: data === undefined ? installation.stateDir : resolve(installation.userDir, data),
  };
}

function parseOptions(argv: readonly string[], installation: Installation, command: StartCommand) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (error) {
    const [reason = ""] = readMessage(error).split(/\. |\n/);
    const [, unknown = ""] = /^Unknown option '--([\w-]+)'/.exec(reason) ?? [];
    const nearest = findNearest(unknown, Object.keys(OPTIONS));
    const meant = nearest === undefined ? "" : ` Did you mean --${nearest}?`;
    throw new UsageError(`${reason.replace(/\.$/, "")}.${meant}`, renderStartUsage(installation, command));
  }
}

function readPort(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new Error(`${name} is not a port number: ${text}`);
}
