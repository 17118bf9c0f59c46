// kioku export: writes everything that the service holds to stdout or a file.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { finished } from "node:stream/promises";
import { type Context, defineCommand } from "../command";
import { CommandError, UsageError } from "../failures";
import { removeAtExit } from "../remove-at-exit";
import { renderTable } from "../table";
import { streamBackup } from "../transfer/backup";
import { mapConcurrently } from "../transfer/pool";

const SCOPES = ["project", "agent", "user", "session"] as const;

export const exportAll = defineCommand({
  name: "export",
  summary: "Export all data of the tenant",
  takes: [],
  options: {
    project: { type: "string", value: "<id>", about: "only of this project" },
    agent: { type: "string", value: "<id>", about: "only of this agent" },
    user: { type: "string", value: "<id>", about: "only of this user" },
    session: { type: "string", value: "<id>", about: "only of this session" },
    all: { type: "boolean", about: "with nt: also what was superseded or forgotten, as jsonl always has" },
    format: {
      type: "string",
      value: "<format>",
      choices: ["jsonl", "nt"],
      about: "jsonl (default, for kioku import) or nt (memories as N-Triples)",
    },
    out: { type: "string", value: "<file>", about: "write there instead of to stdout, and print a summary" },
  },
  about: "Not included: keys, secrets, the audit log, and vectors, which are computed again",
  example: "kioku export --out backup.jsonl",
  async run(context) {
    const { values, terminal, api, cwd } = context;
    const { project, agent, all = false, out } = values;
    const [scope, ...others] = SCOPES.filter((name) => values[name] !== undefined);
    if (others.length > 0)
      throw new UsageError(`Give one of ${SCOPES.map((name) => `--${name}`).join(", ")}, not several.`);
    const isTriples = values.format === "nt";
    const progress = terminal.progress("exported");
    const sink =
      out === undefined ? createStdoutSink(terminal) : await createFileSink(resolve(cwd, out), out);
    try {
      if (isTriples) {
        for await (const text of exportTriples(api(), { project, agent, all })) {
          await sink.write(text);
          progress.step();
        }
        await sink.end();
        return 0;
      }
      const query = scope === undefined ? {} : { scope, id: values[scope] };
      const chunks = streamBackup(await api().export(query));
      let next = await chunks.next();
      for (; next.done !== true; next = await chunks.next()) {
        await sink.write(next.value.text);
        progress.step(next.value.lines);
      }
      await sink.end();
      progress.end();
      await printContents(context, next.value.counts, out !== undefined);
    } finally {
      progress.end();
      await sink.close();
    }
    return 0;
  },
});

/** Prints the number of records by kind, and the kinds that no export includes. Uses stderr if stdout has the export. */
async function printContents(
  { terminal, json }: Pick<Context, "terminal" | "json">,
  counts: Readonly<Record<string, number>>,
  isFile: boolean,
): Promise<void> {
  if (json && isFile) return terminal.json({ exported: counts });
  const columns = [
    { title: "kind", of: ([kind]: [string, number]) => kind },
    { title: "records", of: ([, count]: [string, number]) => count },
  ];
  const rows = Object.entries(counts);
  if (rows.length === 0) terminal.note("There is nothing to export.");
  else if (isFile) await terminal.line(renderTable(terminal, columns, rows));
  else terminal.note(`Exported: ${rows.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`);
  terminal.note("Not included: keys, secrets, the audit log, and vectors, which are computed again.");
}

type Sink = {
  write(text: string): Promise<void>;
  /** Completes the export. */
  end(): Promise<void>;
  /** Removes what is left of an export that was not completed. */
  close(): Promise<void>;
};

function createStdoutSink({ write }: Context["terminal"]): Sink {
  return { write, end: async () => {}, close: async () => {} };
}

/** Writes to a temporary file and renames it at the end, so that a failed export keeps the previous file. */
async function createFileSink(path: string, name: string): Promise<Sink> {
  const present = await stat(path).catch(() => null);
  if (present?.isDirectory()) throw new CommandError(`${name} is a folder. Name a file in it with --out.`);
  const part = `${path}.part`;
  // The file has a tenant's memory: nobody else on the machine reads it.
  const file = createWriteStream(part, { mode: 0o600 });
  const removePart = removeAtExit(part);
  const refuse = ({ code }: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot write ${name} (${code}). Name another file with --out.`);
  };
  const done = finished(file).catch(refuse);
  // The next write or `end` reports the error; until then the rejection must not count as unhandled.
  done.catch(() => {});
  return {
    async write(text) {
      if (!file.write(text)) await Promise.race([once(file, "drain"), done]);
    },
    async end() {
      file.end();
      await done;
      await rename(part, path).catch(refuse);
    },
    async close() {
      file.destroy();
      // Whatever the file fails with now, the export has ended.
      await done.catch(() => {});
      removePart();
    },
  };
}

type Selection = { project?: string | undefined; agent?: string | undefined; all: boolean };

function exportTriples(
  api: ReturnType<Context["api"]>,
  { project, agent, all }: Selection,
): AsyncIterable<string> {
  const memories = api.memories.list({ project_id: project, agent_id: agent, include_superseded: all });
  return mapConcurrently(memories, ({ id }) =>
    api.request("GET", "/v1/memories/{id}/triples", { params: { id }, accept: "application/n-triples" }),
  );
}
