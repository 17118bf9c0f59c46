// Extracts promotion candidates from a session's new messages with a language model, on the alarm only. The candidates
// and the position are stored in one transaction, so that a call may be repeated and none of its work is lost.

import {
  buildExtractionPrompt,
  type ConversationMessage,
  type KnownMemory,
  MAX_CONTEXT_MESSAGES,
  MAX_KNOWN_MEMORIES,
  MAX_MESSAGES_PER_CALL,
  type ModelCandidate,
  parseExtractionAnswer,
  selectMessages,
} from "../../facts/extraction/llm-extraction";
import { getDefaultScope, isWiderScope, type Owner, UNBOUND } from "../../kernel/access";
import { describeDefect, FailureError } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import { clip } from "../../language/normalise-text";
import { fromMemoryRow, type MemoryRow } from "../../memories/store/memory-mapping";
import type { SearchTarget } from "../../memories/store/namespace";
import { LanguageModelError } from "../../models/language-model";
import { selectLanguageModel } from "../../models/select-language-model";
import { resolveSessionTarget } from "../../recall/search/corpus";
import { PROMPT_RECALL, type Search } from "../../recall/search/search";
import type { SessionCore } from "../session-core";
import { getReach, type SessionRecord, type SessionRef } from "../session-record";
import {
  computeExtractionRetryDelay,
  hasNewMessages,
  MAX_EXTRACTION_FAILURES,
} from "../short-term/message-progress";
import { addPendingItems, type NewPendingItem } from "../short-term/pending-items";
import { extractAllByRules } from "./extract-by-rules";
import { computeImportance } from "./importance-scorer";
import type { Promoter } from "./promoter";

/** Calls of one alarm: five that each time out twice still end within an alarm's 15 minutes. */
const MAX_CALLS_PER_ALARM = 5;

export class ModelExtractor {
  readonly #core: SessionCore;
  readonly #promoter: Promoter;
  /** The run in flight, shared by alarms that are delivered twice. */
  #running: Promise<void> | null = null;

  constructor(core: SessionCore, promoter: Promoter) {
    this.#core = core;
    this.#promoter = promoter;
  }

  /** Extracts from the new messages and promotes the candidates. Rules take over from a model that keeps failing. */
  run(ref: SessionRef): Promise<void> {
    this.#running ??= this.#extract(ref).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #extract(ref: SessionRef): Promise<void> {
    const core = this.#core;
    for (let call = 0; call < MAX_CALLS_PER_ALARM && hasNewMessages(core.require(ref)); call += 1) {
      const { record } = core.require(ref);
      const isExtracted = await this.#extractPage(ref, record).catch((error: unknown) =>
        this.#recordFailure(ref, record, error),
      );
      if (!isExtracted) return;
      // The next call is given the memories of this one as known.
      await this.#promoter.promoteExtracted(ref);
    }
  }

  /** Extracts from the messages of one call. Returns whether the position has advanced. */
  async #extractPage(ref: SessionRef, record: SessionRecord): Promise<boolean> {
    const core = this.#core;
    const { storage, telemetry } = core;
    const started = core.now();
    const from = record.extracted_seq + 1;
    // The provider of the model is outside the session.
    const readMessages = (range: Parameters<typeof storage.messages.read>[0]) =>
      core.privacy.derived.clean(storage.messages.read(range));
    const waiting = readMessages({ from, limit: MAX_MESSAGES_PER_CALL });
    const { messages, to } = selectMessages(waiting);
    let candidates: ModelCandidate[] = [];
    let extracted_by = "";
    if (messages.length > 0) {
      const model = selectLanguageModel(core.env);
      if (model === null) return this.#fallBack(ref, record);
      const earlier = readMessages({ from: from - MAX_CONTEXT_MESSAGES, to: from - 1 });
      const known = await findKnownMemories(core.services(ref).search, record, messages);
      const { prompt, references } = buildExtractionPrompt(messages, earlier, known);
      const answer = await model.complete(prompt);
      extracted_by = model.name;
      candidates = core.privacy.derived.clean(
        parseExtractionAnswer(model.name, answer, references, storage.ranks),
      );
    }
    const isStored = storage.write(() => {
      const memory = storage.read();
      if (memory === null || !this.#isCurrent(record)) return false;
      const items = candidates.map((candidate) => ({
        ...toPendingItem(candidate, record, started),
        extracted_by,
      }));
      addPendingItems(storage, memory, items, started);
      storage.saveRecord({ ...memory.record, extracted_seq: to, extraction_failures: 0 });
      return true;
    });
    if (isStored)
      telemetry({
        event: "extraction.completed",
        tenant: ref.tenant,
        session_id: ref.id,
        duration_ms: core.now() - started,
        trigger: "alarm",
        by: "model",
        messages: waiting.filter(({ seq }) => seq <= to).length,
        candidates: candidates.length,
      });
    return isStored;
  }

  /** During a call the session may be erased, or the messages extracted from by rules. */
  #isCurrent(before: SessionRecord): boolean {
    const record = this.#core.storage.read()?.record;
    return (
      record?.erasing === null &&
      record.created_at === before.created_at &&
      record.extracted_seq === before.extracted_seq
    );
  }

  /** Stores a failure and the time of the next attempt; after the last one, rules take over. Returns whether they did. */
  async #recordFailure(ref: SessionRef, before: SessionRecord, error: unknown): Promise<boolean> {
    const core = this.#core;
    if (!this.#isCurrent(before)) return false;
    const failures = before.extraction_failures + 1;
    const isReported = error instanceof FailureError || error instanceof LanguageModelError;
    const reason = isReported ? { reason: error.message } : describeDefect(error);
    console.error(JSON.stringify({ event: "extraction.error", ...reason }));
    core.telemetry({
      event: "extraction.failed",
      tenant: ref.tenant,
      session_id: ref.id,
      duration_ms: 0,
      failures,
    });
    if (failures >= MAX_EXTRACTION_FAILURES) return this.#fallBack(ref, before);
    const extract_at = core.now() + computeExtractionRetryDelay(failures);
    core.storage.write(() => {
      const { record } = core.require(ref);
      core.storage.saveRecord({ ...record, extraction_failures: failures, extract_at });
    });
    return false;
  }

  #fallBack(ref: SessionRef, before: SessionRecord): boolean {
    if (!this.#isCurrent(before)) return false;
    extractAllByRules(this.#core, ref, "alarm");
    return true;
  }
}

/** An implicit candidate: an explicit one would be refused, and block the extraction, when too many wait. */
function toPendingItem(
  { min_importance, ...candidate }: ModelCandidate,
  { promotion }: SessionRecord,
  now: number,
): NewPendingItem {
  const { confidence, memory_type: type } = candidate;
  const fresh = { lastAccessed: now, accessCount: 1, confidence, type };
  return {
    ...candidate,
    rationale: null,
    suggested_by: "implicit",
    importance_score: Math.max(min_importance, computeImportance(fresh, now, promotion.weights)),
  };
}

/** Searches per call, and the memories of each. */
const MAX_SEARCHES = 5;
const MEMORIES_PER_SEARCH = 10;

/** Returns live memories that the new messages may repeat or contradict, the most related first. */
async function findKnownMemories(
  search: Search,
  record: SessionRecord,
  messages: readonly ConversationMessage[],
): Promise<KnownMemory[]> {
  const scope = resolveKnownScope(record);
  const { within = UNBOUND } = record;
  const results = await Promise.all(
    composeQueries(messages).map((query) =>
      search.recall(scope, {
        ...PROMPT_RECALL,
        query,
        limit: MEMORIES_PER_SEARCH,
        min_confidence: 0,
        // What a message contradicts may share little with it.
        keepsIrrelevant: true,
        inBackground: true,
        within,
      }),
    ),
  );
  const found = results.flatMap(({ hits, rows }) =>
    hits.flatMap((hit, i) =>
      hit.kind === "memory" ? [{ score: hit.score, row: rows[i] as MemoryRow }] : [],
    ),
  );
  const known = found
    .toSorted((a, b) => b.score - a.score)
    .map(({ row }) => fromMemoryRow(row))
    // Entries, patterns, skills and graphs have properties, and are changed by their own calls only.
    .filter(({ properties }) => Object.keys(properties).length === 0)
    .filter((memory) => hasSameOwner(memory, record))
    .map(({ id, type, content }) => ({ id, type, content }));
  return [...new Map(known.map((memory) => [memory.id, memory])).values()].slice(0, MAX_KNOWN_MEMORIES);
}

/** The owner's memories, even if the session reaches those of others: extraction may supersede them. */
function resolveKnownScope(record: SessionRecord): SearchTarget {
  const [owner, reach] = [getDefaultScope(record), getReach(record)];
  return resolveSessionTarget(record, isWiderScope(reach, owner) ? owner : reach);
}

/** A project has memories of several agents, an agent those of several people: none of them changes another's. */
function hasSameOwner(memory: Owner, record: Owner): boolean {
  const owner = getDefaultScope(record);
  if (getDefaultScope(memory) !== owner) return false;
  return owner === "session" || memory[`${owner}_id`] === record[`${owner}_id`];
}

/** Joins short messages, so that a call takes few searches; the newest messages come first. */
function composeQueries(messages: readonly ConversationMessage[]): string[] {
  const queries: string[] = [];
  for (const { content } of messages.toReversed()) {
    const text = clip(content, LIMITS.queryChars);
    const last = queries.at(-1);
    if (last === undefined || last.length + 1 + text.length > LIMITS.queryChars) queries.push(text);
    else queries.splice(-1, 1, `${last}\n${text}`);
  }
  return queries.slice(0, MAX_SEARCHES);
}
