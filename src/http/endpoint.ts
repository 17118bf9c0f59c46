// Declares routes. One spec validates requests, types the handler and documents the route in OpenAPI.

import { wrapTime } from "hono/timing";
import { requireCapability } from "../calls/require-capability";
import { liftQuotas } from "../calls/run-idempotent";
import type { OperationReply } from "../calls/tool";
import { isBound } from "../kernel/access";
import { Id, z } from "../kernel/common";
import { BookmarkTracker } from "../kernel/databases/bookmark-tracker";
import { failure } from "../kernel/errors";
import { sha256Hex } from "../kernel/hash";
import type { Idempotency } from "../kernel/idempotency";
import { isJsonObject } from "../kernel/json";
import { createServices, type Services } from "../services/services";
import type { NameTarget } from "../trust/audit-calls";
import type { KeyScope } from "../trust/keys/administration-schemas";
import type { MaskedCount } from "../trust/privacy/mask-values";
import { requireQuota } from "../trust/quotas";
import { withholdContent } from "../trust/withhold-content";
import type { App, AppContext, Caller } from "./app-context";
import { countRefusedCall, runAudited } from "./audit-request";
import { authenticate, authorise, noTenant, refuseRevoked } from "./authenticate";
import { bindRequest, requireRule } from "./bind-request";
import {
  type DeleteRule,
  documentRoute,
  type EndpointSpec,
  IdempotencyKey,
  type ReadRule,
  type RouteSpec,
  type Shape,
  type WriteRule,
} from "./document-route";
import { limitRate } from "./rate-limit";
import { openBookmarks } from "./read-bookmark";
import { readBodyAs, validate, validateBody } from "./read-request";

const None = z.object({});

type EndpointRequest<P extends Shape, Q extends Shape, B extends Shape> = {
  c: AppContext;
  caller: Caller;
  /** The caller's tenant and its stores. Reading it fails for the admin key, which has no tenant. */
  services: Services;
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  idempotency: Idempotency;
  /** Names the target of an audited call that only the handler knows. */
  nameTarget: NameTarget;
};

type Handle<P extends Shape, Q extends Shape, B extends Shape, R> = (
  request: EndpointRequest<P, Q, B>,
) => R | Promise<R>;

/**
 * What a route does: `handle` returns the JSON body of the route's first response, nothing for a 204, or a response of its
 * own. `reply` returns the body with its status.
 */
type RouteAction<P extends Shape, Q extends Shape, B extends Shape> =
  // biome-ignore lint/suspicious/noConfusingVoidType: the handler of a 204 may return nothing.
  | { handle: Handle<P, Q, B, Response | object | null | void>; reply?: never }
  | { reply: Handle<P, Q, B, OperationReply>; handle?: never };

type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never;
type IdParams<Path extends string> = z.ZodObject<{ [Name in ParamName<Path>]: typeof Id }>;

/** Declares a route. Without `params`, each parameter of its path is an id. */
type Declare<Rule> = <
  Path extends string,
  P extends Shape = IdParams<Path>,
  Q extends Shape = typeof None,
  B extends Shape = typeof None,
>(
  path: Path,
  operationId: string,
  route: RouteSpec<P, Q, B> & Rule & RouteAction<P, Q, B>,
) => void;

/** What the routes of a resource have in common, unless a route declares otherwise. */
type RouteDefaults = Pick<EndpointSpec, "tag" | "stage" | "bound" | "capability">;

type RouteGroup = {
  get: Declare<ReadRule>;
  post: Declare<WriteRule>;
  put: Declare<WriteRule>;
  patch: Declare<WriteRule>;
  delete: Declare<DeleteRule>;
};

/** Declares the routes of a resource. A GET needs the scope `read`, every other route `write`, unless it says otherwise. */
export function groupRoutes(app: App, common: RouteDefaults): RouteGroup {
  const declare = (method: EndpointSpec["method"]): Declare<ReadRule> => {
    const scope = method === "get" ? "read" : "write";
    return (path, operationId, { handle, reply, ...route }) => {
      const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => [name, Id]);
      const params = ids.length === 0 ? {} : { params: z.object(Object.fromEntries(ids)) };
      const spec: EndpointSpec = { ...common, scope, ...params, ...route, method, path, operationId };
      const status = Number(Object.keys(spec.responses)[0]) as 200 | 201 | 202 | 204;
      registerRoute(app, spec, async (request) => {
        // The schemas of the spec are P, Q and B, or their empty defaults.
        const given = request as Parameters<NonNullable<typeof handle>>[0];
        const answer = reply === undefined ? { status, body: await handle(given) } : await reply(given);
        if (answer.body instanceof Response) return answer.body;
        if (answer.status === 204) return request.c.body(null, 204);
        return request.c.json(answer.body ?? null, answer.status);
      });
    };
  };
  return {
    get: declare("get"),
    post: declare("post"),
    put: declare("put"),
    patch: declare("patch"),
    delete: (path, id, route) => declare("delete")(path, id, { responses: DELETED, ...route }),
  };
}

const DELETED = { 204: { description: "Deleted", schema: null } };

/** Registers a route: authenticates, authorises, applies the rate limit and validates before the handler runs. */
function registerRoute(
  app: App,
  spec: EndpointSpec,
  handler: (request: EndpointRequest<Shape, Shape, Shape>) => Promise<Response>,
): void {
  documentRoute(app, spec);
  const action = spec.audit !== undefined && "action" in spec.audit ? spec.audit.action : null;
  const serve = async (c: AppContext, caller: Caller, onRun: () => void): Promise<Response> => {
    if (spec.scope !== "any") authorise(caller, spec.scope);
    if (isBound(caller.binding)) requireRule(spec);
    await limitRate(caller, spec.scope === "read" ? "read" : "write", c.var.settings.rateLimit, {
      limiter: c.env.KEY_LIMITER,
      now: Date.now(),
    });
    c.set("bookmarks", openBookmarks(c, caller.tenant, { onlyReads: spec.scope === "read" }));
    const params = validate(spec.params ?? None, c.req.param(), "path");
    const query = validate(closeQuery(spec), readQuery(c, spec), "query");
    const { raw, value } =
      spec.body === undefined ? { raw: "", value: {} } : await readBodyAs(c, spec.bodyTypes);
    if (spec.bodyRequired === true && raw.trim() === "")
      throw failure("invalid_request", "The body is missing. Send one as JSON.", {
        errors: [{ path: "", message: "is required" }],
      });
    const body = validateBody(spec.body ?? None, value, caller.ontology);
    const key = spec.method === "post" ? await readIdempotencyKey(c, caller, spec, raw) : null;
    // A call that only reads has nothing to do once, and stores nothing.
    const idempotency = spec.scope === "read" ? null : key;
    const bound = isBound(caller.binding)
      ? await bindRequest(openServices(c, caller), spec, {
          params: params as object,
          query: query as object,
          body,
        })
      : { query, body };
    const actor = readActor(caller, spec.path, params, body);
    if (spec.capability !== undefined)
      await requireCapability(openServices(c, caller), spec.capability, actor);
    const lifted =
      spec.quota === undefined || idempotency === null || caller.tenant === null
        ? null
        : await liftQuotas(openServices(c, caller), idempotency, actor.session_id);
    if (spec.quota !== undefined && !("exempt" in spec.quota) && !("handler" in spec.quota))
      requireQuota((lifted ?? caller).usage, c.var.settings.quotas, spec.quota);
    const run = (nameTarget: NameTarget) => {
      onRun();
      const request = {
        c,
        caller,
        get services() {
          return lifted ?? openServices(c, caller);
        },
        params,
        ...bound,
        idempotency,
        nameTarget,
      } as EndpointRequest<Shape, Shape, Shape>;
      const handled = spec.limitsReads === true ? handleLimited(request, handler) : handler(request);
      return spec.stage === undefined ? handled : wrapTime(c, spec.stage, handled);
    };
    const response = await runAudited(c, caller, spec, { params, query, body }, run);
    const shown =
      spec.scope === "write" && !caller.scopes.includes("read") ? await withholdStored(response) : response;
    return addMasked(shown, c.var.masked.take());
  };
  const answer = async (c: AppContext, caller: Caller, started: number): Promise<Response> => {
    let isRecorded = false;
    try {
      return await serve(c, caller, () => {
        isRecorded = action !== null;
      });
    } catch (error) {
      if (!isRecorded)
        countRefusedCall(c, caller, { action: action ?? spec.operationId, target: spec.path }, error);
      await spec.onFailure?.({ c, caller, started, error });
      throw error;
    }
  };
  // The keys of administrators and of recorded calls are read for each call.
  const mayRemember =
    (spec.scope === "read" || spec.scope === "write") && action === null && spec.looksUpKey !== true;
  app.on(spec.method.toUpperCase(), spec.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
    const started = Date.now();
    const caller = await wrapTime(c, "auth", authenticate(c, mayRemember));
    const { check } = caller;
    if (check === null) return answer(c, caller, started);
    // The check decides, even if the handler has turned its failure into an answer.
    const [answered] = await Promise.allSettled([answer(c, caller, started)]);
    if (check.state() === "revoked") throw await refuseRevoked(c);
    if (check.state() === "changed") {
      c.var.masked.take();
      return answer(c, await authenticate(c), started);
    }
    if (answered.status === "rejected") throw answered.reason;
    return answered.value;
  });
}

/** Runs a handler when the tenant's limits on reads allow it. The services are opened once, so that they count its time. */
function handleLimited<R extends { services: Services }>(
  request: R,
  handler: (request: R) => Promise<Response>,
): Promise<Response> {
  const { services } = request;
  return services.limitReads(() => handler({ ...request, services }));
}

/** mem0's clients send parameters of their own. */
const isLenient = (path: string) => path.startsWith("/mem0/");

/** Returns the schema of a query that refuses unknown parameters: a filter with a typo would list more than was meant. */
function closeQuery({ query = None, path }: QueryRoute): Shape {
  const isOpen = !(query instanceof z.ZodObject) || query.def.catchall !== undefined;
  return isOpen || isLenient(path) ? query : query.strict();
}

type QueryRoute = { query?: Shape | undefined; path: string };

/**
 * Reads the query. A parameter whose schema is a list may be repeated. Refuses any other one that is repeated, of which
 * only one value would count.
 */
function readQuery(c: AppContext, { query, path }: QueryRoute): Record<string, string | string[]> {
  const values = c.req.queries();
  const lists = query instanceof z.ZodObject ? listRepeatable(query) : [];
  const repeated = Object.entries(values).filter(([name, all]) => all.length > 1 && !lists.includes(name));
  if (repeated.length > 0 && !isLenient(path)) {
    const errors = repeated.map(([name]) => ({
      path: name,
      message: "is given more than once: send one value",
    }));
    throw failure("invalid_request", errors.map((one) => `${one.path}: ${one.message}`).join("; "), {
      errors,
    });
  }
  const given = lists.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  return { ...c.req.query(), ...Object.fromEntries(given) };
}

/** Lists the fields that are arrays. */
function listRepeatable({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((name) => {
    const field: unknown = shape[name];
    return (field instanceof z.ZodOptional ? field.unwrap() : field) instanceof z.ZodArray;
  });
}

/** Returns the response for a key that may not read: ids, revisions and counts, never stored content. */
async function withholdStored(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  const body: unknown = isJson ? await response.json() : {};
  return Response.json(withholdContent(isJsonObject(body) ? body : {}), response);
}

/** Returns the session and the agent of a request, by which its acting agent is known. */
function readActor({ binding }: Caller, path: string, params: unknown, body: unknown) {
  const read = (source: unknown, field: string) => {
    const value = isJsonObject(source) ? source[field] : undefined;
    return typeof value === "string" ? value : null;
  };
  const session_id = path.startsWith("/v1/sessions/{id}/") ? read(params, "id") : read(body, "session_id");
  return { session_id, agent_id: binding.agent_id ?? read(body, "agent_id") };
}

/**
 * The keys of a bound caller are its own, and so are those of one that may not read: it must not get others' answers. Those
 * of administrators and of calls with a secret are, because another key may have no right to the secret.
 */
async function readIdempotencyKey(
  c: AppContext,
  { keyId, binding, scopes }: Caller,
  { scope, returnsSecret }: { scope: KeyScope | "any"; returnsSecret?: true },
  raw: string,
): Promise<Idempotency> {
  const header = c.req.header("Idempotency-Key");
  if (header === undefined) return null;
  const key = validate(
    z.object({ "Idempotency-Key": IdempotencyKey }),
    { "Idempotency-Key": header },
    "header",
  )["Idempotency-Key"];
  const isOwn = isBound(binding) || !scopes.includes("read") || scope === "admin" || returnsSecret === true;
  // A parameter, such as the project of a skill, makes another call of it.
  const { search } = new URL(c.req.url);
  const [op, fingerprint] = await Promise.all([
    sha256Hex(`${isOwn ? `${keyId} ` : ""}${c.req.method} ${c.req.path} ${key}`),
    sha256Hex(raw + search),
  ]);
  return { op, fingerprint };
}

/** Adds what the call masked to a JSON object. */
async function addMasked(response: Response, masked: readonly MaskedCount[]): Promise<Response> {
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  if (masked.length === 0 || !isJson) return response;
  const body: unknown = await response.json();
  return new Response(JSON.stringify(isJsonObject(body) ? { ...body, masked } : body), response);
}

/** Opens the services of the caller's tenant. */
export function openServices(c: AppContext, caller: Caller): Services {
  const { tenant } = caller;
  if (tenant === null) throw noTenant();
  const { settings, telemetry } = c.var;
  return createServices(c.env, tenant, {
    memoriesPerSession: settings.memoriesPerSession,
    keyId: caller.keyId,
    binding: caller.binding,
    hasCapabilities: caller.hasCapabilities,
    canRead: caller.scopes.includes("read"),
    canWrite: caller.scopes.includes("write"),
    usage: caller.usage,
    quotas: settings.quotas,
    privacy: caller.privacy,
    ontology: caller.ontology,
    check: caller.check,
    masked: c.var.masked,
    // An administrator acts on tenants that it is not of.
    bookmarks: c.var.bookmarks?.tenant === tenant ? c.var.bookmarks : new BookmarkTracker(tenant),
    telemetry,
    later: (work) => c.executionCtx.waitUntil(work),
  });
}
