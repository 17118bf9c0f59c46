// Starts workerd through miniflare, and makes sure that it ends with this process.
import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Socket } from "node:net";
import { basename } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from "miniflare";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export async function launchRuntime(options: V4MiniflareOptions): Promise<Miniflare> {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      ...options,
    }),
  );
  // Miniflare ends the process at the first signal; when to stop is the caller's decision.
  for (const [signal, listeners] of before)
    for (const added of process.listeners(signal).filter((listener) => !listeners.includes(listener)))
      process.off(signal, added);
  try {
    await runtime.ready;
  } catch (error) {
    // The reason for the failed start matters more than that of a failed clean-up.
    await runtime.dispose().catch(() => {});
    throw error;
  }
  return runtime;
}

/** Disposes a runtime, and waits for everything that it has started. */
export async function disposeRuntime(runtime: Miniflare): Promise<void> {
  await runtime.dispose();
  await Promise.all(endingGuards);
}

// workerd outlives a parent that is killed with -9, and keeps its port and its data open. So each workerd gets a guard
// that waits on a pipe from this process: however this process ends, the pipe closes and the guard kills workerd.
const endingGuards = new Set<Promise<unknown>>();

subscribe("child_process", (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once("spawn", () => {
    if (!basename(child.spawnfile).startsWith("workerd") || process.platform === "win32") return;
    const guard = spawn("sh", ["-c", 'read -r _; kill -9 "$0" 2>/dev/null', String(child.pid)], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    guard.unref();
    if (guard.stdin instanceof Socket) guard.stdin.unref();
    // The pipe breaks when the guard ends first.
    guard.stdin.on("error", () => {});
    child.once("exit", () => {
      // A signal to the whole group has ended the guard already.
      if (guard.exitCode !== null || guard.signalCode !== null) return;
      guard.ref();
      const ended = once(guard, "exit").finally(() => endingGuards.delete(ended));
      endingGuards.add(ended);
      guard.kill("SIGKILL");
    });
  });
});
