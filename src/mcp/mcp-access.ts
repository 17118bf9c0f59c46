// Access to the MCP servers: authentication and scopes with OAuth challenges and metadata (RFC 9728, RFC 6750), allowed
// origins, and the default owner that a client sets by headers.
import { localhostAllowedHostnames } from "@modelcontextprotocol/server";
import { wrapTime } from "hono/timing";
import { bindOwner, fillOwnerIds } from "../calls/call-access";
import { requireCapability } from "../calls/require-capability";
import type { Tool } from "../calls/tool";
import type { AppContext, Caller } from "../http/app-context";
import { authenticate, authorise } from "../http/authenticate";
import { hasOAuth, OAUTH_SCOPES } from "../http/oauth/oauth-settings";
import { problemResponse } from "../http/problem-details";
import { validate } from "../http/read-request";
import type { Binding, Owner } from "../kernel/access";
import { Id, OwnerIds, UserId, z } from "../kernel/common";
import { FailureError, failure, unwrap } from "../kernel/errors";
import { type JsonObject, readField } from "../kernel/json";
import type { Services } from "../services/services";
import { reportFailedCall } from "../tools/execute-tool-call";
import type { KeyScope } from "../trust/keys/administration-schemas";

/** The tenant's services, and the owner that the client pins its calls to. */
export type McpRequest = {
  services: Services;
  requestId: string;
  /** The ids of the headers. Arguments may narrow them and never replace them. */
  pins: Binding;
  /** Runs work as a call that the audit log records. */
  record: <T>(action: string, target: string, work: () => Promise<T>) => Promise<T>;
  /** Opens the services with a narrower binding. */
  bindServices: (binding: Binding) => Services;
};

/** What a client sees as resources and prompts. */
export type McpView = {
  /** Bound to what the client is pinned to. */
  services: Services;
  /** The pinned session: no other one is seen. */
  session: string | null;
  /** The session whose memories alone are seen. */
  memoriesOf: string | null;
};

export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Reports a message that is rejected before it reaches its tool. */
export function reportRejectedMessage(
  c: AppContext,
  { tenant }: Caller,
  message: { method?: unknown; params?: unknown },
  failed: { started: number; error: unknown },
): void {
  const tool = readField(message.params, "name");
  if (tenant === null || message.method !== "tools/call" || typeof tool !== "string") return;
  const session_id =
    c.req.header(OWNER_HEADERS.session_id) ?? readField(readField(message.params, "arguments"), "session_id");
  reportFailedCall(c.var.telemetry, { ...failed, tenant, tool, session_id });
}

/** Returns the OAuth metadata of the server at `path`. */
export function describeProtectedResource(c: AppContext, path: string) {
  const { origin } = new URL(c.req.url);
  const authorizationServers = [...(hasOAuth(c) ? [origin] : []), ...c.var.settings.mcp.authorizationServers];
  return {
    resource: `${origin}${path}`,
    ...(authorizationServers.length === 0 ? {} : { authorization_servers: authorizationServers }),
    bearer_methods_supported: ["header"],
    scopes_supported: OAUTH_SCOPES,
    resource_name: "Kioku",
    resource_documentation: `${origin}/docs`,
  };
}

/** Methods that return data of the tenant. */
const READ_METHODS = ["resources/list", "resources/read", "prompts/get", "completion/complete"];

/** Returns the scope that a message needs; null if its result is the same for every tenant. */
export function requiredScope(
  message: { method?: unknown; params?: unknown },
  findTool: (name: string) => Tool | undefined,
): "read" | "write" | null {
  const { method, params } = message;
  if (method === "tools/call") {
    const name = (params as { name?: unknown } | undefined)?.name;
    return typeof name === "string" ? (findTool(name)?.scope ?? null) : null;
  }
  return READ_METHODS.some((read) => read === method) ? "read" : null;
}

/** Returns the caller, or a 401 with a challenge. */
export async function authenticateMcp(c: AppContext): Promise<Caller | Response> {
  try {
    return await wrapTime(c, "auth", authenticate(c));
  } catch (error) {
    const hasKey = c.req.header("Authorization") !== undefined;
    return challenge(c, error, "unauthorized", {
      ...(hasKey && { error: "invalid_token" }),
      ...(hasOAuth(c) && { scope: OAUTH_SCOPES.join(" ") }),
    });
  }
}

/** Returns null, or a 403 with a challenge that names the missing scope, after `onFailure` has seen the error. */
export function authoriseMcp(
  c: AppContext,
  caller: Caller,
  scope: KeyScope,
  onFailure: (error: unknown) => void,
): Response | null {
  try {
    authorise(caller, scope);
    return null;
  } catch (error) {
    onFailure(error);
    return challenge(c, error, "forbidden", { error: "insufficient_scope", scope });
  }
}

function challenge(
  c: AppContext,
  error: unknown,
  code: "unauthorized" | "forbidden",
  more: Record<string, string>,
): Response {
  if (!(error instanceof FailureError) || error.failure.code !== code) throw error;
  const response = problemResponse(error.failure);
  const { origin } = new URL(c.req.url);
  const members = { resource_metadata: `${origin}${METADATA_PATH}${c.req.path}`, ...more };
  const parameters = Object.entries(members).map(([name, value]) => `${name}="${value}"`);
  response.headers.set("WWW-Authenticate", `Bearer ${parameters.join(", ")}`);
  return response;
}

/**
 * Returns whether a page of this origin may call. With DNS rebinding a page sends its own name as Host and as Origin, so
 * that a match of the two is proof only over TLS or on the loopback interface.
 */
export function isAllowedOrigin(origin: string, url: string, allowed: readonly string[]): boolean {
  const own = new URL(url);
  const isTrusted = own.protocol === "https:" || localhostAllowedHostnames().includes(own.hostname);
  return allowed.includes(origin) || (isTrusted && origin === own.origin);
}

const OWNER_HEADERS = {
  session_id: "Kioku-Session-Id",
  user_id: "Kioku-User-Id",
  agent_id: "Kioku-Agent-Id",
  project_id: "Kioku-Project-Id",
} as const satisfies Record<keyof Owner, string>;

const OwnerHeaders = z.object(
  Object.fromEntries(
    Object.entries(OWNER_HEADERS).map(([field, name]) => [
      name,
      (field === "user_id" ? UserId : Id).optional(),
    ]),
  ),
);

/** Reads the owner that a client is configured for, so that its model need not name it and cannot name another. */
export function readPins(c: AppContext, { binding }: Caller): Binding {
  const headers = Object.entries(OWNER_HEADERS).flatMap(([field, name]) => {
    const value = c.req.header(name);
    return value === undefined ? [] : [{ field, name, value }];
  });
  validate(OwnerHeaders, Object.fromEntries(headers.map(({ name, value }) => [name, value])), "header");
  const pins: Binding = Object.fromEntries(headers.map(({ field, value }) => [field, value]));
  return { ...fillOwnerIds(binding, OwnerIds, pins), ...binding };
}

/** Resolves what a client sees: the owner it is pinned to, and within a pinned session what that session reaches. */
export async function resolveView({ services, pins, bindServices }: McpRequest): Promise<McpView> {
  const { session_id: id, ...binding } = pins;
  const actor = { session_id: id ?? null, agent_id: pins.agent_id ?? null };
  await requireCapability(services, "CanQueryMemory", actor);
  if (id === undefined) return { services: bindServices(binding), session: null, memoriesOf: null };
  const { tenant, session } = services;
  const settings = unwrap(await session(id).getSettings({ tenant, id }));
  const reach = settings?.reach ?? "session";
  if (reach === "session") return { services: bindServices(binding), session: id, memoriesOf: id };
  const own = reach === "tenant" ? {} : { [`${reach}_id`]: settings?.[`${reach}_id`] ?? undefined };
  return { services: bindServices({ ...own, ...binding }), session: id, memoriesOf: null };
}

/** Returns the owner of a tool call with the pinned ids, and its input with them. */
export async function pinToolCall(
  { services, pins }: McpRequest,
  tool: Tool,
  named: { owner: Required<Owner>; input: JsonObject },
): Promise<{ owner: Required<Owner>; input: JsonObject }> {
  const { session_id, ...binding } = pins;
  const owner = { ...named.owner, session_id: session_id ?? named.owner.session_id };
  if (named.owner.session_id !== null && owner.session_id !== named.owner.session_id)
    throw failure(
      "forbidden",
      `session_id: this client is pinned to the session "${session_id}". Leave it out.`,
    );
  return {
    owner: await bindOwner(services, binding, owner),
    input: fillOwnerIds(binding, tool.input, named.input),
  };
}
