// Settings that the routes of OAuth share with the resources that it protects. OAuth is on when OAUTH_KV is bound.
import type { KeyScope } from "../../trust/keys/administration-schemas";
import type { AppContext } from "../app-context";

export const OAUTH_PATHS = {
  metadata: "/.well-known/oauth-authorization-server",
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
} as const;

/** The scopes that a connection can have. Administration is for keys alone. */
export const OAUTH_SCOPES = ["read", "write"] as const satisfies KeyScope[];

/** The protected resources. A token for one of them is refused by the others. */
export const OAUTH_RESOURCES = ["/mcp", "/mcp/graph", "/v1"] as const;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Returns whether clients can get tokens at the address of this request: over https, or on this machine. */
export function hasOAuth(c: AppContext): boolean {
  const { protocol, hostname } = new URL(c.req.url);
  return c.env.OAUTH_KV !== undefined && (protocol === "https:" || isLoopbackHost(hostname));
}
