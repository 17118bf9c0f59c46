// One call of the command line: from its words to its exit code.
import type { Command } from "./command";
import { connectionOf, type Environment } from "./connection";
import { exitCodeOf, messageOf, traceOf, UsageError } from "./failures";
import { helpOn, overview } from "./help";
import { findCommand, parse } from "./parse";
import type { Terminal } from "./terminal";
import { oneLine } from "./width";

export type Surroundings = { terminal: Terminal; env: Environment; cwd: string; version: string };

export async function run(
  commands: readonly Command[],
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { terminal } = surroundings;
  try {
    return await carryOut(commands, words, surroundings);
  } catch (error) {
    terminal.note(`kioku: ${oneLine(messageOf(error))}`);
    const trace = traceOf(error);
    if (words.includes("--verbose") && trace !== null) terminal.note(trace);
    return exitCodeOf(error);
  }
}

async function carryOut(
  commands: readonly Command[],
  words: readonly string[],
  { terminal, env, cwd, version }: Surroundings,
): Promise<number> {
  const [first, ...others] = words;
  const asksHelp = first === undefined || first === "help" || first === "--help" || first === "-h";
  if (first === "--version" || first === "version") {
    await terminal.line(version);
    return 0;
  }
  if (asksHelp) {
    const text = others.length === 0 ? overview(commands, version) : helpFor(commands, others);
    await terminal.line(text);
    return 0;
  }
  const found = findCommand(commands, words);
  if (found === null) throw unknown(commands, words);
  const { command, rest } = found;
  const { args, values, common, key } = parse(command, rest);
  if (common.help === true) {
    await terminal.line(helpOn(command));
    return 0;
  }
  const connection = connectionOf({ url: common.url, key, cwd, env });
  const context = { ...connection, args, values, json: common.json === true, terminal };
  return (await command.run(context)) ?? 0;
}

/** Of one command, or of all that begin with the word. */
function helpFor(commands: readonly Command[], words: readonly string[]): string {
  const found = findCommand(commands, words);
  if (found !== null) return helpOn(found.command);
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
  if (group.length === 0) throw unknown(commands, words);
  return group.map(helpOn).join("\n\n");
}

function unknown(commands: readonly Command[], words: readonly string[]): UsageError {
  const [word = "", second] = words;
  const group = commands.flatMap(({ name }) =>
    name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : [],
  );
  if (group.length > 0) {
    const given = second === undefined || second.startsWith("-") ? "needs one of" : `has no ${second}, only`;
    return new UsageError(`${word} ${given}: ${group.join(", ")}. See: kioku help ${word}`);
  }
  if (word.startsWith("-"))
    return new UsageError(`The command comes first: kioku <command> ${word}. See: kioku help`);
  return new UsageError(`There is no command ${word}. See: kioku help`);
}
