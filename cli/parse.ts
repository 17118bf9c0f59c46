// Parses a command line by the options of its command. Errors name the correct usage.
import { parseArgs } from "node:util";
import type { Command, Options, Values } from "./command";
import { UsageError } from "./failures";
import { findNearest } from "./suggest";

/** Options of every command. */
export const COMMON_OPTIONS = {
  url: {
    type: "string",
    value: "<address>",
    about: "the service (default KIOKU_URL, or http://127.0.0.1:8787)",
  },
  "api-key": { type: "string", value: "<key>", about: "in place of KIOKU_API_KEY, or of KIOKU_ADMIN_KEY" },
  json: { type: "boolean", about: "print the API's own JSON" },
  verbose: { type: "boolean", about: "with an error, the id of the request" },
  help: { type: "boolean", about: "how to use the command" },
} as const satisfies Options;

/** Short form of --api-key, except for commands that have another option of this name. */
const KEY_OPTION = { key: { type: "string", about: "the same as --api-key" } } as const satisfies Options;

/** Arguments with several words, which need quotes. */
const TEXTS = ["text", "query", "goal"];

export type Parsed = {
  args: string[];
  values: Values<Options>;
  common: Values<typeof COMMON_OPTIONS>;
  key: string | undefined;
};

/** Finds the command named by the first words, and returns it with the remaining words. A group alone is its list, or show. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: string[] } | null {
  for (const length of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, length).join(" "));
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  const [group = "", second] = words;
  const list = commands.find(
    ({ name, takes }) => name === `${group} list` || (name === `${group} show` && takes.length === 0),
  );
  const isAlone = second === undefined || second.startsWith("-");
  return list !== undefined && isAlone ? { command: list, rest: words.slice(1) } : null;
}

export function parseCommandLine(command: Command, words: string[]): Parsed {
  const options: Options = { ...KEY_OPTION, ...COMMON_OPTIONS, ...command.options };
  const { positionals, tokens } = parseArgs({
    args: words,
    options: Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean | string[]> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const value = readOption(command, options, token);
    const earlier = values[token.name];
    const repeats = options[token.name]?.repeats === true && typeof value === "string";
    values[token.name] = repeats ? [...(Array.isArray(earlier) ? earlier : []), value] : value;
  }
  const common = values as Values<typeof COMMON_OPTIONS>;
  if (common.help !== true) checkArguments(command, positionals);
  const key = common["api-key"] ?? ("key" in command.options ? undefined : values.key);
  return { args: positionals, values: values as Values<Options>, common, key: key as string | undefined };
}

function readOption(
  { name: command }: Command,
  options: Options,
  { name, rawName, value }: { name: string; rawName: string; value: string | undefined },
): string | boolean {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    const near = findNearest(name, Object.keys(options));
    throw new UsageError(
      `${command} has no option ${rawName}.${near === undefined ? "" : ` Did you mean --${near}?`} See: kioku help ${command}`,
    );
  }
  if (option.type === "boolean") {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`);
    return true;
  }
  if (value === undefined || value === "")
    throw new UsageError(`--${name} needs a value, as in --${name} ${option.value ?? "<text>"}.`);
  const { choices } = option;
  if (choices !== undefined && !choices.includes(value))
    throw new UsageError(`--${name} must be ${choices.join(", ")}; is "${value}".`);
  return value;
}

function checkArguments({ name, takes, takesMore }: Command, args: readonly string[]): void {
  const missing = takes[args.length];
  if (missing !== undefined) throw new UsageError(`${name} needs <${missing}>. See: kioku help ${name}`);
  const extra = args[takes.length];
  if (extra === undefined || takesMore !== undefined) return;
  const last = takes.at(-1) ?? "";
  const remedy = TEXTS.includes(last)
    ? `Put the ${last} in quotes: kioku ${name} "${args.slice(takes.length - 1).join(" ")}"`
    : `See: kioku help ${name}`;
  throw new UsageError(`${name} takes no "${extra}". ${remedy}`);
}
