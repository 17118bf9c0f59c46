// Fields that the schemas of episodes, patterns, learnings and briefings share.
import { EXPERIENCE, LIMITS } from "../limits";
import { AnyJson, boundedText, Time, z } from "./common";

export const requiredMessage = (what: string) => (issue: { input: unknown }) =>
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

export const ClockOverride = Time.optional().openapi({
  description: "Overrides the current time",
});

export const Statement = nonEmptyText(LIMITS.contentChars);

export const SourceIds = z
  .array(boundedText(1, LIMITS.evidenceChars))
  .max(EXPERIENCE.sourcesPerCall)
  .transform((ids) => [...new Set(ids)]);

/** A free-form JSON object. */

export const FreeObject = z
  .record(z.string(), AnyJson)
  .openapi({ type: "object", additionalProperties: true });
