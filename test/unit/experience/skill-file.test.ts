import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSkillFile, renderSkillFile } from "../../../src/experience/skills/skill-file";
import { renderSkillMarkdown } from "../../../src/experience/skills/skill-markdown";
import { type SkillFields, SkillPut } from "../../../src/experience/skills/skill-schemas";
import { scaleCases } from "../../patience";

const PDF = `---
name: pdf-processing
description: Extract text from PDF files, fill forms. Use when handling PDFs.
license: Apache-2.0
compatibility: "Requires Python 3.14+ and uv"
allowed-tools: Read Bash(git add:*)
metadata:
  author: example-org
  version: "1.0"
---

# PDF processing

## Quick start

1. Run \`scripts/extract.py\`

---

See [the reference](references/REFERENCE.md).
`;

function read(markdown: string) {
  const parsed = parseSkillFile(markdown);
  if (!parsed.ok) throw new Error(parsed.failure.detail);
  return parsed.value;
}

function readError(markdown: string) {
  const parsed = parseSkillFile(markdown);
  return parsed.ok ? undefined : parsed.failure.errors?.[0];
}

/** Returns the front matter as a YAML parser of the default schema reads it. */
function parseFrontMatter(markdown: string): Record<string, unknown> {
  // The reference implementation splits at the first two occurrences, wherever they are.
  return parse(markdown.split("---")[1] ?? "");
}

const TEXTS = [
  ..."\n \t#-:*&!|>'\"%@`{}[],?~\\a1é記😀\u2028\u0085\u00a0\ufeff\u0007".split(""),
  ...["---", "\n---\n", ": ", " #", "- ", "true", "null", "1.0", "0x1f", "2026-01-01", "<<", "\\n", "\r\n"],
  ...["# Skill: ", "# Skill: x\n\n## Steps\n1. y", "## Steps\n", "1. ", "```\n", "{{a}}", "*a", "!!binary "],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "grapheme", maxLength: 4 })), {
    maxLength: 10,
  })
  .map((parts) => parts.join(""));
const line = text.map((value) => `n${value.replaceAll(/[\r\n\u0085\u2028]/g, " ")}`);
/** Keys of many characters that are escaped. */
const longKey = fc
  .tuple(fc.constantFrom("-", "\u0085", "\u0007", '"', "\\", "😀"), fc.integer({ min: 50, max: 500 }))
  .map(([char, length]) => char.repeat(length));
const standard = {
  license: line,
  compatibility: line,
  allowed_tools: fc.array(line, { maxLength: 3 }),
  metadata: fc.dictionary(fc.oneof(line, longKey), text, { maxKeys: 3 }),
};
const description = fc.oneof(text, fc.constant("long ".repeat(300)));
const skills = fc
  .oneof(
    fc.record(
      { name: line, description, instructions: text, ...standard },
      { requiredKeys: ["name", "instructions"] },
    ),
    fc.record(
      {
        ...{ name: line, description, steps: fc.array(line, { minLength: 1, maxLength: 3 }) },
        ...{ prerequisites: fc.array(line, { maxLength: 2 }), example_usage: line, ...standard },
      },
      { requiredKeys: ["name", "steps"] },
    ),
  )
  .filter((made) => SkillPut.safeParse(made).success)
  .map((made) => tidy(SkillPut.parse(made)));

/** A list or a mapping without entries is as good as none. */
function tidy(skill: SkillFields): SkillFields {
  const { allowed_tools = [], metadata = {}, ...rest } = skill;
  return {
    ...rest,
    ...(allowed_tools.length > 0 && { allowed_tools }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

const slugs = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,12}$/);

describe("SKILL.md", () => {
  it("of the standard comes back word for word", () => {
    const { slug, fields } = read(PDF);
    expect({ slug, ...fields }).toMatchObject({
      ...{ slug: "pdf-processing", name: "pdf-processing", license: "Apache-2.0", steps: [] },
      description: "Extract text from PDF files, fill forms. Use when handling PDFs.",
      allowed_tools: ["Read", "Bash(git add:*)"],
      metadata: { author: "example-org", version: "1.0" },
    });
    expect(fields.instructions).toMatch(/^# PDF processing\n[\s\S]*REFERENCE.md\)\.$/);
    const rendered = renderSkillFile({ ...fields, slug: "pdf-processing" });
    expect(rendered.split("\n---\n").slice(1)).toEqual(PDF.split("\n---\n").slice(1));
    expect(parseFrontMatter(rendered)).toEqual(parseFrontMatter(PDF));
  });

  it("of a skill with sections has them in the body, and the description in the front matter", () => {
    const skill = {
      ...{ slug: "release", name: "Release a version", description: "From a branch to npm" },
      ...{ prerequisites: ["CI is green"], steps: ["Tag it"], common_errors: [], exit_criteria: [] },
    };
    const file = renderSkillFile(skill);
    expect(file).toBe(
      "---\nname: release\ndescription: From a branch to npm\n---\n\n# Skill: Release a version\n\n" +
        "## Prerequisites\n- CI is green\n\n## Steps\n1. Tag it\n",
    );
    const { slug, ...fields } = skill;
    expect(read(file)).toEqual({ slug, fields });
  });

  it("parses back to the same skill, and is valid by the standard, for any texts", () => {
    fc.assert(
      fc.property(slugs, skills, (slug, skill) => {
        const file = renderSkillFile({ ...skill, slug });
        const { fields } = read(file);
        expect(read(file)).toEqual({ slug, fields: skill });
        expect(renderSkillFile({ ...fields, slug })).toBe(file);
        const { name, description, compatibility, metadata = {} } = parseFrontMatter(file);
        expect(name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(description).toMatch(/\S/);
        expect([...String(description)].length).toBeLessThanOrEqual(1_024);
        expect([...String(compatibility ?? "")].length).toBeLessThanOrEqual(500);
        for (const value of Object.values(metadata as object)) expect(value).toEqual(expect.any(String));
      }),
      { numRuns: scaleCases(300) },
    );
  });

  it("may lack front matter", () => {
    const { fields } = read("---\nname: x\ndescription: d\n---\n# Skill: Release\n## Steps\n1. Tag it\n");
    expect(read(renderSkillMarkdown(fields))).toEqual({ slug: null, fields });
  });

  it.each([
    ["a body of its own before the sections", "# Skill: X\n\nRead this first.\n\n## Steps\n1. a"],
    ["other sections", "# Skill: X\n\n## When to use\nAlways.\n\n## Steps\n1. a"],
    ["another title", "# X\n\n## Steps\n1. a"],
    ["no body", ""],
  ])("keeps %s as instructions", (_, body) => {
    const { fields } = read(`---\nname: x\ndescription: A skill\n---\n\n${body}\n`);
    expect(fields).toMatchObject({ instructions: body, steps: [], description: "A skill" });
  });

  it("may use other notations of YAML, line ends of Windows, and fields of other products", () => {
    const { fields } = read(
      "\ufeff---\r\n# a comment\r\nname: 'x'\r\ndescription: >-\r\n  Folded\r\n  text\r\nversion: 1.10\r\nallowed-tools:\r\n  - Read\r\n  - Bash(a, b)\r\nmetadata:\r\n---\r\nBody\r\n",
    );
    expect(fields).toMatchObject({
      ...{ description: "Folded text", instructions: "Body", metadata: { version: "1.10" } },
      allowed_tools: ["Read", "Bash(a, b)"],
    });
  });

  it("may have lists and mappings in brackets, and lists in a text", () => {
    const { fields } = read(
      "---\nname: x\ndescription: |\n  Steps:\n  * one: a: b: c\n  - [two]\nallowed-tools: [Read, 'Bash(a, b)']\nmetadata: {a: b, c: d, e: f}\n---\n",
    );
    expect(fields).toMatchObject({
      ...{ description: "Steps:\n* one: a: b: c\n- [two]", allowed_tools: ["Read", "Bash(a, b)"] },
      metadata: { a: "b", c: "d", e: "f" },
    });
  });

  it("follows an edited name or description, not what was kept for the former", () => {
    const skill = {
      ...{ slug: "my_skill", name: "Mine", description: "", prerequisites: [], steps: ["a"] },
      ...{ common_errors: [], exit_criteria: [] },
    };
    const file = renderSkillFile(skill);
    expect(read(file).slug).toBe("my_skill");
    expect(read(file.replace("name: my-skill", "name: other")).slug).toBe("other");
    expect(read(file.replace("description: Mine", "description: New")).fields.description).toBe("New");
  });

  it.each([
    ["name: x\ndescription: Use when: always", "description", "double quotes"],
    ['name: x\ndescription: "open', "description", "double quotes"],
    ["name: x\nname: y\ndescription: d", "name", "line 3"],
    ["description: d", "name", "is missing"],
    ["name:\ndescription: d", "name", "is missing"],
    ["name: PDF Processing\ndescription: d", "name", "a-z, 0-9 and single hyphens"],
    ["name: my_skill\ndescription: d", "name", "single hyphens"],
    [`name: ${"x".repeat(65)}\ndescription: d`, "name", "1 to 64"],
    ["name: x", "description", "is missing"],
    ['name: x\ndescription: " "', "description", "is missing"],
    [`name: x\ndescription: ${"d".repeat(1_025)}`, "description", "at most 1024 characters, has 1025"],
    ["name: x\ndescription: [a, b]", "description", "must be a text"],
    [`name: x\ndescription: d\ncompatibility: ${"d".repeat(501)}`, "compatibility", "at most 500"],
    ["name: x\ndescription: d\nallowed-tools:\n  a: b", "allowed-tools", "list of texts"],
    ["name: x\ndescription: d\nmetadata: none", "metadata", "texts by name"],
    ["name: x\ndescription: d\nmetadata:\n  a:\n    b: c", "metadata.a", "double quotes"],
    ["name: x\ndescription: d\nhooks:\n  a: b", "hooks", "move it into metadata"],
    ["name: x\ndescription: d\nversion: 1\nmetadata:\n  version: 2", "version", "keep one"],
    ["name: x\ndescription: d\nmetadata:\n  __proto__: a", "metadata.__proto__", "rename it"],
    ["name: &a x\ndescription: *a", "description", "line 3"],
    ["name: x\ndescription: One: two: three: four", "description", "double quotes"],
    ["just words", "", "name: value"],
  ])("with front matter such as %j is refused by its field, with the fix", (front, path, fix) => {
    const error = readError(`---\n${front}\n---\nBody\n`);
    expect(error?.message).toContain(fix);
    if (path !== "") expect(error?.path).toBe(path);
  });

  it.each([
    ["lists", "[".repeat(120_000)],
    ["mappings", "{".repeat(120_000)],
    ["items", "- ".repeat(60_000)],
    ["keys", "? ".repeat(60_000)],
    ["fields", Array.from({ length: 15_000 }, (_, n) => `\nk${n}: v`).join("")],
    ["anchors", "&a ".repeat(40_000)],
    ["empty lines", "\n".repeat(120_000)],
    ["open quotes", `"${"\\".repeat(120_000)}`],
  ])("is refused at once with %s without end", (_, hostile) => {
    expect(readError(`---\nname: x\nlicense: ${hostile}\n---\n`)?.message).toMatch(
      /is not valid YAML|missing/,
    );
  });

  it.each([
    "(",
    "a(",
    "(a",
    "()(",
    "(a)((",
    "((a)",
  ])("reads tools such as %s without end in linear time", (part) => {
    const tools = part.repeat(400_000 / part.length);
    // Quadratic time is minutes, which is over the timeout.
    const { fields } = read(`---\nname: x\ndescription: d\nallowed-tools: "${tools}"\n---\n`);
    expect(fields.allowed_tools?.join("")).toBe(tools);
  });

  it("keeps a tool with parentheses in its parentheses in one", () => {
    const { fields } = read(
      "---\nname: x\ndescription: d\nallowed-tools: Bash(touch $(date a):*), Read\n---\n",
    );
    expect(fields.allowed_tools).toEqual(["Bash(touch $(date a):*)", "Read"]);
  });

  it("must close its front matter", () => {
    expect(readError("---\nname: x\ndescription: d\n\n# Body\n")?.message).toContain("a line ---");
  });
});
