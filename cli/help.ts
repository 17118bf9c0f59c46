// Help, made from the commands themselves.
import type { Command, Options } from "./command";
import { COMMON } from "./parse";

export function overview(commands: readonly Command[], version: string): string {
  const usages = commands.map((command) => ({ usage: usageOf(command), summary: command.summary }));
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  return `kioku ${version}: memory for agents, from the command line

${usages.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`).join("\n")}

Every command takes --url, --api-key, --json, --verbose and --help; kioku help <command> says more.
KIOKU_URL is the service, KIOKU_API_KEY a tenant's key, KIOKU_ADMIN_KEY the key for keys and doctor.`;
}

export function helpOn(command: Command): string {
  const { name, summary, options, example, about } = command;
  const own = lines(options);
  return [
    `kioku ${usageOf(command)}${own === "" ? "" : " [options]"}`,
    `\n${summary}${about === undefined ? "" : `. ${about}`}`,
    ...(own === "" ? [] : [`\nOptions of ${name}:\n${own}`]),
    `\nOptions of every command:\n${lines(COMMON)}`,
    `\nExample:\n  ${example}`,
  ].join("\n");
}

function usageOf({ name, takes }: Command): string {
  return [name, ...takes.map((word) => `<${word}>`)].join(" ");
}

function lines(options: Options): string {
  const usages = Object.entries(options).map(([name, { value, about }]) => ({
    usage: `--${name}${value === undefined ? "" : ` ${value}`}`,
    about,
  }));
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  return usages.map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`).join("\n");
}
