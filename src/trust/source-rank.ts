// Ranks of sources: whose statements outweigh whose. A statement never supersedes, invalidates or strengthens one of a
// higher rank; a derived statement has the lowest rank of what it rests on.

import { SOURCE_TYPES, type SourceType } from "../kernel/common";
import { failure } from "../kernel/errors";
import type { JsonObject } from "../kernel/json";
import type { Role } from "../memories/message-schemas";

/** The rank of each source: a higher number is trusted more, equal numbers are peers. */
export type SourceRanks = Readonly<Record<SourceType, number>>;

const DEFAULT_SOURCE_RANKS = "user = agent > tool > external_document";

/** Parses the setting SOURCE_RANKS: the sources from the highest rank down, with `>` between ranks and `=` between peers. */
export function readSourceRanks(setting: string | undefined): SourceRanks {
  const text = setting === undefined || setting.trim() === "" ? DEFAULT_SOURCE_RANKS : setting;
  const levels = text.split(">").map((level) => level.split("=").map((name) => name.trim()));
  const names = levels.flat();
  const isComplete =
    names.length === SOURCE_TYPES.length && SOURCE_TYPES.every((source) => names.includes(source));
  if (!isComplete)
    throw failure(
      "not_configured",
      `SOURCE_RANKS must name ${SOURCE_TYPES.join(", ")} once each, with > between ranks and = between peers, such as "${DEFAULT_SOURCE_RANKS}"; it is "${text}"`,
    );
  const rankOf = (source: SourceType) => levels.length - levels.findIndex((level) => level.includes(source));
  return {
    user: rankOf("user"),
    agent: rankOf("agent"),
    tool: rankOf("tool"),
    external_document: rankOf("external_document"),
  };
}

/** Returns whether the first source has a higher rank than the second. */
export function outranks(ranks: SourceRanks, first: SourceType, second: SourceType): boolean {
  return ranks[first] > ranks[second];
}

/** Limits the source that a statement claims to the lowest rank of what it rests on; of peers the first. */
export function limitSourceRank(
  ranks: SourceRanks,
  claimed: SourceType,
  restsOn: readonly SourceType[],
): SourceType {
  return restsOn.reduce((lowest, source) => (outranks(ranks, lowest, source) ? source : lowest), claimed);
}

/**
 * Returns the source of a statement in a model's tool call. A model speaks for itself at most: it may name a lower
 * source, never the user.
 */
export function limitModelSource(ranks: SourceRanks, claimed: SourceType): SourceType {
  return claimed === "user" ? "agent" : limitSourceRank(ranks, claimed, ["agent"]);
}

const ROLE_SOURCES: Readonly<Record<Role, SourceType>> = {
  user: "user",
  assistant: "agent",
  // Instructions come from whoever runs the agent.
  system: "agent",
  tool: "tool",
};

export function toMessageSource(role: Role): SourceType {
  return ROLE_SOURCES[role];
}

/** The mark of messages that a model appended with a tool call: their roles are its claim. */
const REPORTED = { reported_by: "model" } as const;

/** Marks a message that a model reports. */
export function markReported<T extends { metadata?: JsonObject | undefined }>(message: T): T {
  return { ...message, metadata: { ...message.metadata, ...REPORTED } };
}

/** Returns the source of a message: a user's message that a model reports is the model's account of it. */
export function getMessageSource({ role, metadata }: SourcedMessage): SourceType {
  return role === "user" && metadata?.reported_by === REPORTED.reported_by ? "agent" : toMessageSource(role);
}

type SourcedMessage = { role: Role; metadata?: JsonObject };

const SOURCE_LABELS: Readonly<Record<SourceType, string>> = {
  user: "",
  agent: "",
  tool: "(from a tool) ",
  external_document: "(from a document) ",
};

/** Returns the label before a statement in a prompt: empty for the user's and the agent's own. */
export function renderSourceLabel(source: SourceType | undefined): string {
  return source === undefined ? "" : SOURCE_LABELS[source];
}

/** Returns the field that names a source other than the user and the agent; no field for those two. */
export function nameForeignSource(source_type: SourceType): { source_type?: SourceType } {
  return SOURCE_LABELS[source_type] === "" ? {} : { source_type };
}

/** The source type of the memory that a context item becomes. */
export const CONTEXT_SOURCE_TYPES = { explicit: "user", tool: "tool", inferred: "agent" } as const;
