// A month in the life of a support agent at a bicycle shop, for the pictures of the console: past days as an import, and
// a conversation of today through the API.
import { createHash } from "node:crypto";

const DAY_MS = 86_400_000;

/** Sends a call with a body and returns its answer. */
export type DemoCall = (
  method: string,
  path: string,
  body?: object | string,
) => Promise<Record<string, unknown>>;

const PEOPLE = ["mia", "ben", "alex", "yuki", "omar", "lena", "raj", "ines"];
const BIKES = ["the folding bike", "a gravel bike", "the cargo bike", "a city bike", "the child's bike"];
const STATEMENTS = [
  ["rides to work in Porto every day with", "fact"],
  ["prefers to be called before a repair of", "preference"],
  ["wants the disc brakes replaced on", "fact"],
  ["ordered winter tyres for", "fact"],
  ["prefers e-mail over text messages about", "preference"],
  ["returned the child seat of", "discovery"],
] as const;
const CONVENTIONS = [
  ["Refunds above 200 EUR need a second signature", "process_convention"],
  ["A test ride ends before the shop closes at 18:30", "agent_rule"],
  ["Spoke orders from Hamburg take nine days in autumn", "discovery"],
  ["Asking for the frame number first saves a second call", "lesson_learned"],
  ["The supplier of the hub motors may run out in December", "risk"],
  ["Inventory is counted on the first Monday of a month", "process_convention"],
] as const;
const GOALS = [
  "Answer a question about a late delivery",
  "Book a repair for the next free day",
  "Refund a broken light",
  "Match a spare part to a frame number",
];

export async function loadDemoMonth(call: DemoCall, now = Date.now()): Promise<void> {
  const at = (daysAgo: number, minutes = 0) =>
    new Date(now - daysAgo * DAY_MS + minutes * 60_000).toISOString();
  const lines = [
    ...Array.from({ length: 30 }, (_, day) => day).flatMap((day) => describeDay(day, at)),
    ...CONVENTIONS.map(([content, type], index) =>
      toMemory(content, type, at(29 - index * 4), { project_id: "shop", agent_id: "ada" }),
    ),
  ];
  const order = ["session", "message", "memory", "episode", "briefing_count"];
  lines.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const counts = Object.fromEntries(
    order.map((kind) => [kind, lines.filter((line) => line.kind === kind).length]),
  );
  const end = { kind: "end", lines: lines.length, counts };
  const file = [{ kind: "kioku", format: 2 }, ...lines, end];
  await call("POST", "/v1/import", file.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

type Line = { kind: string } & Record<string, unknown>;

/** One day: a few conversations, what was learnt from them, attempts at tasks, and briefings. */
function describeDay(day: number, at: (daysAgo: number, minutes?: number) => string): Line[] {
  const daysAgo = 29 - day;
  // More at the end of the month, and fewer on every seventh day.
  const visits = day % 7 === 6 ? 1 : 3 + (day % 4) + Math.floor(day / 10);
  const conversations = Array.from({ length: visits }, (_, visit) => {
    const user_id = PEOPLE[(day + visit * 3) % PEOPLE.length] ?? "mia";
    const bike = BIKES[(day * 2 + visit) % BIKES.length] ?? "";
    const [does, type] = STATEMENTS[(day + visit) % STATEMENTS.length] ?? STATEMENTS[0];
    const name = `${user_id[0]?.toUpperCase()}${user_id.slice(1)}`;
    const id = `visit-${day + 1}-${visit + 1}`;
    const start = visit * 45 - 300;
    return [
      toSession(id, user_id, at(daysAgo, start)),
      ...[`Hello, it is ${name}. It is about ${bike}.`, "Of course. What can I do for you?"].map(
        (content, index): Line => ({
          kind: "message",
          session_id: id,
          seq: index + 1,
          id: `${id}-${index + 1}`,
          role: index === 0 ? "user" : "assistant",
          name: index === 0 ? user_id : null,
          content,
          timestamp: at(daysAgo, start + index),
          token_count: 12,
          tool_calls: null,
          tool_call_id: null,
          metadata: {},
        }),
      ),
      toMemory(`${name} ${does} ${bike}`, type, at(daysAgo, start + 2), { user_id, agent_id: "ada" }),
    ];
  }).flat();
  const attempts = Array.from({ length: 2 + (day % 3) }, (_, index) =>
    toEpisode(day * 5 + index, at(daysAgo, index * 20 - 200)),
  );
  const briefings: Line = {
    kind: "briefing_count",
    day: at(daysAgo).slice(0, 10),
    project_id: "shop",
    agent_id: "ada",
    calls: visits * 2,
    with_patterns: visits,
    patterns: visits * 2,
    tokens_used: visits * 310,
    tokens_saved: visits * 540,
  };
  return [...conversations, ...attempts, briefings];
}

function toSession(id: string, user_id: string, at: string): Line {
  return {
    kind: "session",
    id,
    status: "closed",
    user_id,
    agent_id: "ada",
    project_id: "shop",
    reach: "user",
    phase: null,
    participating_agents: [],
    continues: null,
    created_at: at,
    updated_at: at,
    ended_at: at,
    token_budget: { total: 8_000, conversation: 4_000, context: 2_000 },
    promotion: {
      enabled: true,
      interval_ms: 3_600_000,
      threshold: 0.6,
      max_per_run: 20,
      weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
    },
    policy: null,
    privacy: "standard",
    metadata: {},
    runs: 1,
    total_promoted: 1,
    last_run: at,
    window_start: 1,
    extracted_seq: 2,
    finishing: false,
    version: 1,
  };
}

function toMemory(content: string, type: string, at: string, owner: object): Line {
  return {
    kind: "memory",
    id: toId(`${content} ${at}`),
    type,
    content,
    confidence: 0.9,
    importance: 0.7,
    source_type: "agent",
    rationale: null,
    topic_key: null,
    valid_from: null,
    valid_until: null,
    evidence: [],
    properties: {},
    metadata: {},
    tags: ["shop"],
    relations: [],
    session_id: null,
    user_id: null,
    agent_id: null,
    project_id: null,
    ...owner,
    timestamp: at,
    recorded_at: at,
    ended_at: null,
    superseded_by: null,
    invalidated_by: null,
    forgotten_at: null,
    forget_reason: null,
    access_count: 2,
    last_accessed: at,
    activity: { kind: "remember" },
  };
}

function toEpisode(index: number, timestamp: string): Line {
  return {
    kind: "episode",
    id: toId(`episode ${index}`),
    task_id: null,
    project_id: "shop",
    user_id: null,
    agent: "ada",
    timestamp,
    duration_seconds: 60 + (index % 7) * 30,
    context: { phase: null, goal: GOALS[index % GOALS.length], constraints: [], files_involved: [] },
    action_log: [],
    outcome: ["success", "success", "partial", "success", "failure"][index % 5],
    errors_encountered: [],
    artifacts_produced: [],
    files_read: [],
    files_modified: [],
    git_commit: null,
    tokens_used: 900,
    importance: 0.5,
    summary: null,
    usage_count: 0,
    last_used: null,
    decayed_at: null,
    archived_at: null,
    relations: [],
  };
}

function toId(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
