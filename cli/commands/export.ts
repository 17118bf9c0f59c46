// kioku export: writes all records to stdout or a file.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { type Context, defineCommand } from "../command";
import { CommandError } from "../failures";
import { parseChoice } from "../numbers";
import { exportLines, listMemories, type Selection } from "../transfer/export";
import { mapConcurrently } from "../transfer/pool";

const FORMATS = ["jsonl", "nt"] as const;

export const exportAll = defineCommand({
  name: "export",
  summary: "Everything, to take away or keep safe",
  takes: [],
  options: {
    project: { type: "string", value: "<id>", about: "only of this project" },
    agent: { type: "string", value: "<id>", about: "only of this agent" },
    all: { type: "boolean", about: "also what was superseded, forgotten or archived" },
    format: {
      type: "string",
      value: "<format>",
      about: "jsonl (default, for kioku import) or nt (memories as N-Triples)",
    },
    out: { type: "string", value: "<file>", about: "write there instead of to stdout" },
  },
  example: "kioku export --all --out backup.jsonl",
  async run(context) {
    const { values, terminal, api } = context;
    const { project, agent, all = false } = values;
    const selection = { project, agent, all };
    const lines =
      parseChoice("format", FORMATS, values.format) === "nt"
        ? exportTriples(api(), selection)
        : formatJsonLines(exportLines(api(), selection));
    const progress = terminal.progress("exported");
    const sink = values.out === undefined ? createStdoutSink(terminal) : createFileSink(values.out);
    try {
      for await (const line of lines) {
        await sink.write(line);
        progress.step();
      }
      await sink.end();
    } finally {
      progress.end();
    }
    return 0;
  },
});

type Sink = { write(text: string): Promise<void>; end(): Promise<void> };

function createStdoutSink({ write }: Context["terminal"]): Sink {
  return { write, end: async () => {} };
}

/** Writes to a temporary file and renames it at the end, so that a failed export keeps the previous file. */
function createFileSink(path: string): Sink {
  const part = `${path}.part`;
  // The file has a tenant's memory: nobody else on the machine reads it.
  const file = createWriteStream(part, { mode: 0o600 });
  const done = finished(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot write ${path} (${error.code}). Name another file with --out.`);
  });
  // The next write or `end` reports the error; until then the rejection must not count as unhandled.
  done.catch(() => {});
  return {
    async write(text) {
      if (!file.write(text)) await Promise.race([once(file, "drain"), done]);
    },
    async end() {
      file.end();
      await done;
      await rename(part, path);
    },
  };
}

async function* formatJsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

function exportTriples(api: ReturnType<Context["api"]>, selection: Selection): AsyncIterable<string> {
  return mapConcurrently(listMemories(api, selection), ({ id }) =>
    api.request("GET", "/v1/memories/{id}/triples", { params: { id }, accept: "application/n-triples" }),
  );
}
