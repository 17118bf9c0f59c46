// Where a command writes: results to stdout, everything else to stderr; colours and widths only where a person looks.
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

export type Paint = "bold" | "dim" | "red" | "green" | "yellow";

export type Terminal = {
  /** A result. Waits until whoever reads can take it. */
  write(text: string): Promise<void>;
  line(text: string): Promise<void>;
  /** The API's own JSON. */
  json(value: unknown): Promise<void>;
  /** Something beside the result. */
  note(text: string): void;
  paint(colour: Paint, text: string): string;
  /** How wide a table may be. */
  columns: number;
  input: Readable;
  progress(what: string): Progress;
};

export type Progress = { step(count?: number): void; end(): void };

type Stream = Writable & { isTTY?: boolean; columns?: number };
type Environment = Record<string, string | undefined>;

const CODES: Record<Paint, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };
const SHOWN_MS = { terminal: 100, file: 5_000 };

export function createTerminal(
  streams: { stdout: Stream; stderr: Stream; stdin: Readable },
  env: Environment,
): Terminal {
  const { stdout, stderr, stdin } = streams;
  const coloured = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  const write = async (text: string) => {
    if (!stdout.write(text)) await once(stdout, "drain");
  };
  return {
    write,
    line: (text) => write(`${text}\n`),
    json: (value) => write(`${JSON.stringify(value, null, 2)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    paint: (colour, text) => (coloured ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text),
    columns: Number(env.COLUMNS) || stdout.columns || Number.POSITIVE_INFINITY,
    input: stdin,
    progress: (what) => createProgress(stderr, what),
  };
}

/** On a terminal one line that changes, elsewhere a line now and then; for work that is over soon, nothing. */
function createProgress(stderr: Stream, what: string): Progress {
  const live = stderr.isTTY === true;
  const every = live ? SHOWN_MS.terminal : SHOWN_MS.file;
  let done = 0;
  let shown = Date.now();
  return {
    step(count = 1) {
      done += count;
      if (Date.now() - shown < every) return;
      shown = Date.now();
      stderr.write(live ? `\r\u001b[K${done} ${what}` : `${done} ${what}\n`);
    },
    end() {
      if (live) stderr.write("\r\u001b[K");
    },
  };
}
