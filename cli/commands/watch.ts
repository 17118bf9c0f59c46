// kioku watch: prints the signals of a session as they come.
import { type Context, defineCommand, getArgument, type Options } from "../command";
import { parseNumber } from "../numbers";
import { toOneLine, truncateToWidth } from "../width";

/** With back-off about half a minute: enough for a service that restarts. */
const RECONNECTS = 8;

const OPTIONS = {
  after: {
    type: "string",
    value: "<seq>",
    about: "only signals after this one (default: all that are stored)",
  },
  limit: { type: "string", value: "<n>", about: "end after this many" },
} as const satisfies Options;

export const watch = defineCommand({
  name: "watch",
  summary: "Print the signals of a session as they arrive",
  takes: ["session"],
  options: OPTIONS,
  about: "It reconnects by itself; Ctrl-C ends it. With --json each signal is a line",
  example: "kioku watch tour --after 0",
  async run(context) {
    const stop = new AbortController();
    const end = () => stop.abort();
    process.once("SIGINT", end);
    try {
      await printSignals(context, stop.signal);
    } finally {
      process.off("SIGINT", end);
      end();
    }
    return 0;
  },
});

async function printSignals(context: Context<typeof OPTIONS>, stop: AbortSignal): Promise<void> {
  const { terminal, json, values, api } = context;
  const id = getArgument(context, 0);
  const after = parseNumber("after", values.after);
  const limit = parseNumber("limit", values.limit) ?? Number.POSITIVE_INFINITY;
  const session = api().session(id);
  // A session that does not exist would never send anything.
  await session.get();
  if (terminal.interactive) terminal.note(`Watching ${id}. Ctrl-C ends it.`);
  let count = 0;
  for await (const signal of session.signals.stream({ after, signal: stop, retries: RECONNECTS })) {
    const { seq, time, type, data } = signal;
    const head = `${seq}  ${time.slice(0, 19).replace("T", " ")}  ${type}`;
    const text = `${head}  ${toOneLine(JSON.stringify(data))}`;
    await terminal.line(json ? JSON.stringify(signal) : truncateToWidth(text, terminal.columns));
    count += 1;
    if (count >= limit) return;
  }
}
