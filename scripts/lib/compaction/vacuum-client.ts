// Calls the thread that compacts SQLite files. It starts with the first call.
import { basename, extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { VacuumAnswer, VacuumCall } from "./vacuum-thread.ts";

export interface VacuumClient {
  call(operation: VacuumCall["operation"], path: string): Promise<unknown>;
  dispose(): Promise<void>;
}

export function createVacuumClient(): VacuumClient {
  let thread: Worker | undefined;
  let calls = 0;
  const waiting = new Map<number, (answer: VacuumAnswer) => void>();

  function start(): Worker {
    // Beside this file: TypeScript in the repository, JavaScript in the package.
    const program = join(import.meta.dirname, `vacuum-thread${extname(import.meta.filename)}`);
    const started = new Worker(program, {
      // node:sqlite is experimental in Node 22, which would be reported at every start.
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    const failAll = (error: string): void => {
      thread = undefined;
      for (const [number, settle] of waiting) settle({ number, error });
    };
    started.on("message", (answer: VacuumAnswer) => waiting.get(answer.number)?.(answer));
    started.on("error", (error: Error) => failAll(error.message));
    started.on("exit", () => failAll("The thread has ended."));
    return started;
  }

  return {
    async call(operation, path) {
      thread ??= start();
      calls += 1;
      const call: VacuumCall = { number: calls, operation, path };
      const answered = new Promise<VacuumAnswer>((resolve) => waiting.set(call.number, resolve));
      // It keeps the process alive only while a call is under way.
      thread.ref();
      thread.postMessage(call);
      const { value, error } = await answered;
      waiting.delete(call.number);
      if (waiting.size === 0) thread?.unref();
      if (error !== undefined) throw new Error(`${operation} of ${basename(path)} failed: ${error}`);
      return value;
    },
    async dispose() {
      await thread?.terminate();
    },
  };
}
