// Directives, which are executed asynchronously by a provider, and the signals (CloudEvents) that report on them.

import { COGNITION, LIMITS } from "../limits";
import { AnyJson, boundedJson, boundedText, Id, integerInQuery, PageQuery, z } from "./common";
import { addExample } from "./examples";
import { TtlMs } from "./space";

/** The type of a directive's result signal, unless a query names another. */
export const RESULT_SIGNAL = "jido.memory.result";

const RequestId = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, "must be 1 to 128 characters of A-Z, a-z, 0-9, _ . : and -");

const SignalType = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]+([.:/][A-Za-z0-9_-]+)*$/,
    `must be a type such as ${RESULT_SIGNAL}: words of A-Z, a-z, 0-9, _ and -, separated by . : or /`,
  )
  .max(256);

const ItemKey = boundedText(1, COGNITION.keyChars);

const Keys = z.array(ItemKey).min(1).max(COGNITION.itemsPerDirective);

/** JSON numbers are finite, so only their size and a missing direction can be wrong. */
const Embedding = z
  .array(
    z
      .number({ error: "must be a number" })
      .refine((value) => Number.isFinite(Math.fround(value)), "must be a 32-bit number"),
  )
  .min(1)
  .max(COGNITION.embeddingDimensions)
  .refine(
    (vector) => vector.some((value) => value !== 0),
    "must not be all zeros: a vector needs a direction",
  )
  .openapi({
    description:
      "Used in place of an embedding of the value, by the vector provider; it has as many numbers as the vectors of the index",
  });

export const ProviderItem = z
  .object({ key: ItemKey, value: boundedJson(COGNITION.itemBytes), embedding: Embedding.optional() })
  .strict();
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
    ttl_ms: TtlMs.optional().openapi({ description: "Time to live of items, for the ephemeral provider" }),
  })
  .openapi({ description: "Options of the provider" });
export type ProviderOptions = z.infer<typeof ProviderOptions>;

const DIRECTIVE = {
  provider: boundedText(1, COGNITION.keyChars)
    .default("inline")
    .openapi({ description: "inline, d1, vector, ephemeral, or a name in world.pointers" }),
  request_id: RequestId.optional(),
  opts: z
    // An empty keyword list of Elixir is an empty list in JSON.
    .preprocess(
      (opts) => (Array.isArray(opts) && opts.length === 0 ? {} : opts),
      ProviderOptions.strict().optional(),
    )
    .openapi({ type: "object", description: "Options of the provider" }),
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
          reply_signal_type: SignalType.optional().openapi({
            description: `Type of the signal that reports the result; ${RESULT_SIGNAL} by default`,
          }),
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
addExample(Directive, {
  type: "upsert",
  provider: "inline",
  request_id: "note-412",
  items: [{ key: "SHOP-412", value: { title: "Guest checkout fails" } }],
});

export const DirectiveAccepted = z.object({ request_id: z.string() }).openapi("DirectiveAccepted");
export type DirectiveAccepted = z.infer<typeof DirectiveAccepted>;
addExample(DirectiveAccepted, { request_id: "note-412" });
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

export const SignalQuery = z.object({ after: integerInQuery(0).optional(), limit: PageQuery.shape.limit });

export const SignalPage = z
  .object({ data: z.array(Signal), next: z.number().openapi({ description: "Pass as `after` to read on" }) })
  .openapi("SignalPage");
export type SignalPage = z.infer<typeof SignalPage>;
addExample(SignalPage, {
  data: [
    {
      specversion: "1.0",
      id: "checkout-fix:1",
      source: "/v1/sessions/checkout-fix",
      type: "jido.memory.promoted",
      time: "2026-11-16T09:07:00.000Z",
      datacontenttype: "application/json",
      data: {
        promoted: [
          { memory_id: "16304ee22c42a268346723dde09797e6", memory_type: "fact", importance_score: 0.6725 },
          {
            memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
            memory_type: "discovery",
            importance_score: 0.655,
          },
        ],
      },
      seq: 1,
    },
    {
      specversion: "1.0",
      id: "checkout-fix:2",
      source: "/v1/sessions/checkout-fix",
      type: "jido.memory.result",
      time: "2026-11-16T09:19:00.000Z",
      datacontenttype: "application/json",
      data: {
        request_id: "note-412",
        result: { upserted: 1 },
        status: "ok",
        meta: { provider: "inline", latency_ms: 0, attempts: 1 },
      },
      seq: 2,
    },
  ],
  next: 2,
});
