// The thread of a session with its projectors; directives to providers, and the signals that report them.

import {
  AnyJson,
  addExample,
  boundedJson,
  boundedText,
  Id,
  integerInQuery,
  PageQuery,
  Time,
  z,
} from "../../kernel/common";
import { COGNITION, LIMITS } from "../../kernel/limits";
import { TtlMs } from "../spaces/space-schemas";

export const THREAD_KINDS = ["message", "tool_call", "tool_result", "signal", "note"] as const;

export const ThreadKind = z.enum(THREAD_KINDS, { error: `must be one of: ${THREAD_KINDS.join(", ")}` });
export type ThreadKind = z.infer<typeof ThreadKind>;

export const ThreadEntryInput = z
  .object({ kind: ThreadKind, payload: boundedJson(COGNITION.payloadBytes), at: Time.optional() })
  .strict();
export type ThreadEntryInput = z.infer<typeof ThreadEntryInput>;

export const ThreadAppend = z
  .object({ entries: z.array(ThreadEntryInput).min(1).max(COGNITION.entriesPerCall) })
  .strict()
  .openapi("ThreadAppend");
addExample(ThreadAppend, {
  entries: [
    { kind: "note", payload: "Our staging server is Hetzner." },
    { kind: "tool_result", payload: { tool: "mix test", passed: 212, failed: 0 } },
  ],
});

export const ThreadAppended = z
  .object({ first_seq: z.number(), last_seq: z.number() })
  .openapi("ThreadAppended");
export type ThreadAppended = z.infer<typeof ThreadAppended>;
addExample(ThreadAppended, { first_seq: 6, last_seq: 7 });

export const ThreadEntry = z
  .object({ seq: z.number(), kind: ThreadKind, payload: AnyJson, at: z.string() })
  .openapi("ThreadEntry");
export type ThreadEntry = z.infer<typeof ThreadEntry>;

const SeqInQuery = integerInQuery(1).optional();

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
addExample(ThreadPage, {
  data: [{ seq: 6, kind: "note", payload: "Our staging server is Hetzner.", at: "2026-11-16T09:17:00.000Z" }],
  next_seq: 8,
});

const SignalPattern = z
  .string()
  .max(256)
  .regex(
    /^(\*{1,2}|[A-Za-z0-9_:/-]+)(\.(\*{1,2}|[A-Za-z0-9_:/-]+))*$/,
    "must be a pattern such as jido.memory.result or jido.**: words of A-Z, a-z, 0-9, _ : / and -, * or **, separated by dots",
  );

export const Trigger = z.object({
  tick: z.boolean().openapi({ description: "Run on the session's alarm while there are new entries" }),
  after: z.number().nullable().openapi({
    description: "Run when this many entries are new, without waiting for a tick; null disables it",
  }),
  signals: z.array(z.string()).openapi({
    description:
      "Run when a signal of a matching type arrives: `*` stands for one word of the type, `**` for any number",
  }),
});
export type Trigger = z.infer<typeof Trigger>;

export const ProjectorView = z
  .object({
    name: z.string(),
    covered_seq: z.number(),
    trigger: Trigger,
    failures: z.number().openapi({ description: "Failures since the last successful run" }),
    retry_at: z.string().nullable(),
  })
  .openapi("Projector");
export type ProjectorView = z.infer<typeof ProjectorView>;
addExample(ProjectorView, {
  name: "facts",
  covered_seq: 7,
  trigger: { tick: true, after: 10, signals: ["**"] },
  failures: 0,
  retry_at: null,
});

export const TriggerPatch = z
  .object({
    tick: z.boolean().optional(),
    after: z.number().int().min(1).max(10000).nullable().optional(),
    signals: z.array(SignalPattern).max(COGNITION.signalPatterns).optional(),
  })
  .strict();
export type TriggerPatch = z.infer<typeof TriggerPatch>;

export const ProjectorPatch = z.object({ trigger: TriggerPatch }).strict().openapi("ProjectorPatch");
export type ProjectorPatch = z.infer<typeof ProjectorPatch>;
addExample(ProjectorPatch, { trigger: { after: 10 } });

export const Covers = z.object({ from: z.number(), to: z.number() });
export type Covers = z.infer<typeof Covers>;

export const ProjectorRun = z.object({ projected: z.number(), covers: Covers }).openapi("ProjectorRun");
export type ProjectorRun = z.infer<typeof ProjectorRun>;
addExample(ProjectorRun, { projected: 7, covers: { from: 1, to: 7 } });

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
