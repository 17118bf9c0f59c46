// A skill as a Markdown document, and back. Nothing is lost either way; what people write by hand is read with
// patience.

import { EXPERIENCE } from "../../../limits";
import { fail, invalidField, ok, type Result } from "../../../platform/errors";
import { type CommonError, type SkillTold, trimLines } from "../../../schemas/skill";
import { clip } from "../../../text/memory-text";
import { joinError, splitError } from "../error-fix";
import { bulleted, itemsOf, numbered } from "./markdown-list";
import { escapeStructure, type Line, linesOf, unescapeStructure } from "./markdown-text";

export function toMarkdown(skill: SkillTold): string {
  const parts = [
    `# Skill: ${skill.name}`,
    escapeStructure(skill.description),
    section("Prerequisites", bulleted(skill.prerequisites)),
    section("Steps", numbered(skill.steps)),
    section("Common Errors & Fixes", bulleted(skill.common_errors.map(joinError))),
    section("Exit Criteria", bulleted(skill.exit_criteria)),
    section("Example Usage", escapeStructure(skill.example_usage ?? "")),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n${body}`;
}

/** By what headings a section is known, in lower case. */
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

export function fromMarkdown(markdown: string): Result<SkillTold> {
  const lines = linesOf(markdown.replace(/\r\n?/g, "\n"));
  const first = lines.findIndex(({ text }) => text.trim() !== "");
  const title = lines[first]?.text ?? "";
  const name = title
    .replace(HEADING, "")
    .replace(/^skill:/i, "")
    .trim();
  if (HEADING.exec(title)?.[1] !== "#" || name === "")
    return invalidField("name", 'is missing: begin with a title such as "# Skill: Release a version"');

  const found: Record<Section, Line[]> = {
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
    const known = sectionOf(heading);
    if (known === undefined) return unknownSection(heading);
    current = known;
  }

  const steps = itemsOf(found.steps);
  if (steps.length === 0)
    return invalidField("steps", 'are missing: add a section "## Steps" with a numbered list');
  const common_errors: CommonError[] = [];
  for (const [index, item] of itemsOf(found.common_errors).entries()) {
    const parts = splitError(item);
    if (parts === null)
      return invalidField(
        `common_errors.${index}`,
        'has no fix: write each item of "## Common Errors & Fixes" as "- error: fix"',
      );
    common_errors.push(parts);
  }
  const example = blockOf(found.example_usage);
  return ok({
    name,
    description: blockOf(found.description).trim(),
    prerequisites: itemsOf(found.prerequisites),
    steps,
    common_errors,
    exit_criteria: itemsOf(found.exit_criteria),
    ...(example === "" ? {} : { example_usage: example }),
  });
}

function sectionOf(heading: string): Section | undefined {
  const name = heading
    .toLowerCase()
    .replace(/[\s#:]+$/, "")
    .replaceAll(/\s+/g, " ");
  return (Object.keys(SECTIONS) as Section[]).find((section) => SECTIONS[section].test(name));
}

function unknownSection(heading: string) {
  const message =
    "is not a section of a skill: use Prerequisites, Steps, Common Errors & Fixes, Exit Criteria or Example Usage, or a deeper heading (###) within one of them";
  return fail("invalid_request", `## ${heading}: ${message}`, {
    errors: [{ path: "", message: `## ${heading} ${message}` }],
  });
}

/** A text that is no list. */
function blockOf(lines: readonly Line[]): string {
  return trimLines(unescapeStructure(lines.map(({ text }) => text).join("\n")));
}
