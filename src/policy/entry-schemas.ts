// Calls on the entries of namespaces: recall without a turn, search by filter, and the namespaces themselves.

import { addExample, boundedText, Id, PageQuery, pageSchema, UserId, z } from "../kernel/common";
import { LIMITS, POLICY } from "../kernel/limits";
import { createFilterSchema, FilterScalar } from "../memories/memory-fields";
import { PolicyScope } from "../sessions/policy-settings";
import {
  CallContext,
  ENTRY_EXAMPLE,
  ENTRY_SOURCES,
  EntrySource,
  EntryStoreName,
  RecalledEntry,
} from "./policy-schemas";

export const EntryFilter = createFilterSchema(new Map([["source", ENTRY_SOURCES]])).openapi("EntryFilter", {
  description:
    "Conditions by `metadata.<key>` or `source`; all must hold. A value must be equal; an object has operators: " +
    "`$ne`, `$in`, `$nin`, `$lt`, `$lte`, `$gt`, `$gte`. A list meets a condition if one of its values does. `$ne` and " +
    "`$nin` hold where no value is equal, also where the key is missing.",
});

const NAMESPACE_MESSAGE =
  "must be agent:<id>, a name of your own, or either followed by :session:<session id>";
/** A full namespace name, as lists have it. */
const FullNamespace = z.string({ error: NAMESPACE_MESSAGE });

/** The conditions of a call on entries. All must hold. */
const ENTRY_CONDITIONS = {
  source: EntrySource.optional().meta({ description: "Only entries from this source" }),
  metadata: z
    .record(boundedText(1, LIMITS.memoryMetadataKeyChars), FilterScalar)
    .refine(
      (metadata) => Object.keys(metadata).length <= LIMITS.filterConditions,
      `must have at most ${LIMITS.filterConditions} keys: remove some`,
    )
    .optional()
    .meta({ description: "Only entries whose metadata has these values" }),
  filter: EntryFilter.optional().meta({
    description:
      "Conditions by `metadata.<key>` or `source`: a value, or $ne, $in, $nin, $lt, $lte, $gt, $gte",
  }),
};

const LIMIT_MESSAGE = `must be a whole number from 1 to ${POLICY.maxEntries}`;

export const RecallEntriesInput = z
  .object({
    query: boundedText(0, LIMITS.queryChars)
      .default("")
      .meta({ description: "What to look for, in plain words; without it, the newest entries" }),
    namespace: FullNamespace.optional().meta({
      description: "The namespace, such as agent:ada or team; by default that of the agent's policy",
    }),
    scope: PolicyScope.optional().meta({
      description:
        "`session`: entries of the session only. `agent`: of all sessions. By default the policy's scope; with a namespace, agent",
    }),
    limit: z
      .int(LIMIT_MESSAGE)
      .min(1, LIMIT_MESSAGE)
      .max(POLICY.maxEntries, LIMIT_MESSAGE)
      .default(POLICY.entries)
      .meta({ description: "Maximum number of entries" }),
    ...ENTRY_CONDITIONS,
    fill: z
      .boolean()
      .default(true)
      .meta({ description: "Whether the newest lasting entries, without a score, follow when fewer match" }),
    context: CallContext,
    store: EntryStoreName,
  })
  .strict()
  .openapi("RecallEntriesInput");
export type RecallEntriesInput = z.infer<typeof RecallEntriesInput>;

/** What a model may set. */
export const RecallEntriesToolInput = RecallEntriesInput.omit({ context: true, store: true });

export const RecallEntriesAnswer = z
  .object({
    count: z.number(),
    entries: z.array(RecalledEntry),
    namespace: z.string().nullable().openapi({
      description: "Where it looked: a namespace, or an owner such as user:<id>; null if the policy is off",
    }),
    hint: z.string().optional().openapi({ description: "Why there are no entries, and what to change" }),
  })
  .openapi("RecallEntriesAnswer");
export type RecallEntriesAnswer = z.infer<typeof RecallEntriesAnswer>;
addExample(RecallEntriesAnswer, {
  count: 1,
  entries: [
    {
      ...ENTRY_EXAMPLE,
      score: 1.7223,
      signals: { lexical: 1, semantic: 0.5323, recency: 1, importance: 1, mode: "hybrid" },
    },
  ],
  namespace: "agent:ada",
});

/** The entries that a list covers: those of a namespace, or all. */
const LISTED = {
  namespace: FullNamespace.optional().meta({
    description: "Only entries of this namespace, such as agent:ada or team; without it, those of all",
  }),
  user_id: UserId.optional(),
  agent_id: Id.optional(),
  session_id: Id.optional(),
};

/** Further members, such as `metadata.kind`, are conditions on the metadata. */
export const EntryListQuery = PageQuery.extend({
  ...LISTED,
  source: ENTRY_CONDITIONS.source,
  store: EntryStoreName,
}).catchall(z.string());

export const EntrySearch = z
  .object({
    ...LISTED,
    ...ENTRY_CONDITIONS,
    limit: z.number().int().min(1).max(LIMITS.pageMax).default(LIMITS.pageDefault),
    cursor: PageQuery.shape.cursor,
    store: EntryStoreName,
  })
  .strict()
  .openapi("EntrySearch");
addExample(EntrySearch, {
  namespace: "agent:ada",
  source: "manual",
  filter: { "metadata.topic": { $in: ["review"] } },
});

export const NamespaceSummary = z
  .object({
    namespace: z.string(),
    entries: z.number().openapi({ description: "Its entries, with those of its sessions" }),
    first_entry: z.string().openapi({ description: "When its oldest entry was created" }),
    last_entry: z.string(),
  })
  .openapi("NamespaceSummary");
export type NamespaceSummary = z.infer<typeof NamespaceSummary>;

export const NamespacePage = pageSchema(NamespaceSummary);
addExample(NamespacePage, {
  data: [
    {
      namespace: "agent:ada",
      entries: 5,
      first_entry: "2026-11-16T09:04:00.000Z",
      last_entry: "2026-11-16T09:14:00.000Z",
    },
  ],
  next_cursor: null,
});

export const NamespaceQuery = PageQuery.extend({
  prefix: z.string().max(256).default("").openapi({
    description: "Only names that begin with it; with `<namespace>:session:`, the sessions of a namespace",
  }),
  store: EntryStoreName,
});

export const ErasedNamespace = z.object({
  memories: z.number(),
  triples: z.number(),
  vectors: z.number(),
  links: z.number(),
});
export type ErasedNamespace = z.infer<typeof ErasedNamespace>;

export const NamespaceReceipt = z.object({ deleted: ErasedNamespace }).openapi("NamespaceReceipt");
addExample(NamespaceReceipt, { deleted: { memories: 5, triples: 71, vectors: 5, links: 0 } });
