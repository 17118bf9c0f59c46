// Sends requests one at a time over a kept connection, and times them.
import * as http from "node:http";
import * as https from "node:https";
import { readCode } from "../../scripts/lib/errors.ts";

export interface Call {
  /** GET if absent. */
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
}

export interface Answer {
  status: number;
  text: string;
  /** From before the request is written until the whole answer is read. */
  ms: number;
}

export interface Connection {
  /** A call that wakes the server and does nothing else. */
  idle: Call;
  send(call: Call): Promise<Answer>;
  close(): void;
}

/** A connection on which calls can be measured. */
export type MeasuredConnection = Pick<Connection, "idle" | "send">;

export function connect(
  url: string,
  { idle, headers = {} }: { idle: string; headers?: Record<string, string> },
): Connection {
  const protocol = url.startsWith("https:") ? https : http;
  const agent = new protocol.Agent({ keepAlive: true, maxSockets: 1 });
  const request = (to: string, options: http.RequestOptions) => protocol.request(to, { ...options, agent });
  return {
    idle: { path: idle },
    send: (call) => send(request, url, headers, call),
    close: () => agent.destroy(),
  };
}

/** Connects to the service with its key. */
export function connectToService({ url, key }: { url: string; key: string }): Connection {
  return connect(url, { idle: "/health", headers: { Authorization: `Bearer ${key}` } });
}

function send(
  request: (to: string, options: http.RequestOptions) => http.ClientRequest,
  url: string,
  headers: Record<string, string>,
  call: Call,
): Promise<Answer> {
  const { method = "GET", path, body } = call;
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const outgoing = request(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        ...(payload && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(payload) }),
      },
    });
    outgoing.on("error", (error) => {
      // The service may close an idle connection while the next call is on its way. It is sent again.
      const isClosed = outgoing.reusedSocket && readCode(error) === "ECONNRESET";
      if (isClosed) resolve(send(request, url, headers, call));
      else reject(error);
    });
    outgoing.on("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const ms = performance.now() - started;
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString(), ms });
      });
    });
    outgoing.end(payload);
  });
}

export function post(path: string, body: unknown): Call {
  return { method: "POST", path, body };
}

/** Sends a call that must succeed. */
export async function sendOk(connection: MeasuredConnection, call: Call): Promise<Answer> {
  const answer = await connection.send(call);
  if (answer.status < 300) return answer;
  throw new Error(`${call.method ?? "GET"} ${call.path} answered ${answer.status}: ${answer.text}`);
}
