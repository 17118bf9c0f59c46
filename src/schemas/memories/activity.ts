// How a memory came to be: recorded with it, and read by its lineage alone.
import { z } from "../common";

export const ACTIVITY_KINDS = [
  "remember",
  "promotion",
  "consolidation",
  "learning",
  "pattern",
  "skill",
  "turn",
  "entry",
  "graph",
  "change",
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** The weighted parts of an importance score. They add up to it, unless the sum exceeds 1. */
export const ImportanceParts = z.object({
  recency: z.number(),
  frequency: z.number(),
  confidence: z.number(),
  salience: z.number(),
});
export type ImportanceParts = z.infer<typeof ImportanceParts>;

export type MemoryActivity = {
  kind: ActivityKind;
  /** The id of the key whose call it was. Work of an alarm has none. */
  key_id?: string;
  /** Of a promotion: how the importance was computed, unless the caller set it. */
  importance_parts?: ImportanceParts;
  /** Of a promotion: "rules", or the name of the language model that extracted the candidate from messages. */
  extracted_by?: string;
  /** Of a promotion from the working context: the key of the item. */
  context_key?: string;
  /** Of a consolidation: the id of the run. */
  run?: string;
};
