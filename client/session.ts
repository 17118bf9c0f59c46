// The methods of one session.
import { createMethods, encodeSegment, formatQuery, type Query } from "./call";
import { List } from "./list";
import type { Operations, ThreadEntry, ThreadPage } from "./schema.generated";
import { createSignals } from "./signals";
import type { CallOptions, Transport } from "./transport";

export type SessionHandle = ReturnType<typeof createSessionHandle>;

export function createSessionHandle(transport: Transport, id: string) {
  const { call, bare, text, list } = createMethods(transport, { id });
  return {
    id,
    get: bare("GET /v1/sessions/{id}"),
    patch: call("PATCH /v1/sessions/{id}"),
    pause: bare("POST /v1/sessions/{id}/pause"),
    resume: bare("POST /v1/sessions/{id}/resume"),
    close: bare("POST /v1/sessions/{id}/close"),
    delete: call("DELETE /v1/sessions/{id}"),
    triples: bare("GET /v1/sessions/{id}/triples"),
    remember: call("POST /v1/sessions/{id}/remember"),
    recall: call("POST /v1/sessions/{id}/recall"),
    forget: call("POST /v1/sessions/{id}/forget"),
    assemble: call("POST /v1/sessions/{id}/assemble"),
    preflight: call("POST /v1/sessions/{id}/preflight"),
    turn: call("POST /v1/sessions/{id}/turns"),
    promote: bare("POST /v1/sessions/{id}/promote"),
    continuity: text("GET /v1/sessions/{id}/continuity", "text/markdown"),
    messages: {
      add: call("POST /v1/sessions/{id}/messages"),
      list: list("GET /v1/sessions/{id}/messages"),
    },
    context: {
      put: call("PUT /v1/sessions/{id}/context/{key}"),
      get: call("GET /v1/sessions/{id}/context/{key}"),
      list: list("GET /v1/sessions/{id}/context"),
      delete: bare("DELETE /v1/sessions/{id}/context/{key}"),
    },
    pending: {
      add: call("POST /v1/sessions/{id}/pending"),
      list: list("GET /v1/sessions/{id}/pending"),
    },
    /** The container of all cognitive spaces of the session. */
    memory: {
      get: bare("GET /v1/sessions/{id}/memory"),
      put: call("PUT /v1/sessions/{id}/memory"),
      patch: call("PATCH /v1/sessions/{id}/memory"),
    },
    spaces: {
      put: call("PUT /v1/sessions/{id}/spaces/{name}"),
      get: bare("GET /v1/sessions/{id}/spaces/{name}"),
      key: bare("GET /v1/sessions/{id}/spaces/{name}/keys/{key}"),
      ops: call("POST /v1/sessions/{id}/spaces/{name}/ops"),
      delete: call("DELETE /v1/sessions/{id}/spaces/{name}"),
    },
    tasks: {
      add: call("POST /v1/sessions/{id}/tasks"),
      list: list("GET /v1/sessions/{id}/tasks"),
      /** Returns the first open task; undefined if there is none. */
      next: bare("GET /v1/sessions/{id}/tasks/next"),
      complete: call("POST /v1/sessions/{id}/tasks/{task_id}/complete"),
      order: call("PUT /v1/sessions/{id}/tasks/order"),
      delete: call("DELETE /v1/sessions/{id}/tasks/{task_id}"),
    },
    thread: {
      append: call("POST /v1/sessions/{id}/thread"),
      list: createThreadList(transport, id),
    },
    projectors: {
      list: bare("GET /v1/sessions/{id}/projectors"),
      patch: call("PATCH /v1/sessions/{id}/projectors/{name}"),
      run: bare("POST /v1/sessions/{id}/projectors/{name}/run"),
    },
    directives: { send: call("POST /v1/sessions/{id}/directives") },
    signals: createSignals(transport, id),
  };
}

type ThreadQuery = Operations["GET /v1/sessions/{id}/thread"]["input"];

/** Creates the list of thread entries, which uses sequence numbers as cursors. */
function createThreadList(transport: Transport, id: string) {
  return (query: ThreadQuery = {}, options?: CallOptions) =>
    new List<ThreadEntry>(async ({ cursor, limit }) => {
      const page: Query = { ...query, from: cursor ?? query.from, limit: limit ?? query.limit };
      const path = `/v1/sessions/${encodeSegment("id", id)}/thread${formatQuery(page)}`;
      const { data, next_seq } = (await transport.send({ method: "GET", path }, options)) as ThreadPage;
      const ended = data.length === 0 || (query.to !== undefined && next_seq > query.to);
      return { data, next_cursor: ended ? null : String(next_seq) };
    });
}
