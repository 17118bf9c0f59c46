// Assembles the prompt context of a session: its short-term memory and recalled long-term memories in one token budget.

import { EXTRACTIVE_AUTHOR, INHERITED_AUTHOR } from "../cognition/projectors/summary-projector";
import { type Binding, BOUND_IDS, isWithinBinding, type Owner } from "../kernel/access";
import { logDefect, unwrap } from "../kernel/errors";
import { isJsonObject, type Json } from "../kernel/json";
import { LIMITS } from "../kernel/limits";
import { compareText } from "../language/normalise-text";
import { countTokens } from "../language/token-count";
import type { MessageHit, RecallHit } from "../memories/memory-schemas";
import { assemblePrompt } from "../recall/prompts/assemble-prompt";
import { type AssembleInput, PARTS, type Part } from "../recall/prompts/assemble-schemas";
import type { LeftOut } from "../recall/prompts/fit-conversation";
import { NO_KNOWLEDGE, parseKnowledge, type SessionKnowledge } from "../recall/prompts/session-knowledge";
import { type Summary, type SummaryMessage, summariseMessages } from "../recall/prompts/summarise-messages";
import { resolveSessionTarget } from "../recall/search/corpus";
import type { SearchHit } from "../recall/search/hits";
import { PROMPT_RECALL, type Search, type SearchResult } from "../recall/search/search";
import { measureTermCoverage } from "../recall/search/term-coverage";
import { computeItemImportance } from "./promotion/promotion-engine";
import { openSession } from "./session-client";
import type { SessionCore } from "./session-core";
import {
  createRecord,
  getReach,
  type SessionRecord,
  type SessionRef,
  toSessionCreate,
} from "./session-record";
import type { AssembleCall, AssembledContext } from "./session-rpc";
import type { StoredItem } from "./short-term/working-context";

/**
 * The long-term part of a prompt: ten memories of any confidence and five messages from outside of the window, ranked by
 * the query, or without one the five newest memories of high confidence.
 */
const WITH_QUERY = { memories: 10, messages: 5 } as const;
const WITHOUT_QUERY = { memories: 5, min_confidence: 0.7 } as const;

/** The context is whole without what an earlier session knew. */
function logMissing(error: unknown): null {
  logDefect("context.incomplete", error);
  return null;
}

/** What the prompt may contain of long-term memory, and what else was found. */
type Recalled = { memories: RecallHit[]; messages: MessageHit[]; unselected: LeftOut[] };

const NOTHING_RECALLED: Recalled = { memories: [], messages: [], unselected: [] };

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
    { owner, binding, countsUse, reads }: AssembleCall,
  ): Promise<AssembledContext> {
    const bookmarks = this.#core.openReads(ref, reads);
    const { storage, telemetry, isoNow } = this.#core;
    const memory = this.#core.find(ref);
    const exists = memory !== null;
    if (exists && countsUse)
      storage.write(() => storage.saveRecord({ ...memory.record, updated_at: isoNow }));
    const started = this.#core.now();
    // A session that does not exist yet is an empty one of the caller's owner.
    const record = exists ? memory.record : unwrap(createRecord(ref, toSessionCreate(owner), isoNow));
    const { context, log } = exists ? memory : { context: new Map<string, StoredItem>(), log: [] };
    const include = new Set<Part>(input.include ?? PARTS);
    const [recalled, knowledge] = await Promise.all([
      include.has("long_term")
        ? this.#recall(this.#core.openSearch(record, bookmarks), record, input, binding)
        : NOTHING_RECALLED,
      include.has("working") && exists
        ? this.#collectKnowledge(record, input.query, binding)
        : { ...NO_KNOWLEDGE, continued: [] },
    ]);
    const working = [...context.values()].map((item) => ({
      ...item,
      importance: computeItemImportance(item, log, started, record.promotion.weights),
    }));
    let isModelSummaryUsed = false;
    const assemble = (summary: string[]) =>
      assemblePrompt({
        messages: exists ? storage.messages.read({ from: record.window_start }) : [],
        // Messages are numbered from 1.
        evicted: Math.max(0, record.window_start - 1),
        working,
        knowledge: { facts: knowledge.facts, summary },
        memories: recalled.memories,
        recalled: recalled.messages,
        unselected: recalled.unselected,
        budget: record.token_budget,
        total: input.token_budget ?? record.token_budget.total,
        include,
        summariser: (messages, maxTokens) => {
          const summarised = this.#findModelSummary(record, messages, maxTokens);
          isModelSummaryUsed = summarised !== null;
          return summarised ?? this.#summarise(record, messages, maxTokens);
        },
      });
    // The summary of a session may begin with the one that it has inherited.
    const whole = assemble([...new Set([...knowledge.continued, ...knowledge.summary])]);
    // The conversation begins with the same summary then.
    const assembled =
      isModelSummaryUsed && knowledge.summary.length > 0 ? assemble(knowledge.continued) : whole;
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
    return { context: assembled, seen: bookmarks.newest };
  }

  /** Returns what the session's projectors know, and whom it belongs to; null if there is no session. */
  readKnowledge({ id }: SessionRef): (Owner & SessionKnowledge) | null {
    const record = this.#core.storage.read()?.record;
    if (record === undefined || record.erasing !== null) return null;
    const { user_id, agent_id, project_id } = record;
    return { user_id, agent_id, project_id, ...parseKnowledge(this.#readWorld(record), id) };
  }

  async #recall(
    search: Search,
    record: SessionRecord,
    { query, scope }: AssembleInput,
    within: Binding,
  ): Promise<Recalled> {
    const requested = resolveSessionTarget(record, scope ?? getReach(record));
    const request = {
      ...PROMPT_RECALL,
      within,
      collapsesDuplicates: true,
      window: { session_id: record.id, from: record.window_start },
    };
    if ((query ?? "").trim() !== "")
      return selectMatches(
        await search.recall(requested, {
          ...request,
          query,
          limit: WITH_QUERY.memories,
          min_confidence: 0,
          sources: ["memories", "messages"],
          withoutOutdated: true,
          limits: { memory: LIMITS.recallMatches, message: LIMITS.recallMatches },
          repeats: "omitted",
        }),
      );
    const { memories: limit, min_confidence } = WITHOUT_QUERY;
    const [confident, newest] = await Promise.all([
      search.recall(requested, { ...request, limit, min_confidence }),
      search.recall(requested, { ...request, limit: LIMITS.recallMax, min_confidence: 0 }),
    ]);
    return selectNewest(confident.hits, newest.hits);
  }

  /**
   * Collects the facts of this session and of the one it continues, and the summaries of what the window lacks: its
   * evicted messages, and as `continued` the session before.
   */
  async #collectKnowledge(
    record: SessionRecord,
    query: string | undefined,
    binding: Binding,
  ): Promise<SessionKnowledge & { continued: string[] }> {
    const own = parseKnowledge(this.#readWorld(record), record.id);
    const before = await this.#readContinued(record, binding);
    const facts = [...own.facts, ...before.facts];
    const getCoverage = measureTermCoverage(
      query ?? "",
      facts.map(({ text }) => text),
    );
    const coverage = new Map(facts.map((fact, i) => [fact, getCoverage(i)]));
    return {
      // Those that match the query best, then the newest.
      facts: facts.toSorted(
        (a, b) => (coverage.get(b) ?? 0) - (coverage.get(a) ?? 0) || compareText(b.at ?? "", a.at ?? ""),
      ),
      summary: record.window_start > 1 ? own.summary : [],
      continued: before.summary,
    };
  }

  /** Reads the knowledge of the session that this one continues, if that lies within its reach and the binding. */
  async #readContinued(record: SessionRecord, binding: Binding): Promise<SessionKnowledge> {
    const { tenant, id, continues } = record;
    if (continues === null || continues === id) return NO_KNOWLEDGE;
    const known = await openSession(this.#core.env, tenant, continues)
      .readKnowledge({ tenant, id: continues })
      .then(unwrap)
      .catch(logMissing);
    const isVisible = known !== null && isWithinReach(record, known) && isWithinBinding(binding, known);
    return isVisible ? known : NO_KNOWLEDGE;
  }

  #readWorld(record: SessionRecord): Json | undefined {
    return this.#core.storage.spaces.load(record, ["world"]).spaces.world?.data;
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
    const world = this.#readWorld(record);
    const summary = isJsonObject(world) ? world.summary : undefined;
    if (last === undefined || !isJsonObject(summary)) return null;
    const { text, by, covers, session_id } = summary;
    const to = isJsonObject(covers) ? covers.to : undefined;
    if (typeof text !== "string" || typeof by !== "string" || typeof to !== "number") return null;
    // An inherited summary covers the messages of another session.
    if (session_id !== undefined || [EXTRACTIVE_AUTHOR, INHERITED_AUTHOR].includes(by)) return null;
    if (countTokens(text) > maxTokens) return null;
    if (storage.messages.findThreadSeq(last.id) > to) return null;
    return { text, used: messages.map(({ id }) => id) };
  }

  #summarise(record: SessionRecord, messages: readonly SummaryMessage[], maxTokens: number): Summary {
    const key = `${record.created_at} ${messages[0]?.id} ${messages.at(-1)?.id} ${messages.length} ${maxTokens}`;
    if (this.#summary?.key !== key) {
      const started = this.#core.now();
      this.#summary = {
        key,
        value: summariseMessages(this.#core.privacy.derived.clean(messages), maxTokens),
      };
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

/** Selects the best memories and messages, and names those that matched, too. */
function selectMatches({ hits, unread }: SearchResult): Recalled {
  const memories = hits.filter((hit) => hit.kind === "memory");
  const messages = hits.filter((hit) => hit.kind === "message");
  const surplus = (found: readonly { id: string }[], most: number, kind: string, more = 0): LeftOut[] => [
    ...found.slice(most).map(({ id }) => leaveOut(id, `beyond the ${most} ${kind} that match best`)),
    ...(more === 0
      ? []
      : [leaveOut(`${kind}.more`, `up to ${more} more ${kind} match less well than these`)]),
  ];
  return {
    memories: memories.slice(0, WITH_QUERY.memories),
    messages: messages.slice(0, WITH_QUERY.messages),
    unselected: [
      ...surplus(memories, WITH_QUERY.memories, "memories", unread.memory),
      ...surplus(messages, WITH_QUERY.messages, "messages", unread.message),
    ],
  };
}

/** Selects the newest memories of high confidence, and names the newest others. */
function selectNewest(confident: readonly SearchHit[], newest: readonly SearchHit[]): Recalled {
  const memories = confident.filter((hit) => hit.kind === "memory");
  const selected = new Set(memories.map(({ id }) => id));
  const others = newest.filter((hit) => hit.kind === "memory" && !selected.has(hit.id)) as RecallHit[];
  const { memories: most, min_confidence } = WITHOUT_QUERY;
  return {
    memories,
    messages: [],
    unselected: [
      ...others.map(({ id, confidence }) =>
        leaveOut(
          id,
          confidence < min_confidence
            ? `confidence ${confidence} is below ${min_confidence}, and there is no query`
            : `beyond the ${most} newest memories, and there is no query`,
        ),
      ),
      ...(newest.length < LIMITS.recallMax
        ? []
        : [leaveOut("memories.older", "older memories are not listed; a query finds them")]),
    ],
  };
}

function leaveOut(id: string, reason: string): LeftOut {
  return { part: "long_term", id, reason };
}

/** Whether a session may read what another one knows. A session without an owner reads only those without one. */
function isWithinReach(record: SessionRecord, other: Owner): boolean {
  const reach = getReach(record);
  if (reach === "tenant") return true;
  if (reach !== "session") return other[`${reach}_id`] === record[`${reach}_id`];
  return BOUND_IDS.every((name) => other[name] === record[name]);
}
