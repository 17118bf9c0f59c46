// Extensions of the ontology: the terms and shapes that a tenant adds.

import { boundedText, z } from "../kernel/common";
import { LIMITS } from "../kernel/limits";

export const ExtensionName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    "must be 1 to 64 characters of a-z, 0-9, _ and -, and begin with no sign",
  );

export const ExtensionPut = z
  .object({
    turtle: boundedText(1, LIMITS.extensionChars).openapi({
      description: "Classes, properties, individuals and SHACL shapes, as Turtle",
    }),
  })
  .strict()
  .openapi("ExtensionPut");

const ExtensionVersion = z.coerce
  .number({ error: "must be a whole number" })
  .int("must be a whole number")
  .min(0, "must be 0 or more");

export const ExtensionPutQuery = z.object({
  expected_version: ExtensionVersion.optional().openapi({
    description: "The version that holds, 0 for none: the call is refused if another one does",
  }),
});

export const ExtensionQuery = z.object({
  version: ExtensionVersion.optional().openapi({
    description: "An earlier version; else the one that holds",
  }),
});

export const Extension = z
  .object({
    name: z.string(),
    version: z.number().int(),
    turtle: z.string(),
    created_at: z.string(),
    current: z.boolean().openapi({ description: "Whether this version holds" }),
  })
  .openapi("Extension");
export type Extension = z.infer<typeof Extension>;

export const ExtensionDetail = Extension.extend({
  versions: z.array(z.number().int()).openapi({ description: "The versions that can be read, oldest first" }),
}).openapi("ExtensionDetail");
export type ExtensionDetail = z.infer<typeof ExtensionDetail>;

export const ExtensionAnswer = Extension.extend({
  memory_types: z
    .array(z.string())
    .openapi({ description: "The memory types that the tenant's extensions add" }),
}).openapi("ExtensionAnswer");
export type ExtensionAnswer = z.infer<typeof ExtensionAnswer>;
