// The OAuth authorization server of this service: its issuer and endpoints, and how long its tokens live. Loaded when it is
// first used: a service without OAuth does not run the library.
import { OAuthAuthorizationServer, OAuthError } from "@cloudflare/workers-oauth-provider";
import type { Bindings } from "../../kernel/env";
import { type FailureError, failure } from "../../kernel/errors";
import { DAY_MS, SECOND_MS } from "../../kernel/time";
import { CONNECTION_IDLE_DAYS, extendConnection } from "../../trust/keys/manage-connections";
import type { AppContext } from "../app-context";
import { hasOAuth, OAUTH_PATHS, OAUTH_RESOURCES, OAUTH_SCOPES } from "./oauth-settings";

/** KV throws an error for longer names. */
const KV_NAME_BYTES = 512;
/** KV takes one write a second to the same entry; a margin for clocks is added. */
export const WRITE_INTERVAL_MS = 1_100;
/** For clients: other limits of KV last longer. */
const RETRY_SECONDS = 10;
const IDLE_SECONDS = (CONNECTION_IDLE_DAYS * DAY_MS) / SECOND_MS;

/** Opens the authorization server for the origin of this request, which is its issuer. */
export function openOAuthServer(c: AppContext): OAuthAuthorizationServer<Bindings> {
  if (!hasOAuth(c))
    throw failure(
      "not_configured",
      "OAuth needs https: use the https address of this service, or localhost.",
    );
  const { origin } = new URL(c.req.url);
  return new OAuthAuthorizationServer<Bindings>({
    issuer: origin,
    resources: OAUTH_RESOURCES.map((path) => `${origin}${path}`),
    defaultResource: `${origin}${OAUTH_RESOURCES[0]}`,
    authorizeEndpoint: `${origin}${OAUTH_PATHS.authorize}`,
    tokenEndpoint: `${origin}${OAUTH_PATHS.token}`,
    clientRegistrationEndpoint: `${origin}${OAUTH_PATHS.register}`,
    scopesSupported: [...OAUTH_SCOPES],
    // The library renews a registration that is used in its second half: a client never ends before its connections.
    clientRegistrationTTL: 2 * IDLE_SECONDS,
    refreshTokenTTL: IDLE_SECONDS,
    refreshTokenIdleTTL: IDLE_SECONDS,
    async tokenExchangeCallback({ userId, env }) {
      if (await extendConnection(env, userId)) return;
      // The library then revokes the grant.
      throw new OAuthError("invalid_grant", { description: "This connection has ended. Authorize again." });
    },
    onError({ status, code, internal }) {
      console.log(JSON.stringify({ event: "oauth.error", status, code, reason: internal.reason }));
    },
  });
}

/**
 * Returns the bindings for the library, which looks up the ids of clients, codes and tokens as they were sent. Names that are
 * too long for KV are not found, instead of failing the call. A write is tried twice. A call that KV does not answer, or
 * refuses because its limits are used up, fails as unavailable.
 */
export function toOAuthEnv(c: AppContext): Bindings {
  const kv = c.env.OAUTH_KV;
  if (kv === undefined) return c.env;
  const get = async (name: string, options: KVNamespaceGetOptions<undefined>) =>
    new TextEncoder().encode(name).byteLength > KV_NAME_BYTES ? null : kv.get(name, options);
  const OAUTH_KV = new Proxy(kv, {
    get(target, property) {
      const method = property === "get" ? get : Reflect.get(target, property);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) => {
        const call = () => Reflect.apply(method, target, args);
        try {
          return await (property === "put" ? retryOnce(call) : call());
        } catch {
          throw reportUnavailable();
        }
      };
    },
  });
  return { ...c.env, OAUTH_KV };
}

/** A fast client exchanges its code in the second in which consent has written the grant. */
async function retryOnce(write: () => unknown): Promise<unknown> {
  try {
    return await write();
  } catch {
    await scheduler.wait(WRITE_INTERVAL_MS);
    return write();
  }
}

/** Logs that KV failed. Its message can contain the name of an entry, and is not passed on. */
function reportUnavailable(): FailureError {
  console.error(
    JSON.stringify({ event: "oauth.error", status: 503, code: "unavailable", reason: "kv_failed" }),
  );
  return failure("unavailable", "The store of OAuth did not answer. Wait a moment and try again.", {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
