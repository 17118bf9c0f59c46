// Signals as they happen: as server-sent events, and over a WebSocket. The latter is written on node:http, since the
// oldest Node that runs the suite has no WebSocket, and newer ones have none that sends a key.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Socket } from "node:net";
import type { Client } from "./client";
import type { Signal } from "./contract";

export type Live = {
  status: number;
  headers: Headers;
  /** What has arrived so far. */
  readonly signals: Signal[];
  /** The id of the last event; always null over a WebSocket. */
  lastId(): string | null;
  /** When either side has ended it. */
  readonly ended: Promise<void>;
  /** Ends it, as a lost connection would. */
  cut(): void;
};

function authorization(client: Client): Record<string, string> {
  return client.key === null ? {} : { authorization: `Bearer ${client.key}` };
}

export async function openEvents(
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<Live> {
  const cutter = new AbortController();
  const response = await fetch(client.url(path), {
    headers: { ...authorization(client), accept: "text/event-stream", ...headers },
    signal: cutter.signal,
  });
  const signals: Signal[] = [];
  let lastId: string | null = null;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body ?? []) {
      const events = `${text}${decoder.decode(chunk, { stream: true })}`.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = fieldOf(event, "data");
        if (data === null) continue;
        lastId = fieldOf(event, "id") ?? lastId;
        signals.push(JSON.parse(data) as Signal);
      }
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    signals,
    lastId: () => lastId,
    ended: response.status === 200 ? read().catch(() => undefined) : Promise.resolve(),
    cut: () => cutter.abort(),
  };
}

/** A field of a server-sent event, its lines joined. */
function fieldOf(event: string, name: string): string | null {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith(`${name}:`));
  return lines.length === 0
    ? null
    : lines.map((line) => line.slice(name.length + 1).replace(/^ /, "")).join("\n");
}

export function openSocket(client: Client, path: string): Promise<Live> {
  return new Promise((resolve, reject) => {
    const asking = request(client.url(path), {
      headers: {
        ...authorization(client),
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
      },
    });
    asking.once("error", reject);
    asking.once("response", (response) => {
      response.resume();
      const headers = new Headers(response.headers as Record<string, string>);
      const status = response.statusCode ?? 0;
      resolve({ status, headers, signals: [], lastId: () => null, ended: Promise.resolve(), cut: () => {} });
    });
    asking.once("upgrade", (response, socket, head) => {
      const signals: Signal[] = [];
      const read = frameReader(socket, (text) => signals.push(JSON.parse(text) as Signal));
      const ended = new Promise<void>((end) => socket.once("close", () => end()));
      socket.on("error", () => socket.destroy());
      socket.on("data", read);
      read(head);
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers(response.headers as Record<string, string>),
        signals,
        lastId: () => null,
        ended,
        cut: () => socket.destroy(),
      });
    });
    asking.end();
  });
}

const [CONTINUATION, TEXT, CLOSE, PING, PONG] = [0, 1, 8, 9, 10];

/** Reads RFC 6455 frames: gives texts on, answers pings, and ends when the server does. */
function frameReader(socket: Socket, onText: (text: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = firstFrame(rest); frame !== null; frame = firstFrame(rest)) {
      rest = rest.subarray(frame.size);
      if (frame.opcode === CLOSE) socket.end();
      if (frame.opcode === PING) socket.write(masked(PONG, frame.payload));
      if (frame.opcode !== TEXT && frame.opcode !== CONTINUATION) continue;
      parts.push(frame.payload);
      if (!frame.last) continue;
      onText(Buffer.concat(parts).toString());
      parts = [];
    }
  };
}

type Frame = { opcode: number; last: boolean; payload: Buffer; size: number };

/** The first whole frame, if there is one. Those of a server are not masked. */
function firstFrame(bytes: Buffer): Frame | null {
  if (bytes.length < 2) return null;
  const short = bytes.readUInt8(1) & 0x7f;
  const head = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < head) return null;
  const length = head === 10 ? Number(bytes.readBigUInt64BE(2)) : head === 4 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < head + length) return null;
  const first = bytes.readUInt8(0);
  const payload = bytes.subarray(head, head + length);
  return { opcode: first & 0x0f, last: (first & 0x80) !== 0, payload, size: head + length };
}

/** A short frame of a client; a mask of zeros leaves the payload as it is. */
function masked(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
