// Schemas of mem0's platform API. An unsupported parameter that would change the result of a call is rejected by name;
// one that only tunes mem0's own implementation is accepted and ignored.

import { AnyJson, addExample, boundedText, countUtf8Bytes, isCleanText, Metadata, z } from "../kernel/common";
import { LIMITS, MEM0 } from "../kernel/limits";

/** The kinds of owner, by precedence: a memory belongs to the first that is given; the other ids are labels. */
export const MEM0_OWNERS = ["user", "agent", "app", "run"] as const;
export type Mem0Owner = (typeof MEM0_OWNERS)[number];

const OwnerId = boundedText(1, MEM0.idChars);
export const Mem0Ids = z.object({
  user_id: OwnerId.nullish(),
  agent_id: OwnerId.nullish(),
  app_id: OwnerId.nullish(),
  run_id: OwnerId.nullish(),
});
export type Mem0Ids = z.infer<typeof Mem0Ids>;

const ignored = AnyJson.optional().openapi({ description: "Accepted and ignored" });
/** A parameter that only accepts null; the error gives the alternative. */
const rejectParameter = (reason: string) =>
  z
    .null({ error: `is not supported here: ${reason}` })
    .optional()
    .openapi({ description: `Not supported: ${reason}` });

const IGNORED = {
  org_id: ignored,
  project_id: ignored,
  output_format: ignored,
  version: ignored,
  source: ignored,
};

const Content = z
  .string({
    error: ({ input }) =>
      input === undefined ? "is required" : "must be a string: images are not supported",
  })
  .superRefine((value, ctx) => {
    const bytes = countUtf8Bytes(value);
    if (!isCleanText(value))
      ctx.addIssue({ code: "custom", message: "must not contain NUL or lone surrogates" });
    else if (value.trim() === "") ctx.addIssue({ code: "custom", message: "must not be empty" });
    else if (bytes > LIMITS.messageBytes)
      ctx.addIssue({
        code: "custom",
        message: `must be at most ${LIMITS.messageBytes} bytes, is ${bytes}: shorten it`,
      });
  });

const Message = z.object({
  role: z.enum(["user", "assistant", "system", "tool"]),
  content: Content,
  name: z.string().optional(),
});
export type Mem0Message = z.infer<typeof Message>;

/** Python's client sends a single string for one user message. */
const Messages = z.union([
  Content.transform((content): Mem0Message[] => [{ role: "user", content }]),
  z.array(Message).min(1, "must have at least one message").max(LIMITS.messagesPerCall),
]);

export const Mem0Add = Mem0Ids.extend({
  ...IGNORED,
  messages: Messages,
  infer: z.boolean().default(true).openapi({
    description:
      "With true, fixed rules choose the sentences to store; with false, each message is stored as it is",
  }),
  metadata: Metadata.nullish(),
  timestamp: z
    .number()
    .int()
    .min(0)
    .max(MEM0.latestSecond, "must be in seconds since 1970")
    .optional()
    .openapi({ description: "The time of the messages, in seconds since 1970" }),
  async_mode: ignored,
  enable_graph: ignored,
  immutable: rejectParameter("every memory can be updated"),
  expiration_date: rejectParameter("memories do not expire by themselves; delete them"),
  includes: rejectParameter("fixed rules choose the sentences; send infer false to store your own choice"),
  excludes: rejectParameter("fixed rules choose the sentences; send infer false to store your own choice"),
  custom_instructions: rejectParameter(
    "no language model reads the messages; send infer false to store your own choice",
  ),
  agent_custom_instructions: rejectParameter(
    "no language model reads the messages; send infer false to store your own choice",
  ),
  custom_categories: rejectParameter("a memory's category is its type in the ontology"),
  structured_data_schema: rejectParameter("memories are statements; put structured data into metadata"),
})
  .strict()
  .openapi("Mem0Add");
export type Mem0Add = z.infer<typeof Mem0Add>;
addExample(Mem0Add, {
  messages: [
    { role: "user", content: "I prefer small commits." },
    { role: "assistant", content: "I will keep them small." },
  ],
  user_id: "mia",
  metadata: { topic: "commits" },
});

const Filters = z.record(z.string(), AnyJson).optional().openapi({
  type: "object",
  additionalProperties: true,
  description:
    "user_id, agent_id, app_id, run_id (a string, or {in: [...]}) and metadata ({name: value}), combined by AND and OR",
});

const FILTERING = {
  ...IGNORED,
  filters: Filters,
  fields: ignored,
  latest_only: ignored,
  show_expired: ignored,
  categories: rejectParameter("filter the results by their categories"),
};

export const Mem0Search = Mem0Ids.extend({
  ...FILTERING,
  query: boundedText(1, LIMITS.queryChars),
  top_k: z.number().int().min(1).max(LIMITS.recallMatches).nullish(),
  limit: z.number().int().min(1).max(LIMITS.recallMatches).nullish(),
  threshold: z.number().min(0).max(1).nullish().openapi({ description: "The minimum score" }),
  rerank: ignored,
  keyword_search: ignored,
  metadata: rejectParameter("put it into filters: {metadata: {name: value}}"),
  reference_date: rejectParameter("search uses the current memories"),
})
  .strict()
  .openapi("Mem0Search");
export type Mem0Search = z.infer<typeof Mem0Search>;
addExample(Mem0Search, { query: "How large should a commit be?", filters: { user_id: "mia" }, top_k: 3 });

export const Mem0List = Mem0Ids.extend({
  ...FILTERING,
  start_date: rejectParameter("filter the results by created_at"),
  end_date: rejectParameter("filter the results by created_at"),
})
  .strict()
  .openapi("Mem0List");
export type Mem0List = z.infer<typeof Mem0List>;
addExample(Mem0List, { filters: { user_id: "mia" } });

export const Mem0Update = z
  .object({
    text: Content.optional(),
    metadata: Metadata.nullish(),
    timestamp: rejectParameter("a memory keeps the time at which it was added"),
    expiration_date: rejectParameter("memories do not expire by themselves; delete them"),
  })
  .strict()
  .refine((value) => value.text !== undefined || value.metadata !== undefined, "needs text or metadata")
  .openapi("Mem0Update");
export type Mem0Update = z.infer<typeof Mem0Update>;
addExample(Mem0Update, { text: "I prefer small commits with a test." });

const pageParameter = (max: number, initial: number) =>
  z.coerce
    .number({ error: `must be a number from 1 to ${max}` })
    .int()
    .min(1)
    .max(max)
    .default(initial);

export const Mem0Page = z.object({
  page: pageParameter(MEM0.pages, 1),
  page_size: pageParameter(LIMITS.pageMax, LIMITS.pageMax),
});
export type Mem0Page = z.infer<typeof Mem0Page>;

const NullableText = z.string().nullable();

export const Mem0Memory = z
  .object({
    id: z.string(),
    memory: z.string(),
    user_id: NullableText,
    agent_id: NullableText,
    app_id: NullableText,
    run_id: NullableText,
    metadata: z.record(z.string(), AnyJson).nullable(),
    categories: z.array(z.string()).openapi({ description: "The memory's type in the ontology" }),
    created_at: z.string(),
    updated_at: z.string(),
    score: z.number().optional(),
  })
  .openapi("Mem0Memory");
export type Mem0Memory = z.infer<typeof Mem0Memory>;

export const Mem0Added = z
  .object({
    status: z.literal("SUCCEEDED"),
    message: z.string().openapi({ description: "How many memories were stored, and how they were chosen" }),
    results: z.array(
      z.object({
        id: z.string(),
        memory: z.string(),
        event: z.enum(["ADD", "NOOP"]).openapi({ description: "NOOP if the memory already existed" }),
        categories: z.array(z.string()),
      }),
    ),
  })
  .openapi("Mem0Added");
export type Mem0Added = z.infer<typeof Mem0Added>;

export const Mem0Found = z.object({ results: z.array(Mem0Memory) }).openapi("Mem0Found");

function listSchema<T extends z.ZodType>(item: T) {
  return z.object({ count: z.number(), next: NullableText, previous: NullableText, results: z.array(item) });
}

export const Mem0Memories = listSchema(Mem0Memory).openapi("Mem0Memories");

export const Mem0Entities = listSchema(
  z.object({
    id: z.string(),
    name: z.string(),
    type: z.enum(MEM0_OWNERS),
    owner: z.string(),
    total_memories: z.number(),
    created_at: z.string(),
    updated_at: z.string(),
  }),
).openapi("Mem0Entities");

export const Mem0Deleted = z.object({ message: z.string() }).openapi("Mem0Told");
addExample(Mem0Deleted, { message: "Memories deleted successfully!" });
