// kioku skills: lists, prints and writes skills, and imports and exports them as folders.
import type { Skill, SkillPut } from "../../client/index";
import { type Command, type Context, defineCommand, getArgument, PAGE_OPTIONS } from "../command";
import { CommandError, formatError } from "../failures";
import { openInput, readAll } from "../input";
import { showPage } from "../list";
import { findSkillFolders, getSkillFilePath, readSkillFile, writeSkillFile } from "../skill-folders";
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

const EXPORT_OPTIONS = {
  ...PROJECT_OPTION,
  force: { type: "boolean", about: "replace files with another content" },
} as const;

export const skillCommands: readonly Command[] = [
  defineCommand({
    name: "skills list",
    summary: "List skills, newest first",
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
    summary: "Print a skill as SKILL.md",
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
    summary: "Store a skill from SKILL.md or JSON; - reads stdin",
    takes: ["slug", "file"],
    options: { project: { type: "string", value: "<id>", about: "only for this project" } },
    example: "kioku skills put deploy-a-worker SKILL.md",
    async run(context) {
      const { terminal, json, values } = context;
      const { skills } = context.api();
      const slug = getArgument(context, 0);
      const owner = values.project === undefined ? {} : { project_id: values.project };
      const text = await readAll(await openInput(context, getArgument(context, 1)));
      const written = /^\s*\{/.test(text)
        ? await skills.put(slug, { ...parseSkill(text), ...owner })
        : await skills.putMarkdown(slug, text, owner);
      if (json) await terminal.json(written);
      else await terminal.line(`Wrote ${written.slug}: ${written.name}, ${describeContent(written)}`);
      return 0;
    },
  }),
  defineCommand({
    name: "skills import",
    summary: "Import a skill folder with SKILL.md, or a folder of them",
    takes: ["folder"],
    options: { project: { type: "string", value: "<id>", about: "only for this project" } },
    about: "Other files of a skill, such as scripts, are not stored; the command names them.",
    example: "kioku skills import ~/.claude/skills",
    async run(context) {
      const { terminal, json, values } = context;
      const { skills } = context.api();
      const owner = values.project === undefined ? {} : { project_id: values.project };
      const report: ImportedFolder[] = [];
      for (const folder of await findSkillFolders(context.cwd, getArgument(context, 0))) {
        const outcome = await readSkillFile(context.cwd, folder)
          .then((text) => skills.saveMarkdown(text, owner))
          .then((skill) => ({ skill, error: null }))
          .catch((error: unknown) => ({ skill: null, error: formatError(error) }));
        const { skill, error } = outcome;
        report.push({ folder: folder.path, slug: skill?.slug ?? null, not_included: folder.others, error });
        if (json) continue;
        if (skill === null) terminal.note(`${terminal.paint("red", "failed")} ${folder.file}: ${error}`);
        else await terminal.line(`Imported ${skill.slug}: ${describeContent(skill)}`);
      }
      if (json) await terminal.json({ skills: report });
      else await showNotIncluded(context, report);
      return report.some(({ error }) => error !== null) ? 1 : 0;
    },
  }),
  defineCommand({
    name: "skills export",
    summary: "Write all skills as folders with SKILL.md",
    takes: ["folder"],
    options: EXPORT_OPTIONS,
    about: "A skill that cannot be written is named, and the others are exported.",
    example: "kioku skills export ~/.claude/skills",
    async run(context) {
      const { terminal, json, values } = context;
      const report: ExportedSkill[] = [];
      for await (const { slug } of context.api().skills.list({ project_id: values.project })) {
        const { file, error } = await exportSkill(context, slug, report)
          .then((file) => ({ file, error: null }))
          .catch((error: unknown) => ({ file: null, error: formatError(error) }));
        report.push({ slug, file, error });
        if (json) continue;
        if (file === null) terminal.note(`${terminal.paint("red", "failed")} ${slug}: ${error}`);
        else await terminal.line(`Wrote ${file}`);
      }
      if (json) await terminal.json({ skills: report });
      else if (report.length === 0) terminal.note("There are no skills to export.");
      return report.some(({ error }) => error !== null) ? 1 : 0;
    },
  }),
];

type ExportedSkill = {
  slug: string;
  /** null if it was not written. */
  file: string | null;
  error: string | null;
};

/** Writes a skill and returns the path. Never replaces a skill of the same export: a_b and a-b have the same folder. */
async function exportSkill(
  context: Context<typeof EXPORT_OPTIONS>,
  slug: string,
  written: readonly ExportedSkill[],
): Promise<string> {
  const { project, force = false } = context.values;
  const markdown = await context.api().skills.getMarkdown(slug, { project_id: project });
  const file = getSkillFilePath(getArgument(context, 0), markdown);
  const other = written.find((one) => one.file === file);
  if (other !== undefined)
    throw new CommandError(
      `${file} has the skill ${other.slug}, whose folder has the same name. Write this one elsewhere: kioku skills get ${slug} > SKILL.md`,
    );
  await writeSkillFile(context.cwd, file, markdown, { replace: force });
  return file;
}

type ImportedFolder = {
  folder: string;
  /** null if the service did not accept it. */
  slug: string | null;
  not_included: string[];
  error: string | null;
};

/** Names of files in a summary of one skill. */
const NAMED_FILES = 5;

async function showNotIncluded({ terminal }: Pick<Context, "terminal">, report: readonly ImportedFolder[]) {
  const partial = report.filter(({ slug, not_included }) => slug !== null && not_included.length > 0);
  if (partial.length === 0) return;
  await terminal.line("Not included, because a skill holds its SKILL.md only:");
  for (const { slug, not_included } of partial) {
    const more = not_included.length - NAMED_FILES;
    const named = not_included.slice(0, NAMED_FILES).map(replaceControlCharacters);
    await terminal.line(`  ${slug}: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ")}`);
  }
}

function describeContent({ steps, instructions }: Skill): string {
  return instructions === undefined ? `${steps.length} steps` : `${instructions.split("\n").length} lines`;
}

function parseSkill(text: string): SkillPut {
  try {
    // The service validates the fields.
    return JSON.parse(text);
  } catch {
    throw new CommandError(
      "The file begins like JSON, but is not valid JSON. Fix it, or write the skill as Markdown.",
    );
  }
}
