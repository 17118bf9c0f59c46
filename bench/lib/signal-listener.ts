// Listens to a session's signals as server-sent events, to measure how long they take to arrive.
import { type ClientRequest, request } from "node:http";
import { createParser } from "eventsource-parser";
import type { Connection, MeasuredConnection } from "./connection.ts";

interface Signal {
  data: { request_id: string; status: string };
}

interface Arrival {
  /** On the clock of `performance`. */
  at: number;
  status: string;
}

export interface SignalListener {
  /** Times a directive until its answer. */
  accepted: MeasuredConnection;
  /** Times from a directive's answer until its signal; 0 when the signal came first. */
  signalled: MeasuredConnection;
  close(): void;
}

/** Both connections wait for the signal before the next call. */
export async function listenToSignals(
  connection: Connection,
  { url, key, session }: { url: string; key: string; session: string },
): Promise<SignalListener> {
  const arrivals = new Map<string, Arrival>();
  const waiting = new Map<string, (arrival: Arrival) => void>();
  const stream = await openStream(`${url}/v1/sessions/${session}/signals`, key, ({ data }) => {
    const arrival = { at: performance.now(), status: data.status };
    arrivals.set(data.request_id, arrival);
    waiting.get(data.request_id)?.(arrival);
  });
  const waitForSignal = (id: string) =>
    new Promise<Arrival>((resolve) => {
      const arrival = arrivals.get(id);
      if (arrival) resolve(arrival);
      else waiting.set(id, resolve);
    });
  const createView = (toTime: (untilAnswer: number, untilSignal: number) => number): MeasuredConnection => ({
    idle: connection.idle,
    async send(call) {
      const answer = await connection.send(call);
      const answeredAt = performance.now();
      if (answer.status !== 202) return answer;
      const { at, status } = await waitForSignal(JSON.parse(answer.text).request_id);
      if (status !== "ok") throw new Error(`A directive was answered with ${status}`);
      return { ...answer, ms: toTime(answer.ms, at - answeredAt) };
    },
  });
  return {
    accepted: createView((untilAnswer) => untilAnswer),
    signalled: createView((_untilAnswer, untilSignal) => Math.max(0, untilSignal)),
    close: () => stream.destroy(),
  };
}

function openStream(url: string, key: string, onSignal: (signal: Signal) => void): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
    const outgoing = request(url, { headers });
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`GET ${url} answered ${answer.statusCode}`));
      const parser = createParser({ onEvent: ({ data }) => onSignal(JSON.parse(data)) });
      answer.setEncoding("utf8");
      // The benchmark destroys the stream at its end.
      answer.on("error", () => {});
      answer.on("data", (text: string) => parser.feed(text));
      resolve(outgoing);
    });
    outgoing.end();
  });
}
