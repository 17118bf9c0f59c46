// The audit log at the edge of HTTP: which requests are recorded, for which tenant, and with which target.
import { isBound } from "../kernel/access";
import { openDatabase } from "../kernel/databases/d1";
import { FAILURES, FailureError } from "../kernel/errors";
import { sha256Hex } from "../kernel/hash";
import { readField } from "../kernel/json";
import { auditCall, countCall, type NameTarget } from "../trust/audit-calls";
import { ALL_TENANTS, type AuditedCall } from "../trust/audit-log";
import type { AppContext, Caller } from "./app-context";
import type { AuditRule } from "./document-route";

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
  { path, audit: rule }: { path: string; audit?: AuditRule | undefined },
  input: { params: unknown; query: unknown; body: unknown },
  handler: (nameTarget: NameTarget) => Promise<Response>,
): Promise<Response> {
  if (rule === undefined || "exempt" in rule) return handler(() => {});
  if ("export" in rule) {
    if (isFurtherPage(input)) {
      const target = fillPath(path, await listParameters(input.params));
      count(c, caller, { action: rule.export, target, outcome: "ok" });
    }
    return handler(() => {});
  }
  const { personal = [] } = rule;
  const hide = (name: string, value: string) =>
    personal.includes(name) ? hashId(caller.tenant, value) : value;
  // The parameters of the query narrow or widen the call, such as the owner of what is erased.
  const [params, query] = await Promise.all([
    listParameters(input.params, hide),
    listParameters(input.query, hide),
  ]);
  const target = `${fillPath(path, params)}${query.length === 0 ? "" : `?${new URLSearchParams(query)}`}`;
  // ADMIN_KEY acts on a tenant that its body or query names. One in the path is erased with its log, which the record of
  // the erasure is apart from.
  const tenant =
    caller.tenant ?? (await rule.tenant?.(c.env, input)) ?? readTenant(input.body) ?? readTenant(input.query);
  return recordCall(c, { ...caller, tenant }, { action: rule.action, target }, handler);
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
export function countRefusedCall(c: AppContext, caller: Caller, call: RouteCall, error: unknown): void {
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
  return [query, body].some(
    (input) => typeof readField(input, "cursor") === "string" || Number(readField(input, "page") ?? 1) > 1,
  );
}

type Parameter = [name: string, value: string];

/** Returns the validated parameters that are set, each as `show` shows it. */
function listParameters(
  parameters: unknown,
  show: (name: string, value: string) => Promise<string> | string = (_, value) => value,
): Promise<Parameter[]> {
  const given = Object.entries(parameters ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== false,
  );
  return Promise.all(
    given.map(async ([name, value]): Promise<Parameter> => [name, await show(name, String(value))]),
  );
}

/** Returns the path of a route with its parameters, without the version. */
function fillPath(path: string, parameters: readonly Parameter[]): string {
  return parameters.reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, () => encodeURIComponent(value)),
    path.replace(/^\/(v1\/)?/, ""),
  );
}

/** An erased person leaves no id behind. Whoever knows the id can compute the same hash. */
async function hashId(tenant: string | null, id: string): Promise<string> {
  return `sha256-${(await sha256Hex(`${tenant ?? ALL_TENANTS}/${id}`)).slice(0, 32)}`;
}

function readTenant(input: unknown): string | null {
  const tenant = readField(input, "tenant");
  return typeof tenant === "string" ? tenant : null;
}
