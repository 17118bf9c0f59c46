// Values as bars: the signals of a hit, the parts of an importance, shares of a budget.
import { formatCount, formatName, formatShare } from "../state/format";
import { SIGNAL_WEIGHTS } from "../state/signal-weights";

type BarProps = {
  label: string;
  value: number;
  /** The value of a full bar. */
  max?: number;
  /** The text beside the bar; by default the value with two decimals. */
  text?: string;
  tone?: "accent" | "good" | "warn" | "danger";
  /** The class of the bar's colour, in place of a tone. */
  fill?: string;
  /** An explanation below the label. */
  note?: string | undefined;
};

/** One bar. Several inside of an element with the class `bars` are aligned with each other. */
export function Bar({
  label,
  value,
  max = 1,
  text = formatShare(value),
  tone = "accent",
  fill = `bar-${tone}`,
  note,
}: BarProps) {
  const share = max === 0 ? 0 : Math.min(1, Math.max(0, value / max));
  return (
    <div class="bar">
      <span class="bar-label">{label}</span>
      <span class="bar-track" aria-hidden="true">
        <span class={`bar-fill ${fill}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span class="bar-text">{text}</span>
      {note !== undefined && <span class="bar-note">{note}</span>}
    </div>
  );
}

/** Signals that decide whether and where something is found come first. */
const ORDER = [
  "rerank",
  "lexical",
  "semantic",
  "relevance",
  "session",
  "recency",
  "length",
  "importance",
  "access",
];
const EXPLANATIONS: Readonly<Record<string, string>> = {
  rerank: "The reranker's score, in place of the others",
  lexical: "Words in common with the query",
  semantic: "Similarity of meaning",
  relevance: "Decides whether it is a hit; not part of the score",
  speaker: "The query names its speaker",
  date: "Near a time that the query names",
  when: "The query asks when, and it has a time",
  count: "The query asks for a number, and it has one",
  question: "It only asks",
  session: "Other hits of the same session",
  recency: "How new it is among the candidates",
  length: "How much it says",
  importance: "Its importance",
  access: "How often it was used",
  memory: "Keeps a memory among the first three",
  repeat: "It repeats a memory",
};

type Signal = { name: string; value: number; weight: number };

/** The signals behind a hit's score, as one segmented bar and, on demand, by name. */
export function SignalBars({
  signals,
  score,
}: {
  signals: Readonly<Record<string, number | string | undefined>>;
  score: number;
}) {
  const values = Object.entries(signals)
    .filter((pair): pair is [string, number] => typeof pair[1] === "number" && pair[1] !== 0)
    .sort(([a], [b]) => rankSignal(a) - rankSignal(b))
    .map(([name, value]): Signal => ({ name, value, weight: findWeight(name, signals) }));
  const parts = values.filter(({ value, weight }) => value * weight > 0);
  const total = parts.reduce((sum, { value, weight }) => sum + value * weight, 0);
  return (
    <details class="signals">
      <summary>
        <span class="segments" aria-hidden="true">
          {parts.map(({ name, value, weight }) => (
            <span
              key={name}
              class={`segment segment-${name}`}
              style={{ width: `${((value * weight) / total) * 100}%` }}
            />
          ))}
        </span>
        <span class="signals-summary">
          score {formatShare(score)}
          {parts.slice(0, 2).map(({ name, value }) => ` · ${name} ${formatShare(value)}`)}
        </span>
      </summary>
      <div class="bars signals-list">
        {values.map(({ name, value, weight }) => (
          <Bar
            key={name}
            label={formatName(name)}
            value={Math.abs(value * weight)}
            text={weight === 0 || weight === 1 ? formatShare(value) : `${formatShare(value)} × ${weight}`}
            fill={value < 0 ? "bar-danger" : `segment segment-${name}`}
            note={EXPLANATIONS[name]}
          />
        ))}
      </div>
    </details>
  );
}

/** Returns the weight of a signal: 1 for a value that is a part of the score as it is, 0 for one that is no part of it. */
function findWeight(name: string, signals: Readonly<Record<string, unknown>>): number {
  if (name === "relevance" || (signals.rerank !== undefined && name !== "rerank")) return 0;
  return SIGNAL_WEIGHTS[name] ?? 1;
}

function rankSignal(name: string): number {
  const index = ORDER.indexOf(name);
  return index < 0 ? ORDER.length : index;
}

export type ImportanceParts = { recency: number; frequency: number; confidence: number; salience: number };

type ImportanceBarProps = { score: number; parts: ImportanceParts | null; threshold?: number };

/** An importance score, made of its four parts, with the threshold of promotion as a mark. */
export function ImportanceBar({ score, parts, threshold }: ImportanceBarProps) {
  const segments = Object.entries(parts ?? { importance: score });
  return (
    <div class="importance">
      <span class="importance-track" aria-hidden="true">
        {segments.map(([name, value]) => (
          <span key={name} class={`segment part-${name}`} style={{ width: `${value * 100}%` }} />
        ))}
        {threshold !== undefined && <span class="threshold" style={{ left: `${threshold * 100}%` }} />}
      </span>
      <p class="meta">
        <span>importance {formatShare(score)}</span>
        {parts !== null &&
          segments.map(([name, value]) => (
            <span key={name} class={`part part-${name}`}>
              {name} {formatShare(value)}
            </span>
          ))}
      </p>
    </div>
  );
}

/** Tokens or other units used out of a budget. */
export function BudgetBar({ label, used, total }: { label: string; used: number; total: number }) {
  const isFull = used >= total * 0.9;
  return (
    <Bar
      label={label}
      value={used}
      max={total}
      text={`${formatCount(used)} of ${formatCount(total)}`}
      tone={isFull ? "warn" : "accent"}
    />
  );
}
