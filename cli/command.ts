// What a command is: its words, what it takes, and what it does. Help and parsing are made from the same lines.
import type { Connection } from "./connection";
import type { Terminal } from "./terminal";

export type Option = {
  type: "string" | "boolean";
  about: string;
  /** What stands after it in the help, as in `--limit <n>`. */
  value?: string;
};
export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  [K in keyof O]?: (O[K]["type"] extends "boolean" ? boolean : string) | undefined;
};

export type Context<O extends Options = Options> = Connection & {
  /** What was given, in the order of `takes`. */
  args: readonly string[];
  values: Values<O>;
  /** Print the API's own JSON. */
  json: boolean;
  terminal: Terminal;
};

export type Command<O extends Options = Options> = {
  /** One word, or two: `keys create`. */
  name: string;
  summary: string;
  /** Names of what must be given. */
  takes: readonly string[];
  options: O;
  example: string;
  /** More for its own help. */
  about?: string;
  /** The exit code, when it is not 0. */
  run(context: Context<O>): Promise<number | undefined>;
};

/** Keeps the types of the options and of `run` together. */
export function command<const O extends Options>(definition: Command<O>): Command {
  // Whoever runs it has parsed the values by these very options.
  return definition as unknown as Command;
}

/** What was given, by its place. */
export function argument({ args }: Pick<Context, "args">, place: number): string {
  return args[place] ?? "";
}

/** Options that say whose memory it is. */
export const BELONGING = {
  session: { type: "string", value: "<id>", about: "of this session" },
  agent: { type: "string", value: "<id>", about: "of this agent" },
  project: { type: "string", value: "<id>", about: "of this project" },
} as const satisfies Options;

export function belonging({ session, agent, project }: Values<typeof BELONGING>) {
  return { session_id: session, agent_id: agent, project_id: project };
}

/** Options of every list. */
export const PAGE = {
  limit: { type: "string", value: "<n>", about: "how many, 1 to 100 (default 20)" },
  cursor: { type: "string", value: "<text>", about: "go on where another page ended" },
} as const satisfies Options;
