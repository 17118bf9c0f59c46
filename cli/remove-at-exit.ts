// Removes a temporary file or folder that has a tenant's memory, also if the command is interrupted.
import { rmSync } from "node:fs";
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes the path when it is called, or when this process ends before that. */
export function removeAtExit(path: string): () => void {
  const end = (signal: (typeof SIGNALS)[number]) => process.exit(128 + constants.signals[signal]);
  const remove = () => {
    process.off("exit", remove);
    for (const signal of SIGNALS) process.off(signal, end);
    rmSync(path, { recursive: true, force: true });
  };
  process.on("exit", remove);
  for (const signal of SIGNALS) process.on(signal, end);
  return remove;
}
