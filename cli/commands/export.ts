// kioku export

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { type Context, command } from "../command";
import { CommandError } from "../failures";
import { oneOf } from "../numbers";
import { exported, memoriesOf, type Selection } from "../transfer/export";
import { pooled } from "../transfer/pool";

const FORMATS = ["jsonl", "nt"] as const;

export const exportAll = command({
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
      oneOf("format", FORMATS, values.format) === "nt"
        ? triplesOf(api(), selection)
        : jsonLines(exported(api(), selection));
    const progress = terminal.progress("exported");
    const sink = values.out === undefined ? stdoutOf(terminal) : fileSink(values.out);
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

function stdoutOf({ write }: Context["terminal"]): Sink {
  return { write, end: async () => {} };
}

/** Beside the file until it is whole: an export that fails leaves the one before it as it is. */
function fileSink(path: string): Sink {
  const part = `${path}.part`;
  const file = createWriteStream(part);
  const done = finished(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot write ${path} (${error.code}). Name another file with --out.`);
  });
  // Whoever writes next is told; until then it is nobody's rejection.
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

async function* jsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

function triplesOf(api: ReturnType<Context["api"]>, selection: Selection): AsyncIterable<string> {
  return pooled(memoriesOf(api, selection), ({ id }) =>
    api.request("GET", "/v1/memories/{id}/triples", { params: { id }, accept: "application/n-triples" }),
  );
}
