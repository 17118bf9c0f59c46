// Who may call what over the Model Context Protocol, and how a client learns where to get a key (RFC 9728, RFC 6750).
import { authenticate, authorise } from "../http/authenticate";
import type { AppContext, Caller, KeyScope } from "../http/context";
import { problemResponse } from "../http/problem-details";
import type { Tool } from "../operations/tools/tool";
import { FailureError } from "../platform/errors";

export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** `path` is that of the server. */
export function protectedResource(c: AppContext, path: string) {
  const { origin } = new URL(c.req.url);
  const { authorizationServers } = c.var.settings.mcp;
  return {
    resource: `${origin}${path}`,
    ...(authorizationServers.length === 0 ? {} : { authorization_servers: authorizationServers }),
    bearer_methods_supported: ["header"],
    scopes_supported: ["read", "write"] satisfies KeyScope[],
    resource_name: "Kioku",
    resource_documentation: `${origin}/docs`,
  };
}

const READS = ["resources/list", "resources/read", "prompts/get", "completion/complete"];

/** What a message needs of its key; null for what tells nothing of a tenant. */
export function scopeOf(
  message: { method?: unknown; params?: unknown },
  findTool: (name: string) => Tool | undefined,
): "read" | "write" | null {
  const { method, params } = message;
  if (method === "tools/call") {
    const name = (params as { name?: unknown } | undefined)?.name;
    return typeof name === "string" ? (findTool(name)?.scope ?? null) : null;
  }
  return READS.some((read) => read === method) ? "read" : null;
}

/** The caller, or the answer that says how to become one. */
export async function admit(c: AppContext): Promise<Caller | Response> {
  try {
    return await c.var.timing.measure("auth", () => authenticate(c));
  } catch (error) {
    const given = c.req.header("Authorization") !== undefined;
    return challenge(c, error, "unauthorized", given ? { error: "invalid_token" } : {});
  }
}

/** Null, or the answer that names the scope a key lacks. */
export function refuse(c: AppContext, caller: Caller, scope: KeyScope): Response | null {
  try {
    authorise(caller, scope);
    return null;
  } catch (error) {
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
  const told = Object.entries(members).map(([name, value]) => `${name}="${value}"`);
  response.headers.set("WWW-Authenticate", `Bearer ${told.join(", ")}`);
  return response;
}
