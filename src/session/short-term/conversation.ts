// Messages coming into a session: stored, the window moved, what leaves it offered to promotion, and the
// assistant's replies read for working context. Runs inside the session's transaction.

import { extractCandidates } from "../../domain/promotion/extract-candidates";
import { addToBuffer, resizeBuffer, type Slot } from "../../domain/short-term/conversation-buffer";
import { scanReply } from "../../domain/short-term/scan-reply";
import { LIMITS } from "../../limits";
import { hash64 } from "../../platform/hash";
import { isJsonObject, type JsonObject } from "../../platform/json";
import { countUtf8Bytes } from "../../schemas/common";
import type { Message, MessageInput, MessagesAdded } from "../../schemas/message";
import { canonicalJson } from "../../text/json-text";
import { countContextTokens, countMessageTokens } from "../../text/token-count";
import { MESSAGES_OP } from "../outbox";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import { putContext } from "./context-items";
import { offerPending } from "./pending-items";

/** What came from a reply is a guess: it never takes the place of what a user or a tool said. */
const SCAN_CONFIDENCE = 0.6;

export function addMessages(
  storage: SessionStorage,
  memory: ShortTermMemory,
  inputs: readonly MessageInput[],
  now: number,
): MessagesAdded {
  const known = storage.messages.known(inputs.flatMap(({ id }) => id ?? []));
  const slots: Slot[] = [];
  for (const input of inputs) {
    if (input.id !== undefined && known.has(input.id)) continue;
    const message = toMessage(input, now);
    known.add(message.id);
    const slot = storage.messages.insert(message);
    slots.push(slot);
    tell(storage, message, slot.seq);
    if (message.role === "assistant") scan(storage, memory, message, now);
  }
  const { buffer, evicted } = addToBuffer(memory.buffer, slots);
  memory.buffer = buffer;
  dismiss(storage, memory, evicted, now);
  if (slots.length > 0) storage.enqueue(MESSAGES_OP, { kind: "messages" });
  return {
    added: slots.length,
    duplicates: inputs.length - slots.length,
    evicted: evicted.length,
    tokens: { used: buffer.tokens, max: buffer.max },
  };
}

/** A message lands in the thread, and each of its tool calls, unless it was told when it was executed. */
function tell(storage: SessionStorage, { role, timestamp: at, tool_calls }: Message, seq: number): void {
  storage.tell({ kind: role === "tool" ? "tool_result" : "message", at, message: seq });
  for (const call of tool_calls ?? []) {
    const ref = isJsonObject(call) && typeof call.id === "string" ? { ref: callRef(call.id, call) } : {};
    storage.tell({ kind: "tool_call", at, payload: call, ...ref });
  }
}

/** A call by its id and what it says: some models number their calls anew with every answer. */
export function callRef(id: string, call: object): string {
  return `${id} ${hash64(canonicalJson(call))}`;
}

/** A smaller budget moves the window too. */
export function resizeWindow(storage: SessionStorage, memory: ShortTermMemory, max: number, now: number): void {
  const { buffer, evicted } = resizeBuffer(memory.buffer, max);
  memory.buffer = buffer;
  dismiss(storage, memory, evicted, now);
}

function toMessage(input: MessageInput, now: number): Message {
  const tool_calls = input.tool_calls ?? null;
  return {
    id: input.id ?? crypto.randomUUID(),
    role: input.role,
    name: input.name ?? null,
    content: input.content,
    timestamp: input.timestamp ?? new Date(now).toISOString(),
    token_count: tokensOf(input, tool_calls === null ? null : JSON.stringify(tool_calls)),
    tool_calls,
    tool_call_id: input.tool_call_id ?? null,
    metadata: (input.metadata ?? {}) as JsonObject,
  };
}

/** The caller's own count, which knows its model's tokenizer, as far as it is possible at all. */
function tokensOf({ content, token_count }: MessageInput, toolCalls: string | null): number {
  if (token_count === undefined) return countMessageTokens(content, toolCalls);
  return Math.max(token_count, Math.ceil(countUtf8Bytes(content + (toolCalls ?? "")) / LIMITS.bytesPerToken));
}

/** Evicted messages leave the window, not the store; what they say that lasts becomes a candidate. */
function dismiss(storage: SessionStorage, memory: ShortTermMemory, evicted: readonly Slot[], now: number): void {
  const [first, last] = [evicted[0], evicted.at(-1)];
  if (first === undefined || last === undefined) return;
  storage.saveRecord({ ...memory.record, window_start: last.seq + 1 });
  offerFrom(storage, memory, first.seq, last.seq, now);
}

/** A session that ends has no later eviction: what its window still holds is offered now. */
export function offerWindow(storage: SessionStorage, memory: ShortTermMemory, now: number): void {
  const [first, last] = [memory.buffer.slots[0], memory.buffer.slots.at(-1)];
  if (first !== undefined && last !== undefined) offerFrom(storage, memory, first.seq, last.seq, now);
}

function offerFrom(storage: SessionStorage, memory: ShortTermMemory, from: number, to: number, now: number): void {
  const offers = storage.messages
    .read({ from, to })
    .flatMap(extractCandidates)
    .map((candidate) => ({ ...candidate, suggested_by: "implicit" as const }));
  offerPending(storage, memory, offers, now);
}

function scan(storage: SessionStorage, memory: ShortTermMemory, message: Message, now: number): void {
  for (const { key, value } of scanReply(message.content)) {
    const existing = memory.context.get(key);
    if (existing !== undefined && existing.source !== "inferred") continue;
    if (countContextTokens(key, value) > memory.record.token_budget.context) continue;
    putContext(storage, memory, key, { value, source: "inferred", confidence: SCAN_CONFIDENCE }, now);
  }
}
