// What a check of the service is, and how one is run: whatever fails in it is its finding, never the end of the others.
import { FailureError, PortError } from "../../platform/errors";
import { z } from "../../schemas/common";

export const Check = z
  .object({
    name: z.string(),
    status: z.enum(["ok", "warn", "fail"]),
    detail: z.string().meta({ description: "What was found" }),
    fix: z.string().nullable().meta({ description: "What to do about it; null when there is nothing to do" }),
  })
  .openapi("DoctorCheck");
export type Check = z.infer<typeof Check>;

export type Finding = Omit<Check, "name">;

export function fine(detail: string): Finding {
  return { status: "ok", detail, fix: null };
}

export function warn(detail: string, fix: string): Finding {
  return { status: "warn", detail, fix };
}

export function broken(detail: string, fix: string): Finding {
  return { status: "fail", detail, fix };
}

/** `fix` is for a failure that does not tell its own. */
export async function check(
  name: string,
  fix: string,
  look: () => Finding | Promise<Finding>,
): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    return { name, ...broken(reasonOf(error), fix) };
  }
}

/** Of an unknown error only the kind is told: its message could quote what was stored. */
function reasonOf(error: unknown): string {
  if (error instanceof FailureError || error instanceof PortError) return error.message;
  return `It failed (${error instanceof Error ? error.name : typeof error})`;
}
