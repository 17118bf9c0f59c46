// The authorization endpoint: shows the consent page, and turns consent into a connection and an authorization code.
import {
  AuthorizationError,
  type AuthRequest,
  type ConsentDescription,
  type OAuthHelpers,
} from "@cloudflare/workers-oauth-provider";
import { FAILURES, FailureError } from "../../kernel/errors";
import { createConnection, createConnectionId, narrowKey } from "../../trust/keys/manage-connections";
import type { AppContext } from "../app-context";
import { recordCall } from "../audit-request";
import { authenticateKey } from "../authenticate";
import { limitAnonymous, limitRate } from "../rate-limit";
import {
  CONSENT_POLICY,
  type ConsentChoice,
  readConsentForm,
  renderConsent,
  renderProblem,
  renderReturn,
  suggestChoice,
  toBinding,
  toScopes,
} from "./consent-page";
import { openOAuthServer, toOAuthEnv } from "./oauth-server";
import { isLoopbackHost } from "./oauth-settings";

/** Each page that is shown, also after a wrong answer, is a write to KV before anybody has shown a key. */
const PAGES_PER_MINUTE = 30;
/** A client chooses its name: a longer one is cut, so that it cannot push the host off the page. */
const NAME_CHARS = 60;
/** The name of a connection has both, and at most the 128 characters of any key's name. */
const HOST_CHARS = 64;
/** Line breaks and characters that change the direction of text, or are not shown at all. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** GET: shows the consent page for a valid request, and refuses any other. */
export async function askConsent(c: AppContext): Promise<Response> {
  return explainFailures(c, async () => {
    limitAnonymous(c, "authorize", PAGES_PER_MINUTE, Date.now());
    const oauth = openOAuthServer(c).getOAuthApi(toOAuthEnv(c));
    const request = await oauth.parseAuthRequest(c.req.raw);
    // The library lets clients with a secret do without.
    if (!request.codeChallenge)
      throw new AuthorizationError("invalid_request", {
        ...request,
        description: "code_challenge is required",
      });
    return showConsent(oauth, request, { choice: suggestChoice(request.scope) });
  });
}

/** POST: the answer to the consent page. */
export async function answerConsent(c: AppContext): Promise<Response> {
  return explainFailures(c, async () => {
    limitAnonymous(c, "authorize", PAGES_PER_MINUTE, Date.now());
    const { handle, decision, key, ...choice } = await readConsentForm(c);
    const oauth = openOAuthServer(c).getOAuthApi(toOAuthEnv(c));
    if (decision === "deny") {
      const { redirectTo, headers } = await oauth.denyConsent(c.req.raw, handle);
      return returnToClient(c, redirectTo, headers);
    }
    // First, because it proves that this browser was shown the page. A handle works once: the next page has another.
    const { request, headers } = await oauth.approveConsent(c.req.raw, handle);
    try {
      return returnToClient(c, await connect(c, oauth, request, key.trim(), choice), headers);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      const { detail, code } = error.failure;
      // Another page would be one more write to KV.
      if (code === "rate_limited" || FAILURES[code].status >= 500) throw error;
      return showConsent(oauth, request, { choice, error: detail, status: FAILURES[code].status });
    }
  });
}

/** Creates the connection, and returns where the client gets its authorization code. */
async function connect(
  c: AppContext,
  oauth: OAuthHelpers,
  request: AuthRequest,
  key: string,
  choice: ConsentChoice,
): Promise<string> {
  const caller = await authenticateKey(c, key);
  await limitRate(caller, "write", c.var.settings.rateLimit, { limiter: c.env.KEY_LIMITER, now: Date.now() });
  const wanted = { scopes: toScopes(choice), binding: toBinding(choice) };
  const { scopes, tenant } = narrowKey(caller, wanted);
  const { clientName, redirectHost } = await describeClient(oauth, request);
  const id = createConnectionId();
  // A code without its connection is worthless and ends by itself. The other way round, a key would be listed.
  const { redirectTo } = await oauth.completeAuthorization({
    request,
    userId: id,
    scope: scopes,
    props: {},
    metadata: {},
    revokeExistingGrants: false,
  });
  // The end of a host tells whose it is.
  const name = `${clientName} (${redirectHost.slice(-HOST_CHARS)})`;
  await recordCall(
    c,
    { keyId: caller.keyId, tenant },
    { action: "oauth.connect", target: `keys/${id}` },
    () => createConnection(c.env, caller, id, { ...wanted, name }),
  );
  return redirectTo;
}

async function showConsent(
  oauth: OAuthHelpers,
  request: AuthRequest,
  { status = 200, ...shown }: { choice: ConsentChoice; error?: string; status?: number },
): Promise<Response> {
  const client = await describeClient(oauth, request);
  const { handle, headers } = await oauth.beginConsent(request);
  return respond(await renderConsent({ client, request, handle, ...shown }), status, headers);
}

async function describeClient(oauth: OAuthHelpers, request: AuthRequest): Promise<ConsentDescription> {
  const client = await oauth.describeConsent(request);
  const visible = client.clientName.replace(INVISIBLE, "").trim();
  return { ...client, clientName: visible.slice(0, NAME_CHARS).toWellFormed() || request.clientId };
}

/**
 * Sends the browser back to the client. Chrome applies `form-action` to every redirect that follows a form, so that a client
 * which passes the code on to an app (`claude://…`) would be blocked: browsers get a page that goes on by itself.
 */
async function returnToClient(c: AppContext, redirectTo: string, headers: Headers): Promise<Response> {
  if (c.req.header("Sec-Fetch-Mode") !== "navigate") {
    headers.set("Location", redirectTo);
    return new Response(null, { status: 302, headers });
  }
  headers.delete("Location");
  headers.set("Refresh", `0; url=${redirectTo}`);
  return respond(await renderReturn(new URL(redirectTo).host, redirectTo), 200, headers);
}

/**
 * Redirects an error to a client on the own machine of its user, and shows any other. Anyone can register an address: a redirect that nobody
 * has consented to would make this service an open redirector (RFC 9700, section 4.11.2).
 */
async function explainFailures(c: AppContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizationError) {
      const { redirectTo } = error;
      if (redirectTo !== undefined && isLoopbackHost(new URL(redirectTo).hostname))
        return c.redirect(redirectTo);
      return respond(await renderProblem(error.description), 400, new Headers());
    }
    if (!(error instanceof FailureError)) throw error;
    const { code, detail, retryAfterSeconds } = error.failure;
    const headers = new Headers(
      retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) },
    );
    return respond(await renderProblem(detail), FAILURES[code].status, headers);
  }
}

function respond(page: string | { toString(): string }, status: number, headers: Headers): Response {
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", CONSENT_POLICY);
  headers.set("Cache-Control", "no-store");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("X-Frame-Options", "DENY");
  return new Response(page.toString(), { status, headers });
}
