// Renders help from the command definitions.
import type { Command, Options } from "./command";
import { groupBy } from "./group-by";
import { COMMON_OPTIONS } from "./parse";

/** Summaries of the commands that begin with the same word. */
const GROUP_SUMMARIES: Readonly<Record<string, string>> = {
  sessions: "Sessions and what they hold",
  users: "Users and their profiles",
  tenants: "Tenants, with the admin key",
  skills: "Skills, as Markdown or JSON",
  webhooks: "Where events are sent",
  privacy: "What is masked or refused",
  keys: "API keys of tenants",
};

/** Renders all commands on one screen: those that begin with the same word share a line. */
export function renderOverview(commands: readonly Command[], version: string): string {
  const groups = [...groupBy(commands, ({ name }) => name.split(" ", 1)[0] ?? "")];
  const usages = groups.flatMap(([word, members]) => {
    const summary = GROUP_SUMMARIES[word];
    if (summary === undefined)
      return members.map((command) => ({ usage: renderUsage(command), summary: command.summary }));
    const verbs = members.map(({ name }) => name.slice(word.length + 1));
    return [{ usage: `${word} <command>`, summary: `${summary}: ${verbs.join(", ")}` }];
  });
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  return `kioku ${version}: memory for agents, from the command line
${usages.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`).join("\n")}
Every command takes --url, --api-key, --json, --verbose and --help; kioku help <command> says more.
KIOKU_URL is the service, KIOKU_API_KEY a tenant's key, KIOKU_ADMIN_KEY the admin key. Without them,
the service that runs on this machine is used, if this folder or a parent has its data.`;
}

export function renderHelp(command: Command): string {
  const { name, summary, options, example, about } = command;
  const own = renderOptions(options);
  return [
    `kioku ${renderUsage(command)}${own === "" ? "" : " [options]"}`,
    `\n${summary}${about === undefined ? "" : `. ${about}`}`,
    ...(own === "" ? [] : [`\nOptions of ${name}:\n${own}`]),
    `\nOptions of every command:\n${renderOptions(COMMON_OPTIONS)}`,
    `\nExample:\n  ${example}`,
  ].join("\n");
}

function renderUsage({ name, takes, takesMore }: Command): string {
  const more = takesMore === undefined ? [] : [`[${takesMore}…]`];
  return [name, ...takes.map((word) => `<${word}>`), ...more].join(" ");
}

function renderOptions(options: Options): string {
  const usages = Object.entries(options).map(([name, { value, about }]) => ({
    usage: `--${name}${value === undefined ? "" : ` ${value}`}`,
    about,
  }));
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  return usages.map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`).join("\n");
}
