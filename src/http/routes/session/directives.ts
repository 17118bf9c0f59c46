// Directives, which run asynchronously, and the signals that report them: as a list, as server-sent events and over a
// WebSocket.
import { requireQuota } from "../../../domain/quotas";
import { unwrap } from "../../../platform/errors";
import { z } from "../../../schemas/common";
import { Directive, DirectiveAccepted, SignalPage, SignalQuery } from "../../../schemas/directive";
import type { App, AppContext, Caller } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { streamEvents } from "../../event-stream";
import { openStream } from "../../limit-streams";
import { validate } from "../../read-request";
import { relaySocket } from "../../relay-socket";
import { SessionParams } from "./sessions";

export function directiveRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Cognition", stage: "session" });

  routes.post("/v1/sessions/{id}/directives", "sendDirective", {
    summary: "Send a directive to a provider; a jido.memory.result signal reports the result",
    quota: { handler: ["bytes"] },
    params: SessionParams,
    body: Directive,
    example: {
      body: {
        type: "upsert",
        provider: "inline",
        request_id: "note-412",
        items: [{ key: "SHOP-412", value: { title: "Guest checkout fails" } }],
      },
    },
    responses: {
      202: { description: "Accepted", schema: DirectiveAccepted, example: { request_id: "note-412" } },
    },
    handle: async ({ services: { session, tenant, usage, quotas }, params: { id }, body, idempotency }) => {
      // Queries and deletions go on.
      if (body.type === "upsert") requireQuota(usage, quotas, ["bytes"]);
      return unwrap(await session(id).acceptDirective({ tenant, id }, body, idempotency));
    },
  });

  routes.get("/v1/sessions/{id}/signals", "listSignals", {
    summary: "List signals after a sequence number, or stream them",
    description:
      "With `Accept: text/event-stream` the response is a live stream, and `Last-Event-ID` replaces `after`. With " +
      "`Upgrade: websocket` each signal is a text message.",
    audit: { exempt: "an agent follows its session by sequence numbers all the time" },
    bound: "session",
    params: SessionParams,
    query: SignalQuery,
    responses: { 200: { description: "Signals, oldest first", schema: SignalPage, example: SIGNAL_PAGE } },
    handle: async ({
      c,
      caller,
      services: { session, signals, tenant },
      params: { id },
      query: { after, limit },
    }) => {
      if (c.req.header("Upgrade")?.toLowerCase() === "websocket") {
        const reader = { after, key: caller.keyId, acknowledges: false };
        return openLive(caller, () => signals(id, reader), relaySocket);
      }
      if (c.req.header("Accept")?.includes("text/event-stream")) {
        const reader = { after: readLastEventId(c) ?? after, key: caller.keyId, acknowledges: true };
        return openLive(caller, () => signals(id, reader), streamEvents);
      }
      return unwrap(await session(id).listSignals({ tenant, id }, { after, limit }));
    },
  });
}

/** Opens a stream that counts until it ends. */
async function openLive(
  caller: Caller,
  connect: () => Promise<WebSocket>,
  serve: (socket: WebSocket, onEnd: () => void) => Response,
): Promise<Response> {
  const release = openStream(caller);
  try {
    return serve(await connect(), release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Reads the last signal that a reconnecting client received. */
function readLastEventId(c: AppContext): number | undefined {
  const header = c.req.header("Last-Event-ID");
  if (header === undefined || header === "") return undefined;
  const after = SignalQuery.shape.after;
  return validate(z.object({ "Last-Event-ID": after }), { "Last-Event-ID": header }, "header")[
    "Last-Event-ID"
  ];
}

const SIGNAL_PAGE = {
  data: [
    {
      specversion: "1.0",
      id: "checkout-fix:1",
      source: "/v1/sessions/checkout-fix",
      type: "jido.memory.promoted",
      time: "2026-11-16T09:07:00.000Z",
      datacontenttype: "application/json",
      data: {
        promoted: [
          { memory_id: "16304ee22c42a268346723dde09797e6", memory_type: "fact", importance_score: 0.6725 },
          {
            memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
            memory_type: "discovery",
            importance_score: 0.655,
          },
        ],
      },
      seq: 1,
    },
    {
      specversion: "1.0",
      id: "checkout-fix:2",
      source: "/v1/sessions/checkout-fix",
      type: "jido.memory.result",
      time: "2026-11-16T09:19:00.000Z",
      datacontenttype: "application/json",
      data: {
        request_id: "note-412",
        result: { upserted: 1 },
        status: "ok",
        meta: { provider: "inline", latency_ms: 0, attempts: 1 },
      },
      seq: 2,
    },
  ],
  next: 2,
};
