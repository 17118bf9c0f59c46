// Shows progress on stderr: the current step, how far it is and since when, every few seconds.
import { setInterval } from "node:timers";

const EVERY_MS = 3_000;

export interface Progress {
  /** Starts a step, with the number of its items if it is known. */
  begin(label: string, total?: number): void;
  set(done: number, remark?: string): void;
  add(count: number): void;
  /** Ends the current step. */
  end(): void;
  note(line: string): void;
}

interface Step {
  label: string;
  total: number | null;
  done: number;
  remark: string;
  started: number;
}

export function createProgress(): Progress {
  let step: Step | null = null;
  const show = () => {
    if (step === null) return;
    const total = step.total === null ? "" : `: ${step.done} of ${step.total}`;
    const seconds = ((performance.now() - step.started) / 1_000).toFixed(0);
    note(`${step.label}${total}${step.remark}, ${seconds} s`);
  };
  setInterval(show, EVERY_MS).unref();
  const end = () => {
    show();
    step = null;
  };
  return {
    begin(label, total) {
      end();
      step = { label, total: total ?? null, done: 0, remark: "", started: performance.now() };
    },
    set(done, remark) {
      if (step === null) return;
      step.done = done;
      step.remark = remark ? `, ${remark}` : "";
    },
    add(count) {
      if (step !== null) step.done += count;
    },
    end,
    note,
  };
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
