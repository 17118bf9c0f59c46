// Assembles the prompt context of a session: its short-term memory and recalled long-term memories in one token budget.
import type { Binding } from "../domain/binding";
import { EXTRACTIVE_AUTHOR } from "../domain/cognition/projectors/summary-projector";
import { computeItemImportance } from "../domain/promotion/promotion-engine";
import { type AssembledPrompt, assemblePrompt } from "../domain/prompt/assemble-prompt";
import { type Summary, type SummaryMessage, summariseMessages } from "../domain/prompt/summarise-messages";
import type { LastingOwner } from "../domain/reach";
import type { StoredItem } from "../domain/short-term/working-context";
import { unwrap } from "../platform/errors";
import { isJsonObject } from "../platform/json";
import { type AssembleInput, PARTS, type Part } from "../schemas/assemble";
import type { RecallHit } from "../schemas/memory";
import { resolveSessionScope } from "../search/corpus";
import { PROMPT_RECALL } from "../search/search";
import { countTokens } from "../text/token-count";
import type { SessionCore } from "./session-core";
import {
  createRecord,
  getReach,
  type SessionRecord,
  type SessionRef,
  toSessionCreate,
} from "./session-record";

/** The memories of a prompt: ten ranked by the query, or without one the five newest of high confidence. */
const WITH_QUERY = { limit: 10, min_confidence: 0.5 };
const WITHOUT_QUERY = { limit: 5, min_confidence: 0.7 };

export class ContextAssembler {
  readonly #core: SessionCore;
  /** The last extractive summary, reused until the messages change. */
  #summary: { key: string; value: Summary } | null = null;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  async assemble(
    ref: SessionRef,
    input: AssembleInput,
    { owner, binding }: { owner: LastingOwner; binding: Binding },
  ): Promise<AssembledPrompt<RecallHit>> {
    const { storage, telemetry, isoNow } = this.#core;
    const memory = storage.read();
    const exists = memory !== null && memory.record.erasing === null;
    if (exists) storage.write(() => storage.saveRecord({ ...memory.record, updated_at: isoNow }));
    const started = this.#core.now();
    // A session that does not exist yet is an empty one of the caller's owner.
    const record = exists ? memory.record : unwrap(createRecord(ref, toSessionCreate(owner), isoNow));
    const { context, log } = exists ? memory : { context: new Map<string, StoredItem>(), log: [] };
    const include = new Set<Part>(input.include ?? PARTS);
    const memories = include.has("long_term") ? await this.#recall(record, input, binding) : [];
    const working = [...context.values()].map((item) => ({
      ...item,
      importance: computeItemImportance(item, log, started, record.promotion.weights),
    }));
    const assembled = assemblePrompt({
      messages: exists ? storage.messages.read({ from: record.window_start }) : [],
      working,
      memories,
      budget: record.token_budget,
      total: input.token_budget ?? record.token_budget.total,
      include,
      summariser: (messages, maxTokens) =>
        this.#findModelSummary(record, messages, maxTokens) ?? this.#summarise(record, messages, maxTokens),
    });
    telemetry({
      event: "context.assembled",
      tenant: record.tenant,
      session_id: record.id,
      duration_ms: this.#core.now() - started,
      tokens: assembled.tokens.total,
      budget: assembled.tokens.budget,
      memories: assembled.memories.length,
      left_out: assembled.left_out.length,
    });
    return assembled;
  }

  async #recall(
    record: SessionRecord,
    { query, scope }: AssembleInput,
    within: Binding,
  ): Promise<RecallHit[]> {
    const hasQuery = (query ?? "").trim() !== "";
    const { hits } = await this.#core
      .services(record)
      .search.recall(resolveSessionScope(record, scope ?? getReach(record)), {
        ...PROMPT_RECALL,
        within,
        ...(hasQuery ? { ...WITH_QUERY, query } : WITHOUT_QUERY),
      });
    return hits.filter((hit) => hit.kind === "memory");
  }

  /**
   * Returns the summary that a language model wrote on the alarm. Null if there is none, if it does not cover these
   * messages, or if it is too long.
   */
  #findModelSummary(
    record: SessionRecord,
    messages: readonly SummaryMessage[],
    maxTokens: number,
  ): Summary | null {
    const { storage } = this.#core;
    const last = messages.at(-1);
    const world = storage.spaces.load(record, ["world"]).spaces.world?.data;
    const summary = isJsonObject(world) ? world.summary : undefined;
    if (last === undefined || !isJsonObject(summary)) return null;
    const { text, by, covers } = summary;
    const to = isJsonObject(covers) ? covers.to : undefined;
    if (typeof text !== "string" || typeof by !== "string" || typeof to !== "number") return null;
    if (by === EXTRACTIVE_AUTHOR || countTokens(text) > maxTokens) return null;
    if (storage.messages.findThreadSeq(last.id) > to) return null;
    return { text, used: messages.map(({ id }) => id) };
  }

  #summarise(record: SessionRecord, messages: readonly SummaryMessage[], maxTokens: number): Summary {
    const key = `${record.created_at} ${messages[0]?.id} ${messages.at(-1)?.id} ${messages.length} ${maxTokens}`;
    if (this.#summary?.key !== key) {
      const started = this.#core.now();
      this.#summary = { key, value: summariseMessages(messages, maxTokens) };
      this.#core.telemetry({
        event: "context.summarized",
        tenant: record.tenant,
        session_id: record.id,
        duration_ms: this.#core.now() - started,
        messages: messages.length,
        tokens: maxTokens,
      });
    }
    return this.#summary.value;
  }
}
