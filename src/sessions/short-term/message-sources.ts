// The sources of the messages that evidence names. The object knows its messages before D1 does.

import type { SourceType } from "../../kernel/common";
import { parseMessageReference } from "../../memories/store/evidence-sources";
import { toMessageSource } from "../../trust/source-rank";
import type { SessionStorage } from "../session-storage";

/** Lists the sources of the session's messages that evidence names. */
export function listMessageSources({ messages }: SessionStorage, evidence: readonly string[]): SourceType[] {
  const ids = evidence.flatMap((reference) => parseMessageReference(reference) ?? []);
  return ids.length === 0 ? [] : messages.findRoles(ids).map(toMessageSource);
}
