// The thread of a session, an append-only log, with the projectors that derive memory from it; directives, which run
// asynchronously, and the signals that report them: as a list, as server-sent events and over a WebSocket.

import type { App, AppContext, Caller } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { relaySocket, streamEvents } from "../../http/live-streams";
import { openStream } from "../../http/rate-limit";
import { validate } from "../../http/read-request";
import { boundedText, EmptyBody, Id, z } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import { requireQuota } from "../../trust/quotas";
import {
  Directive,
  DirectiveAccepted,
  ProjectorPatch,
  ProjectorRun,
  ProjectorView,
  SignalPage,
  SignalQuery,
  ThreadAppend,
  ThreadAppended,
  ThreadPage,
  ThreadQuery,
} from "./thread-schemas";

const ProjectorParams = z.object({ id: Id, name: boundedText(1, 128) });

export function threadRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Cognition", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/thread", "appendThread", {
    summary: "Append to the thread",
    quota: ["bytes"],
    bound: "first-write",
    body: ThreadAppend,
    responses: { 201: { description: "The sequence numbers of the entries", schema: ThreadAppended } },
    handle: async ({ services: { session, tenant }, params: { id }, body, idempotency }) =>
      unwrap(await session(id).appendThread({ tenant, id }, body.entries, idempotency)),
  });

  routes.get("/v1/sessions/{id}/thread", "readThread", {
    summary: "Read a range of the thread, oldest first",
    description: "`from` and `to` are inclusive. Continue with `from` = `next_seq`.",
    audit: { exempt: "an agent follows its session by sequence numbers all the time" },
    query: ThreadQuery,
    responses: { 200: { description: "Entries", schema: ThreadPage } },
    handle: async ({
      services: { session, tenant },
      params: { id },
      query: { from = 1, to = Number.MAX_SAFE_INTEGER, kind, limit },
    }) =>
      unwrap(
        await session(id).readThread(
          { tenant, id },
          { from, to, limit, ...(kind !== undefined && { kinds: [kind] }) },
        ),
      ),
  });

  routes.get("/v1/sessions/{id}/projectors", "listProjectors", {
    summary: "List the projectors and their progress",
    responses: {
      200: {
        description: "Projectors",
        schema: z.object({ data: z.array(ProjectorView) }),
      },
    },
    handle: async ({ services: { session, tenant }, params: { id } }) => ({
      data: unwrap(await session(id).listProjectors({ tenant, id })),
    }),
  });

  routes.patch("/v1/sessions/{id}/projectors/{name}", "updateProjector", {
    summary: "Change the trigger of a projector in this session",
    quota: { exempt: "It changes settings." },
    params: ProjectorParams,
    body: ProjectorPatch,
    responses: { 200: { description: "The projector", schema: ProjectorView } },
    handle: async ({ services: { session, tenant }, params: { id, name }, body }) =>
      unwrap(await session(id).patchProjector({ tenant, id }, name, body)),
  });

  routes.post("/v1/sessions/{id}/projectors/{name}/run", "runProjector", {
    summary: "Run a projector now, over the entries it has not covered",
    quota: { exempt: "It condenses entries that were accepted before." },
    params: ProjectorParams,
    body: EmptyBody,
    responses: { 200: { description: "The covered range", schema: ProjectorRun } },
    handle: async ({ services: { session, tenant }, params: { id, name }, idempotency }) =>
      unwrap(await session(id).runProjector({ tenant, id }, name, idempotency)),
  });
}

export function directiveRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Cognition", stage: "session" });

  routes.post("/v1/sessions/{id}/directives", "sendDirective", {
    summary: "Send a directive to a provider; a jido.memory.result signal reports the result",
    quota: { handler: ["bytes"] },
    body: Directive,
    responses: { 202: { description: "Accepted", schema: DirectiveAccepted } },
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
    query: SignalQuery,
    responses: { 200: { description: "Signals, oldest first", schema: SignalPage } },
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
