// The output of a command: results go to stdout, everything else to stderr. Colours and widths apply to terminals only.
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";

export type Paint = "bold" | "dim" | "red" | "green" | "yellow";

export type Terminal = {
  /** Writes a result, respecting back-pressure. */
  write(text: string): Promise<void>;
  line(text: string): Promise<void>;
  /** Writes a value as JSON. */
  json(value: unknown): Promise<void>;
  /** Writes a message to stderr. */
  note(text: string): void;
  paint(colour: Paint, text: string): string;
  /** Maximum width of a table. */
  columns: number;
  input: Readable;
  /** Whether a person can be asked. */
  interactive: boolean;
  /** Asks a question that is answered by y; anything else is no, also Ctrl-C. */
  confirm(question: string): Promise<boolean>;
  progress(label: string): Progress;
};

export type Progress = { step(count?: number): void; end(): void };

type Input = Readable & { isTTY?: boolean };
type Stream = Writable & { isTTY?: boolean; columns?: number };
type Environment = Record<string, string | undefined>;

const CODES: Record<Paint, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };
const PROGRESS_INTERVAL_MS = { terminal: 100, file: 5_000 };

export function createTerminal(
  streams: { stdout: Stream; stderr: Stream; stdin: Input },
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
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    confirm: (question) => confirm(stdin, stderr, question),
    progress: (label) => createProgress(stderr, label),
  };
}

async function confirm(input: Input, output: Stream, question: string): Promise<boolean> {
  const reader = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
  } catch (error) {
    // By Ctrl-C or Ctrl-D.
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    output.write("\n");
    return false;
  } finally {
    reader.close();
  }
}

/** Shows progress on one updating line on a terminal, elsewhere as a line at intervals; short work shows none. */
function createProgress(stderr: Stream, label: string): Progress {
  const live = stderr.isTTY === true;
  const every = live ? PROGRESS_INTERVAL_MS.terminal : PROGRESS_INTERVAL_MS.file;
  let done = 0;
  let shown = Date.now();
  return {
    step(count = 1) {
      done += count;
      if (Date.now() - shown < every) return;
      shown = Date.now();
      stderr.write(live ? `\r\u001b[K${done} ${label}` : `${done} ${label}\n`);
    },
    end() {
      if (live) stderr.write("\r\u001b[K");
    },
  };
}
