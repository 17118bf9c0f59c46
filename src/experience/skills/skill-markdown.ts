// Renders skills as Markdown documents and parses them back without loss. The parser is lenient: people write skills by
// hand.

import { fail, invalidField, ok, type Result } from "../../kernel/errors";
import { EXPERIENCE } from "../../kernel/limits";
import { clip } from "../../language/normalise-text";
import {
  escapeStructure,
  type MarkdownLine,
  parseLines,
  parseListItems,
  renderBulletList,
  renderNumberedList,
  unescapeStructure,
} from "./markdown";
import { type CommonError, type SkillFields, trimLines } from "./skill-schemas";

/** Renders a skill as a Markdown document. */
export function renderSkillMarkdown(skill: SkillFields): string {
  const parts = [
    `# Skill: ${skill.name}`,
    escapeStructure(skill.description),
    renderSection("Prerequisites", renderBulletList(skill.prerequisites)),
    renderSection("Steps", renderNumberedList(skill.steps)),
    renderSection("Common Errors & Fixes", renderBulletList(skill.common_errors.map(renderErrorFix))),
    renderSection("Exit Criteria", renderBulletList(skill.exit_criteria)),
    renderSection("Example Usage", escapeStructure(skill.example_usage ?? "")),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function renderSection(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n${body}`;
}

/** Headings of each section, in lower case. */
const SECTIONS = {
  description: /^description$/,
  prerequisites: /^prerequisites?$/,
  steps: /^steps?$/,
  common_errors: /^(common )?errors?( (&|and) fix(es)?)?$/,
  exit_criteria: /^exit criteri(a|on)$/,
  example_usage: /^(examples?|usage|examples? usage)$/,
};
type Section = keyof typeof SECTIONS;

const HEADING = /^(#{1,2})[ \t]+(?=\S)/;

/** Parses a skill; fails if the name or the steps are missing, or a section is unknown. */
export function parseSkillMarkdown(markdown: string): Result<SkillFields> {
  const lines = parseLines(markdown.replace(/\r\n?/g, "\n"));
  const first = lines.findIndex(({ text }) => text.trim() !== "");
  const title = lines[first]?.text ?? "";
  const name = title
    .replace(HEADING, "")
    .replace(/^skill:/i, "")
    .trim();
  if (HEADING.exec(title)?.[1] !== "#" || name === "")
    return invalidField("name", 'is missing: begin with a title such as "# Skill: Release a version"');

  const found: Record<Section, MarkdownLine[]> = {
    description: [],
    prerequisites: [],
    steps: [],
    common_errors: [],
    exit_criteria: [],
    example_usage: [],
  };
  let current: Section = "description";
  for (const line of lines.slice(first + 1)) {
    if (line.code !== null || !HEADING.test(line.text)) {
      found[current].push(line);
      continue;
    }
    const heading = clip(line.text.replace(HEADING, "").trimEnd(), EXPERIENCE.lineChars);
    const known = findSection(heading);
    if (known === undefined) return failUnknownSection(heading);
    current = known;
  }

  const steps = parseListItems(found.steps);
  if (steps.length === 0)
    return invalidField("steps", 'are missing: add a section "## Steps" with a numbered list');
  const common_errors: CommonError[] = [];
  for (const [index, item] of parseListItems(found.common_errors).entries()) {
    const parts = parseErrorFix(item);
    if (parts === null)
      return invalidField(
        `common_errors.${index}`,
        'has no fix: write each item of "## Common Errors & Fixes" as "- error: fix"',
      );
    common_errors.push(parts);
  }
  const example = readBlock(found.example_usage);
  return ok({
    name,
    description: readBlock(found.description).trim(),
    prerequisites: parseListItems(found.prerequisites),
    steps,
    common_errors,
    exit_criteria: parseListItems(found.exit_criteria),
    ...(example === "" ? {} : { example_usage: example }),
  });
}

function findSection(heading: string): Section | undefined {
  const name = heading
    .toLowerCase()
    .replace(/[\s#:]+$/, "")
    .replaceAll(/\s+/g, " ");
  return (Object.keys(SECTIONS) as Section[]).find((section) => SECTIONS[section].test(name));
}

function failUnknownSection(heading: string) {
  const message =
    "is not a section of a skill: use Prerequisites, Steps, Common Errors & Fixes, Exit Criteria or Example Usage, or a deeper heading (###) within one of them";
  return fail("invalid_request", `## ${heading}: ${message}`, {
    errors: [{ path: "", message: `## ${heading} ${message}` }],
  });
}

/** Reads a section that is not a list. */
function readBlock(lines: readonly MarkdownLine[]): string {
  return trimLines(unescapeStructure(lines.map(({ text }) => text).join("\n")));
}

/** The separator is the first colon before white space, outside of code; a backslash escapes a character. */
const TOKEN = /\\.|(`+)(?!`).*?[^`]\1(?!`)|`+|(?<separator>:(?=\s|$))|[^\\`:]+|./gs;
const SPECIAL = /[\\`:*]/g;
/** A common notation: the error in bold, the colon inside or after it. */
const IN_BOLD = /^\*\*([^*]+?)(?::\*\*|\*\*:)(?=\s|$)(.*)$/s;

/** Renders an error and its fix as `error: fix`, escaped only if it would not parse back to the same. */
function renderErrorFix({ error, fix }: CommonError): string {
  const plain = `${error}: ${fix}`;
  const parsed = parseErrorFix(plain);
  if (parsed?.error === error && parsed.fix === fix) return plain;
  return `${error.replace(SPECIAL, "\\$&")}: ${fix}`;
}

/** Parses `error: fix`; null without a separator. */
function parseErrorFix(text: string): CommonError | null {
  const [, bold, rest = ""] = IN_BOLD.exec(text) ?? [];
  if (bold !== undefined) return { error: bold.trim(), fix: rest.trim() };
  let error = "";
  for (const { 0: token, index, groups } of text.matchAll(TOKEN)) {
    if (groups?.separator !== undefined) return { error: error.trim(), fix: text.slice(index + 1).trim() };
    error += /^\\[\\`:*]$/.test(token) ? token.slice(1) : token;
  }
  return null;
}
