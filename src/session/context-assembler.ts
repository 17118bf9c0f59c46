// The prompt-ready context of a session: its own short-term memory, long-term memory by recall, one budget.
import { EXTRACTIVE_AUTHOR } from "../domain/cognition/projectors/summary-projector";
import { computeItemImportance } from "../domain/promotion/promotion-engine";
import { type AssembledPrompt, assemblePrompt, type Summariser } from "../domain/prompt/assemble-prompt";
import type { Summary, SummaryMessage } from "../domain/prompt/summarise-messages";
import { summariseMessages } from "../domain/prompt/summarise-messages";
import { isJsonObject } from "../platform/json";
import type { Telemetry } from "../platform/telemetry";
import { type AssembleInput, PARTS, type Part } from "../schemas/assemble";
import type { RecallHit } from "../schemas/memory";
import { resolveSessionScope } from "../search/corpus";
import { PROMPT_RECALL, type Search, type SearchResult } from "../search/search";
import { countTokens } from "../text/token-count";
import type { SessionRecord } from "./session-record";
import type { SessionStorage, ShortTermMemory } from "./session-storage";

/** With a hint: ten, ranked by it. Without: the five newest of which we are sure. */
const WITH_QUERY = { limit: 10, min_confidence: 0.5 };
const WITHOUT_QUERY = { limit: 5, min_confidence: 0.7 };

export class Assembler {
  /** The last summary, until the messages change. */
  #summary: { key: string; value: ReturnType<Summariser> } | null = null;

  async assemble(
    { storage, search, telemetry }: { storage: SessionStorage; search: Search; telemetry: Telemetry },
    memory: ShortTermMemory,
    input: AssembleInput,
    now: () => number,
  ): Promise<AssembledPrompt<RecallHit>> {
    const started = now();
    const { record, context, log } = memory;
    const include = new Set<Part>(input.include ?? PARTS);
    const hasQuery = (input.query ?? "").trim() !== "";
    const recalled: Pick<SearchResult, "hits"> = include.has("long_term")
      ? await search.recall(resolveSessionScope(record, input.scope), {
          ...PROMPT_RECALL,
          ...(hasQuery ? { ...WITH_QUERY, query: input.query } : WITHOUT_QUERY),
        })
      : { hits: [] };
    const memories = recalled.hits.filter((hit) => hit.kind === "memory");
    const working = [...context.values()].map((item) => ({
      ...item,
      importance: computeItemImportance(item, log, started, record.promotion.weights),
    }));
    const about = { tenant: record.tenant, session_id: record.id };
    const assembled = assemblePrompt({
      messages: storage.messages.read({ from: record.window_start }),
      working,
      memories,
      budget: record.token_budget,
      total: input.token_budget ?? record.token_budget.total,
      include,
      summariser: (messages, maxTokens) => {
        const written = writtenSummary(storage, record, messages, maxTokens);
        if (written !== null) return written;
        const key = `${record.created_at} ${messages[0]?.id} ${messages.at(-1)?.id} ${messages.length} ${maxTokens}`;
        if (this.#summary?.key !== key) {
          const from = now();
          this.#summary = { key, value: summariseMessages(messages, maxTokens) };
          telemetry({
            event: "context.summarized",
            ...about,
            duration_ms: now() - from,
            messages: messages.length,
            tokens: maxTokens,
          });
        }
        return this.#summary.value;
      },
    });
    telemetry({
      event: "context.assembled",
      ...about,
      duration_ms: now() - started,
      tokens: assembled.tokens.total,
      budget: assembled.tokens.budget,
      memories: assembled.memories.length,
      left_out: assembled.left_out.length,
    });
    return assembled;
  }
}

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
