// Times requests one at a time over a kept connection, taking every row in turn and in another order each round:
// whatever else the machine does meanwhile, and whatever a row leaves behind, falls on all of them alike, so that
// their ratios hold even where their milliseconds do not.
import { Agent, request } from "node:http";

/** A connection to one server: `send` gives the status, the body's text and the milliseconds it took. */
export function connect(url, { idle, headers = {} }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    idle: { path: idle },
    send: (call) => send(agent, url, headers, call),
    close: () => agent.destroy(),
  };
}

function send(agent, url, headers, { method = "GET", path, body }) {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const outgoing = request(`${url}${path}`, {
      agent,
      method,
      headers: {
        ...headers,
        ...(payload && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(payload) }),
      },
    });
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const ms = performance.now() - started;
        resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString(), ms });
      });
    });
    outgoing.end(payload);
  });
}

/**
 * Runs each operation `warmUp` + `samples` times, in turn, and gives each one's times by its name. `call(i)` is
 * timed. Just before it something is sent untimed, `before(i)` or the server's `idle` call: it would fall on some
 * rows and not on others that their server has slept since the last one. After it `settle` is sent, one call or
 * several, untimed too, which waits for what the service still does after an answer. An answer that is an error, or
 * that `found` does not accept, ends the run: the time of a call that did nothing says nothing.
 */
export async function measure(operations, { warmUp, samples, progress }) {
  const times = new Map(operations.map(({ name }) => [name, []]));
  for (let i = 0; i < warmUp + samples; i += 1) {
    for (const { name, connection, before, call, found, settle } of shuffled(operations, i)) {
      await connection.send(before ? before(i) : connection.idle);
      const { status, text, ms } = await connection.send(call(i));
      if (status >= 300) throw new Error(`${name} answered ${status}: ${text}`);
      if (found && !found(JSON.parse(text)))
        throw new Error(`${name} found nothing: ${JSON.stringify(call(i))}`);
      if (i >= warmUp) times.get(name).push(ms);
      for (const wait of [settle ?? []].flat()) await connection.send(wait);
    }
    if ((i + 1) % 50 === 0) progress(`measured ${i + 1} of ${warmUp + samples} rounds`);
  }
  return new Map([...times].map(([name, list]) => [name, summary(list)]));
}

/** In an order that only the round decides, so that two runs do the same. */
function shuffled(operations, round) {
  const place = (at) => Math.imul((at + 1) * 2_654_435_761 + round * 40_503, 2_246_822_519) >>> 0;
  return operations
    .map((operation, at) => ({ operation, place: place(at) }))
    .sort((a, b) => a.place - b.place)
    .map(({ operation }) => operation);
}

/** The median and the time that one in twenty exceeds. */
export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5), p95: at(0.95), samples: sorted.length };
}
