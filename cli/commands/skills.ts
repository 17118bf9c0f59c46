// kioku skills: lists, prints and writes skills.
import type { Skill, SkillPut } from "../../client/index";
import { type Command, defineCommand, getArgument, PAGE_OPTIONS } from "../command";
import { CommandError } from "../failures";
import { openInput, readAll } from "../input";
import { showPage } from "../list";
import { type Column, formatMinute } from "../table";
import { replaceControlCharacters } from "../width";

const COLUMNS: readonly Column<Skill>[] = [
  { title: "slug", of: ({ slug }) => slug },
  { title: "name", of: ({ name }) => name, free: true },
  { title: "steps", of: ({ steps }) => steps.length },
  { title: "used", of: ({ usage_count }) => usage_count },
  { title: "updated", of: ({ updated_at }) => formatMinute(updated_at) },
];

export const skillCommands: readonly Command[] = [
  defineCommand({
    name: "skills list",
    summary: "Skills, newest first",
    takes: [],
    options: PAGE_OPTIONS,
    example: "kioku skills list",
    async run(context) {
      const none = "There are no skills. Write one: kioku skills put <slug> <file>";
      await showPage(context, context.api().skills.list(), { columns: COLUMNS, none });
      return 0;
    },
  }),
  defineCommand({
    name: "skills get",
    summary: "A skill, as Markdown",
    takes: ["slug"],
    options: {},
    example: "kioku skills get deploy-a-worker > SKILL.md",
    async run(context) {
      const { terminal, json } = context;
      const { skills } = context.api();
      const slug = getArgument(context, 0);
      if (json) await terminal.json(await skills.get(slug));
      else await terminal.write(replaceControlCharacters(await skills.getMarkdown(slug)));
      return 0;
    },
  }),
  defineCommand({
    name: "skills put",
    summary: "Write a skill from Markdown or JSON; - is stdin",
    takes: ["slug", "file"],
    options: {},
    example: "kioku skills put deploy-a-worker SKILL.md",
    async run(context) {
      const { terminal, json } = context;
      const { skills } = context.api();
      const slug = getArgument(context, 0);
      const text = await readAll(await openInput(getArgument(context, 1), terminal.input));
      const written = /^\s*\{/.test(text)
        ? await skills.put(slug, parseSkill(text))
        : await skills.putMarkdown(slug, text);
      if (json) await terminal.json(written);
      else await terminal.line(`Wrote ${written.slug}: ${written.name}, ${written.steps.length} steps`);
      return 0;
    },
  }),
];

function parseSkill(text: string): SkillPut {
  try {
    // The service validates the fields.
    return JSON.parse(text);
  } catch {
    throw new CommandError(
      "The file begins like JSON, and is none. Put it right, or write the skill as Markdown.",
    );
  }
}
