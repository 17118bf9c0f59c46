#!/usr/bin/env node
// `kioku`: the command line of the service.
import { fileURLToPath } from "node:url";
import { VERSION } from "../src/kernel/version";
import { COMMANDS } from "./commands/index";
import { run } from "./run";
import { createTerminal } from "./terminal";

// A reader may close the pipe early, as in `kioku export | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`kioku: Cannot write to stdout (${error.code}).\n`);
  process.exit(1);
});

process.exitCode = await run(COMMANDS, process.argv.slice(2), {
  terminal: createTerminal(process, process.env),
  env: process.env,
  cwd: process.cwd(),
  version: VERSION,
  program: fileURLToPath(import.meta.url),
});
