// Executes the tool calls of a model and returns each result in the format of its call. A failure is a tool result, not
// an HTTP error, so that the model sees it and can correct its call.
import { admitToolCall, type IdempotentReply, runIdempotent } from "../calls/run-idempotent";
import { type Tool, withholdFromWriter } from "../calls/tool";
import type { Owner } from "../kernel/access";
import { Id } from "../kernel/common";
import {
  FAILURES,
  type Failure,
  FailureError,
  fail,
  failure,
  fieldFailure,
  logDefect,
  unwrap,
} from "../kernel/errors";
import { sha256Hex } from "../kernel/hash";
import { deriveStep, type Idempotency } from "../kernel/idempotency";
import { type JsonObject, parseJson } from "../kernel/json";
import { LIMITS } from "../kernel/limits";
import type { Telemetry } from "../kernel/telemetry";
import { parseInput, parseJsonText } from "../kernel/validate-input";
import { clip, listQuotedIds } from "../language/normalise-text";
import type { Services } from "../services/services";
import { withMasked } from "../trust/privacy/privacy-gate";
import { requireQuota } from "../trust/quotas";
import { withholdContent } from "../trust/withhold-content";
import { describeUnknownTool, findTool } from "./registry";
import { type ModelOutput, readToolCalls, type ToolCall, type ToolResult } from "./tool-call-schemas";

/** The caller of a model's tools. */
type ToolCaller = {
  owner: Required<Owner>;
  /** Throws if the key of the caller lacks a scope. */
  authorise: (scope: Tool["scope"]) => void;
};

/**
 * Executes one call and returns its result, or the calls of an answer, one after the other, and returns a list. A call
 * that fails does not stop those after it.
 */
export async function executeModelOutput(
  services: Services,
  caller: ToolCaller,
  output: ModelOutput,
  idempotency: Idempotency,
): Promise<ToolResult | ToolResult[]> {
  const { calls, isAnswer } = readToolCalls(output);
  const [single] = isAnswer ? [] : calls;
  // Calls that only read have nothing to do once, and their answers are not stored.
  const writes = calls.some((call) => findTool(readCall(call).name)?.scope === "write");
  const stored = writes ? idempotency : null;
  if (single !== undefined) {
    // The model cannot correct the scope of a key, so the failure of a single call is not a tool result.
    caller.authorise(findTool(readCall(single).name)?.scope ?? "read");
    const run = () => executeToolCall(services, caller, single, deriveStep(idempotency, "call"));
    return (await runIdempotent(services.store, stored, run, shortenResult)).body;
  }
  if (calls.length > LIMITS.toolCallsPerAnswer) throw tooManyCalls(calls.length);
  const run = async () => {
    const replies: IdempotentReply<ToolResult>[] = [];
    for (const [index, call] of calls.entries())
      replies.push(await executeToolCall(services, caller, call, await deriveCallKey(idempotency, index)));
    return {
      status: 200,
      body: replies.map(({ body }) => body),
      transient: replies.some(({ transient }) => transient),
    } satisfies IdempotentReply<ToolResult[]>;
  };
  return (await runIdempotent(services.store, stored, run, (results) => results.map(shortenResult))).body;
}

/** Returns a result as it is stored for a repeated call: the text of a long one has its ids, revisions and counts. */
function shortenResult(result: ToolResult): ToolResult {
  const text = "output" in result ? result.output : result.content;
  if (text.length <= LIMITS.answerChars) return result;
  const short = JSON.stringify(withholdContent(parseJson<JsonObject>(text)));
  return "output" in result ? { ...result, output: short } : { ...result, content: short };
}

function tooManyCalls(count: number): FailureError {
  const message = `has ${count} tool calls: send at most ${LIMITS.toolCallsPerAnswer} at once`;
  return fieldFailure("call", message);
}

/** Returns the key of one call of an answer. It is a new hash, because tools derive the ids of new items from its start. */
async function deriveCallKey(idempotency: Idempotency, index: number): Promise<Idempotency> {
  if (idempotency === null) return null;
  return { ...idempotency, op: await sha256Hex(`${idempotency.op} call ${index}`) };
}

/** Executes a call. In a session, the call and its result are appended to the session's thread. */
async function executeToolCall(
  services: Services,
  { owner, authorise }: ToolCaller,
  call: ToolCall,
  idempotency: Idempotency,
): Promise<IdempotentReply<ToolResult>> {
  const { value, failure } = await runToolCall(services, owner, call, { authorise, idempotency });
  const result = toToolResult(call, JSON.stringify(value), failure !== null);
  // A failure of the service or of a limit may not occur again. With a key, the repeated call is recorded instead.
  const transient = failure !== null && FAILURES[failure.code].status >= 429;
  // A key without the scope `write` changes nothing, not even the thread.
  if (services.canWrite && owner.session_id !== null && !(transient && idempotency !== null)) {
    const isUnnamed = failure === null && findTool(readCall(call).name)?.quotesUnnamed === true;
    const kept = isUnnamed
      ? toToolResult(call, JSON.stringify(withholdContent(value as JsonObject)), false)
      : result;
    await recordToolUse(services, owner.session_id, call, kept, idempotency);
  }
  return { status: 200, body: result, transient };
}

/** The call has taken effect, so a failure to append it to the thread is logged and does not fail the request. */
async function recordToolUse(
  { tenant, session, store }: Services,
  id: string,
  call: ToolCall,
  result: ToolResult,
  idempotency: Idempotency,
): Promise<void> {
  // The id that the call has in a message. An item of OpenAI's Responses has one beside its `call_id`.
  const callId = call.id ?? readCall(call).id ?? idempotency?.op ?? crypto.randomUUID();
  try {
    // First, so that no thread quotes a memory unnoticed: its erasure removes the text there as well.
    await store.quotations.record(id, listQuotedIds(result));
    unwrap(
      await session(id).recordToolUse(
        { tenant, id },
        callId ?? idempotency?.op ?? crypto.randomUUID(),
        call,
        result,
      ),
    );
  } catch (error) {
    logDefect("thread.error", error);
  }
}

type ToolRunOptions = Pick<ToolCaller, "authorise"> & { idempotency: Idempotency };

/** Returns the tool's answer, or the error and the failure that it reports. */
async function runToolCall(
  services: Services,
  owner: Required<Owner>,
  call: ToolCall,
  options: ToolRunOptions,
): Promise<{ value: object; failure: Failure | null }> {
  const started = services.now();
  try {
    return { value: await runByName(services, owner, call, options), failure: null };
  } catch (error) {
    const { tenant, telemetry } = services;
    const { session_id } = owner;
    reportFailedCall(telemetry, { tenant, tool: readCall(call).name, session_id, started, error });
    const failure = toToolFailure(error);
    return { value: { error: describeFailure(failure), code: failure.code }, failure };
  }
}

function toToolFailure(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  logDefect("tool.error", error);
  return fail("internal", "The tool failed on this call. It is logged. Try again later.").failure;
}

async function runByName(
  services: Services,
  owner: Required<Owner>,
  call: ToolCall,
  { authorise, idempotency }: ToolRunOptions,
): Promise<object> {
  const { name, input } = readCall(call);
  const tool = findTool(name);
  if (tool === undefined) throw failure("invalid_request", describeUnknownTool(name));
  authorise(tool.scope);
  const given = typeof input === "string" ? parseJsonText(input || "{}", "arguments string") : (input ?? {});
  const parsed = unwrap(parseInput(tool.input, given, "arguments"));
  const { access, input: admitted } = await admitToolCall(services, tool, {
    owner,
    input: parsed as JsonObject,
    byModel: true,
    isPinned: true,
  });
  requireQuota(services.usage, services.quotas, tool.quota ?? []);
  const { body } = await tool.run(services, access, admitted, idempotency);
  return withMasked(withholdFromWriter(services, tool, body), services.masked);
}

/** The error of one call, in characters: an answer may have many of them. */
const ERROR_CHARS = 4_000;

/** Describes a failure with its field errors. */
export function describeFailure({ detail, errors, more_errors }: Failure): string {
  if (errors === undefined || errors.length < 2) return detail;
  const rest = more_errors === undefined ? [] : [`and ${more_errors} more`];
  const texts = errors.map(({ path, message }) => `${path}: ${message}`);
  return clip([...texts, ...rest].join("; "), ERROR_CHARS);
}

/** Returns the name, the input and the id of a call. */
export function readCall(call: ToolCall): { id: string | undefined; name: string; input: unknown } {
  switch (call.type) {
    case "function":
      return { id: call.id, name: call.function.name, input: call.function.arguments };
    case "function_call":
      return { id: call.call_id, name: call.name, input: call.arguments };
    case "tool_use":
      return { id: call.id, name: call.name, input: call.input };
    default:
      return { id: call.id, name: call.name, input: call.arguments };
  }
}

/** Returns a result in the format of its call. */
function toToolResult(call: ToolCall, content: string, is_error: boolean): ToolResult {
  switch (call.type) {
    case "function":
      return { role: "tool", tool_call_id: call.id, content };
    case "function_call":
      return { type: "function_call_output", call_id: call.call_id, output: content };
    case "tool_use":
      return { type: "tool_result", tool_use_id: call.id, content, is_error };
    default:
      return { ...(call.id === undefined ? {} : { id: call.id }), name: call.name, content, is_error };
  }
}

// Telemetry of calls of remember, recall and forget that fail. The tools themselves report those that succeed; every
// surface (HTTP routes, execute, MCP) reports its failures here, as some never reach the tool.

const REPORTED_TOOLS = ["remember", "recall", "forget"] as const;

type FailedCall = {
  tenant: string;
  tool: string;
  /** As the call names it: anything but an id is not reported, since it may be content. */
  session_id: unknown;
  started: number;
  error: unknown;
};

/** Emits the event of a failed call, with its error code. A call of another tool has none. */
export function reportFailedCall(
  telemetry: Telemetry,
  { tenant, tool, session_id, started, error }: FailedCall,
): void {
  const event = REPORTED_TOOLS.find((name) => name === tool);
  if (event === undefined) return;
  const code = error instanceof FailureError ? error.failure.code : "internal";
  telemetry({
    event,
    tenant,
    session_id: Id.safeParse(session_id).data ?? null,
    duration_ms: Date.now() - started,
    status: FAILURES[code].status >= 500 ? "failed" : "refused",
    code,
  });
}
