// The sources of the messages that evidence names. The object knows its messages before D1 does.
import { findLowestSource, toMessageSource } from "../../domain/trust/source-rank";
import type { SourceType } from "../../schemas/common";
import { parseMessageReference } from "../../store/trust/evidence-sources";
import type { SessionStorage } from "../session-storage";

/** Returns the lowest source among a statement's own and those of the session's messages that it rests on. */
export function lowerToMessages(
  { messages, ranks }: SessionStorage,
  { source_type, evidence }: { source_type: SourceType; evidence: readonly string[] },
): SourceType {
  const ids = evidence.flatMap((reference) => parseMessageReference(reference) ?? []);
  if (ids.length === 0) return source_type;
  return findLowestSource(ranks, source_type, messages.findRoles(ids).map(toMessageSource));
}
