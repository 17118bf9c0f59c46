// Progress on stderr: what is under way, how far it is and since when, every few seconds.

const EVERY_MS = 3_000;

/** `begin` names a step, of `total` things if they can be counted; `set` says how many are done. */
export function showProgress() {
  let step = null;
  const show = () => {
    if (step === null) return;
    const of = step.total === null ? "" : `: ${step.done} of ${step.total}`;
    const seconds = ((performance.now() - step.started) / 1_000).toFixed(0);
    process.stderr.write(`${step.label}${of}${step.remark}, ${seconds} s\n`);
  };
  const timer = setInterval(show, EVERY_MS);
  timer.unref();
  const end = () => {
    show();
    step = null;
  };
  return {
    begin(label, total = null) {
      end();
      step = { label, total, done: 0, remark: "", started: performance.now() };
    },
    set(done, remark = "") {
      step.done = done;
      step.remark = remark && `, ${remark}`;
    },
    add(count) {
      step.done += count;
    },
    end,
    note: (line) => process.stderr.write(`${line}\n`),
  };
}
