// Runs one command line and returns its exit code.
import type { Command } from "./command";
import { createConnection, type Environment } from "./connection";
import { formatError, formatTrace, getExitCode, UsageError } from "./failures";
import { renderHelp, renderOverview } from "./help";
import { findCommand, parseCommandLine } from "./parse";
import { findNearest } from "./suggest";
import type { Terminal } from "./terminal";
import { toOneLine } from "./width";

export type RunEnvironment = {
  terminal: Terminal;
  env: Environment;
  cwd: string;
  version: string;
  program: string;
};

export async function run(
  commands: readonly Command[],
  words: readonly string[],
  surroundings: RunEnvironment,
): Promise<number> {
  const { terminal } = surroundings;
  try {
    return await runCommand(commands, words, surroundings);
  } catch (error) {
    terminal.note(`kioku: ${toOneLine(formatError(error))}`);
    const trace = formatTrace(error);
    if (words.includes("--verbose") && trace !== null) terminal.note(trace);
    return getExitCode(error);
  }
}

async function runCommand(
  commands: readonly Command[],
  words: readonly string[],
  { terminal, env, cwd, version, program }: RunEnvironment,
): Promise<number> {
  const [first, ...others] = words;
  const asksHelp = first === undefined || first === "help" || first === "--help" || first === "-h";
  if (first === "--version" || first === "version") {
    await terminal.line(version);
    return 0;
  }
  if (asksHelp) {
    const text = others.length === 0 ? renderOverview(commands, version) : findHelp(commands, others);
    await terminal.line(text);
    return 0;
  }
  const found = findCommand(commands, words);
  if (found === null) throw createUnknownCommandError(commands, words);
  const { command, rest } = found;
  const { args, values, common, key } = parseCommandLine(command, rest);
  if (common.help === true) {
    await terminal.line(renderHelp(command));
    return 0;
  }
  const reconnect = (from = cwd) => createConnection({ url: common.url, key, cwd: from, env });
  const json = common.json === true;
  const context = { ...reconnect(), reconnect, args, values, json, terminal, cwd, env, program };
  return (await command.run(context)) ?? 0;
}

/** Returns the help of one command, or of all commands that begin with the word. */
function findHelp(commands: readonly Command[], words: readonly string[]): string {
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
  const found = words.length === 1 && group.length > 0 ? null : findCommand(commands, words);
  if (found !== null) return renderHelp(found.command);
  if (group.length === 0) throw createUnknownCommandError(commands, words);
  return group.map(renderHelp).join("\n\n");
}

function createUnknownCommandError(commands: readonly Command[], words: readonly string[]): UsageError {
  const [word = "", second] = words;
  const group = commands.flatMap(({ name }) =>
    name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : [],
  );
  if (group.length > 0) {
    const isMissing = second === undefined || second.startsWith("-");
    const given = isMissing ? "needs one of" : `has no ${second}, only`;
    const nearest = isMissing ? "" : suggest(second, group, `${word} `);
    return new UsageError(`${word} ${given}: ${group.join(", ")}.${nearest} See: kioku help ${word}`);
  }
  if (word.startsWith("-"))
    return new UsageError(`The command comes first: kioku <command> ${word}. See: kioku help`);
  const firstWords = commands.map(({ name }) => name.split(" ", 1)[0] ?? "");
  return new UsageError(`There is no command ${word}.${suggest(word, firstWords)} See: kioku help`);
}

function suggest(word: string, words: readonly string[], before = ""): string {
  const nearest = findNearest(word, words);
  return nearest === undefined ? "" : ` Did you mean kioku ${before}${nearest}?`;
}
