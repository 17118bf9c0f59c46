// Access tokens of OAuth clients, as calls present them. The authorization server is loaded with the first token.
import { SECOND_MS } from "../../kernel/time";
import type { AppContext } from "../app-context";
import { hasOAuth, OAUTH_RESOURCES } from "./oauth-settings";

/** The id of a connection, that of its grant, and the secret. Keys have no colon. */
const ACCESS_TOKEN = /^key_[0-9a-f]{24}:[\w-]{1,64}:[\w-]{1,64}$/;

type AccessToken = {
  /** The key of the connection. */
  keyId: string;
  scopes: readonly string[];
  expiresAt: string | null;
};

/** Returns whether a secret has the shape of a token. */
export function isAccessToken(c: AppContext, secret: string): boolean {
  return ACCESS_TOKEN.test(secret) && hasOAuth(c);
}

/** Returns an access token that is valid for the resource of this request; null for any other. */
export async function readAccessToken(c: AppContext, token: string): Promise<AccessToken | null> {
  const resource = findResource(c.req.path);
  if (resource === null) return null;
  const { origin } = new URL(c.req.url);
  const { openOAuthServer, toOAuthEnv } = await import("./oauth-server");
  const valid = await openOAuthServer(c).validateToken(`${origin}${resource}`, token, toOAuthEnv(c));
  if (valid?.userId === undefined) return null;
  const { userId: keyId, scope = [], expiresAt } = valid;
  const end = expiresAt === undefined ? null : new Date(expiresAt * SECOND_MS).toISOString();
  return { keyId, scopes: scope, expiresAt: end };
}

function findResource(path: string): (typeof OAUTH_RESOURCES)[number] | null {
  return (
    OAUTH_RESOURCES.find(
      (resource) => path === resource || (resource === "/v1" && path.startsWith("/v1/")),
    ) ?? null
  );
}
