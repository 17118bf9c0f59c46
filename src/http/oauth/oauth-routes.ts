// The routes of OAuth. Without OAUTH_KV none of them exists.

import { type Failure, type FailureCode, FailureError, failure } from "../../kernel/errors";
import { deleteKey, findTenantOfKey } from "../../trust/keys/manage-keys";
import type { App, AppContext } from "../app-context";
import { recordCall } from "../audit-request";
import { problemResponse } from "../problem-details";
import { limitAddress, limitAnonymous } from "../rate-limit";
import { serveFile } from "../serve-assets";
import { OAUTH_PATHS } from "./oauth-settings";

/** A registration is a write to KV that needs no key. */
const REGISTRATIONS_PER_MINUTE = 10;
/** Far more than the metadata of any client. */
const REGISTRATION_BYTES = 8_192;

/** The error codes of OAuth. Clients go by them: after `server_error` they start a new authorization, and the person is asked again. */
const OAUTH_ERRORS: Partial<Record<FailureCode, string>> = {
  payload_too_large: "invalid_client_metadata",
  rate_limited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
};

export function oauthRoutes(app: App): void {
  const { metadata, register, token, authorize } = OAUTH_PATHS;
  const route = (method: string, path: string, handler: (c: AppContext) => Promise<Response>) =>
    app.on(method, path, (c, next) => (c.env.OAUTH_KV === undefined ? next() : handler(c)));
  const routeLimited: typeof route = (method, path, handler) =>
    route(method, path, async (c) => {
      try {
        await limitAddress(c, c.var.settings.addressLimit, Date.now());
        return await handler(c);
      } catch (error) {
        if (!(error instanceof FailureError)) throw error;
        return explainFailure(error.failure);
      }
    });

  for (const method of ["GET", "POST", "OPTIONS"]) {
    routeLimited(method, metadata, serve);
    routeLimited(method, register, method === "POST" ? registerClient : serve);
    routeLimited(method, token, method === "POST" ? exchangeToken : serve);
  }
  route("GET", authorize, async (c) => (await import("./authorize")).askConsent(c));
  route("POST", authorize, async (c) => (await import("./authorize")).answerConsent(c));
  route("GET", "/oauth/:file", (c) =>
    serveFile(c, {
      folder: "oauth",
      pattern: /^consent\.(js|css)$/,
      page: "The consent page is at /oauth/authorize.",
      cache: "no-cache",
    }),
  );
}

/** Returns problem details that also have the members of an OAuth error (RFC 6749, section 5.2), for pages of any origin. */
function explainFailure(failed: Failure): Response {
  const { code, detail } = failed;
  const response = problemResponse(failed, {
    error: OAUTH_ERRORS[code] ?? "server_error",
    error_description: detail,
  });
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set("Access-Control-Expose-Headers", "Retry-After");
  return response;
}

async function serve(c: AppContext): Promise<Response> {
  const { openOAuthServer, toOAuthEnv } = await import("./oauth-server");
  return openOAuthServer(c).fetch(c.req.raw, toOAuthEnv(c), c.executionCtx as ExecutionContext);
}

async function registerClient(c: AppContext): Promise<Response> {
  limitAnonymous(c, "register", REGISTRATIONS_PER_MINUTE, Date.now());
  const { byteLength } = await c.req.raw.clone().arrayBuffer();
  if (byteLength > REGISTRATION_BYTES)
    throw failure(
      "payload_too_large",
      `The metadata of a client may have ${REGISTRATION_BYTES} bytes, and has ${byteLength}. Leave out optional fields.`,
    );
  return serve(c);
}

/** Also revokes tokens (RFC 7009). A client that revokes its refresh token has ended its connection. */
async function exchangeToken(c: AppContext): Promise<Response> {
  // Not `text()`, which warns of media types that do not begin with `text/`.
  const form = new URLSearchParams(new TextDecoder().decode(await c.req.raw.clone().arrayBuffer()));
  const [keyId, grantId] = (form.get("token") ?? "").split(":");
  const isRevocation = !form.has("grant_type") && keyId !== undefined && grantId !== undefined;
  const { OAUTH_KV } = (await import("./oauth-server")).toOAuthEnv(c);
  const hasGrant = async () => (await OAUTH_KV?.get(`grant:${keyId}:${grantId}`)) != null;
  // Known before, because whoever names a grant that never existed ends nothing.
  const hadGrant = isRevocation && (await hasGrant());
  const response = await serve(c);
  if (hadGrant && !(await hasGrant())) await endConnection(c, keyId);
  return response;
}

async function endConnection(c: AppContext, id: string): Promise<void> {
  const tenant = await findTenantOfKey(c.env, id);
  if (tenant === null) return;
  const client = { tenant, keyId: id, scopes: [], expiresAt: null };
  await recordCall(c, client, { action: "oauth.disconnect", target: `keys/${id}` }, () =>
    deleteKey(c.env, client, id),
  );
}
