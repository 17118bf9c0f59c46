// The summary that a language model has written of a conversation, where it covers what a prompt has no room for.
// It was written on the alarm, so that nobody who assembles a prompt waits for a model.
import { EXTRACTIVE_AUTHOR } from "../domain/cognition/projectors/summary-projector";
import type { Summary, SummaryMessage } from "../domain/prompt/summarise-messages";
import { isJsonObject } from "../platform/json";
import { countTokens } from "../text/token-count";
import type { SessionRecord } from "./session-record";
import type { SessionStorage } from "./session-storage";

/** Null when there is none, when it does not reach as far as these messages, or when it is too long. */
export function writtenSummary(
  storage: SessionStorage,
  record: SessionRecord,
  messages: readonly SummaryMessage[],
  maxTokens: number,
): Summary | null {
  const last = messages.at(-1);
  const world = storage.spaces.load(record, ["world"]).spaces.world?.data;
  const summary = isJsonObject(world) ? world.summary : undefined;
  if (last === undefined || !isJsonObject(summary)) return null;
  const { text, by, covers } = summary;
  const to = isJsonObject(covers) ? covers.to : undefined;
  if (
    typeof text !== "string" ||
    typeof by !== "string" ||
    by === EXTRACTIVE_AUTHOR ||
    typeof to !== "number"
  )
    return null;
  if (storage.messages.toldAt(last.id) > to || countTokens(text) > maxTokens) return null;
  return { text, used: messages.map(({ id }) => id) };
}
