// The HTML of the consent page. All that a client chose is text: the template escapes it.

import type { AuthRequest, ConsentDescription } from "@cloudflare/workers-oauth-provider";
import { html } from "hono/html";
import type { Binding } from "../../kernel/access";
import { Id, UserId, z } from "../../kernel/common";
import { failure } from "../../kernel/errors";
import type { KeyScope } from "../../trust/keys/administration-schemas";
import type { AppContext } from "../app-context";
import { validate } from "../read-request";

type Markup = ReturnType<typeof html>;

/** No inline script, and forms that lead nowhere but here. */
export const CONSENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

type ConsentQuestion = {
  client: ConsentDescription;
  request: AuthRequest;
  /** Binds the form to this browser and to one use. */
  handle: string;
  /** What was chosen before, or what the client asked for. */
  choice: ConsentChoice;
  /** Why the last answer was refused. */
  error?: string;
};

export function renderConsent({ client, request, handle, choice, error }: ConsentQuestion): Markup {
  const { clientName, redirectHost, redirectIsLoopback } = client;
  const resource = [request.resource].flat().join(", ");
  const isChosen = (chosen: boolean) => (chosen ? html`checked` : "");
  return renderPage(
    `Connect ${clientName}`,
    html`<h1>Connect <span class="client">${clientName}</span> to Kioku</h1>
      <p>
        An app that calls itself <strong class="client">${clientName}</strong> asks for access to this memory. Access
        will be sent to <strong class="client">${redirectHost}</strong>.
      </p>
      ${
        redirectIsLoopback
          ? html`<p class="note note-warn">
              This is an app on your own computer. Go on only if you have just started to connect it.
            </p>`
          : html`<p class="soft">Anyone can choose a name. Go on only if you know ${redirectHost} and asked for this.</p>`
      }
      ${error === undefined ? "" : html`<p class="note note-danger" role="alert" id="error">${error}</p>`}
      <form method="post" action="/oauth/authorize" autocomplete="off">
        <input type="hidden" name="handle" value="${handle}" />
        <label class="field">
          <span class="field-label">Your Kioku key</span>
          <input
            type="password"
            name="key"
            required
            autocomplete="off"
            spellcheck="false"
            placeholder="kioku_…"
            aria-describedby="key-help"
          />
        </label>
        <p id="console-keys" hidden></p>
        <p class="soft" id="key-help">
          The app does not get the key. It gets access of its own, which you can end at any time, and which ends with
          the key.
        </p>
        <fieldset>
          <legend class="field-label">It may</legend>
          <label><input type="radio" name="access" value="read" ${isChosen(choice.access === "read")} /> read</label>
          <label
            ><input type="radio" name="access" value="write" ${isChosen(choice.access === "write")} /> read and
            write</label
          >
        </fieldset>
        <fieldset>
          <legend class="field-label">It sees</legend>
          <label
            ><input type="radio" name="bind" value="key" ${isChosen(choice.bind === "key")} /> everything that the key
            sees</label
          >
          <label
            ><input type="radio" name="bind" value="user" ${isChosen(choice.bind === "user")} /> only what belongs to one
            user</label
          >
          <label class="field bound-user">
            <span class="field-label">User id</span>
            <input name="user_id" value="${choice.user_id}" maxlength="128" spellcheck="false" autocapitalize="none" />
          </label>
          <label
            ><input type="radio" name="bind" value="project" ${isChosen(choice.bind === "project")} /> only what belongs
            to one project</label
          >
          <label class="field bound-project">
            <span class="field-label">Project id</span>
            <input name="project_id" value="${choice.project_id}" maxlength="128" spellcheck="false" autocapitalize="none" />
          </label>
        </fieldset>
        <p class="actions">
          <button class="button button-primary" name="decision" value="allow">Allow</button>
          <button class="button" name="decision" value="deny" formnovalidate>Deny</button>
        </p>
      </form>
      <p class="soft">Access to <code>${resource}</code></p>`,
  );
}

/** A page that the browser leaves at once for the client, with a link if it does not. */
export function renderReturn(host: string, redirectTo: string): Markup {
  return renderPage(
    "Going back",
    html`<h1>Going back to ${host}</h1><p><a href="${redirectTo}">Continue</a></p>`,
  );
}

export function renderProblem(message: string): Markup {
  return renderPage(
    "Not connected",
    html`<h1>This app could not be connected</h1>
      <p class="note note-danger" role="alert">${message}</p>
      <p>Go back to the app and start again.</p>`,
  );
}

function renderPage(title: string, content: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Kioku</title>
        <link rel="stylesheet" href="/oauth/consent.css" />
        <script src="/oauth/consent.js" type="module"></script>
      </head>
      <body>
        <main class="consent">${content}</main>
      </body>
    </html>`;
}

// Reads what a person chose on the consent page.

const ConsentForm = z.object({
  handle: z.string().min(1),
  decision: z.enum(["allow", "deny"]),
  key: z.string().default(""),
  access: z.enum(["read", "write"]).default("read"),
  bind: z.enum(["key", "user", "project"]).default("key"),
  user_id: z.string().default(""),
  project_id: z.string().default(""),
});

export type ConsentChoice = Pick<z.infer<typeof ConsentForm>, "access" | "bind" | "user_id" | "project_id">;

export async function readConsentForm(c: AppContext): Promise<z.infer<typeof ConsentForm>> {
  const form = await c.req.formData().catch(() => {
    throw failure("invalid_request", "Content-Type: must be application/x-www-form-urlencoded.");
  });
  return validate(ConsentForm, Object.fromEntries(form), "form");
}

/** Returns the initial choice: write access, which memory is of little use without, unless the client asks to read only. */
export function suggestChoice(scopes: readonly string[]): ConsentChoice {
  const asksToRead = scopes.includes("read") && !scopes.includes("write");
  return { access: asksToRead ? "read" : "write", bind: "key", user_id: "", project_id: "" };
}

export function toScopes({ access }: ConsentChoice): KeyScope[] {
  return access === "write" ? ["read", "write"] : ["read"];
}

/** Returns the owner that was chosen. Throws if its id is missing or malformed. */
export function toBinding({ bind, user_id, project_id }: ConsentChoice): Binding {
  switch (bind) {
    case "user":
      return { user_id: validateId("User id", UserId, user_id.trim()) };
    case "project":
      return { project_id: validateId("Project id", Id, project_id.trim()) };
    default:
      return {};
  }
}

function validateId(label: string, schema: typeof Id, value: string): string {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const message =
    value === ""
      ? "is missing: enter it, or choose everything that the key sees"
      : parsed.error.issues[0]?.message;
  throw failure("invalid_request", `${label} ${message}.`);
}
