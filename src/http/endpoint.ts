// How a route is declared: its schemas validate, document and type it at once.
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Services } from "../operations/services";
import { failure, type Result, unwrap } from "../platform/errors";
import { sha256Hex } from "../platform/hash";
import type { Idempotency } from "../platform/idempotency";
import type { ProjectRpc } from "../project/project-rpc";
import { z } from "../schemas/common";
import type { SessionRpc } from "../session/session-rpc";
import { createStore } from "../store/store";
import { vectorsOf } from "../vectors/semantic-services";
import { authenticate, authorise } from "./authenticate";
import type { AppContext, AppEnv, Caller, KeyScope } from "./context";
import { type BodyTypes, readBodyAs } from "./media-types";
import { document, IdempotencyKey } from "./openapi/document-route";
import { limitRate } from "./rate-limit";
import { validate } from "./validate-input";

export type App = OpenAPIHono<AppEnv>;

const None = z.object({});
export type Shape = z.ZodType;

export type EndpointSpec<P extends Shape, Q extends Shape, B extends Shape> = {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** As in OpenAPI: `/v1/sessions/{id}`. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  /** What a key must allow; "any" leaves it to the handler. */
  scope: KeyScope | "any";
  params?: P;
  query?: Q;
  body?: B;
  /** Set where no body at all must not count as an empty object. */
  bodyRequired?: true;
  /** Media types beside JSON that a body may have, and how they are read; then any other one is refused. */
  bodyTypes?: BodyTypes;
  /** By status: what it means and its schema, null for one that is not JSON. `types`: as which text it is given, too. */
  answers: Record<number, { description: string; schema: Shape | null; types?: readonly string[] }>;
};

export type Request<P extends Shape, Q extends Shape, B extends Shape> = {
  c: AppContext;
  caller: Caller;
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  idempotency: Idempotency;
};

export function endpoint<
  P extends Shape = typeof None,
  Q extends Shape = typeof None,
  B extends Shape = typeof None,
>(app: App, spec: EndpointSpec<P, Q, B>, handler: (request: Request<P, Q, B>) => Promise<Response>): void {
  document(app, spec);
  app.on(spec.method.toUpperCase(), spec.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
    const { timing } = c.var;
    const caller = await timing.measure("auth", () => authenticate(c));
    if (spec.scope !== "any") authorise(caller, spec.scope);
    limitRate(caller, spec.scope === "read" ? "read" : "write", c.var.settings.rateLimit, Date.now());
    const params = validate(spec.params ?? None, c.req.param(), "path");
    const query = validate(spec.query ?? None, c.req.query(), "query");
    const { raw, value } =
      spec.body === undefined ? { raw: "", value: {} } : await readBodyAs(c, spec.bodyTypes);
    if (spec.bodyRequired === true && raw.trim() === "")
      throw failure("invalid_request", "The body is missing. Send one as JSON.", {
        errors: [{ path: "", message: "is required" }],
      });
    const body = validate(spec.body ?? None, value, "body");
    const idempotency = spec.method === "post" ? await idempotencyOf(c, raw) : null;
    // The schemas stand for P, Q and B or for their empty defaults; TypeScript cannot see that they agree.
    return handler({ c, caller, params, query, body, idempotency } as Request<P, Q, B>);
  });
}

async function idempotencyOf(c: AppContext, raw: string): Promise<Idempotency> {
  const header = c.req.header("Idempotency-Key");
  if (header === undefined) return null;
  const key = validate(
    z.object({ "Idempotency-Key": IdempotencyKey }),
    { "Idempotency-Key": header },
    "header",
  )["Idempotency-Key"];
  const [op, fingerprint] = await Promise.all([
    sha256Hex(`${c.req.method} ${c.req.path} ${key}`),
    sha256Hex(raw),
  ]);
  return { op, fingerprint };
}

/** A caller's tenant and everything that belongs to it. */
export function servicesOf(c: AppContext, caller: Caller): Services {
  const { tenant } = caller;
  if (tenant === null) {
    throw failure(
      "forbidden",
      "The admin key belongs to no tenant. Make a key for a tenant with POST /v1/keys and use that.",
    );
  }
  const now = () => Date.now();
  return {
    tenant,
    store: createStore(c.env.DB, tenant, {
      now,
      memoriesPerSession: c.var.settings.memoriesPerSession,
      vectors: vectorsOf(c.env, tenant),
    }),
    // The namespace knows nothing of the object's type; SessionRpc is what SessionObject implements.
    session: (id) => c.env.SESSIONS.getByName(`${tenant}/${id}`) as unknown as SessionRpc,
    // Likewise.
    project: (id) => c.env.PROJECTS.getByName(`${tenant}/${id}`) as unknown as ProjectRpc,
    async signals(id, after, key) {
      const query = new URLSearchParams({
        tenant,
        id,
        key,
        ...(after !== undefined && { after: `${after}` }),
      });
      const response = await c.env.SESSIONS.getByName(`${tenant}/${id}`).fetch(`https://session/?${query}`, {
        headers: { Upgrade: "websocket" },
      });
      return response.webSocket ?? unwrap((await response.json()) as Result<never>);
    },
    telemetry: c.var.telemetry,
    now,
    later: (work) => c.executionCtx.waitUntil(work),
  };
}
