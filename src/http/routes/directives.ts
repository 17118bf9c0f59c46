// Directives, which are carried out later, and the signals that answer them: as a list, as server-sent events, and
// as a WebSocket.
import { unwrap } from "../../platform/errors";
import { Directive, DirectiveAccepted, SignalPage, SignalQuery } from "../../schemas/cognition";
import { z } from "../../schemas/common";
import type { AppContext } from "../context";
import { type App, endpoint, servicesOf } from "../endpoint";
import { eventStream } from "../event-stream";
import { validate } from "../validate-input";
import { SessionParams } from "./sessions";

const TAG = "Cognition";

export function directiveRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/sessions/{id}/directives",
      summary: "Ask a provider for something; a jido.memory.result signal answers",
      tag: TAG,
      scope: "write",
      params: SessionParams,
      body: Directive,
      answers: { 202: { description: "Accepted", schema: DirectiveAccepted } },
    },
    async ({ c, caller, params: { id }, body, idempotency }) => {
      const { session, tenant } = servicesOf(c, caller);
      const work = () => session(id).acceptDirective({ tenant, id }, body, idempotency);
      return c.json(unwrap(await c.var.timing.measure("session", work)), 202);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/signals",
      summary: "Signals after a number: a page, or live",
      description:
        "With `Accept: text/event-stream` the answer stays open and goes on live; `Last-Event-ID` takes the place of " +
        "`after`. With `Upgrade: websocket` each signal is a text message.",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      query: SignalQuery,
      answers: { 200: { description: "Signals, oldest first", schema: SignalPage } },
    },
    async ({ c, caller, params: { id }, query: { after, limit } }) => {
      const { session, signals, tenant } = servicesOf(c, caller);
      if (c.req.header("Upgrade")?.toLowerCase() === "websocket") {
        const webSocket = await signals(id, after, caller.keyId);
        return new Response(null, { status: 101, webSocket });
      }
      if (c.req.header("Accept")?.includes("text/event-stream"))
        return eventStream(await signals(id, lastEventId(c) ?? after, caller.keyId));
      const work = () => session(id).listSignals({ tenant, id }, { after, limit });
      return c.json(unwrap(await c.var.timing.measure("session", work)));
    },
  );
}

/** What a client that comes back has seen. */
function lastEventId(c: AppContext): number | undefined {
  const header = c.req.header("Last-Event-ID");
  if (header === undefined || header === "") return undefined;
  const after = SignalQuery.shape.after;
  return validate(z.object({ "Last-Event-ID": after }), { "Last-Event-ID": header }, "header")[
    "Last-Event-ID"
  ];
}
