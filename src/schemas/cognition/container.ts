// Changes of several spaces at once, and the spaces that a session starts with.

import { COGNITION } from "../../limits";
import { isJsonObject, type JsonObject } from "../../platform/json";
import { Metadata, z } from "../common";
import { addExample } from "../examples";
import { REVS, SPACE_CONTENTS, SpaceName, SpaceOp, SpacePut } from "../space";

/** Returns the schema of an object of spaces by name. */
function spacesByName<T extends z.ZodType>(space: T) {
  return z
    .custom<JsonObject>(isJsonObject, "must be an object of spaces by name")
    .superRefine((spaces, ctx) => {
      // z.record skips the name __proto__ without a word, so names are checked before it.
      for (const name of Object.keys(spaces)) {
        const { error } = SpaceName.safeParse(name);
        for (const { message } of error?.issues ?? [])
          ctx.addIssue({ code: "custom", path: [name], message: `the name ${message}` });
      }
    })
    .pipe(z.record(z.string(), space) as unknown as z.ZodType<Record<string, z.output<T>>, JsonObject>);
}

/** Accepts the data of a space alone, too. An object with a member `data` is the long form. */
function wholeOrData<T extends z.ZodType>(whole: T) {
  return z.preprocess(
    (value) => (isJsonObject(value) && Object.hasOwn(value, "data") ? value : { data: value }),
    whole,
  );
}

const EITHER_FORM = {
  type: "object" as const,
  additionalProperties: true,
  description: "Spaces by name: the data of each, or {data, metadata}",
};

/** The spaces of a new session. */
export const InitialSpaces = spacesByName(wholeOrData(z.object(SPACE_CONTENTS).strict())).openapi(
  EITHER_FORM,
);
export type InitialSpaces = z.infer<typeof InitialSpaces>;

export const MemoryPut = z
  .object({
    spaces: spacesByName(
      wholeOrData(z.object({ ...SPACE_CONTENTS, expected_rev: REVS.expected_rev }).strict()),
    ).openapi({
      ...EITHER_FORM,
      description: "All spaces by name: the data of each, or {data, metadata, expected_rev}",
    }),
    metadata: Metadata.optional(),
    expected_memory_rev: REVS.expected_memory_rev,
    // A container as it was read may be sent back, also to another session.
    id: z.string().optional().openapi({ description: "Ignored: the path decides" }),
    rev: z.number().optional().openapi({ description: "Ignored: see expected_memory_rev" }),
    created_at: z.string().optional().openapi({ description: "Ignored" }),
    updated_at: z.string().optional().openapi({ description: "Ignored" }),
  })
  .strict()
  .openapi("MemoryPut");
export type MemoryPut = z.infer<typeof MemoryPut>;
addExample(MemoryPut, {
  spaces: { world: { branch: "main" }, "shop:cache": { data: {}, metadata: { owner: "shop" } } },
});

const SpaceChange = z
  .union(
    [
      z.null(),
      SpacePut.omit({ name: true, memory_rev: true, expected_memory_rev: true }).strict(),
      z
        .object({ ops: z.array(SpaceOp).min(1).max(COGNITION.opsPerCall), expected_rev: REVS.expected_rev })
        .strict(),
    ],
    {
      error: "must be {data, metadata?, ensure?, expected_rev?}, {ops, expected_rev?}, or null to delete it",
    },
  )
  .openapi({ description: "New data, operations, or null to delete the space" });

export const MemoryPatch = z
  .object({
    spaces: spacesByName(SpaceChange).optional().openapi({
      type: "object",
      additionalProperties: true,
      description: "Changes by the name of the space",
    }),
    metadata: Metadata.optional(),
    expected_memory_rev: REVS.expected_memory_rev,
  })
  .strict()
  .openapi("MemoryPatch");
export type MemoryPatch = z.infer<typeof MemoryPatch>;
addExample(MemoryPatch, {
  spaces: {
    world: { ops: [{ op: "put", key: "branch", value: "guest-checkout" }] },
    "shop:cache": { data: { sku: "A-17" } },
  },
  metadata: { plan: "SHOP-412" },
});
