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
  { title: "project", of: ({ project_id }) => project_id ?? "" },
  { title: "updated", of: ({ updated_at }) => formatMinute(updated_at) },
];

const PROJECT_OPTION = {
  project: { type: "string", value: "<id>", about: "the project's own, before those of all projects" },
} as const;

export const skillCommands: readonly Command[] = [
  defineCommand({
    name: "skills list",
    summary: "Skills, newest first",
    takes: [],
    options: { ...PAGE_OPTIONS, ...PROJECT_OPTION },
    example: "kioku skills list --project shop",
    async run(context) {
      const none = "There are no skills. Write one: kioku skills put <slug> <file>";
      const skills = context.api().skills.list({ project_id: context.values.project });
      await showPage(context, skills, { columns: COLUMNS, none });
      return 0;
    },
  }),
  defineCommand({
    name: "skills get",
    summary: "A skill, as Markdown",
    takes: ["slug"],
    options: PROJECT_OPTION,
    example: "kioku skills get deploy-a-worker > SKILL.md",
    async run(context) {
      const { terminal, json, values } = context;
      const { skills } = context.api();
      const slug = getArgument(context, 0);
      const owner = { project_id: values.project };
      if (json) await terminal.json(await skills.get(slug, owner));
      else await terminal.write(replaceControlCharacters(await skills.getMarkdown(slug, owner)));
      return 0;
    },
  }),
  defineCommand({
    name: "skills put",
    summary: "Write a skill from Markdown or JSON; - is stdin",
    takes: ["slug", "file"],
    options: { project: { type: "string", value: "<id>", about: "only for this project" } },
    example: "kioku skills put deploy-a-worker SKILL.md",
    async run(context) {
      const { terminal, json, values } = context;
      const { skills } = context.api();
      const slug = getArgument(context, 0);
      const owner = values.project === undefined ? {} : { project_id: values.project };
      const text = await readAll(await openInput(getArgument(context, 1), terminal.input));
      const written = /^\s*\{/.test(text)
        ? await skills.put(slug, { ...parseSkill(text), ...owner })
        : await skills.putMarkdown(slug, text, owner);
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
