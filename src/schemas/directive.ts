// Directives, which are executed asynchronously by a provider, and the signals (CloudEvents) that report on them.
import { COGNITION, LIMITS } from "../limits";
import { AnyJson, boundedJson, boundedText, Id, integerInQuery, PageQuery, z } from "./common";

const ItemKey = boundedText(1, COGNITION.keyChars);

const Keys = z.array(ItemKey).min(1).max(COGNITION.itemsPerDirective);

export const ProviderItem = z.object({ key: ItemKey, value: boundedJson(COGNITION.itemBytes) }).strict();
export type ProviderItem = z.infer<typeof ProviderItem>;

export const ProviderQuery = z
  .object({
    text: boundedText(1, LIMITS.queryChars),
    top_k: z.number().int().min(1).max(COGNITION.topK).default(5),
  })
  .strict();
export type ProviderQuery = z.infer<typeof ProviderQuery>;

/** Options of a provider, from a pointer or a directive. */
export const ProviderOptions = z
  .object({
    index: Id.optional().openapi({
      description: "Name of a collection shared by all sessions of the tenant; by default the session's own",
    }),
  })
  .openapi({ description: "Options of the provider" });
export type ProviderOptions = z.infer<typeof ProviderOptions>;

const DIRECTIVE = {
  provider: boundedText(1, COGNITION.keyChars).openapi({
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
        message: "cannot be combined with query: give keys to read items, or query to search",
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
  after: integerInQuery(0).optional(),
  limit: PageQuery.shape.limit,
});

export const SignalPage = z
  .object({
    data: z.array(Signal),
    next: z.number().openapi({ description: "Pass as `after` to read on" }),
  })
  .openapi("SignalPage");
export type SignalPage = z.infer<typeof SignalPage>;
