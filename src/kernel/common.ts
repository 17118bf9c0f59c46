// Building blocks of every schema: ids, text, times, JSON, pages, source types; and the examples of the API's reference.
// An example is declared beside its schema, and documents every body and response of it that has none of its own.

import { z } from "@hono/zod-openapi";
import { MEMORY_TYPES } from "../ontology/generated/terms.generated";
import type { Json } from "./json";
import { EXPERIENCE, LIMITS } from "./limits";
import { removeInvisible } from "./validate-input";

const EXAMPLES = z.registry<{ example: Json }>();

/** Declares the example of a schema, and returns it. */
export function addExample<E extends Json>(schema: z.ZodType, example: E): E {
  EXAMPLES.add(schema, { example });
  return example;
}

/** Finds the example of a schema; of a list without one, a list of its item's example. */
export function findExample(schema: z.ZodType): Json | undefined {
  const known = EXAMPLES.get(schema)?.example;
  if (known !== undefined || !(schema instanceof z.ZodObject)) return known;
  const { data, next_cursor } = schema.shape;
  const item = data instanceof z.ZodArray ? EXAMPLES.get(data.element as z.ZodType)?.example : undefined;
  return item === undefined ? undefined : { data: [item], ...(next_cursor && { next_cursor: null }) };
}

export { z };

/** The pattern of session, memory, agent, project, message and tenant ids. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;
const ID_MESSAGE = "must be 1 to 128 characters of A-Z, a-z, 0-9, _ and -";

const TYPE_MESSAGE = `must be one of: ${MEMORY_TYPES.join(", ")}`;

/** A memory type of the ontology. */
export const BuiltInTypeName = z.enum(MEMORY_TYPES, { error: TYPE_MESSAGE });

/** The spelling of a memory type of an extension. */
export const EXTENSION_TYPE = /^[a-z][a-z0-9_]{1,63}$/;

/** A memory type of the ontology, or of the tenant's extensions, with which operations compare it. */
export const MemoryTypeName = z.union(
  [z.enum(MEMORY_TYPES), z.string({ error: TYPE_MESSAGE }).regex(EXTENSION_TYPE, TYPE_MESSAGE)],
  { error: TYPE_MESSAGE },
) as unknown as typeof BuiltInTypeName;

export const Id = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : ID_MESSAGE) })
  .regex(ID_PATTERN, ID_MESSAGE);

/** The value of a property of the ontology, or several. */
export const PropertyInput = z.union([z.string(), z.array(z.string()).max(LIMITS.propertyValues)], {
  error: `must be a text, or a list of at most ${LIMITS.propertyValues} texts`,
});

/** A user's id comes from the caller's own accounts: an e-mail address or `auth0|…` are ids, too. */
const USER_ID_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9_\-.@:+|]{1,128}$/;
const USER_ID_MESSAGE =
  "must be 1 to 128 characters of A-Z, a-z, 0-9 and _ - . @ : + |, other than . and .., which no path can name";

export const UserId = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : USER_ID_MESSAGE) })
  .regex(USER_ID_PATTERN, USER_ID_MESSAGE);

/** Whose memories a call covers, from the narrowest to the widest. */
export const SCOPES = ["session", "user", "agent", "project", "tenant"] as const;
export const ScopeName = z.enum(SCOPES, { error: `must be one of: ${SCOPES.join(", ")}` });
export type Scope = z.infer<typeof ScopeName>;

/** Counts code points: the length a person sees, not UTF-16 units or bytes. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function countUtf8Bytes(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Whether a text can be stored and indexed: SQLite truncates at NUL, and a lone surrogate is not a character. */
export function isCleanText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

const CLEAN_MESSAGE = "must not contain NUL or lone surrogates: remove them and send again";

/** Removes what a person cannot see; a text of nothing else is empty. */
function removeHidden(text: string): string {
  const visible = removeInvisible(text);
  return visible === text ? text : visible.trim();
}

/** Returns the schema of a text of `min` to `max` code points. Invisible characters are removed and do not count. */
export function boundedText(min: number, max: number) {
  return z
    .string()
    .overwrite(removeHidden)
    .superRefine((value, ctx) => {
      if (!isCleanText(value)) {
        ctx.addIssue({ code: "custom", message: CLEAN_MESSAGE });
        return;
      }
      const length = countCodePoints(value);
      if (length < min)
        ctx.addIssue({
          code: "custom",
          message: min === 1 ? "must not be empty" : `must have at least ${min} characters`,
        });
      if (length > max)
        ctx.addIssue({
          code: "custom",
          message: `must have at most ${max} characters, has ${length}: shorten it`,
        });
    });
}

function everyString(value: unknown, check: (text: string) => boolean): boolean {
  if (typeof value === "string") return check(value);
  if (Array.isArray(value)) return value.every((item) => everyString(item, check));
  if (value !== null && typeof value === "object") {
    return Object.entries(value).every(([key, item]) => check(key) && everyString(item, check));
  }
  return true;
}

function findJsonIssue(value: unknown, maxBytes: number): string | null {
  if (!everyString(value, isCleanText)) return CLEAN_MESSAGE;
  const bytes = countUtf8Bytes(JSON.stringify(value));
  return bytes > maxBytes ? `must be at most ${maxBytes} bytes as JSON, is ${bytes}: shorten it` : null;
}

/** Any JSON value. The body is parsed JSON, so only a missing value is an error. */
export const AnyJson = z
  .custom<Json>((value) => value !== undefined, "is required")
  .openapi({
    type: ["string", "number", "boolean", "object", "array", "null"],
    description: "Any JSON value",
  });

/** Returns the schema of a JSON value of at most `maxBytes`. */
export function boundedJson(maxBytes: number) {
  return AnyJson.superRefine((value, ctx) => {
    const problem = findJsonIssue(value, maxBytes);
    if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
  });
}

/** Free metadata: a JSON object of bounded size. */
export const Metadata = z
  .record(z.string(), AnyJson)
  .superRefine((value, ctx) => {
    const problem = findJsonIssue(value, LIMITS.metadataBytes);
    if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
  })
  .openapi({ type: "object", additionalProperties: true });

const TIME_MESSAGE = "must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z";

function isTime(value: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

/** An ISO 8601 time with an offset, normalised to UTC with milliseconds. */
export const Time = z
  .string({ error: TIME_MESSAGE })
  .refine(isTime, TIME_MESSAGE)
  .transform((value) => new Date(value).toISOString())
  .openapi({ type: "string", format: "date-time" });

/** An ISO 8601 time that keeps its offset, which is a time zone. */
export const ZonedTime = z
  .string({ error: TIME_MESSAGE })
  .refine(isTime, TIME_MESSAGE)
  .openapi({ type: "string", format: "date-time", examples: ["2026-01-31T12:00:00+01:00"] });

/** Returns the schema of a time for which a day of UTC stands, too. */
function timeOrDay(timeOfDay: string) {
  return z.preprocess(
    (value) =>
      typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T${timeOfDay}` : value,
    Time,
  );
}

/** The beginning of a range: a time, or a day with all of it. */
export const Since = timeOrDay("00:00:00.000Z");
/** The end of a range, likewise. */
export const Until = timeOrDay("23:59:59.999Z");

const LEVELS = { high: 0.9, medium: 0.6, low: 0.3 } as const;
const CONFIDENCE_MESSAGE = "must be a number from 0 to 1, or high, medium or low";

/** A confidence: a number, clamped to 0..1, or a level. */
export const Confidence = z
  .union([z.number(), z.enum(["high", "medium", "low"])], { error: CONFIDENCE_MESSAGE })
  .transform((value) => (typeof value === "string" ? LEVELS[value] : Math.min(1, Math.max(0, value))))
  .meta({ description: "A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3)" });

/** Returns the schema of an integer in a query string. An empty string is an error, not 0. */
export function integerInQuery(min: number) {
  const message = `must be a whole number of at least ${min}`;
  return z
    .string({ error: message })
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= min, message)
    .openapi({ type: "integer", minimum: min });
}

/** The paging parameters of every list. */
export const PageQuery = z.object({
  limit: z.coerce
    .number({ error: `must be a number from 1 to ${LIMITS.pageMax}` })
    .int()
    .min(1)
    .max(LIMITS.pageMax)
    .default(LIMITS.pageDefault),
  cursor: z.string().min(1).max(1_024).optional(),
});

/** The body of a call that takes nothing. */
export const EmptyBody = z.object({}).strict();
addExample(EmptyBody, {});

export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** A flag in a query string: exactly `true` or `false`. */
export const Flag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .default("false")
  .transform((value) => value === "true")
  .openapi({ type: "boolean", default: false });

/** The signals that explain the score of a hit. */
export const Signals = z
  .object({
    lexical: z.number().optional(),
    semantic: z.number().optional(),
    recency: z.number().optional(),
    importance: z.number().optional(),
    access: z
      .number()
      .optional()
      .meta({ description: "Grows with the access count of the memory, from 0 towards 1; a tie-breaker" }),
    speaker: z
      .number()
      .optional()
      .meta({ description: "Boost: the message is by the one person the query names" }),
    date: z
      .number()
      .optional()
      .meta({ description: "Boost: the date lies in a time that the query names, or close to it" }),
    relevance: z.number().optional().meta({
      description:
        "Coverage of the query plus similarity, which decides whether it is a hit; not part of the score",
    }),
    when: z
      .number()
      .optional()
      .meta({ description: "Boost: the query asks when, and the text has an expression of time" }),
    count: z
      .number()
      .optional()
      .meta({ description: "Boost: the query asks for a number, and the text has one" }),
    question: z.number().optional().meta({ description: "Deduction: the text itself asks a question" }),
    length: z
      .number()
      .optional()
      .meta({ description: "The logarithm of the number of words: a text that says more answers more" }),
    session: z
      .number()
      .optional()
      .meta({ description: "Mean similarity of the three nearest other candidates of the same session" }),
    memory: z.number().optional().meta({
      description: "Boost: a memory that answers, which messages must not push out of the first three hits",
    }),
    repeat: z.number().optional().meta({
      description:
        "Deduction: the message says the same as a memory among the hits, and comes after the others",
    }),
    rerank: z
      .number()
      .optional()
      .meta({ description: "The reranker's score, from 0 to 1: it replaces the weighted sum of the others" }),
    mode: z.enum(["text", "semantic", "hybrid"]).meta({ description: "The search mode that was used" }),
  })
  .openapi("Signals");
export type Signals = z.infer<typeof Signals>;

const requiredMessage = (what: string) => (issue: { input: unknown }) =>
  issue.input === undefined ? "is required" : `must be ${what}`;

/** Returns the schema of a trimmed, non-empty text of at most `max` code points. */
export function nonEmptyText(max: number) {
  return z
    .string({ error: requiredMessage("a text") })
    .trim()
    .pipe(boundedText(1, max));
}

export const Line = nonEmptyText(EXPERIENCE.lineChars);

export const LineList = z.array(Line).max(EXPERIENCE.listItems);

export const UnitInterval = z
  .number({ error: requiredMessage("a number from 0 to 1") })
  .min(0)
  .max(1);

export const ClockOverride = Time.optional().openapi({ description: "Overrides the current time" });

export const Statement = nonEmptyText(LIMITS.contentChars);

export const SourceIds = z
  .array(boundedText(1, LIMITS.evidenceChars))
  .max(EXPERIENCE.sourcesPerCall)
  .transform((ids) => [...new Set(ids)]);

/** A free-form JSON object. */

export const FreeObject = z
  .record(z.string(), AnyJson)
  .openapi({ type: "object", additionalProperties: true });

/** A time in an answer. */
export const IsoTime = z.string().openapi({ format: "date-time" });

/** References, without duplicates. */
export const Evidence = z
  .array(boundedText(1, LIMITS.evidenceChars))
  .max(LIMITS.evidenceItems)
  .transform((references) => [...new Set(references)]);

export const SOURCE_TYPES = ["user", "agent", "tool", "external_document"] as const;
export const SourceType = z.enum(SOURCE_TYPES, { error: `must be one of: ${SOURCE_TYPES.join(", ")}` });
export type SourceType = z.infer<typeof SourceType>;

/** The source of an item in a prompt. */
export const ForeignSource = SourceType.optional().meta({
  description: "Present if it comes neither from the user nor from the agent: tool or external_document",
});

export const Clock = z.object({
  as_of: Time.optional().meta({
    description: "What was known at this time: memories as they were then. A future time is now",
  }),
  valid_at: Time.optional().meta({
    description: "What was true at this time, also if it was superseded since",
  }),
});

/** The owner of a call without a session in its path. */
export const OwnerIds = z.object({
  session_id: Id.optional().meta({ description: "The session that the call belongs to" }),
  user_id: UserId.optional().meta({ description: "The user, a person, that the call is about" }),
  agent_id: Id.optional().meta({ description: "The agent that the call belongs to" }),
  project_id: Id.optional().meta({ description: "The project that the call belongs to" }),
});

/** The owner of a session that does not exist yet, or of one that lacks these ids. */
export const UserAgentProject = OwnerIds.omit({ session_id: true });

const EPISODE_OUTCOMES = ["success", "failure", "partial"] as const;

export const EpisodeOutcome = z.enum(EPISODE_OUTCOMES, {
  error: 'must be "success", "failure" or "partial"',
});

export type EpisodeOutcome = z.infer<typeof EpisodeOutcome>;

/** The call may name a session; ids it leaves out are taken from that session. */
export const OptionalSession = OwnerIds.pick({ session_id: true });

/** The call is about one session. */
export const RequiredSession = z.object({ session_id: Id.meta({ description: "The session" }) });

export const NoScope = z.object({});

/** How an id is filled that a call leaves out. */
export const SESSION_DEFAULT = "defaults to the session's";
