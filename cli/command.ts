// The definition of a command: name, arguments, options and action. Help and parsing are derived from it.
import type { Connection, Environment } from "./connection";
import type { Terminal } from "./terminal";

export type Option = {
  type: "string" | "boolean";
  about: string;
  /** Placeholder of its value in the help, as in `--limit <n>`. */
  value?: string;
  /** The words that it takes, if there are only some. */
  choices?: readonly string[];
  /** Whether it may be given several times; its value is then a list. */
  repeats?: true;
};
export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  [K in keyof O]?: Value<O[K]> | undefined;
};

type Value<O extends Option> = O["type"] extends "boolean"
  ? boolean
  : O extends { repeats: true }
    ? string[]
    : O extends { choices: readonly (infer C)[] }
      ? C
      : string;

export type Context<O extends Options = Options> = Connection & {
  /** Positional arguments, in the order of `takes`. */
  args: readonly string[];
  values: Values<O>;
  /** Whether to print the API's JSON. */
  json: boolean;
  terminal: Terminal;
  /** The folder that paths are relative to. */
  cwd: string;
  env: Environment;
  /** The file of this command line. */
  program: string;
  /** Resolves the connection again: a local service may have a new address or key since. `from` is where it is searched. */
  reconnect: (from?: string) => Connection;
};

export type Command<O extends Options = Options> = {
  /** One or two words, as in `keys create`. */
  name: string;
  summary: string;
  /** Names of the required arguments. */
  takes: readonly string[];
  /** The name of any number of further arguments. */
  takesMore?: string;
  /** Known values of its arguments, for completion. */
  words?: readonly string[];
  options: O;
  example: string;
  /** Additional text for the command's own help. */
  about?: string;
  /** Returns the exit code; undefined means 0. */
  run(context: Context<O>): Promise<number | undefined>;
};

/** Defines a command, inferring the type of the values of `run` from its options. */
export function defineCommand<const O extends Options>(definition: Command<O>): Command {
  // The runner parses the values with the same options.
  return definition as unknown as Command;
}

/** Returns a positional argument. */
export function getArgument({ args }: Pick<Context, "args">, place: number): string {
  return args[place] ?? "";
}

/** Options that select the owner of a memory. */
export const OWNER_OPTIONS = {
  session: { type: "string", value: "<id>", about: "of this session" },
  user: { type: "string", value: "<id>", about: "of this user" },
  agent: { type: "string", value: "<id>", about: "of this agent" },
  project: { type: "string", value: "<id>", about: "of this project" },
} as const satisfies Options;

export function toOwner({ session, user, agent, project }: Values<typeof OWNER_OPTIONS>) {
  return { session_id: session, user_id: user, agent_id: agent, project_id: project };
}

/** The clocks of what is read. */
export const CLOCK_OPTIONS = {
  "as-of": { type: "string", value: "<time>", about: "what was known then, as in 2026-03-03T00:00:00Z" },
  "valid-at": { type: "string", value: "<time>", about: "what was true then" },
} as const satisfies Options;

export function toClocks(values: Values<typeof CLOCK_OPTIONS>) {
  return { as_of: values["as-of"], valid_at: values["valid-at"] };
}

/** Options of every list. */
export const PAGE_OPTIONS = {
  limit: { type: "string", value: "<n>", about: "how many, 1 to 100 (default 20)" },
  cursor: { type: "string", value: "<text>", about: "go on where another page ended" },
} as const satisfies Options;
