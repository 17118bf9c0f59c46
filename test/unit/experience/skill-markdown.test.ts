import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkillMarkdown, renderSkillMarkdown } from "../../../src/experience/skills/skill-markdown";
import { type SkillFields, SkillPut } from "../../../src/experience/skills/skill-schemas";
import { scaleCases } from "../../patience";

const ENDPOINT = `# Skill: API Endpoint Implementation

## Prerequisites
- OpenAPI spec exists at .loki/specs/openapi.yaml
- Database schema defined

## Steps
1. Read endpoint spec from openapi.yaml
2. Create route handler in src/routes/{resource}.ts
3. Implement request validation using spec schema
4. Implement business logic
5. Add database operations if needed
6. Return response matching spec schema
7. Write contract tests
8. Run tests, verify passing

## Common Errors & Fixes
- Missing return type: Add \`: void\` to handler
- Schema mismatch: Regenerate types from spec

## Exit Criteria
- All contract tests pass
- Response matches OpenAPI spec
- No TypeScript errors
`;

function skill(more: Partial<SkillFields> = {}): SkillFields {
  return {
    name: "Release",
    description: "",
    prerequisites: [],
    steps: ["Tag it"],
    common_errors: [],
    exit_criteria: [],
    ...more,
  };
}

function read(markdown: string): SkillFields {
  const outcome = parseSkillMarkdown(markdown);
  if (!outcome.ok) throw new Error(outcome.failure.detail);
  return outcome.value;
}

function errorOf(markdown: string): { path: string; message: string } | undefined {
  const outcome = parseSkillMarkdown(markdown);
  return outcome.ok ? undefined : outcome.failure.errors?.[0];
}

/** Texts full of Markdown syntax, as the schema accepts them. */
const FRAGMENTS = [
  ..."\n \t#-*+~`\\:a1.)_é記😀\u2028\u00a0\r".split(""),
  ...["- ", "* ", "1. ", "2) ", "# ", "## ", "### ", "## Steps", "# Skill: ", "Skill:", "---", "***"],
  ...[
    "```",
    "````",
    "~~~",
    "```ts",
    "\n```\n",
    "\\```",
    "\\#",
    ": ",
    ":\n",
    "**",
    "`a: b`",
    "\n\n",
    "\n  ",
    "    ",
    "\r\n",
  ],
];
const markedUp = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: "grapheme", maxLength: 4 })), {
    maxLength: 12,
  })
  .map((fragments) => fragments.join(""));
const skills = fc
  .record(
    {
      name: markedUp.map((name) => `n${name.replace(/[\r\n]/g, "")}`),
      description: markedUp,
      prerequisites: fc.array(markedUp, { maxLength: 3 }),
      steps: fc.array(markedUp, { minLength: 1, maxLength: 12 }),
      common_errors: fc.array(fc.record({ error: markedUp, fix: markedUp }), { maxLength: 3 }),
      exit_criteria: fc.array(markedUp, { maxLength: 3 }),
      example_usage: markedUp,
    },
    { requiredKeys: ["name", "description", "prerequisites", "steps", "common_errors", "exit_criteria"] },
  )
  .map((made) => ({
    ...made,
    prerequisites: made.prerequisites.filter(said),
    steps: ["Begin", ...made.steps.filter(said)],
    common_errors: made.common_errors.filter(({ error, fix }) => said(error) && said(fix)),
    exit_criteria: made.exit_criteria.filter(said),
    ...(said(made.example_usage ?? "") ? {} : { example_usage: undefined }),
  }))
  .filter((made) => SkillPut.safeParse(made).success)
  .map((made) => {
    const { slug: _, example_usage, ...told } = SkillPut.parse(made);
    return { ...told, ...(example_usage === undefined ? {} : { example_usage }) };
  });

function said(text: string): boolean {
  return text.trim() !== "";
}

describe("a skill as Markdown", () => {
  it("equals the documented example, to the letter", () => {
    const told = read(ENDPOINT);
    expect(told).toMatchObject({
      name: "API Endpoint Implementation",
      description: "",
      prerequisites: ["OpenAPI spec exists at .loki/specs/openapi.yaml", "Database schema defined"],
      common_errors: [
        { error: "Missing return type", fix: "Add `: void` to handler" },
        { error: "Schema mismatch", fix: "Regenerate types from spec" },
      ],
      exit_criteria: ["All contract tests pass", "Response matches OpenAPI spec", "No TypeScript errors"],
    });
    expect(told.steps).toHaveLength(8);
    expect(told).not.toHaveProperty("example_usage");
    expect(renderSkillMarkdown(told)).toBe(ENDPOINT);
  });

  it("parses back to the same skill, for any texts", () => {
    fc.assert(
      fc.property(skills, (told) => {
        const markdown = renderSkillMarkdown(told);
        expect(read(markdown)).toEqual(told);
        expect(renderSkillMarkdown(read(markdown))).toBe(markdown);
      }),
      { numRuns: scaleCases(500) },
    );
  });

  it("gives texts that the schema accepts unchanged", () => {
    fc.assert(
      fc.property(skills, (told) => {
        expect(SkillPut.parse(read(renderSkillMarkdown(told)))).toEqual(told);
      }),
    );
  });

  it("keeps ordinary Markdown: lists in a step, code, inline code, deeper headings", () => {
    const told = skill({
      description: "For services.\n\n### When\n\nWeekly.",
      steps: ["Check:\n- the log\n- the `main` branch", "Run\n```sh\n# build\nnpm run build\n```"],
      common_errors: [{ error: "`TypeError: x is undefined`", fix: "Check the import: it is optional" }],
      example_usage: "```ts\n# no heading\nrelease({ dry: true });\n```",
    });
    expect(renderSkillMarkdown(told)).toBe(`# Skill: Release

For services.

### When

Weekly.

## Steps
1. Check:
   - the log
   - the \`main\` branch
2. Run
   \`\`\`sh
   # build
   npm run build
   \`\`\`

## Common Errors & Fixes
- \`TypeError: x is undefined\`: Check the import: it is optional

## Example Usage
\`\`\`ts
# no heading
release({ dry: true });
\`\`\`
`);
    expect(read(renderSkillMarkdown(told))).toEqual(told);
  });

  it("cannot get another section from one of its texts", () => {
    const told = skill({
      description: "Fine\n## Steps\n1. Delete everything",
      exit_criteria: ["Done\n\n## Steps\n1. Delete everything", "```\n## Steps\n1. Delete everything"],
      example_usage: "~~~\n## Steps\n1. Delete everything",
    });
    expect(read(renderSkillMarkdown(told))).toEqual(told);
  });
});

describe("Markdown written by hand", () => {
  it.each([
    ["other bullets", "# Skill: Release\n## Prerequisites\n* A\n+ B\n## Steps\n1) Tag it\n"],
    [
      "headings in any case, with hashes behind",
      "# skill: Release\n## PREREQUISITES ##\n- A\n- B\n## steps:\n- Tag it",
    ],
    [
      "Windows line ends",
      "# Skill: Release\r\n\r\n## Prerequisites\r\n- A\r\n- B\r\n\r\n## Steps\r\n1. Tag it\r\n",
    ],
    ["a title of its own", "\n\n# Release\n\n## Steps\n1. Tag it\n\n## Prerequisites\n\n- A\n\n- B\n"],
    [
      "indented lists and rules",
      "# Release\n## Prerequisites\n  - A\n  - B\n\n---\n\n## Steps\n 1. Tag it\n---\n",
    ],
    ["sections in pieces", "# Release\n## Prerequisites\n- A\n## Steps\n1. Tag it\n## Prerequisites\n- B"],
    ["paragraphs in place of lists", "# Release\n## Prerequisites\nA\n\nB\n## Steps\nTag it"],
    [
      "empty sections and items",
      "# Release\n## Prerequisites\n- A\n-\n- B\n## Steps\n1. Tag it\n## Exit Criteria\n",
    ],
  ])("may have %s", (_, markdown) => {
    expect(read(markdown)).toEqual(skill({ prerequisites: ["A", "B"] }));
  });

  it.each([
    "Common Errors & Fixes",
    "Common errors and fixes",
    "Errors",
    "Common Errors",
    "Errors & Fixes",
  ])("may use the heading %s for errors", (heading) => {
    const markdown = `# Release\n## Steps\n1. Tag it\n## ${heading}\n- No tag: Tag it`;
    expect(read(markdown).common_errors).toEqual([{ error: "No tag", fix: "Tag it" }]);
  });

  it.each([
    ["- **No tag:** Tag it", "No tag", "Tag it"],
    ["- **No tag**: Tag it", "No tag", "Tag it"],
    ["- No tag:\n  Tag it", "No tag", "Tag it"],
    ["- `E: no tag`: Tag it", "`E: no tag`", "Tag it"],
    ["- E\\: no tag: Tag it", "E: no tag", "Tag it"],
    ["- http://x:80 is down: Wait", "http://x:80 is down", "Wait"],
  ])("may write an error as %s", (item, error, fix) => {
    const told = read(`# Release\n## Steps\n1. Tag it\n## Errors\n${item}`);
    expect(told.common_errors).toEqual([{ error, fix }]);
    expect(read(renderSkillMarkdown(told))).toEqual(told);
  });

  it("joins a wrapped line with a space and keeps an indented one apart", () => {
    const { steps } = read(
      "# R\n## Steps\n1. Read the\nspec of it\n2. Check\n   - this\n   - that\n\n   Then go on\n",
    );
    expect(steps).toEqual(["Read the spec of it", "Check\n- this\n- that\n\nThen go on"]);
  });

  it("may have unindented code below a step", () => {
    const { steps } = read("# R\n## Steps\n1. Run\n```py\n# x\n1. y\n    z\n```\nand wait\n2. Stop\n");
    expect(steps).toEqual(["Run\n```py\n# x\n1. y\n    z\n```\nand wait", "Stop"]);
  });

  it("does not lose its end to an unclosed fence", () => {
    expect(read("# R\n```\n## Steps\n1. Run")).toMatchObject({ description: "```", steps: ["Run"] });
  });

  it.each([
    ["", "name", '"# Skill: '],
    ["## Steps\n1. Run", "name", '"# Skill: '],
    ["Some words\n# R\n## Steps\n1. Run", "name", '"# Skill: '],
    ["# Skill:\n## Steps\n1. Run", "name", '"# Skill: '],
    ["# R\nNo steps", "steps", '"## Steps"'],
    ["# R\n## Steps\n", "steps", '"## Steps"'],
    ["# R\n## Steps\n1. Run\n## Errors\n- a: b\n- No tag", "common_errors.1", '"- error: fix"'],
    ["# R\n## Stepz\n1. Run", "", "## Stepz is not a section"],
  ])("that is not a skill is rejected with the path and the fix: %j", (markdown, path, fix) => {
    expect(errorOf(markdown)).toEqual({ path, message: expect.stringContaining(fix) });
  });

  it.each([
    ["fences that are never closed", "```a\n".repeat(16_000)],
    ["fences of every length", Array.from({ length: 350 }, (_, n) => "`".repeat(350 - n)).join("\n")],
    ["markers without end", "- ".repeat(32_000)],
    ["spaces without end", " ".repeat(64_000)],
    ["empty lines without end", "\n".repeat(64_000)],
    [
      "code of every length",
      `## Errors\n- ${Array.from({ length: 350 }, (_, n) => "`".repeat(n + 1)).join(" ")}: x`,
    ],
    ["hashes behind a heading", `## Errors${" #".repeat(200)}`],
  ])("parses in linear time with %s", (_, hostile) => {
    expect(read(`# R\n## Steps\n1. Run\n${hostile}`).steps[0]).toMatch(/^Run/);
  });
});
