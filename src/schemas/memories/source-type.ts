// The sources of statements, whose ranks decide what supersedes what: see src/domain/trust/source-rank.ts.
import { z } from "../common";

export const SOURCE_TYPES = ["user", "agent", "tool", "external_document"] as const;
export const SourceType = z.enum(SOURCE_TYPES, { error: `must be one of: ${SOURCE_TYPES.join(", ")}` });
export type SourceType = z.infer<typeof SourceType>;

/** The source of an item in a prompt. */
export const ForeignSource = SourceType.optional().meta({
  description: "Present if it comes neither from the user nor from the agent: tool or external_document",
});
