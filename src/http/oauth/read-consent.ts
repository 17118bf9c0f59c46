// Reads what a person chose on the consent page.
import type { Binding } from "../../domain/access";
import { failure } from "../../platform/errors";
import type { KeyScope } from "../../schemas/administration/api-key";
import { Id, UserId, z } from "../../schemas/common";
import type { AppContext } from "../app-context";
import { validate } from "../read-request";

const ConsentForm = z.object({
  handle: z.string().min(1),
  decision: z.enum(["allow", "deny"]),
  key: z.string().default(""),
  access: z.enum(["read", "write"]).default("read"),
  bind: z.enum(["key", "user", "project"]).default("key"),
  user_id: z.string().default(""),
  project_id: z.string().default(""),
});

export type ConsentChoice = Pick<z.infer<typeof ConsentForm>, "access" | "bind" | "user_id" | "project_id">;

export async function readConsentForm(c: AppContext): Promise<z.infer<typeof ConsentForm>> {
  const form = await c.req.formData().catch(() => {
    throw failure("invalid_request", "Content-Type: must be application/x-www-form-urlencoded.");
  });
  return validate(ConsentForm, Object.fromEntries(form), "form");
}

/** Returns the initial choice: write access, which memory is of little use without, unless the client asks to read only. */
export function suggestChoice(scopes: readonly string[]): ConsentChoice {
  const asksToRead = scopes.includes("read") && !scopes.includes("write");
  return { access: asksToRead ? "read" : "write", bind: "key", user_id: "", project_id: "" };
}

export function toScopes({ access }: ConsentChoice): KeyScope[] {
  return access === "write" ? ["read", "write"] : ["read"];
}

/** Returns the owner that was chosen. Throws if its id is missing or malformed. */
export function toBinding({ bind, user_id, project_id }: ConsentChoice): Binding {
  switch (bind) {
    case "user":
      return { user_id: validateId("User id", UserId, user_id.trim()) };
    case "project":
      return { project_id: validateId("Project id", Id, project_id.trim()) };
    default:
      return {};
  }
}

function validateId(label: string, schema: typeof Id, value: string): string {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const message =
    value === ""
      ? "is missing: enter it, or choose everything that the key sees"
      : parsed.error.issues[0]?.message;
  throw failure("invalid_request", `${label} ${message}.`);
}
