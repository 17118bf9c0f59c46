// Prepares the spaces of a session for another one that starts from them. Sequence numbers of projected values refer to
// the thread of the first session, so these values name it.
import { isJsonObject, type Json } from "../../kernel/json";
import type { WholeSpace } from "./container-changes";
import { PROJECTOR_SOURCE } from "./space-data";

export function inheritSpaces(
  spaces: Readonly<Record<string, WholeSpace>>,
  sessionId: string,
): Record<string, WholeSpace> {
  return Object.fromEntries(
    Object.entries(spaces).map(([name, space]) => {
      const { data } = space;
      if (Array.isArray(data))
        return [name, { ...space, data: data.map((item) => inheritItem(item, sessionId)) }];
      const { facts, summary } = data;
      const inherited = {
        ...data,
        ...(isJsonObject(facts) && {
          facts: Object.fromEntries(
            Object.entries(facts).map(([key, fact]) => [key, inheritItem(fact, sessionId)]),
          ),
        }),
        ...(isProjected(summary) && { summary: { session_id: sessionId, ...summary } }),
      };
      return [name, name === "world" ? { ...space, data: inherited } : space];
    }),
  );
}

/** A fact or a task without a position in the thread of its new session. */
function inheritItem(item: Json, session_id: string): Json {
  if (!isProjected(item)) return item;
  const { seq: _seq, ...rest } = item;
  return { session_id, ...rest };
}

function isProjected(value: Json | undefined): value is { [key: string]: Json } {
  return isJsonObject(value) && (value.source === PROJECTOR_SOURCE || isEarlierSummary(value));
}

/** Whether a value is a summary from before summaries had a `source`. */
function isEarlierSummary(value: { [key: string]: Json }): boolean {
  return isJsonObject(value.covers) && Array.isArray(value.sources);
}
