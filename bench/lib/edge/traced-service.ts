// Starts the service with traced bindings, and talks to it: calls, latencies, and what was recorded.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import wrangler from "wrangler";
import type { LocalServer } from "../../../scripts/lib/local-server.ts";
import { root } from "../../../scripts/lib/repository.ts";
import { createKey, startWorker } from "../benchmark-servers.ts";
import type { Call } from "../connection.ts";
import { readDatabaseId } from "../load/load-memories.ts";
import type { Latencies, TraceEvent } from "./critical-path.ts";

const POLL_MS = 15;
/** So many equal readings in a row mean that nothing is under way. */
const QUIET_READINGS = 3;
/** An alarm that is due sooner belongs to the call before it; a later one is run on demand. */
const SOON_MS = 3_000;
/** Later alarms are no effect of a call alone: sessions expire, and idle projects are consolidated after ten minutes. */
const LATER_MS = 9 * 60_000;

/** The usage of the objects' own storage, and the requests that objects received. */
export interface ObjectUsage {
  rowsRead: number;
  rowsWritten: number;
  requests: number;
  /** Rows written, by object and statement. */
  statements: Record<string, number>;
}

export interface RecordedTrace {
  events: TraceEvent[];
  usage: ObjectUsage;
  /** How many trips and tasks are under way. */
  pending: number;
  /** When the alarms that are set are due, in milliseconds from now. */
  alarms: number[];
}

export interface EdgeCall extends Call {
  headers?: Record<string, string>;
}

export interface TracedService extends LocalServer {
  /** Sends a call that must succeed, and returns its body. */
  send<T>(call: EdgeCall): Promise<T>;
  /** Sends a call with the admin key. */
  sendAsAdmin<T>(call: EdgeCall): Promise<T>;
  setLatencies(latencies: Latencies): Promise<void>;
  /** Waits until the work after the answers is over. */
  settle(): Promise<void>;
  /**
   * Runs the alarms that were set since the last time for the next minutes, such as that of a flush, and waits for
   * their work.
   */
  runLaterAlarms(): Promise<void>;
  /** Returns what was recorded since the last take. */
  take(): Promise<RecordedTrace>;
}

export async function startTracedService(
  persist: string,
  bindings: { CLOUD?: string } = {},
): Promise<TracedService> {
  const adminKey = randomBytes(32).toString("hex");
  const objects = readObjectClasses();
  const server = await startWorker("tracing-service.ts", {
    persist,
    // workerd finds a class by its export, and the classes stand in wrangler.toml.
    source: [
      'import * as service from "./src/index.ts";',
      'import { traceObject } from "./bench/workers/tracing-service.ts";',
      'export { default } from "./bench/workers/tracing-service.ts";',
      ...objects.map(
        ({ name, class_name: c }) => `export const ${c} = traceObject("${name}", service.${c});`,
      ),
    ].join("\n"),
    d1Databases: { DB: await readDatabaseId() },
    durableObjects: Object.fromEntries(
      objects.map(({ name, class_name: className }) => [
        name,
        { className, useSQLite: true, unsafeUniqueKey: `kioku-${className}` },
      ]),
    ),
    serviceBindings: { ASSETS: { disk: { path: join(root, "dist/assets") } } },
    bindings: { ADMIN_KEY: adminKey, RATE_LIMIT_READ: "0", RATE_LIMIT_WRITE: "0", ...bindings },
  });
  return connectToTraced(server, { key: await createKey(server.url, adminKey), adminKey });
}

/** Reads each binding of wrangler.toml with its class. */
function readObjectClasses(): { name: string; class_name: string }[] {
  const config = wrangler.unstable_readConfig(
    { config: join(root, "wrangler.toml") },
    { hideWarnings: true },
  );
  return config.durable_objects.bindings;
}

function connectToTraced(
  server: LocalServer,
  { key, adminKey }: { key: string; adminKey: string },
): TracedService {
  const send = <T>(call: EdgeCall) => sendCall<T>(server.url, key, call);
  const read = () => send<RecordedTrace>({ path: "/trace" });
  const runAlarms = (body: { within: number; new: boolean }) =>
    send({ method: "POST", path: "/trace/alarms", body });
  const settle = async () => {
    for (let quiet = 0, last = -1; quiet < QUIET_READINGS; await wait(POLL_MS)) {
      const { events, pending, alarms } = await read();
      const isDue = alarms.some((ms) => ms < SOON_MS);
      // Run rather than waited for, once what sets them is over.
      if (isDue && pending === 0) await runAlarms({ within: SOON_MS, new: false });
      const isBusy = pending > 0 || isDue;
      quiet = isBusy || events.length !== last ? 0 : quiet + 1;
      last = events.length;
    }
  };
  return {
    ...server,
    send,
    sendAsAdmin: (call) => sendCall(server.url, adminKey, call),
    settle,
    async setLatencies(body) {
      await send({ method: "POST", path: "/trace/latency", body });
    },
    async runLaterAlarms() {
      await settle();
      await runAlarms({ within: LATER_MS, new: true });
      await settle();
    },
    take: () => send({ path: "/trace?take" }),
  };
}

async function sendCall<T>(url: string, key: string, call: EdgeCall): Promise<T> {
  const { method = "GET", path, body, headers = {} } = call;
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  const isJson = answer.headers.get("Content-Type")?.includes("json");
  return (isJson ? JSON.parse(text) : text) as T;
}
