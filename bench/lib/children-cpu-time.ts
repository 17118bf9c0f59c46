// The CPU time that this process's children have used: workerd, with the Worker, its objects and D1 in it. Linux tells.
import { readdir, readFile } from "node:fs/promises";

/** The kernel counts in hundredths of a second, whatever its own tick is. */
const TICK_MS = 10;

/** Milliseconds of all children so far; null where there is no /proc. */
export async function childrenCpuMs() {
  const tasks = await readdir("/proc/self/task").catch(() => null);
  if (tasks === null) return null;
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/children`, "utf8").catch(() => "")),
  );
  const children = lists.flatMap((list) => list.split(" ").filter(Boolean));
  const times = await Promise.all(children.map((pid) => cpuMs(pid)));
  return times.reduce((sum, time) => sum + time, 0);
}

async function cpuMs(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // After the name, which may hold anything: user and system time are the 12th and 13th from there.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}
