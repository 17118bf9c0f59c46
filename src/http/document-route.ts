// Registers a route in the OpenAPI document: operation id, schemas, examples and the problems it may return.

import { findExample, z } from "../kernel/common";
import type { Bindings } from "../kernel/env";
import type { Json } from "../kernel/json";
import type { MemoryCapability } from "../ontology/entity-classes";
import type { KeyScope } from "../trust/keys/administration-schemas";
import { MaskedCounts } from "../trust/privacy/privacy-schemas";
import type { QuotaKind } from "../trust/quotas";
import type { App, AppContext, Caller } from "./app-context";
import { listProblems, PUBLIC_HEADERS, RESPONSE_HEADERS } from "./common-responses";
import { BOOKMARK_HEADER, BookmarkToken } from "./read-bookmark";
import type { BodyTypes } from "./read-request";

export type Shape = z.ZodType;

/**
 * How a route is limited to the owner of a bound key:
 * - `open`: it returns nothing of the tenant.
 * - `owner`: the ids in its query or body are set to those of the key. The route must take all of them.
 * - `session`: the session in its path belongs to the owner. `first-write` also creates it for the owner.
 * - `memory`, `episode`: the one in its path belongs to the owner.
 * - `agent`, `project`, `user`: the one in its path is the owner.
 * - `handler`: the handler limits itself by `services.binding`.
 * - `refused`: the call is a 403, before its body is read.
 */
export type BindingRule =
  | "open"
  | "owner"
  | "session"
  | "first-write"
  | "memory"
  | "episode"
  | "agent"
  | "project"
  | "user"
  | "handler"
  | "refused";

/** A request that failed after its caller was authenticated. */
export type FailedRequest = {
  c: AppContext;
  caller: Caller;
  started: number;
  error: unknown;
};

/**
 * How the calls of a route appear in the audit log:
 * - `action`: each call has a record, written before it runs. Of the admin key, it belongs to the tenant that `tenant`
 *   returns, or that the body or the query names. The target has a hash in place of the parameters in `personal`, which
 *   may name a person.
 * - `export`: pages of a list after the first are counted under this action.
 * - `exempt`: calls have no record, for this reason.
 */
export type AuditRule =
  | {
      action: string;
      personal?: readonly string[];
      tenant?: (env: Bindings, input: { params: unknown }) => Promise<string | null> | string | null;
    }
  | { export: string }
  | { exempt: string };

/**
 * The quotas of a route that writes:
 * - a list: those that it uses, checked before its handler runs.
 * - `handler`: those that its handler checks, because only a part of the call may use them.
 * - `exempt`: it uses none, for this reason.
 */
export type QuotaRule = readonly QuotaKind[] | { handler: readonly QuotaKind[] } | { exempt: string };

type Responses = Readonly<Record<number, ResponseSpec>>;

/** Whoever deletes or administers is recorded: the types ask every such route for its rule. */
export type ReadRule = { scope?: KeyScope | "any"; audit?: AuditRule; responses: Responses };
export type WriteRule = { responses: Responses } & (
  | { scope?: Exclude<KeyScope, "admin"> | "any"; audit?: AuditRule }
  | { scope: "admin"; audit: AuditRule }
);
export type DeleteRule = { scope?: KeyScope | "any"; audit: AuditRule; responses?: Responses };

/** A route with its rules. `scope` is the scope that the key must have; "any" leaves the check to the handler. */
export type EndpointSpec = RouteSpec<Shape, Shape, Shape> & {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** In OpenAPI syntax: `/v1/sessions/{id}`. */
  path: string;
  /** The method name in generated clients. Stable across versions. */
  operationId: string;
  tag: string;
  scope: KeyScope | "any";
  audit?: AuditRule;
  /** By status code. */
  responses: Responses;
};

/** What a route declares: one object validates requests, documents the route and types its handler. */
export type RouteSpec<P extends Shape, Q extends Shape, B extends Shape> = {
  summary: string;
  description?: string;
  /**
   * The capability that the calling agent needs if it has any: the agent of the key, of the session or of the body. Tools
   * declare their own.
   */
  capability?: MemoryCapability;
  /** How the route serves a key that is bound to an owner. Without it, the route does not exist for such a key. */
  bound?: BindingRule;
  /** Every route that writes and does not delete has one. */
  quota?: QuotaRule;
  /**
   * The route filters rows of the store, and takes turns with the tenant's searches. Its handler must not search, since a
   * search takes a turn of its own.
   */
  limitsReads?: true;
  /** The response has a secret: only the key that made the call gets it again under its Idempotency-Key. */
  returnsSecret?: true;
  /** The response shows what is read with the key, which is therefore read for each call. */
  looksUpKey?: true;
  /** The name of the handler's time in the Server-Timing header. */
  stage?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Rejects a missing body, which otherwise counts as an empty object. */
  bodyRequired?: true;
  /** Parsers of media types that the body may have besides JSON; any other type is rejected. */
  bodyTypes?: BodyTypes;
  /** Documents a 404: the query or the body names a resource that may not exist. */
  mayBeMissing?: true;
  /** The request: its required query parameters, its JSON body, and its body in the other media types. */
  example?: {
    query?: Readonly<Record<string, string>>;
    body?: Json;
    text?: string | Readonly<Record<string, string>>;
  };
  /** Observes requests that fail, by validation or in the handler. The error is returned to the caller all the same. */
  onFailure?: (failed: FailedRequest) => Promise<void>;
};

export type ResponseSpec = {
  description: string;
  /** Null for a response without a JSON body. */
  schema: Shape | null;
  example?: Json;
  /** Media types besides JSON that the Accept header can ask for. */
  types?: readonly string[];
  /** Of all these types, or of each by its name. */
  exampleText?: string | Readonly<Record<string, Json>>;
};

export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
  .optional()
  .openapi({
    description:
      "A unique string of your choice. A repeated request with the same key within 24 hours has no further effect and " +
      "returns the first response, or if that is over 64 KB, its ids, revisions and counts; with another body or query it is a 409.",
  });

const IgnoredKey = IdempotencyKey.openapi({
  description: "Accepted and ignored: the call only reads, so a repeated request is answered anew.",
});

export function documentRoute({ openAPIRegistry }: App, spec: EndpointSpec): void {
  const { method, path, operationId, summary, description, tag, params, query, body, bodyTypes } = spec;
  const example = { ...(body && { body: findExample(body) }), ...spec.example };
  // A type of the body without an example of its own is one that is refused with an error of its own.
  const textTypes = typeof example.text === "object" ? Object.keys(example.text) : bodyTypes?.keys();
  const request = {
    ...(params && { params: addExamples(params, (name) => findPathExample(path, name)) }),
    ...(query && { query: addExamples(query, (name) => example.query?.[name]) }),
    ...describeHeaders(spec),
    ...(body && {
      body: {
        content: describeContent(body, example.body, textTypes, example.text),
        // A missing body counts as an empty object.
        required: spec.bodyRequired === true || !body.safeParse({}).success,
      },
    }),
  };
  openAPIRegistry.registerPath({
    method,
    path,
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    // The scope that the key needs; OpenAPI 3.1 has roles of other schemes than OAuth here.
    security: [{ bearer: spec.scope === "any" ? [] : [spec.scope] }],
    ...describeAudit(spec.audit),
    ...describeQuota(spec.quota),
    request,
    responses: { ...describeResponses(spec), ...listProblems(spec) },
  });
}

function describeHeaders({ method, scope }: { method: string; scope: KeyScope | "any" }) {
  const headers = {
    ...(method === "post" && { "Idempotency-Key": scope === "read" ? IgnoredKey : IdempotencyKey }),
    ...(scope === "read" && { [BOOKMARK_HEADER]: BookmarkToken }),
  };
  return Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) };
}

function describeAudit(rule: AuditRule | undefined) {
  if (rule === undefined) return {};
  if ("exempt" in rule) return { "x-audit-exempt": rule.exempt };
  return { "x-audit": "export" in rule ? rule.export : rule.action };
}

function describeQuota(rule: QuotaRule | undefined) {
  if (rule === undefined) return {};
  if ("exempt" in rule) return { "x-quota-exempt": rule.exempt };
  return { "x-quota": "handler" in rule ? rule.handler : rule };
}

function describeResponses({ scope, body, responses }: EndpointSpec) {
  const tellsMasked = scope === "write" && body !== undefined;
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema, example, types, exampleText }]) => {
      const shown = example ?? (schema === null ? undefined : findExample(schema));
      const content = describeContent(
        tellsMasked ? addMaskedCounts(schema) : schema,
        shown,
        types,
        exampleText,
      );
      const isEmpty = Object.keys(content).length === 0;
      return [status, { description, headers: RESPONSE_HEADERS, ...(isEmpty ? {} : { content }) }];
    }),
  );
}

/** The answer to a write tells what the privacy gate masked in it. */
function addMaskedCounts(schema: Shape | null): Shape | null {
  return schema instanceof z.ZodObject ? schema.and(z.object({ masked: MaskedCounts.optional() })) : schema;
}

function describeContent(
  schema: Shape | null,
  example: Json | undefined,
  textTypes: Iterable<string> = [],
  exampleText: ResponseSpec["exampleText"] = undefined,
) {
  return {
    ...(schema === null
      ? {}
      : { "application/json": { schema, ...(example === undefined ? {} : { example }) } }),
    ...Object.fromEntries(
      [...textTypes].map((type) => {
        const text = typeof exampleText === "object" ? exampleText[type] : exampleText;
        const shape = type.endsWith("+json") ? z.unknown() : z.string();
        return [type, { schema: shape, ...(text === undefined ? {} : { example: text }) }];
      }),
    ),
  };
}

/** Path and query schemas are always objects. */
function addExamples(parameters: Shape, findExample: (name: string) => string | undefined): z.ZodObject {
  const { shape } = parameters as unknown as z.ZodObject<Record<string, z.ZodType>>;
  const members = Object.entries(shape).map(([name, schema]) => {
    const example = findExample(name);
    return [name, example === undefined ? schema : schema.openapi({ param: { example } })];
  });
  return z.object(Object.fromEntries(members));
}

/** Examples of path parameters, by the end of the path up to the parameter. */
const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  "tenants/{tenant}": "acme",
  "sessions/{id}": "checkout-fix",
  "context/{key}": "framework",
  "spaces/{name}": "hypotheses",
  "keys/{key}": "cause",
  "tasks/{task_id}": "guest-test",
  "projectors/{name}": "facts",
  "mem0/v1/memories/{id}": "cba7dc502ec791d8f32ae808fe6261bd",
  "entities/{type}": "user",
  "{type}/{name}": "mia",
  "memories/{id}": "b924eb2b8ea1f386820e4e58919566bf",
  "links/{id}": "8ac6da3a4cfcb62da1645ee7fb360a9a",
  "contradictions/{id}": "8ac6da3a4cfcb62da1645ee7fb360a9a",
  "users/{id}": "mia",
  "episodes/{id}": "ep-guest-checkout",
  "patterns/{id}": "guest-checkout-needs-a-test",
  "agents/{agent_id}": "ada",
  "projects/{project_id}": "shop",
  "resources/{class}": "source_file",
  "{class}/{id}": "checkout-guest",
  "namespaces/{namespace}": "agent:ada",
  "skills/{slug}": "deploy-shop",
  "extensions/{name}": "operations",
  "ledgers/{agent_id}": "ada",
  "handoffs/{id}": "handoff-412",
  "webhooks/{id}": "wh_0123456789abcdef01234567",
  "deliveries/{delivery_id}": "evt_0123456789abcdef01234567_1",
  "keys/{id}": "key_f57b2c6f9a1c7c2d275d12ac",
};

function findPathExample(path: string, name: string): string | undefined {
  const [before = ""] = path.split(`{${name}}`);
  const match = Object.entries(PATH_EXAMPLES).find(([end]) => `${before}{${name}}`.endsWith(`/${end}`));
  return match?.[1];
}

// Routes that need no key.

type PublicRoute = {
  path: string;
  operationId: string;
  summary: string;
  type: string;
  schema: z.ZodType;
  example: Json;
  /** Examples of other media types that the Accept header selects. */
  otherTypes?: Readonly<Record<string, string>>;
  params?: z.ZodObject;
};

/** Registers and documents a GET without authentication, rate limit or input. */
export function publicRoute(
  app: App,
  { path, operationId, summary, type, schema, example, otherTypes = {}, params }: PublicRoute,
  handler: (c: AppContext) => Promise<Response>,
): void {
  const others = Object.entries(otherTypes).map(([other, text]) => [
    other,
    { schema: z.string(), example: text },
  ]);
  const content = { [type]: { schema, example }, ...Object.fromEntries(others) };
  app.openAPIRegistry.registerPath({
    method: "get",
    path: path.replace(/:(\w+)/g, "{$1}"),
    operationId,
    summary,
    ...(params === undefined ? {} : { request: { params } }),
    tags: ["Service"],
    security: [],
    responses: {
      200: { description: summary, headers: PUBLIC_HEADERS, content },
      // What a path names may not exist.
      ...(params === undefined ? {} : { 404: { $ref: "#/components/responses/NotFound" } }),
    },
  });
  app.get(path, handler);
}
