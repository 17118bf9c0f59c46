import { EXPERIENCE, LIMITS } from "../limits";
import { AnyJson, Time, text, z } from "./common";

export const required = (what: string) => (issue: { input: unknown }) =>
  issue.input === undefined ? "is required" : `must be ${what}`;

/** One line or a few of what somebody said; never empty. */
export function sentence(max: number) {
  return z
    .string({ error: required("a text") })
    .trim()
    .pipe(text(1, max));
}

export const Line = sentence(EXPERIENCE.lineChars);

export const Lines = z.array(Line).max(EXPERIENCE.listItems);

export const Share = z
  .number({ error: required("a number from 0 to 1") })
  .min(0)
  .max(1);

export const Clock = Time.optional().openapi({
  description: "The time to go by; the service's clock if it is not given",
});

export const Statement = sentence(LIMITS.contentChars);

export const Sources = z
  .array(text(1, LIMITS.evidenceChars))
  .max(EXPERIENCE.sourcesGiven)
  .transform((ids) => [...new Set(ids)]);

/** Any JSON object of an agent's own. */

export const FreeObject = z
  .record(z.string(), AnyJson)
  .openapi({ type: "object", additionalProperties: true });
