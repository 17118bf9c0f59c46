// Reads and validates input: JSON text, invisible characters, overlong lists, and messages that name the field and the fix.

import type { z } from "@hono/zod-openapi";
import { FailureError, type FieldError, fail, failure, ok, REPORTED_ERRORS, type Result } from "./errors";
import { isJsonObject, mayHaveHugeNumber } from "./json";
import { LIMITS } from "./limits";

/** Default-ignorable code points, the Unicode term for "shown as nothing", and the annotation marks. */
const IGNORABLE_RUN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/gu;

/** Variation selectors choose between the forms of one character: text or emoji, or the forms of a kanji. */
const VARIATION_SELECTOR = /[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

/** The two joiners: emoji sequences and the scripts below need them, other text does not. */
const JOINER = /[\u200c\u200d]/u;

/** Letters and marks of scripts that are written with joiners. All other scripts are written without them. */
const JOINED_SCRIPT = /[\p{M}\p{L}]/u;
const UNJOINED_SCRIPT =
  /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Hebr}\p{scx=Armn}\p{scx=Geor}]/u;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;

/** The flags of England, Scotland and Wales: the only emoji that are spelt with tags. */
const FLAG = "\u{1f3f4}";
const FLAG_TAGS: ReadonlySet<string> = new Set(["gbeng", "gbsct", "gbwls"].map(toTags));

/** Removes invisible characters. Joiners of scripts and emoji, single variation selectors and flags stay. */
export function removeInvisible(text: string): string {
  return text.replace(IGNORABLE_RUN, (run: string, at: number) => {
    const base = getCharBefore(text, at);
    if (base === FLAG && FLAG_TAGS.has(run)) return run;
    const [first = "", second = ""] = run;
    const selector = base !== "" && VARIATION_SELECTOR.test(first) ? first : "";
    const joiner = selector === "" ? first : second;
    return selector + (JOINER.test(joiner) && takesJoiner(base) ? joiner : "");
  });
}

function takesJoiner(base: string): boolean {
  return EMOJI.test(base) || (JOINED_SCRIPT.test(base) && !UNJOINED_SCRIPT.test(base));
}

function getCharBefore(text: string, at: number): string {
  const unit = text.charAt(at - 1);
  return /[\udc00-\udfff]/.test(unit) ? text.slice(at - 2, at) : unit;
}

function toTags(name: string): string {
  const tags = Array.from(name, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0)));
  return `${tags.join("")}\u{e007f}`;
}

/** Returns the value of a JSON text. Throws a failure that names `subject`, such as "body". */
export function parseJsonText(text: string, subject: string): unknown {
  if (text.length > 2 * LIMITS.jsonDepth && isTooDeep(text))
    throw badJson(`The ${subject} is nested more than ${LIMITS.jsonDepth} levels deep. Flatten it.`, {
      path: "",
      message: `must be nested at most ${LIMITS.jsonDepth} levels deep`,
    });
  try {
    return JSON.parse(text, mayBeUnrepresentable(text) ? rejectUnrepresentable(subject) : undefined);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw badJson(`The ${subject} is not valid JSON. Send one JSON object.`, {
      path: "",
      message: "must be valid JSON",
    });
  }
}

/** Returns whether the JSON exceeds the nesting limit, which bounds the depth of all recursive functions. */
function isTooDeep(raw: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth -= 1;
    if (depth > LIMITS.jsonDepth) return true;
  }
  return false;
}

/** Returns whether the text may have an unrepresentable member. Only then is it parsed with the slower reviver. */
function mayBeUnrepresentable(raw: string): boolean {
  // A name may be written with escapes of its letters.
  return /__proto__|\\u00[567]/i.test(raw) || mayHaveHugeNumber(raw);
}

/** Returns a reviver that rejects members that JSON.parse would silently drop or change. */
function rejectUnrepresentable(subject: string): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if (key === "__proto__")
      throw badJson(`The ${subject} has a member named __proto__, which cannot be kept. Rename it.`, {
        path: "__proto__",
        message: "is not a possible name: rename it",
      });
    if (typeof value === "number" && !Number.isFinite(value))
      throw badJson(`The ${subject} has a number that is too large to be kept. Send it as a string.`, {
        path: key,
        message: "is too large for a number: send it as a string",
      });
    return value;
  };
}

function badJson(detail: string, error: FieldError): FailureError {
  return failure("invalid_request", detail, { errors: [error] });
}

/** The items of a list whose schema names no limit: more than any body of valid items has. */
const MAX_ITEMS = 50_000;

type Schema = z.core.$ZodType;
type Overlong = { path: string[]; message: string };

function findOverlongList(schema: Schema, value: unknown): FieldError | null {
  const found = find(schema, value);
  return found === null ? null : { path: found.path.join("."), message: found.message };
}

function find(schema: Schema, value: unknown): Overlong | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "array":
      return Array.isArray(value) ? findInList(schema, def.element, value) : null;
    case "object":
      return isJsonObject(value)
        ? findFirst(Object.entries(def.shape), ([name, member]) => within(name, find(member, value[name])))
        : null;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
      return find(def.innerType, value);
    case "pipe":
      // The input of a preprocessed value is a function; its schema follows.
      return find((def.in as z.core.$ZodTypes)._zod.def.type === "transform" ? def.out : def.in, value);
    case "union":
      return findInUnion(def.options, value);
    default:
      return null;
  }
}

function findInList(schema: Schema, element: Schema, items: readonly unknown[]): Overlong | null {
  const { maximum } = schema._zod.bag;
  const limit = typeof maximum === "number" ? maximum : MAX_ITEMS;
  if (items.length > limit)
    return { path: [], message: `must have at most ${limit} items, has ${items.length}: send fewer` };
  return findFirst([...items.entries()], ([index, item]) => within(String(index), find(element, item)));
}

/** A list is too long if every branch that it may belong to says so. */
function findInUnion(options: readonly Schema[], value: unknown): Overlong | null {
  const found = options.map((option) => find(option, value));
  const first = found.find((one) => one !== null);
  if (first === undefined) return null;
  const isAllowed = options.some((option, i) => found[i] === null && mayHold(option, value, first.path[0]));
  return isAllowed ? null : first;
}

/** Whether a branch takes the list itself, or the member of an object that has it. */
function mayHold(option: Schema, value: unknown, member: string | undefined): boolean {
  const { def } = (option as z.core.$ZodTypes)._zod;
  if (def.type === "array") return Array.isArray(value);
  if (def.type === "object") return isJsonObject(value) && member !== undefined && member in def.shape;
  return !["string", "number", "boolean", "null", "literal", "enum"].includes(def.type);
}

function within(name: string, found: Overlong | null): Overlong | null {
  return found === null ? null : { ...found, path: [name, ...found.path] };
}

function findFirst<T>(items: readonly T[], search: (item: T) => Overlong | null): Overlong | null {
  for (const item of items) {
    const found = search(item);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the parsed value, or a failure that names the fields. The cost is bounded by the limits of the schema. */
export function parseInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
  where: string,
): Result<z.output<T>> {
  const overlong = findOverlongList(schema, value);
  if (overlong !== null) return describeErrors([overlong], 1, where);
  try {
    const parsed = schema.safeParse(value, { reportInput: true });
    return parsed.success ? ok(parsed.data) : describeInvalidInput(parsed.error, where);
  } catch (error) {
    // zod passes issues as arguments, of which the engine takes about a hundred thousand.
    if (!(error instanceof RangeError)) throw error;
    return fail("invalid_request", `The ${where} has too many errors to list. Check its format.`);
  }
}

/** Describes invalid input: a field error for each of the first issues, the first of them in the detail. */
export function describeInvalidInput(error: z.ZodError, where: string) {
  const { issues } = error;
  const errors = issues.slice(0, REPORTED_ERRORS).flatMap(toFieldErrors);
  const count = issues.slice(REPORTED_ERRORS).reduce((sum, issue) => sum + countFields(issue), errors.length);
  return describeErrors(errors, count, where);
}

/** Describes the field errors that are given, of `count` in all. */
function describeErrors(errors: FieldError[], count: number, where: string) {
  const [first] = errors;
  const detail =
    first === undefined ? `The ${where} is not valid.` : `${first.path || where}: ${first.message}`;
  return fail("invalid_request", detail, { errors, more_errors: count - errors.length });
}

function countFields(issue: Issue): number {
  return issue.code === "unrecognized_keys" ? issue.keys.length : 1;
}

type Issue = z.core.$ZodIssue;

function toFieldErrors(issue: Issue): FieldError[] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      message: issue.message.startsWith("Unrecognized")
        ? "is not a known field: remove it or check its spelling"
        : issue.message,
    }));
  }
  if (issue.code === "invalid_key") return issue.issues.map((one) => ({ path, message: describeIssue(one) }));
  const meant = issue.code === "invalid_union" ? selectIntendedBranch(issue.errors) : undefined;
  if (meant !== undefined)
    return meant.flatMap((one) => toFieldErrors({ ...one, path: [...issue.path, ...one.path] }));
  return [{ path, message: describeIssue(issue) }];
}

/** Selects the union branch the caller intended, by its discriminator (such as `op`) or by its JSON type. */
function selectIntendedBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const meant = branches.filter(
    (issues) => !issues.some((issue) => isDiscriminatorMismatch(issue) || isTypeMismatch(issue)),
  );
  if (meant.length === branches.length) return undefined;
  return meant.toSorted((a, b) => a.length - b.length)[0];
}

function isTypeMismatch({ code, path }: Issue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function isDiscriminatorMismatch(issue: Issue): boolean {
  return issue.code === "invalid_value" && issue.values.length === 1 && issue.path.length === 1;
}

function describeIssue(issue: Issue): string {
  // Messages of our own schemas are used as they are; zod's defaults are reworded.
  if (!/^(Invalid|Too |Expected)/.test(issue.message)) return issue.message;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is required";
  if (issue.code === "too_small") return `must ${describeSize("at least", issue.minimum, issue.origin)}`;
  if (issue.code === "too_big") return `must ${describeSize("at most", issue.maximum, issue.origin)}`;
  if (issue.code === "invalid_value")
    return `must be ${issue.values.length === 1 ? "" : "one of: "}${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type") return `must be ${withArticle(issue.expected)}`;
  return issue.message;
}

function describeSize(limit: string, size: number | bigint, origin: string): string {
  const unit = { string: "character", array: "item" }[origin];
  if (unit === undefined) return `be ${limit} ${size}`;
  return `have ${limit} ${size} ${unit}${Number(size) === 1 ? "" : "s"}`;
}

function withArticle(expected: string): string {
  if (expected === "int") return "a whole number";
  if (expected === "record") return "an object";
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}
