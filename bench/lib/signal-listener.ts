// A client that listens to a session's signals as server-sent events, and so can tell how long one took to come.
import { request } from "node:http";

/**
 * Two views of `connection` for directives, which both wait for the signal: `accepted` gives the time until the answer
 * to the directive, `signalled` the time from there until its signal; 0 when the signal came first.
 */
export async function listen(connection, { url, key, session }) {
  const arrived = new Map();
  const waiting = new Map();
  const stream = await open(
    `${url}/v1/sessions/${session}/signals`,
    key,
    ({ data: { request_id, status } }) => {
      const signal = { at: performance.now(), status };
      arrived.set(request_id, signal);
      waiting.get(request_id)?.(signal);
    },
  );
  const signalOf = (id) =>
    new Promise((resolve) => {
      if (arrived.has(id)) resolve(arrived.get(id));
      else waiting.set(id, resolve);
    });
  const view = (toTime) => ({
    idle: connection.idle,
    async send(call) {
      const answer = await connection.send(call);
      const accepted = performance.now();
      if (answer.status !== 202) return answer;
      const { at, status } = await signalOf(JSON.parse(answer.text).request_id);
      if (status !== "ok") throw new Error(`A directive was answered with ${status}`);
      return { ...answer, ms: toTime(answer.ms, at - accepted) };
    },
  });
  return {
    accepted: view((answered) => answered),
    signalled: view((_answered, later) => Math.max(0, later)),
    close: () => stream.destroy(),
  };
}

function open(url, key, onSignal) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
    const outgoing = request(url, { headers });
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`GET ${url} answered ${answer.statusCode}`));
      let rest = "";
      answer.setEncoding("utf8");
      answer.on("error", () => {});
      answer.on("data", (text) => {
        const events = (rest + text).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (data) onSignal(JSON.parse(data));
        }
      });
      resolve(outgoing);
    });
    outgoing.end();
  });
}
