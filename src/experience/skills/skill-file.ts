// SKILL.md, the file of the Agent Skills standard (https://agentskills.io/specification): front matter with name and
// description, then instructions in free Markdown. A skill is rendered and parsed back without loss: what the standard
// has no field for is in `metadata`, under keys that begin with "kioku-", and in the sections of the body.

import { countCodePoints } from "../../kernel/common";
import { invalidField, ok, type Result } from "../../kernel/errors";
import { isJsonObject } from "../../kernel/json";
import { AGENT_SKILL } from "../../kernel/limits";
import { clip } from "../../language/normalise-text";
import { parseFrontMatter, renderFrontMatter } from "./front-matter";
import { parseSkillMarkdown, renderSkillMarkdown } from "./skill-markdown";
import { SKILL_SLUG, type SkillFields, trimLines } from "./skill-schemas";

/** A skill with its slug; null in a document without front matter. */
type ParsedSkill = { slug: string | null; fields: SkillFields };

/** Keys of `metadata` for what differs from the standard's fields. */
const OWN_KEYS = {
  /** The slug, if it is not a name of the standard. */
  slug: "kioku-slug",
  /** The title of a skill whose body is free. */
  name: "kioku-name",
  /** The description, if it is empty or too long for the standard. */
  description: "kioku-description",
  /** `instructions` if the body is free although it reads like sections. */
  body: "kioku-body",
} as const;

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Renders a skill as SKILL.md. */
export function renderSkillFile({ slug, ...skill }: SkillFields & { slug: string }): string {
  const name = toStandardName(slug);
  const description = fitDescription(skill);
  const { instructions } = skill;
  const own = {
    ...(name === slug ? {} : { [OWN_KEYS.slug]: slug }),
    ...(instructions === undefined || skill.name === name ? {} : { [OWN_KEYS.name]: skill.name }),
    ...(description === skill.description ? {} : { [OWN_KEYS.description]: skill.description }),
    ...(instructions === undefined || parseSections(instructions, description) === null
      ? {}
      : { [OWN_KEYS.body]: "instructions" }),
  };
  const metadata = { ...skill.metadata, ...own };
  const { allowed_tools = [] } = skill;
  const header = renderFrontMatter({
    name,
    description,
    license: skill.license,
    compatibility: skill.compatibility,
    "allowed-tools": allowed_tools.length === 0 ? undefined : renderTools(allowed_tools),
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  });
  const body = instructions ?? renderSkillMarkdown({ ...skill, description: "" }).trimEnd();
  return body === "" ? header : `${header}\n${body}\n`;
}

/** Parses a skill: SKILL.md, or a document of sections without front matter. */
export function parseSkillFile(markdown: string): Result<ParsedSkill> {
  const split = parseFrontMatter(markdown.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n"));
  if (!split.ok) return split;
  const { values, body } = split.value;
  if (values === null) {
    const parsed = parseSkillMarkdown(body);
    return parsed.ok ? ok({ slug: null, fields: parsed.value }) : parsed;
  }
  const name = readName(values.name);
  if (!name.ok) return name;
  const description = readText("description", values.description, AGENT_SKILL.descriptionChars);
  if (!description.ok) return description;
  if (description.value === undefined)
    return invalidField(
      "description",
      'is missing: say in the front matter what the skill does and when to use it, as in "description: …"',
    );
  const license = readText("license", values.license, AGENT_SKILL.licenseChars);
  if (!license.ok) return license;
  const compatibility = readText("compatibility", values.compatibility, AGENT_SKILL.compatibilityChars);
  if (!compatibility.ok) return compatibility;
  const tools = readTools(values["allowed-tools"]);
  if (!tools.ok) return tools;
  const read = readMetadata(values);
  if (!read.ok) return read;
  const { own, metadata } = read.value;

  const shown = description.value;
  const free = trimLines(body);
  const sections = own.body === "instructions" ? null : parseSections(free, shown);
  const content = sections ?? toFreeSkill(own.name ?? name.value, shown, free);
  // A key that does not fit the field beside it is left from before that was edited.
  const full = own.description ?? shown;
  const fits = fitDescription({ name: content.name, description: full }) === shown;
  const slug = own.slug !== undefined && SKILL_SLUG.test(own.slug) ? own.slug : name.value;
  return ok({
    slug: toStandardName(slug) === name.value ? slug : name.value,
    fields: {
      ...content,
      description: fits ? full : shown,
      ...(license.value === undefined ? {} : { license: license.value }),
      ...(compatibility.value === undefined ? {} : { compatibility: compatibility.value }),
      ...(tools.value.length === 0 ? {} : { allowed_tools: tools.value }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    },
  });
}

/** Returns a skill without sections. */
export function toFreeSkill(name: string, description: string, instructions: string): SkillFields {
  return {
    name,
    description,
    prerequisites: [],
    steps: [],
    common_errors: [],
    exit_criteria: [],
    instructions,
  };
}

/** Returns whether a skill has fields that a document of sections does not hold. */
export function needsFrontMatter(skill: SkillFields): boolean {
  const { instructions, license, compatibility, allowed_tools = [], metadata = {} } = skill;
  const isSet = [instructions, license, compatibility].some((text) => text !== undefined);
  return isSet || allowed_tools.length > 0 || Object.keys(metadata).length > 0;
}

/** Parses a body of Kioku's sections; null for any other, which is kept word for word. */
function parseSections(body: string, description: string): SkillFields | null {
  if (!/^# skill:/i.test(body)) return null;
  const parsed = parseSkillMarkdown(body);
  // A text of its own before the first section has no other place.
  if (!parsed.ok || !["", description].includes(parsed.value.description)) return null;
  return { ...parsed.value, description };
}

/** Returns the name of the standard for a slug, which may also contain underscores and hyphens in a row. */
export function toStandardName(slug: string): string {
  return slug.replaceAll(/[_-]+/g, "-").replace(/-$/, "");
}

/** Returns the description as the standard has it: one that is not empty and not too long. */
function fitDescription({ name, description }: Pick<SkillFields, "name" | "description">): string {
  return clip(description === "" ? name : description, AGENT_SKILL.descriptionChars);
}

function readName(value: unknown): Result<string> {
  if (value === undefined || value === "")
    return invalidField("name", 'is missing: add a line such as "name: pdf-processing" to the front matter');
  if (typeof value === "string" && NAME.test(value) && value.length <= AGENT_SKILL.nameChars)
    return ok(value);
  return invalidField(
    "name",
    `must be 1 to ${AGENT_SKILL.nameChars} characters of a-z, 0-9 and single hyphens between them, such as pdf-processing`,
  );
}

function readText(field: string, value: unknown, max: number): Result<string | undefined> {
  if (value === undefined) return ok(undefined);
  if (typeof value !== "string") return invalidField(field, "must be a text: put it into double quotes");
  const text = value.trim();
  const length = countCodePoints(text);
  if (length > max)
    return invalidField(field, `must have at most ${max} characters, has ${length}: shorten it`);
  return ok(text === "" ? undefined : text);
}

/**
 * A tool ends at white space or a comma outside of parentheses: Bash(git add:*) is one, as is Bash(touch $(date):*).
 * Deeper parentheses end the search, which makes the time linear.
 */
const TOOL = /(?:\((?:[^()]|\([^()]*\))*\)|[^\s,(])+|\(/g;

/** Reads a list of tools, or a text with spaces or commas between them. */
function readTools(value: unknown = []): Result<string[]> {
  if (typeof value === "string") return ok(value.match(TOOL) ?? []);
  if (Array.isArray(value) && value.every((tool) => typeof tool === "string")) return ok(value);
  return invalidField("allowed-tools", "must be a list of texts, or one text such as Read Bash(git:*)");
}

/** Renders tools as one text, which all readers know; as a list if they would not be the same tools. */
function renderTools(tools: readonly string[]): string | string[] {
  const text = tools.join(" ");
  const parsed = text.match(TOOL) ?? [];
  const isSame = parsed.length === tools.length && parsed.every((tool, index) => tool === tools[index]);
  return isSame ? text : [...tools];
}

const FIELDS = ["name", "description", "license", "compatibility", "allowed-tools", "metadata"];

type OwnValues = Record<keyof typeof OWN_KEYS, string | undefined>;

/** Reads `metadata`, and with it the fields that the standard does not have: some products add their own. */
function readMetadata(
  values: Readonly<Record<string, unknown>>,
): Result<{ own: OwnValues; metadata: Record<string, string> }> {
  const mapping = values.metadata || {};
  if (!isJsonObject(mapping))
    return invalidField("metadata", 'must be texts by name, each on a line such as "  author: Ada"');
  const others = Object.entries(values).filter(([key]) => !FIELDS.includes(key));
  for (const [key, value] of others) {
    if (Object.hasOwn(mapping, key)) return invalidField(key, "is in metadata as well: keep one of them");
    if (typeof value !== "string")
      return invalidField(key, "is no field of SKILL.md: move it into metadata, as a text");
  }
  const texts: [string, string][] = [];
  for (const [key, value] of [...Object.entries(mapping), ...others]) {
    if (typeof value !== "string")
      return invalidField(`metadata.${key}`, "must be a text: put it into double quotes");
    // JavaScript objects lose a member of that name.
    if (key === "__proto__") return invalidField(`metadata.${key}`, "is not a possible name: rename it");
    texts.push([key, value]);
  }
  const given = new Map(texts);
  const own: OwnValues = {
    slug: given.get(OWN_KEYS.slug),
    name: given.get(OWN_KEYS.name),
    description: given.get(OWN_KEYS.description),
    body: given.get(OWN_KEYS.body),
  };
  for (const key of Object.values(OWN_KEYS)) given.delete(key);
  return ok({ own, metadata: Object.fromEntries(given) });
}
