// A month of an agent's life, loaded in bulk: sessions, memories with sources and successors, episodes, contradictions,
// and memories that try to run scripts.
import type { Kioku } from "../../../client/index";

const DAY_MS = 86_400_000;

/** Texts that would run if they became markup. */
export const HOSTILE_TEXTS = [
  '<img src=x onerror="globalThis.hacked=1">',
  "<script>globalThis.hacked=1</script>",
  '"><svg onload=globalThis.hacked=1>',
  "javascript:globalThis.hacked=1//",
];

const GOALS = [
  "Add a login page to the shop",
  "Fix the flaky checkout test",
  "Migrate the orders table",
  "Deploy the shop to production",
  "Cache the product list",
];

const STATEMENTS = [
  ["The shop runs on Phoenix 1.8 with a Postgres database", "fact"],
  ["We deploy on Fridays only after the smoke tests pass", "process_convention"],
  ["Prices are stored in cents to avoid rounding errors", "architectural_decision"],
  ["The payment provider may rate-limit us in December", "risk"],
  ["The team prefers small pull requests", "preference"],
  ["Search is slow when a query has more than four words", "discovery"],
  ["The admin pages need a second factor", "agent_rule"],
  ["Restarting the worker clears the stuck queue", "lesson_learned"],
] as const;

export type Month = {
  /** A memory that was promoted from a message. */
  promotedId: string;
  /** A memory with an older version. */
  changedId: string;
  /** A session with pending memories. */
  liveSession: string;
};

export async function loadMonth(kioku: Kioku, now = Date.now()): Promise<Month> {
  const at = (daysAgo: number) => new Date(now - daysAgo * DAY_MS).toISOString();
  const [changed] = await Promise.all([
    loadMemories(kioku, at),
    loadSessions(kioku, at),
    loadEpisodes(kioku, at),
  ]);
  const liveSession = await openLiveSession(kioku);
  const promotedId = await findPromoted(kioku);
  return { promotedId, changedId: changed, liveSession };
}

async function loadMemories(kioku: Kioku, at: (daysAgo: number) => string): Promise<string> {
  await kioku.rememberMany({
    memories: [
      ...STATEMENTS.map(([content, type], index) => ({
        content,
        type,
        project_id: "shop",
        agent_id: "ada",
        tags: index % 2 === 0 ? ["shop", "backend"] : ["shop"],
        confidence: 0.6 + index * 0.05,
        valid_from: at(28 - index * 3),
        evidence: ["runbook.md"],
      })),
      ...Array.from({ length: 60 }, (_, index) => ({
        content: `Customer ${index + 1} asked about order ${1_000 + index} on day ${(index % 28) + 1}`,
        type: "fact" as const,
        user_id: ["mia", "ben", "alex"][index % 3],
        agent_id: "clerk",
        valid_from: at(index % 28),
      })),
      ...HOSTILE_TEXTS.map((content) => ({ content, project_id: "hostile", tags: [content.slice(0, 20)] })),
      {
        content: "I pay from the account at the harbour bank",
        key: "account",
        user_id: "mia",
        source_type: "user" as const,
      },
    ],
  });
  await kioku.remember({ content: "The staging server is Hetzner", key: "staging", project_id: "shop" });
  const { memory_id } = await kioku.remember({
    content: "The staging server is Fly",
    key: "staging",
    project_id: "shop",
    rationale: "Hetzner was too far from the database",
  });
  await kioku.remember({
    content: "Deploys to staging take two minutes since it moved to Fly",
    project_id: "shop",
    evidence: [memory_id],
  });
  await kioku.remember({
    content: "All payments go to the account XX99",
    key: "account",
    user_id: "mia",
    source_type: "external_document",
  });
  return memory_id;
}

async function loadSessions(kioku: Kioku, at: (daysAgo: number) => string): Promise<void> {
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const session = kioku.session(`visit-${index + 1}`);
      const [user_id = ""] = ["alex", "mia", "ben"].slice(index % 3);
      await session.messages.add({
        user_id,
        agent_id: "clerk",
        messages: [
          {
            role: "user",
            name: user_id,
            content: `I live in ${["Lisbon", "Porto", "Faro"][index % 3]}.`,
            timestamp: at(27 - index * 3),
          },
          { role: "assistant", content: "Noted. How can I help?", timestamp: at(27 - index * 3) },
          {
            role: "user",
            name: user_id,
            content: `I am allergic to ${["peanuts", "pollen", "cats"][index % 3]}.`,
            timestamp: at(26 - index * 3),
          },
        ],
      });
      if (index < 5) await session.close();
    }),
  );
}

async function loadEpisodes(kioku: Kioku, at: (daysAgo: number) => string): Promise<void> {
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      kioku.episodes.create({
        project_id: "shop",
        agent: "ada",
        timestamp: at(29 - index),
        context: { goal: GOALS[index % GOALS.length] ?? "", files_involved: ["lib/shop.ex"] },
        outcome: (["success", "success", "failure", "partial"] as const)[index % 4] ?? "success",
        errors_encountered:
          index % 4 === 2
            ? [
                {
                  type: "timeout",
                  message: "The test database did not start",
                  resolution: "Wait for the port",
                },
              ]
            : [],
        tokens_used: 1_000 + index * 50,
      }),
    ),
  );
  await kioku.consolidate({ project_id: "shop", since: at(31) });
}

async function openLiveSession(kioku: Kioku): Promise<string> {
  const id = "support-desk";
  // Promotion runs only on demand during the tests.
  await kioku.sessions.create({
    id,
    user_id: "mia",
    agent_id: "clerk",
    project_id: "shop",
    promotion: { interval_ms: 3_600_000 },
  });
  const session = kioku.session(id);
  await session.messages.add({
    messages: [
      { role: "user", name: "mia", content: "My parcel arrived broken." },
      { role: "assistant", content: "I am sorry. I have ordered a replacement." },
      { role: "tool", content: '{"order":1042,"status":"replacement ordered"}' },
    ],
  });
  await session.pending.add({
    content: "Mia's parcel of order 1042 arrived broken",
    memory_type: "fact",
    confidence: 0.9,
  });
  await session.context.put("current_task", {
    value: "Replace order 1042",
    source: "tool",
    confidence: 0.95,
  });
  await session.tasks.add({ text: "Follow up on the replacement" });
  await session.thread.append({ entries: [{ kind: "note", payload: "The courier is slow this week." }] });
  return id;
}

async function findPromoted(kioku: Kioku): Promise<string> {
  for await (const memory of kioku.memories.list({ user_id: "alex" }))
    if (memory.session_id?.startsWith("visit-")) return memory.id;
  throw new Error("No memory was promoted from a session");
}
