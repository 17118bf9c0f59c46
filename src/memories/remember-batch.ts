// Remembers many memories in one call. Each item has its own result: an invalid one does not refuse the others.

import { bindOwner } from "../calls/call-access";
import { requireToolCapability } from "../calls/require-capability";
import { type IdempotentReply, runIdempotent } from "../calls/run-idempotent";
import { splitOwnerInput, withOwnerInput } from "../calls/tool";
import type { Owner } from "../kernel/access";
import {
  FAILURES,
  type Failure,
  FailureError,
  fail,
  ok,
  REPORTED_ERRORS,
  type Result,
} from "../kernel/errors";
import { deriveStep, type Idempotency } from "../kernel/idempotency";
import type { Json, JsonObject } from "../kernel/json";
import { parseInput } from "../kernel/validate-input";
import { clip } from "../language/normalise-text";
import type { Services } from "../services/services";
import type { BatchAnswer, BatchResult } from "./memory-requests";
import type { RememberInput } from "./memory-schemas";
import { createWrite, rememberTool, rememberWrites } from "./remember";
import type { MemoryWrite, WrittenMemory } from "./store/commit-plan";

const BatchItem = withOwnerInput(rememberTool);

export function rememberBatch(
  services: Services,
  items: readonly Json[],
  idempotency: Idempotency,
): Promise<IdempotentReply<BatchAnswer>> {
  return runIdempotent(services.store, idempotency, async () => {
    const started = services.now();
    const results = await rememberItems(services, items, idempotency);
    const refused = results.filter((result) => !result.ok);
    services.telemetry({
      event: "remember.batch",
      tenant: services.tenant,
      session_id: null,
      duration_ms: services.now() - started,
      memories: items.length,
      refused: refused.length,
    });
    return {
      status: 200,
      body: { results: toBatchResults(results) },
      // A repeated call may store what an unavailable store did not.
      transient: refused.some(({ failure }) => FAILURES[failure.code].status >= 429),
    };
  });
}

async function rememberItems(
  services: Services,
  items: readonly Json[],
  idempotency: Idempotency,
): Promise<Result<WrittenMemory>[]> {
  const now = new Date(services.now()).toISOString();
  const check = createCapabilityCheck(services);
  const parsed = await Promise.all(
    items.map((item, i) => parseItem(services, item, deriveStep(idempotency, `item:${i}`), now, check)),
  );
  const stored = await rememberWrites(
    services,
    null,
    parsed.flatMap((write) => (write.ok ? [write.value] : [])),
  );
  const next = stored.values();
  return parsed.map((write) =>
    write.ok ? (next.next().value ?? fail("internal", "The write returned no result.")) : write,
  );
}

async function parseItem(
  services: Services,
  item: Json,
  idempotency: Idempotency,
  now: string,
  check: (owner: Required<Owner>) => Promise<void>,
): Promise<Result<MemoryWrite>> {
  const parsed = parseInput(BatchItem, item, "item");
  if (!parsed.ok) return parsed;
  const { owner: named, input } = splitOwnerInput(rememberTool, parsed.value as JsonObject);
  try {
    const owner = await bindOwner(services, services.binding, named);
    await check(owner);
    // The schema of the tool's input has validated it.
    return ok(createWrite(services.ontology, owner, input as unknown as RememberInput, idempotency, now));
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    throw error;
  }
}

/** Checks each agent once, however many items it has. */
function createCapabilityCheck(services: Services): (owner: Required<Owner>) => Promise<void> {
  const checks = new Map<string, Promise<void>>();
  return (owner) => {
    const key = `${owner.session_id} ${owner.agent_id}`;
    const check = checks.get(key) ?? requireToolCapability(services, rememberTool, owner);
    checks.set(key, check);
    return check;
  };
}

/** The detail of a refused item after the first ones, in characters: a batch has up to 500. */
const SHORT_DETAIL_CHARS = 200;

/** Returns the results for the answer. The first refused items have all their errors, the others a short detail. */
function toBatchResults(results: readonly Result<WrittenMemory>[]): BatchResult[] {
  let refused = 0;
  return results.map((result) => {
    if (!result.ok) refused += 1;
    return toBatchResult(result, refused > REPORTED_ERRORS);
  });
}

function toBatchResult(result: Result<WrittenMemory>, isShort: boolean): BatchResult {
  if (!result.ok && isShort) {
    const { code, detail } = result.failure;
    return { error: { code, detail: clip(detail, SHORT_DETAIL_CHARS) } };
  }
  if (!result.ok) return { error: describeFailure(result.failure) };
  const { memory_id, deduplicated, superseded, contradicts, warnings = [] } = result.value;
  return {
    remembered: true,
    memory_id,
    deduplicated,
    superseded,
    ...(contradicts.length === 0 ? {} : { contradicts }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function describeFailure({ code, detail, errors }: Failure) {
  return { code, detail, ...(errors === undefined ? {} : { errors }) };
}
