// Episodes that read like an agent's, the same ones in every run: most are of some theme that comes back about other
// things, the rest are of none. Each is made from its number alone.
import { COMMON_WORDS, NAME_ENDINGS, NAME_STEMS } from "./words.mjs";

/** `_` is what the episode is about. */
const THEMES = [
  "Implement the POST /api/_ REST endpoint with request validation",
  "Write a database migration that adds a column to the _ table",
  "Cover the _ module with unit tests until coverage is at ninety percent",
  "Upgrade the npm dependency _ to its latest major version",
  "Describe the _ command of the command line tool in the user guide",
  "Replace inheritance with plain functions in the old _ service class hierarchy",
  "Deploy release _ to the staging cluster and watch the rollout",
  "Rotate the signing key of the _ webhook sender",
  "Fix the memory leak in the _ background worker",
  "Translate the _ page of the web shop into German",
  "Add a dashboard for the latency of the _ queue",
  "Answer the support ticket of a customer who lost access to _",
  "Remove the unused feature flags from the _ screen",
  "Make the _ button work with screen readers",
  "Speed up the slow SQL query behind the _ report",
  "Back up the _ bucket and restore it in another region",
];

const ERRORS = [
  ["TypeScript compilation", "Missing return type annotation", "Give every handler an explicit return type"],
  ["Database deadlock", "Deadlock found when trying to get a lock", "Take the locks in one order"],
  ["Test timeout", "A test did not end within 5000 ms", "Await every promise"],
  ["Peer dependency conflict", "Unable to resolve the dependency tree", "Upgrade the packages together"],
  ["Failed health check", "The new pods never became ready", "Warm the cache first"],
  ["Missing environment variable", "DATABASE_URL is not set", "Check the environment at the start"],
];

const VERBS = [
  "add",
  "move",
  "check",
  "draw",
  "explain",
  "price",
  "sketch",
  "count",
  "merge",
  "clean",
  "name",
];
const NAMES = NAME_STEMS.flatMap((stem) => NAME_ENDINGS.map((ending) => stem + ending));

/** One in `ONE_IN.noise` is of no theme, one in `ONE_IN.failure` fails. */
const ONE_IN = { noise: 4, failure: 10 };

/** The end of the day on which all of it happened, and the hours that it took. */
export const EVENING = "2026-01-31T20:00:00.000Z";
const HOURS = 23;
export const MORNING = new Date(Date.parse(EVENING) - 24 * 3_600_000).toISOString();

/** The episode of this number, of so many of a project, on one day. */
export function episodeAt(index, count, project) {
  const random = generator(index);
  const failed = index % ONE_IN.failure === 7;
  const [type, message, resolution] = pick(random, ERRORS);
  const file = `src/${pick(random, NAMES)}.ts`;
  const before = Math.floor(((count - index) / count) * HOURS * 3_600_000);
  return {
    id: `${project}-${index}`,
    project_id: project,
    timestamp: new Date(Date.parse(EVENING) - before).toISOString(),
    context: { goal: goalAt(index, random), phase: "development", files_involved: [file] },
    action_log: [
      { t: 0, action: "read_file", target: file },
      { t: 60, action: "edit_file", target: file },
      { t: 90, action: "run_test", result: failed ? "fail" : "pass" },
    ],
    outcome: failed ? "failure" : "success",
    errors_encountered: failed ? [{ type, message, resolution }] : [],
    importance: Math.round((0.2 + random() * 0.7) * 100) / 100,
  };
}

/** A new task of a theme that came before, about something else. */
export function taskAt(index) {
  return fill(generator(index + 0x74000000), THEMES[index % THEMES.length]);
}

function goalAt(index, random) {
  if (index % ONE_IN.noise !== 3) return fill(random, pick(random, THEMES));
  const words = Array.from({ length: 5 }, () => pick(random, random() < 0.5 ? COMMON_WORDS : NAMES));
  return `${pick(random, VERBS)} ${words.join(" ")}`;
}

function fill(random, theme) {
  return theme.replace("_", pick(random, random() < 0.5 ? COMMON_WORDS : NAMES));
}

function pick(random, items) {
  return items[Math.floor(random() * items.length)];
}

/** mulberry32: small, and good enough to choose words with. */
function generator(index) {
  let state = Math.imul(index + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
