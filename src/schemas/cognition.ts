// What an agent currently believes and wants, and the record of what happened: schemas of spaces, tasks, thread,
// projectors, directives and signals.
import { COGNITION, LIMITS } from "../limits";
import {
  AnyJson,
  codePoints,
  Id,
  jsonValue,
  Metadata,
  PageQuery,
  Time,
  text,
  wholeNumber,
  z,
} from "./common";

const NAME_MESSAGE =
  "must be 1 to 128 characters of A-Z, a-z, 0-9, _ . : and -, beginning with a letter or a digit";
export const SpaceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/, NAME_MESSAGE);

const Rev = z.number().int().min(0);
const REVS = {
  expected_rev: Rev.optional().openapi({ description: "The space's revision: another one is a 409" }),
  expected_memory_rev: Rev.optional().openapi({
    description: "The container's revision: another one is a 409",
  }),
};

/** Revisions that a change expects. */
export type Expected = { expected_rev?: number | undefined; expected_memory_rev?: number | undefined };

const RevInQuery = wholeNumber(0).optional();
/** For changes without a body. */
export const ExpectedQuery = z.object({ expected_rev: RevInQuery, expected_memory_rev: RevInQuery });

const DATA_MESSAGE = "must be a JSON object (a map) or a JSON array (a list)";
const SpaceData = z
  .union([z.record(z.string(), AnyJson), z.array(AnyJson)], { error: DATA_MESSAGE })
  .superRefine(cleanly)
  .openapi({ type: ["object", "array"], description: "A map or a list" });

function cleanly(value: unknown, ctx: z.core.$RefinementCtx): void {
  const checked = jsonValue(Number.MAX_SAFE_INTEGER).safeParse(value);
  for (const { message } of checked.error?.issues ?? []) ctx.addIssue({ code: "custom", message });
}

export const SpaceKind = z.enum(["map", "list"]);
export type SpaceKind = z.infer<typeof SpaceKind>;

const SPACE = { kind: SpaceKind, rev: z.number(), data: SpaceData, metadata: z.record(z.string(), AnyJson) };

export const SpaceView = z.object({ name: z.string(), ...SPACE, memory_rev: z.number() }).openapi("Space");
export type SpaceView = z.infer<typeof SpaceView>;

export const MemoryView = z
  .object({
    id: z.string(),
    rev: z.number(),
    spaces: z.record(z.string(), z.object(SPACE)),
    created_at: z.string(),
    updated_at: z.string(),
    metadata: z.record(z.string(), AnyJson),
  })
  .openapi("SessionMemory");
export type MemoryView = z.infer<typeof MemoryView>;

export const MemoryPatch = z
  .object({ metadata: Metadata, expected_memory_rev: REVS.expected_memory_rev })
  .strict()
  .openapi("MemoryPatch");
export type MemoryPatch = z.infer<typeof MemoryPatch>;

export const SpacePut = z
  .object({
    data: SpaceData.superRefine((data, ctx) => {
      // Whatever stands in a map can be addressed.
      for (const key of Array.isArray(data) ? [] : Object.keys(data))
        if (key === "" || codePoints(key) > COGNITION.keyChars)
          ctx.addIssue({
            code: "custom",
            message: `has a key of ${codePoints(key)} characters: keys have 1 to ${COGNITION.keyChars}`,
          });
    }),
    metadata: Metadata.optional(),
    ensure: z.boolean().default(false).openapi({ description: "Leave a space that is there as it is" }),
    ...REVS,
  })
  .strict()
  .openapi("SpacePut");
export type SpacePut = z.infer<typeof SpacePut>;

/** Objects lose a member of this name on their way through the service. */
export const MapKey = text(1, COGNITION.keyChars).refine(
  (key) => key !== "__proto__",
  "is not a possible name: choose another",
);
const ItemId = z
  .union([text(1, COGNITION.keyChars), z.number()], { error: "must be the item's id" })
  .openapi({ type: ["string", "number"] });
const Item = AnyJson.superRefine(cleanly);
const Changes = z
  .record(z.string(), AnyJson, { error: "must be an object of the members to change" })
  .superRefine(cleanly)
  .openapi({ type: "object", additionalProperties: true });
const Index = z.number({ error: "must be a whole number of at least 0" }).int().min(0);

export const SpaceOp = z
  .union(
    [
      z.object({ op: z.literal("put"), key: MapKey, value: Item }).strict(),
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
        "must be one of {op: put, key, value}, {op: delete, key}, {op: append, item}, {op: prepend, item}, " +
        "{op: insert, index, item}, {op: remove, id}, {op: update, id, changes}, {op: update, key, changes}",
    },
  )
  .openapi("SpaceOp");
export type SpaceOp = z.infer<typeof SpaceOp>;

export const SpaceOps = z
  .object({ ops: z.array(SpaceOp).min(1).max(COGNITION.opsPerCall), ...REVS })
  .strict()
  .openapi("SpaceOps");

export const SpaceChanged = z
  .object({ rev: z.number(), memory_rev: z.number(), data: SpaceData })
  .openapi("SpaceChanged");
export type SpaceChanged = z.infer<typeof SpaceChanged>;

export const TaskStatus = z.enum(["open", "done"], { error: "must be open or done" });
export type TaskStatus = z.infer<typeof TaskStatus>;

/** Position in the list is priority. More members may stand beside these. */
export const Task = z
  .looseObject({
    id: text(1, COGNITION.keyChars),
    text: text(1, COGNITION.taskChars),
    status: TaskStatus,
  })
  .openapi("Task");
export type Task = z.infer<typeof Task>;

export const TaskCreate = z
  .object({ id: Id.optional(), text: text(1, COGNITION.taskChars), index: Index.optional(), ...REVS })
  .strict()
  .openapi("TaskCreate");
export type TaskCreate = z.infer<typeof TaskCreate>;

export const TaskChange = z.object(REVS).strict().openapi("TaskChange");

export const TaskOrder = z
  .object({ ids: z.array(text(1, COGNITION.keyChars)), ...REVS })
  .strict()
  .openapi("TaskOrder");
export type TaskOrder = z.infer<typeof TaskOrder>;

export const THREAD_KINDS = ["message", "tool_call", "tool_result", "signal", "note"] as const;
export const ThreadKind = z.enum(THREAD_KINDS, { error: `must be one of: ${THREAD_KINDS.join(", ")}` });
export type ThreadKind = z.infer<typeof ThreadKind>;

export const ThreadEntryInput = z
  .object({ kind: ThreadKind, payload: jsonValue(COGNITION.payloadBytes), at: Time.optional() })
  .strict();
export type ThreadEntryInput = z.infer<typeof ThreadEntryInput>;

export const ThreadAppend = z
  .object({ entries: z.array(ThreadEntryInput).min(1).max(COGNITION.entriesPerCall) })
  .strict()
  .openapi("ThreadAppend");

export const ThreadAppended = z
  .object({ first_seq: z.number(), last_seq: z.number() })
  .openapi("ThreadAppended");
export type ThreadAppended = z.infer<typeof ThreadAppended>;

export const ThreadEntry = z
  .object({ seq: z.number(), kind: ThreadKind, payload: AnyJson, at: z.string() })
  .openapi("ThreadEntry");
export type ThreadEntry = z.infer<typeof ThreadEntry>;

const SeqInQuery = wholeNumber(1).optional();
export const ThreadQuery = z.object({
  from: SeqInQuery,
  to: SeqInQuery,
  kind: ThreadKind.optional(),
  limit: PageQuery.shape.limit,
});

export const ThreadPage = z
  .object({ data: z.array(ThreadEntry), next_seq: z.number() })
  .openapi("ThreadPage");
export type ThreadPage = z.infer<typeof ThreadPage>;

export const Trigger = z.object({
  tick: z.boolean().openapi({ description: "On the session's alarm, while there is something new" }),
  after: z.number().nullable().openapi({ description: "As soon as so many entries are new; null for never" }),
});
export type Trigger = z.infer<typeof Trigger>;

export const ProjectorView = z
  .object({
    name: z.string(),
    covered_seq: z.number(),
    trigger: Trigger,
    failures: z.number().openapi({ description: "Since its last success" }),
    retry_at: z.string().nullable(),
  })
  .openapi("Projector");
export type ProjectorView = z.infer<typeof ProjectorView>;

export const TriggerPatch = z
  .object({
    tick: z.boolean().optional(),
    after: z.number().int().min(1).max(10_000).nullable().optional(),
  })
  .strict();
export type TriggerPatch = z.infer<typeof TriggerPatch>;

export const ProjectorPatch = z.object({ trigger: TriggerPatch }).strict().openapi("ProjectorPatch");
export type ProjectorPatch = z.infer<typeof ProjectorPatch>;

export const Covers = z.object({ from: z.number(), to: z.number() });
export type Covers = z.infer<typeof Covers>;

export const ProjectorRun = z.object({ projected: z.number(), covers: Covers }).openapi("ProjectorRun");
export type ProjectorRun = z.infer<typeof ProjectorRun>;

const ItemKey = text(1, COGNITION.keyChars);
const Keys = z.array(ItemKey).min(1).max(COGNITION.itemsPerDirective);

export const ProviderItem = z.object({ key: ItemKey, value: jsonValue(COGNITION.itemBytes) }).strict();
export type ProviderItem = z.infer<typeof ProviderItem>;

export const ProviderQuery = z
  .object({
    text: text(1, LIMITS.queryChars),
    top_k: z.number().int().min(1).max(COGNITION.topK).default(5),
  })
  .strict();
export type ProviderQuery = z.infer<typeof ProviderQuery>;

/** The options of a provider, from a pointer or a directive. */
export const ProviderOptions = z
  .object({
    index: Id.optional().openapi({
      description: "A collection by name, shared by all sessions of the tenant; else the session's own",
    }),
  })
  .openapi({ description: "Options of the provider" });
export type ProviderOptions = z.infer<typeof ProviderOptions>;

const DIRECTIVE = {
  provider: text(1, COGNITION.keyChars).openapi({
    description: "inline, d1, vector, or a name in world.pointers",
  }),
  request_id: Id.optional(),
  opts: ProviderOptions.strict().optional(),
};

export const Directive = z
  .discriminatedUnion(
    "type",
    [
      z
        .object({
          type: z.literal("query"),
          ...DIRECTIVE,
          query: ProviderQuery.optional(),
          keys: Keys.optional(),
        })
        .strict(),
      z
        .object({
          type: z.literal("upsert"),
          ...DIRECTIVE,
          items: z.array(ProviderItem).min(1).max(COGNITION.itemsPerDirective),
        })
        .strict(),
      z.object({ type: z.literal("delete"), ...DIRECTIVE, keys: Keys }).strict(),
    ],
    { error: "must be query, upsert or delete" },
  )
  .superRefine((directive, ctx) => {
    if (directive.type !== "query") return;
    const { query, keys } = directive;
    if (query === undefined && keys === undefined)
      ctx.addIssue({
        code: "custom",
        path: ["query"],
        message: "is required, as {text, top_k}; or keys in its place, to read items by key",
      });
    if (query !== undefined && keys !== undefined)
      ctx.addIssue({
        code: "custom",
        path: ["keys"],
        message: "cannot stand beside query: give keys to read items, or query to search",
      });
  })
  .openapi("Directive");
export type Directive = z.infer<typeof Directive>;

export const DirectiveAccepted = z.object({ request_id: z.string() }).openapi("DirectiveAccepted");
export type DirectiveAccepted = z.infer<typeof DirectiveAccepted>;

/** CloudEvents 1.0, with the sequence number as an extension attribute. */
export const Signal = z
  .object({
    specversion: z.literal("1.0"),
    id: z.string(),
    source: z.string(),
    type: z.string(),
    time: z.string(),
    datacontenttype: z.literal("application/json"),
    data: AnyJson,
    seq: z.number(),
  })
  .openapi("Signal");
export type Signal = z.infer<typeof Signal>;

export const SignalQuery = z.object({
  after: wholeNumber(0).optional(),
  limit: PageQuery.shape.limit,
});

export const SignalPage = z
  .object({
    data: z.array(Signal),
    next: z.number().openapi({ description: "What to give as after, to go on" }),
  })
  .openapi("SignalPage");
export type SignalPage = z.infer<typeof SignalPage>;
