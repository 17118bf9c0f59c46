// Spaces: the agent's current beliefs and goals, as maps and lists with revisions; and the task list among them.

import {
  AnyJson,
  addExample,
  boundedJson,
  boundedText,
  countCodePoints,
  Id,
  integerInQuery,
  Metadata,
  Time,
  z,
} from "../../kernel/common";
import { isJsonObject, type JsonObject } from "../../kernel/json";
import { COGNITION } from "../../kernel/limits";

const NAME_MESSAGE =
  "must be 1 to 128 characters of A-Z, a-z, 0-9, _ . : and -, beginning with a letter or a digit";
export const SpaceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/, NAME_MESSAGE);

const Rev = z.number().int().min(0);
const REVS = {
  expected_rev: Rev.optional().openapi({
    description: "Expected revision of the space; a mismatch is a 409",
  }),
  expected_memory_rev: Rev.optional().openapi({
    description: "Expected revision of the container; a mismatch is a 409",
  }),
};

/** The revisions a change expects, for optimistic locking. */
export type ExpectedRevisions = {
  expected_rev?: number | undefined;
  expected_memory_rev?: number | undefined;
};

const RevInQuery = integerInQuery(0).optional();
/** The same for changes without a body. */
export const ExpectedQuery = z.object({ expected_rev: RevInQuery, expected_memory_rev: RevInQuery });

const DATA_MESSAGE = "must be a JSON object (a map) or a JSON array (a list)";
const SpaceData = z
  .union([z.record(z.string(), AnyJson), z.array(AnyJson)], { error: DATA_MESSAGE })
  .superRefine(checkCleanJson)
  .openapi({ type: ["object", "array"], description: "A map or a list" });

function checkCleanJson(value: unknown, ctx: z.core.$RefinementCtx): void {
  const checked = boundedJson(Number.MAX_SAFE_INTEGER).safeParse(value);
  for (const { message } of checked.error?.issues ?? []) ctx.addIssue({ code: "custom", message });
}

export const SpaceKind = z.enum(["map", "list"]);
export type SpaceKind = z.infer<typeof SpaceKind>;

const SPACE = {
  kind: SpaceKind,
  rev: z.number(),
  data: SpaceData,
  metadata: z.record(z.string(), AnyJson),
  expires: z
    .record(z.string(), z.string())
    .optional()
    .openapi({ description: "When entries expire, by key or item id; absent if none does" }),
};

export const SpaceView = z.object({ name: z.string(), ...SPACE, memory_rev: z.number() }).openapi("Space");
export type SpaceView = z.infer<typeof SpaceView>;
addExample(SpaceView, {
  name: "hypotheses",
  kind: "map",
  rev: 1,
  data: { cause: "Guests have no customer id" },
  metadata: {},
  memory_rev: 1,
});

export const SpaceContainerView = z
  .object({
    id: z.string(),
    rev: z.number(),
    spaces: z.record(z.string(), z.object(SPACE)),
    created_at: z.string(),
    updated_at: z.string(),
    metadata: z.record(z.string(), AnyJson),
  })
  .openapi("SessionMemory");
export type SpaceContainerView = z.infer<typeof SpaceContainerView>;
export const SPACE_CONTAINER_VIEW_EXAMPLE = addExample(SpaceContainerView, {
  id: "checkout-fix",
  rev: 5,
  spaces: {
    tasks: {
      kind: "list",
      rev: 3,
      data: [{ id: "guest-test", text: "Write a test for the guest checkout", status: "done" }],
      metadata: {},
    },
    world: { kind: "map", rev: 0, data: {}, metadata: {} },
    hypotheses: {
      kind: "map",
      rev: 2,
      data: {
        cause: "Guests have no customer id",
        proof: "test/shop/guest_checkout_test.exs",
        ruled_out: ["session timeout"],
      },
      metadata: {},
    },
  },
  created_at: "2026-11-16T09:01:00.000Z",
  updated_at: "2026-11-16T09:15:00.000Z",
  metadata: {},
});

/** Data that a caller stores. Every entry of a map must be addressable by an operation. */
const NewSpaceData = SpaceData.superRefine((data, ctx) => {
  for (const key of Array.isArray(data) ? [] : Object.keys(data))
    if (key === "" || countCodePoints(key) > COGNITION.keyChars)
      ctx.addIssue({
        code: "custom",
        message: `has a key of ${countCodePoints(key)} characters: keys have 1 to ${COGNITION.keyChars}`,
      });
});

const Expires = z
  .record(z.string(), Time)
  .transform((times) =>
    Object.fromEntries(Object.entries(times).map(([key, time]) => [key, Date.parse(time)])),
  )
  .openapi({
    type: "object",
    additionalProperties: { type: "string", format: "date-time" },
    description: "When keys of a map expire, as in a space that was read",
  });

/** The contents of a space that a caller stores. A space as it was read may be sent back. */
const SPACE_CONTENTS = {
  data: NewSpaceData,
  metadata: Metadata.optional(),
  expires: Expires.optional(),
  kind: SpaceKind.optional().openapi({ description: "Ignored: the data decide" }),
  rev: z.number().optional().openapi({ description: "Ignored: see expected_rev" }),
};

export const SpacePut = z
  .object({
    ...SPACE_CONTENTS,
    name: z.string().optional().openapi({ description: "Ignored: the path decides" }),
    memory_rev: z.number().optional().openapi({ description: "Ignored: see expected_memory_rev" }),
    ensure: z.boolean().default(false).openapi({ description: "Do not change the space if it exists" }),
    ...REVS,
  })
  .strict()
  .openapi("SpacePut");
export type SpacePut = z.infer<typeof SpacePut>;
addExample(SpacePut, { data: { cause: "Guests have no customer id" } });

/** `__proto__` is refused: JavaScript objects lose a member of that name. */
export const MapKey = boundedText(1, COGNITION.keyChars).refine(
  (key) => key !== "__proto__",
  "is not a possible name: choose another",
);
const ItemId = z
  .union([boundedText(1, COGNITION.keyChars), z.number()], { error: "must be the item's id" })
  .openapi({ type: ["string", "number"] });
const Item = AnyJson.superRefine(checkCleanJson);
const Changes = z
  .record(z.string(), AnyJson, { error: "must be an object of the members to change" })
  .superRefine(checkCleanJson)
  .openapi({ type: "object", additionalProperties: true });
const Index = z.number({ error: "must be a whole number of at least 0" }).int().min(0);

const TTL_MESSAGE = `must be a whole number of milliseconds from 1 to ${COGNITION.ttlMaxMs}`;
export const TtlMs = z
  .int({ error: TTL_MESSAGE })
  .min(1, TTL_MESSAGE)
  .max(COGNITION.ttlMaxMs, TTL_MESSAGE)
  .openapi({ description: "Time to live: the entry is gone after so many milliseconds" });

export const SpaceOp = z
  .union(
    [
      z.object({ op: z.literal("put"), key: MapKey, value: Item, ttl_ms: TtlMs.optional() }).strict(),
      z.object({ op: z.literal("delete"), key: MapKey }).strict(),
      z.object({ op: z.literal("append"), item: Item }).strict(),
      z.object({ op: z.literal("prepend"), item: Item }).strict(),
      z.object({ op: z.literal("insert"), index: Index, item: Item }).strict(),
      z.object({ op: z.literal("remove"), id: ItemId }).strict(),
      z.object({ op: z.literal("update"), id: ItemId, changes: Changes }).strict(),
      z.object({ op: z.literal("update"), key: MapKey, changes: Changes }).strict(),
    ],
    {
      error:
        "must be one of {op: put, key, value, ttl_ms?}, {op: delete, key}, {op: append, item}, {op: prepend, item}, " +
        "{op: insert, index, item}, {op: remove, id}, {op: update, id, changes}, {op: update, key, changes}",
    },
  )
  .openapi("SpaceOp");
export type SpaceOp = z.infer<typeof SpaceOp>;

export const SpaceOps = z
  .object({ ops: z.array(SpaceOp).min(1).max(COGNITION.opsPerCall), ...REVS })
  .strict()
  .openapi("SpaceOps");
addExample(SpaceOps, {
  ops: [
    { op: "put", key: "proof", value: "test/shop/guest_checkout_test.exs" },
    { op: "put", key: "ruled_out", value: ["session timeout"] },
  ],
  expected_rev: 1,
});

export const SpaceChanged = z
  .object({ rev: z.number(), memory_rev: z.number(), data: SpaceData })
  .openapi("SpaceChanged");
export type SpaceChanged = z.infer<typeof SpaceChanged>;
addExample(SpaceChanged, {
  rev: 2,
  memory_rev: 2,
  data: {
    cause: "Guests have no customer id",
    proof: "test/shop/guest_checkout_test.exs",
    ruled_out: ["session timeout"],
  },
});

export const TaskStatus = z.enum(["open", "done"], { error: "must be open or done" });
export type TaskStatus = z.infer<typeof TaskStatus>;

/** A task. Its position in the list is its priority; further members are allowed. */
export const Task = z
  .looseObject({
    id: boundedText(1, COGNITION.keyChars),
    text: boundedText(1, COGNITION.taskChars),
    status: TaskStatus,
  })
  .openapi("Task");
export type Task = z.infer<typeof Task>;
export const TASK_EXAMPLE = addExample(Task, {
  id: "guest-test",
  text: "Write a test for the guest checkout",
  status: "open",
});

export const TaskCreate = z
  .object({ id: Id.optional(), text: boundedText(1, COGNITION.taskChars), index: Index.optional(), ...REVS })
  .strict()
  .openapi("TaskCreate");
export type TaskCreate = z.infer<typeof TaskCreate>;
addExample(TaskCreate, { id: "guest-test", text: "Write a test for the guest checkout", index: 0 });

export const TaskChange = z.object(REVS).strict().openapi("TaskChange");
addExample(TaskChange, {});

export const TaskOrder = z
  .object({ ids: z.array(boundedText(1, COGNITION.keyChars)), ...REVS })
  .strict()
  .openapi("TaskOrder");
export type TaskOrder = z.infer<typeof TaskOrder>;
addExample(TaskOrder, { ids: ["guest-test"] });

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
