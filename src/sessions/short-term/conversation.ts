// The conversation of a session: stores messages, moves the window of the token budget, turns messages that leave it
// into promotion candidates, and scans the assistant's replies for working context.

import { createCallRef } from "../../cognition/runtime/thread-log";
import { type Access, requireSameUser } from "../../kernel/access";
import { countUtf8Bytes } from "../../kernel/common";
import type { Idempotency } from "../../kernel/idempotency";
import { isJsonObject, type JsonObject } from "../../kernel/json";
import { countContextTokens, countMessageTokens } from "../../language/token-count";
import type { Message, MessageInput, MessagesAdded } from "../../memories/message-schemas";
import { extractByRules } from "../promotion/extract-by-rules";
import type { SessionCore } from "../session-core";
import { getReach, type SessionRef } from "../session-record";
import type { RecallBasis } from "../session-rpc";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import { putContextItem } from "./context-items";
import { isSentAtOnce } from "./message-progress";
import { addToBuffer, resizeBuffer, type Slot } from "./message-table";
import { scanReply } from "./scan-reply";

/** The confidence of a context item inferred from a reply; it never replaces one from a user or a tool. */
const INFERRED_CONFIDENCE = 0.6;

/** No tokenizer packs more bytes into a token, so a caller's own count cannot be lower. */
const MAX_BYTES_PER_TOKEN = 32;

/** The calls on a session's messages. `onAdded` starts the work that new thread entries have made due. */
export class SessionConversation {
  readonly #core: SessionCore;
  readonly #onAdded: (ref: SessionRef) => void;

  constructor(core: SessionCore, onAdded: (ref: SessionRef) => void) {
    this.#core = core;
    this.#onAdded = onAdded;
  }

  /** Adds messages. A session that they create belongs to `owner`. */
  async add(
    ref: SessionRef,
    messages: MessageInput[],
    idempotency: Idempotency,
    { owner, binding: within }: Access,
  ): Promise<MessagesAdded> {
    const core = this.#core;
    const store = (memory: ShortTermMemory, now: number) => {
      requireSameUser(memory.record, owner);
      return storeMessages(core, memory, messages, now);
    };
    const added = await core.mutate(ref, idempotency, store, { owner, within });
    if (added.added > 0) {
      if (isSentAtOnce(core.require(ref), messages)) core.runInBackground(core.flushMessages(ref));
      else core.sendMessagesSoon(ref);
    }
    this.#onAdded(ref);
    return added;
  }

  /** Makes every message findable, if the recall covers messages. Returns null if there is no session. */
  async prepareRecall(ref: SessionRef, { messages }: { messages: boolean }): Promise<RecallBasis | null> {
    const record = this.#core.find(ref)?.record;
    if (record === undefined) return null;
    if (messages) await this.#core.flushMessages(ref);
    const { user_id, agent_id, project_id, window_start } = record;
    const messages_sent = messages ? this.#core.require(ref).record.messages_sent : 0;
    return { user_id, agent_id, project_id, reach: getReach(record), window_start, messages_sent };
  }

  /** Returns the newest messages of the window, oldest first. */
  async listRecent(ref: SessionRef, limit: number): Promise<Message[]> {
    const { record } = this.#core.require(ref);
    const { messages } = this.#core.storage;
    return messages.read({ from: Math.max(record.window_start, messages.lastSeq() - limit + 1) });
  }

  /** Returns a page of the window after a sequence number, oldest first. */
  async list(
    ref: SessionRef,
    { limit, after }: { limit: number; after: number },
  ): Promise<(Message & { seq: number })[]> {
    const { record } = this.#core.require(ref);
    return this.#core.storage.messages.read({ from: Math.max(record.window_start, after + 1), limit });
  }
}

/** Inside a transaction: stores messages with new ids. */
function storeMessages(
  core: SessionCore,
  memory: ShortTermMemory,
  inputs: readonly MessageInput[],
  now: number,
): MessagesAdded {
  const { storage } = core;
  const known = storage.messages.findKnownIds(inputs.flatMap(({ id }) => id ?? []));
  const slots: Slot[] = [];
  for (const input of inputs) {
    if (input.id !== undefined && known.has(input.id)) continue;
    const message = createMessage(input, now);
    known.add(message.id);
    const slot = storage.messages.insert(message);
    slots.push(slot);
    appendToThread(storage, message, slot.seq);
    if (message.role === "assistant") inferContext(core, memory, message, now);
  }
  const { buffer, evicted } = addToBuffer(memory.buffer, slots);
  memory.buffer = buffer;
  moveWindow(core, memory, evicted, now);
  return {
    added: slots.length,
    duplicates: inputs.length - slots.length,
    evicted: evicted.length,
    tokens: { used: buffer.tokens, max: buffer.max },
  };
}

/** Appends a message and its tool calls. A tool call that was recorded when it was executed is not repeated. */
function appendToThread(
  storage: SessionStorage,
  { role, timestamp: at, tool_calls }: Message,
  seq: number,
): void {
  storage.appendToThread({ kind: role === "tool" ? "tool_result" : "message", at, message: seq });
  for (const call of tool_calls ?? []) {
    const ref =
      isJsonObject(call) && typeof call.id === "string" ? { ref: createCallRef(call.id, call) } : {};
    storage.appendToThread({ kind: "tool_call", at, payload: call, ...ref });
  }
}

/** Inside a transaction: applies a new token budget to the window. */
export function resizeWindow(core: SessionCore, memory: ShortTermMemory, max: number, now: number): void {
  const { buffer, evicted } = resizeBuffer(memory.buffer, max);
  memory.buffer = buffer;
  moveWindow(core, memory, evicted, now);
}

function createMessage(input: MessageInput, now: number): Message {
  const tool_calls = input.tool_calls ?? null;
  return {
    id: input.id ?? crypto.randomUUID(),
    role: input.role,
    name: input.name ?? null,
    content: input.content,
    timestamp: input.timestamp ?? new Date(now).toISOString(),
    token_count: countInputTokens(input, tool_calls === null ? null : JSON.stringify(tool_calls)),
    tool_calls,
    tool_call_id: input.tool_call_id ?? null,
    metadata: (input.metadata ?? {}) as JsonObject,
  };
}

/** Returns the caller's own count, which knows its model's tokenizer, but no less than any tokenizer can reach. */
function countInputTokens({ content, token_count }: MessageInput, toolCalls: string | null): number {
  if (token_count === undefined) return countMessageTokens(content, toolCalls);
  return Math.max(token_count, Math.ceil(countUtf8Bytes(content + (toolCalls ?? "")) / MAX_BYTES_PER_TOKEN));
}

/**
 * Evicted messages leave the window but stay stored. Durable statements in them become candidates, by rules at once; a
 * language model reads them on the alarm.
 */
function moveWindow(core: SessionCore, memory: ShortTermMemory, evicted: readonly Slot[], now: number): void {
  const last = evicted.at(-1);
  if (last === undefined) return;
  core.storage.saveRecord({ ...memory.record, window_start: last.seq + 1 });
  if (!core.extractsByModel(memory.record)) extractByRules(core, memory, last.seq, now);
}

function inferContext(core: SessionCore, memory: ShortTermMemory, message: Message, now: number): void {
  const { content } = core.privacy.derived.clean({ content: message.content });
  for (const { key, value } of scanReply(content)) {
    const existing = memory.context.get(key);
    if (existing !== undefined && existing.source !== "inferred") continue;
    if (countContextTokens(key, value) > memory.record.token_budget.context) continue;
    putContextItem(
      core.storage,
      memory,
      key,
      { value, source: "inferred", confidence: INFERRED_CONFIDENCE },
      now,
    );
  }
}
