// The fields that records of several kinds have. Values are as they are stored: no schema here changes one.
import { AnyJson, countCodePoints, Id, isCleanText, UserId, z } from "./common";

/** Far above every limit of a field: the fields of a line bound each other by the size of a part. */
const MAX_CHARS = 2 ** 20;

export const CleanText = z
  .string()
  .max(MAX_CHARS)
  .refine(isCleanText, "must not contain NUL or lone surrogates: remove them and send again");

export const NullableText = CleanText.nullable();

/** A text of at most so many code points. */
export const limitText = (max: number) =>
  CleanText.refine((text) => countCodePoints(text) <= max, `must have at most ${max} characters: shorten it`);

/** Times are compared as text, so they have one form. */
export const UtcTime = z
  .string()
  .refine(
    (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      new Date(text).toISOString() === text,
    "must be a time of UTC with milliseconds, such as 2026-01-31T12:00:00.000Z",
  );

export const NullableTime = UtcTime.nullable();

export const Count = z.number().int().min(0);

export const JsonMap = z.record(z.string(), AnyJson);

export const Unit = z.number().min(0).max(1);

export const OWNER = {
  user_id: UserId.nullable(),
  agent_id: Id.nullable(),
  project_id: Id.nullable(),
};

export const IN_SESSION = { session_id: Id };
