// A month of a coding agent's work, the same one every time. What it should leave behind is for the tests to say.
import { type Fault, ONE_OFFS, OVERCOME, RARE, THEMES, type Theme } from "./month-themes";

/** The body of `POST /v1/episodes`, but for the project. */
export type Told = {
  id: string;
  task_id: string;
  timestamp: string;
  agent: string;
  duration_seconds: number;
  context: { phase: string; goal: string; constraints: string[]; files_involved: string[] };
  action_log: { t: number; action: string; target?: string; result?: string; error?: string }[];
  outcome: "success" | "failure" | "partial";
  errors_encountered: { type: string; message: string; resolution: string }[];
  artifacts_produced: string[];
  files_read: string[];
  files_modified: string[];
  git_commit: string;
  tokens_used: number;
  importance: number;
};

/** An episode with what the service is not told: of which theme it is, and whether it is the day's only one of it. */
export type Work = { theme: string | null; alone: boolean; told: Told };

/** A working day; it is looked back on from its evening. */
export type Day = { from: string; evening: string; friday: boolean; work: Work[] };

const FIRST_MONDAY = Date.parse("2025-03-03T00:00:00.000Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 30;
const AGENTS = ["eng-001-backend", "eng-002-frontend", "qa-001-testing", "ops-001-release"];
const ONE_DAY_THEME = { name: "signing", day: 11 };
const RARE_DAY = 8;

/** Monday to Friday for six weeks. */
export function month(): Day[] {
  return Array.from({ length: DAYS }, (_, n) => dayOf(n));
}

export function idsOf(work: Work[]): string[] {
  return work.map(({ told }) => told.id);
}

function dayOf(n: number): Day {
  const random = generator(n);
  const start = FIRST_MONDAY + (Math.floor(n / 5) * 7 + (n % 5)) * DAY;
  const plan = planOf(n, random);
  // From nine to about six, one after the other.
  const step = Math.floor((9 * HOUR) / plan.length);
  return {
    from: iso(start),
    evening: iso(start + 20 * HOUR),
    friday: n % 5 === 4,
    work: plan.map(({ theme, alone, ...rest }, at) => ({
      theme,
      alone,
      told: tell(`${iso(start).slice(0, 10)}-${at}`, start + 9 * HOUR + at * step, rest, random),
    })),
  };
}

type Planned = {
  theme: string | null;
  alone: boolean;
  phase: string;
  goal: string;
  file: string;
  outcome: Told["outcome"];
  fault: Fault | null;
};

/** What a day holds: three themes or so, each several times, and what goes wrong with them. */
function planOf(n: number, random: () => number): Planned[] {
  const lasting = Object.keys(THEMES).filter((name) => name !== ONE_DAY_THEME.name);
  const busy = lasting.filter((_, i) => (n + 2 * i) % lasting.length < 3);
  const idle = lasting.filter((name) => !busy.includes(name));
  const attempt = (name: string, more: Partial<Planned> = {}): Planned => {
    const { phase, goals, subjects, files } = themeNamed(name);
    const subject = pick(random, subjects);
    return {
      ...{ theme: name, alone: false, phase, outcome: "success", fault: null },
      ...{ goal: pick(random, goals).replace("_", subject), file: files.replace("_", subject) },
      ...more,
    };
  };
  const plan = busy.flatMap((name, i) => {
    const { fault } = themeNamed(name);
    const successes = Array.from({ length: 2 + ((n + i) % 3) }, () => attempt(name));
    const failures = fault && (n + i) % 2 === 0 ? [attempt(name, { outcome: "failure", fault })] : [];
    return [...successes, ...failures];
  });
  if (n % 4 === 1) plan.push(attempt(busy[0] ?? "", { outcome: "partial" }));
  if (n % 6 === 2) plan.push(attempt(busy[1] ?? "", { fault: OVERCOME }));
  if (n === RARE_DAY) plan.push(attempt(busy[2] ?? "", { outcome: "failure", fault: RARE }));
  if (n % 5 === 3) plan.push(attempt(pick(random, idle), { alone: true }));
  if (n === ONE_DAY_THEME.day) plan.push(...[1, 2].map(() => attempt(ONE_DAY_THEME.name)));
  const oneOff = n % 3 === 0 ? ONE_OFFS[n / 3] : undefined;
  if (oneOff !== undefined)
    plan.push({
      ...{ theme: null, alone: true, phase: "other", goal: oneOff, file: `notes/${n}.md` },
      ...{ outcome: "success", fault: null },
    });
  return shuffled(plan, random);
}

function tell(
  name: string,
  at: number,
  { phase, goal, file, outcome, fault }: Omit<Planned, "theme" | "alone">,
  random: () => number,
): Told {
  const seconds = 60 + Math.floor(random() * 3_000);
  const error = fault && {
    type: fault.type,
    message: pick(random, fault.messages),
    resolution: pick(random, fault.resolutions),
  };
  const passed = outcome === "success";
  return {
    id: `ep-${name}`,
    task_id: `task-${name}`,
    timestamp: iso(at),
    agent: pick(random, AGENTS),
    duration_seconds: seconds,
    context: { phase, goal, constraints: ["No new dependencies"], files_involved: [file] },
    action_log: [
      { t: 0, action: "read_file", target: "README.md" },
      { t: Math.floor(seconds / 3), action: "write_file", target: file },
      ...(error ? [{ t: Math.floor(seconds / 2), action: "run", result: "fail", error: error.message }] : []),
      { t: seconds, action: "run", result: passed ? "pass" : "fail" },
    ],
    outcome,
    errors_encountered: error ? [error] : [],
    artifacts_produced: passed ? [file] : [],
    files_read: ["README.md"],
    files_modified: [file],
    git_commit: Math.floor(random() * 2 ** 28).toString(16),
    tokens_used: 1_000 + Math.floor(random() * 40_000),
    importance: Math.round((0.2 + random() * 0.7) * 100) / 100,
  };
}

function themeNamed(name: string): Theme {
  const theme = THEMES[name];
  if (theme === undefined) throw new Error(`There is no theme ${name}`);
  return theme;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function pick<T>(random: () => number, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from");
  return item;
}

function shuffled<T>(items: T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** mulberry32, begun anew for each day. */
function generator(day: number): () => number {
  let state = Math.imul(day + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
