// Renders CONTINUITY, a session's working memory as a page of Markdown. Stored text is escaped and stays on one line.

import type { SourceType } from "../../kernel/common";
import type { Json } from "../../kernel/json";
import { formatValue } from "../../language/json-text";
import { clip } from "../../language/normalise-text";
import { countTokens } from "../../language/token-count";
import type { Role } from "../../memories/message-schemas";
import { escapeText } from "../../recall/prompts/render-prompt";
import type { ContextSource, Session } from "../../sessions/session-schemas";
import { CONTEXT_SOURCE_TYPES, renderSourceLabel } from "../../trust/source-rank";
import type { Handoff, Ledger } from "../handover/handover-schemas";
import type { PrimeAnswer } from "./briefing-schemas";

export type ContinuityView = {
  session: Pick<Session, "id" | "status" | "agent_id" | "project_id" | "updated_at">;
  goal: string | null;
  tasks: readonly { text: string; status: "open" | "done" }[];
  context: readonly { key: string; value: Json; source?: ContextSource }[];
  /** Oldest first. */
  messages: readonly { role: Role; name: string | null; content: string }[];
  /** The newest checkpoint of the session's agent. */
  checkpoint: Pick<
    Ledger,
    "last_checkpoint" | "tasks_completed" | "current_task" | "state" | "context"
  > | null;
  /** Pending handoffs to the session's agent. */
  handoffs: readonly Pick<Handoff, "id" | "from_agent" | "context">[];
  memories: readonly { id: string; content: string; type: string; source_type?: SourceType }[];
} & Pick<PrimeAnswer, "relevant_patterns" | "avoid_these" | "applicable_skills" | "similar_episodes">;

/** Tokens of a page, unless the caller sets another budget. */
export const CONTINUITY_TOKENS = 1_500;
/** Characters of one text. */
const LINE_CHARS = 160;
/** Lines of one part of "Now", so that no part displaces another; and of messages. */
const PART_LINES = 8;
const MESSAGE_LINES = 4;

/**
 * Renders a page of at most `budget` tokens, which must suffice for the headings. If the lines do not fit, sections lose
 * their last ones: "Now" takes up to half of the room, then mistakes, which are few and valuable, then memories, then
 * the rest of "Now".
 */
export function renderContinuity(view: ContinuityView, budget: number = CONTINUITY_TOKENS): string {
  const lines: Lines = {
    now: renderNow(view),
    memories: renderMemories(view),
    mistakes: renderMistakes(view),
  };
  // The tokens of lines do not add up exactly to those of the page: if it is too long, it is filled again with less.
  for (let room = budget; ; ) {
    const counts = fitLines(view, lines, room);
    const page = renderPage(view, lines, counts);
    const excess = countTokens(page) - budget;
    if (excess <= 0 || counts.now + counts.memories + counts.mistakes === 0) return page;
    room -= excess;
  }
}

type Section = "now" | "memories" | "mistakes";
type Lines = Readonly<Record<Section, readonly string[]>>;
/** Number of lines of each section on the page. */
type LineCounts = Readonly<Record<Section, number>>;

const NO_LINES: LineCounts = { now: 0, memories: 0, mistakes: 0 };

function fitLines(view: ContinuityView, lines: Lines, room: number): LineCounts {
  let left = room - countTokens(renderPage(view, lines, NO_LINES));
  const counts = { ...NO_LINES };
  const take = (section: Section, share: number) => {
    let rest = share;
    for (const line of lines[section].slice(counts[section])) {
      const cost = countTokens(`${line}\n`);
      if (cost > rest) return;
      counts[section] += 1;
      rest -= cost;
      left -= cost;
    }
  };
  take("now", Math.floor(left / 2));
  take("mistakes", left);
  take("memories", left);
  take("now", left);
  return counts;
}

function renderPage({ session }: ContinuityView, lines: Lines, counts: LineCounts): string {
  const { id, status, agent_id, project_id, updated_at } = session;
  const subtitle = [
    `Session ${escapeText(id)} (${status})`,
    ...(agent_id === null ? [] : [`agent ${escapeText(agent_id)}`]),
    ...(project_id === null ? [] : [`project ${escapeText(project_id)}`]),
    updated_at,
  ];
  return [
    "# CONTINUITY",
    subtitle.join(", "),
    renderSection("## Now", lines.now, counts.now),
    renderSection("## Relevant Memories (Auto-Retrieved)", lines.memories, counts.memories),
    renderSection("## Mistakes to Avoid (From Learnings)", lines.mistakes, counts.mistakes),
  ].join("\n\n");
}

function renderSection(heading: string, lines: readonly string[], count: number): string {
  const left = lines.length - count;
  if (lines.length === 0) return `${heading}\nNothing yet.`;
  return [heading, ...lines.slice(0, count), ...(left > 0 ? [`- … ${left} left out`] : [])].join("\n");
}

/** Renders the lines of "Now", the indispensable first; messages come last, since the conversation has them too. */
function renderNow({ goal, handoffs, checkpoint, tasks, context, messages }: ContinuityView): string[] {
  // The goal may come from a task or the context: it appears once.
  const open = tasks.filter(({ status, text }) => status === "open" && text !== goal);
  const known = context.filter(({ value }) => goal === null || value !== goal);
  return [
    ...(goal === null ? [] : [renderLine("Goal", goal)]),
    ...limitLines("handoffs", handoffs.map(renderHandoff)),
    ...(checkpoint === null ? [] : [renderCheckpoint(checkpoint)]),
    ...limitLines(
      "open tasks",
      open.map(({ text }) => renderLine("Open task", text)),
    ),
    ...limitLines(
      "context keys",
      known.map(({ key, value, source }) =>
        renderLine(
          escapeText(key),
          formatValue(value),
          source === undefined ? undefined : CONTEXT_SOURCE_TYPES[source],
        ),
      ),
    ),
    // Newest first, so that a cut drops the oldest.
    ...messages.slice(-MESSAGE_LINES).toReversed().map(renderMessage),
  ];
}

function limitLines(name: string, lines: readonly string[]): string[] {
  const more = lines.length - PART_LINES;
  return more > 0 ? [...lines.slice(0, PART_LINES), `- … ${more} more ${name}`] : [...lines];
}

function renderLine(label: string, text: string, source?: SourceType): string {
  return `- ${label}: ${renderSourceLabel(source)}${escapeText(clip(text, LINE_CHARS))}`;
}

function renderHandoff({ id, from_agent, context }: ContinuityView["handoffs"][number]): string {
  const { what_was_done, needs_testing, known_issues } = context;
  const parts = [
    what_was_done,
    ...(needs_testing.length === 0 ? [] : [`to test: ${needs_testing.join(", ")}`]),
    ...(known_issues.length === 0 ? [] : [`known issues: ${known_issues.join(", ")}`]),
  ];
  const text = parts.map((part) => clip(part, LINE_CHARS)).join("; ");
  return `- Handoff [${escapeText(id)}] from ${escapeText(from_agent)}: ${escapeText(text)}`;
}

function renderCheckpoint(checkpoint: NonNullable<ContinuityView["checkpoint"]>): string {
  const { last_checkpoint, tasks_completed, current_task, context, state } = checkpoint;
  const notes = [context, state]
    .filter((part) => Object.keys(part).length > 0)
    .map((part) => formatValue(part));
  const parts = [
    `tasks done: ${tasks_completed}`,
    ...(current_task === null ? [] : [`current task: ${current_task}`]),
    ...notes,
  ];
  const text = parts.map((part) => clip(part, LINE_CHARS)).join("; ");
  return `- Checkpoint of ${last_checkpoint}: ${escapeText(text)}`;
}

function renderMessage({ role, name, content }: ContinuityView["messages"][number]): string {
  return renderLine(`Said by ${role}${name === null ? "" : ` ${escapeText(name)}`}`, content);
}

function renderMemories(view: ContinuityView): string[] {
  const { relevant_patterns, avoid_these, applicable_skills, similar_episodes, memories } = view;
  // Patterns, lessons and skills are memories too: each appears once.
  const shown = new Set([...relevant_patterns, ...avoid_these, ...applicable_skills].map(({ id }) => id));
  return [
    ...relevant_patterns.map(({ id, name, pattern, category, memory_type, source_type: source }) =>
      // The category of a fact or a decision is its type.
      renderMarkedLine(name ?? id, category === memory_type ? `${memory_type}: ${pattern}` : pattern, {
        source,
      }),
    ),
    ...memories
      .filter(({ id }) => !shown.has(id))
      .map(({ id, type, content, source_type: source }) =>
        renderMarkedLine(id, `${type}: ${content}`, { source }),
      ),
    ...similar_episodes.map(({ id, goal, outcome }) => renderMarkedLine(id, goal, { tail: ` (${outcome})` })),
    ...applicable_skills.map(({ slug, name }) => renderMarkedLine(`skill: ${slug}`, name)),
  ];
}

function renderMistakes({ avoid_these }: ContinuityView): string[] {
  return avoid_these.map(({ id, name, what_fails, prevention, source_type: source }) =>
    renderMarkedLine(name ?? id, what_fails, {
      source,
      tail: prevention ? ` → ${escapeText(clip(prevention, LINE_CHARS))}` : "",
    }),
  );
}

/** Renders a line with its id in brackets. `tail` is appended unescaped. */
function renderMarkedLine(
  mark: string,
  text: string,
  { source, tail = "" }: { source?: SourceType | undefined; tail?: string } = {},
): string {
  const label = renderSourceLabel(source);
  return `- [${escapeText(mark)}] ${label}${escapeText(clip(text, LINE_CHARS))}${tail}`;
}
