// Reads the CPU time of this process's children from /proc: workerd, with the Worker, its objects and D1.
import { readdir, readFile } from "node:fs/promises";

/** The kernel reports hundredths of a second, whatever its own tick is. */
const TICK_MS = 10;

/** Returns the milliseconds of all children so far; null without /proc. */
export async function readChildrenCpuMs(): Promise<number | null> {
  const tasks = await readdir("/proc/self/task").catch(() => null);
  if (tasks === null) return null;
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/children`, "utf8").catch(() => "")),
  );
  const children = lists.flatMap((list) => list.split(" ").filter(Boolean));
  const times = await Promise.all(children.map((pid) => readCpuMs(pid)));
  return times.reduce((sum, time) => sum + time, 0);
}

async function readCpuMs(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // After the name, which may contain anything, user and system time are the 12th and 13th field.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}
