// The audit log at the edge of HTTP: which requests are recorded, for which tenant, and with which target.
import { isBound } from "../domain/binding";
import { auditCall, type NameTarget } from "../operations/administration/audit-calls";
import { countCall } from "../operations/administration/count-calls";
import { openDatabase } from "../platform/d1";
import { FAILURES, FailureError } from "../platform/errors";
import { readField } from "../platform/json";
import { ALL_TENANTS, type AuditedCall } from "../store/audit-log";
import type { AppContext, Caller } from "./app-context";
import type { AuditRule } from "./openapi/document-route";

type Who = Pick<Caller, "keyId" | "tenant">;

/** Targets are paths with ids; a namespace may be long. */
const TARGET_CHARS = 300;

/** The call of a route, for its record. */
type RouteCall = { action: string; target: string | null; tenant?: string | null };

function describeCall(c: AppContext, { keyId, tenant }: Who, call: RouteCall): AuditedCall {
  return {
    tenant: call.tenant ?? tenant ?? ALL_TENANTS,
    at: new Date().toISOString(),
    action: call.action,
    key_id: keyId,
    target: call.target === null ? null : call.target.slice(0, TARGET_CHARS),
    request_id: c.var.requestId,
  };
}

/** Runs the handler of a route as its rule demands. */
export async function runAudited(
  c: AppContext,
  caller: Caller,
  rule: AuditRule | undefined,
  input: { params: unknown; query: unknown; body: unknown },
  handler: (nameTarget: NameTarget) => Promise<Response>,
): Promise<Response> {
  if (rule === undefined || "exempt" in rule) return handler(() => {});
  if ("export" in rule) {
    if (isFurtherPage(input))
      count(c, caller, { action: rule.export, target: toTarget(c, {}), outcome: "ok" });
    return handler(() => {});
  }
  // ADMIN_KEY acts on a tenant that its call names.
  const tenant =
    caller.tenant ?? (await rule.tenant?.(c.env, input)) ?? readTenant(input.body) ?? readTenant(input.query);
  return recordCall(
    c,
    { ...caller, tenant },
    { action: rule.action, target: toTarget(c, input.query) },
    handler,
  );
}

/** Runs work as an audited call. */
export function recordCall<T>(
  c: AppContext,
  caller: Who,
  call: RouteCall,
  work: (nameTarget: NameTarget) => Promise<T>,
): Promise<T> {
  return auditCall(openDatabase(c.env.DB), describeCall(c, caller, call), work);
}

/** Counts a call that was refused for its key: by scope, by rate, or as it lies outside the binding. */
export function countRefusal(c: AppContext, caller: Caller, call: RouteCall, error: unknown): void {
  if (!(error instanceof FailureError)) return;
  const { code } = error.failure;
  const { status } = FAILURES[code];
  const isRefusal = status === 403 || status === 429 || (status === 404 && isBound(caller.binding));
  if (isRefusal) count(c, caller, { ...call, outcome: "refused", code });
}

/** Counts a call with a key that has ended. */
export function countExpiredKey(c: AppContext, { tenant, id }: { tenant: string; id: string }): void {
  const call = { action: "authenticate", target: null, outcome: "refused", code: "unauthorized" } as const;
  count(c, { tenant, keyId: id }, call);
}

type CountedCall = RouteCall &
  ({ outcome: "ok" } | { outcome: "refused"; code: FailureError["failure"]["code"] });

function count(c: AppContext, caller: Who, call: CountedCall): void {
  const { outcome } = call;
  const code = call.outcome === "ok" ? null : call.code;
  const counted = { ...describeCall(c, caller, call), outcome, code };
  c.executionCtx.waitUntil(countCall(openDatabase(c.env.DB), counted));
}

/** Only those who page through a list take it away: a first page is everyday use. */
function isFurtherPage({ query, body }: { query: unknown; body: unknown }): boolean {
  return [query, body].some((input) => typeof readField(input, "cursor") === "string");
}

/** Returns the path with the parameters that narrow or widen the call, such as the owner of what is erased. */
function toTarget(c: AppContext, query: unknown): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === null || value === false ? [] : [[name, String(value)]],
  );
  const path = c.req.path.replace(/^\/(v1\/)?/, "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

function readTenant(input: unknown): string | null {
  const tenant = readField(input, "tenant");
  return typeof tenant === "string" ? tenant : null;
}
