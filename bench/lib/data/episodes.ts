// Generates episodes that read like an agent's, the same in every run. Most belong to recurring themes about different
// things, the rest to none. Each is generated from its number alone.
import { getItem } from "../get-item.ts";
import { createRandom, pick, type Random } from "./random.ts";
import { COMMON_WORDS, NAMES } from "./words.ts";

/** `_` stands for the topic of the episode. */
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

const ERRORS: readonly (readonly [type: string, message: string, resolution: string])[] = [
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

/** One in `ONE_IN.noise` has no theme, one in `ONE_IN.failure` fails. */
const ONE_IN = { noise: 4, failure: 10 };

/** All episodes happen within so many hours before the evening of one day. */
export const EVENING = "2026-01-31T20:00:00.000Z";
const HOURS = 23;
export const MORNING = new Date(Date.parse(EVENING) - 24 * 3_600_000).toISOString();

/** Generates episode `index` of a project with `count` episodes. */
export function generateEpisode(index: number, count: number, project: string) {
  const random = createRandom(index);
  const failed = index % ONE_IN.failure === 7;
  const [type, message, resolution] = pick(random, ERRORS);
  const file = `src/${pick(random, NAMES)}.ts`;
  const before = Math.floor(((count - index) / count) * HOURS * 3_600_000);
  return {
    id: `${project}-${index}`,
    project_id: project,
    timestamp: new Date(Date.parse(EVENING) - before).toISOString(),
    context: { goal: generateGoal(index, random), phase: "development", files_involved: [file] },
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

/** Generates a new task of a known theme, about something else. */
export function generateTask(index: number): string {
  return fillTheme(createRandom(index + 0x74000000), getItem(THEMES, index % THEMES.length));
}

function generateGoal(index: number, random: Random): string {
  if (index % ONE_IN.noise !== 3) return fillTheme(random, pick(random, THEMES));
  const words = Array.from({ length: 5 }, () => pickWord(random));
  return `${pick(random, VERBS)} ${words.join(" ")}`;
}

function fillTheme(random: Random, theme: string): string {
  return theme.replace("_", pickWord(random));
}

function pickWord(random: Random): string {
  return pick(random, random() < 0.5 ? COMMON_WORDS : NAMES);
}
