// Values as bars: the signals of a hit, the parts of an importance, shares of a budget.
import { formatCount, formatName, formatShare } from "../state/format";

type BarProps = {
  label: string;
  value: number;
  /** The value of a full bar. */
  max?: number;
  /** The text beside the bar; by default the value with two decimals. */
  text?: string;
  tone?: "accent" | "good" | "warn" | "danger";
};

export function Bar({ label, value, max = 1, text = formatShare(value), tone = "accent" }: BarProps) {
  const share = max === 0 ? 0 : Math.min(1, Math.max(0, value / max));
  return (
    <div class="bar">
      <span class="bar-label">{label}</span>
      <span class="bar-track" aria-hidden="true">
        <span class={`bar-fill bar-${tone}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span class="bar-text">{text}</span>
    </div>
  );
}

/** Signals that decide whether and where something is found come first. */
const ORDER = ["rerank", "lexical", "semantic", "relevance", "recency", "importance", "access"];
const EXPLANATIONS: Readonly<Record<string, string>> = {
  rerank: "The reranker's score, in place of the others",
  lexical: "Words in common with the query",
  semantic: "Similarity of meaning",
  relevance: "Decides whether it is a hit; not part of the score",
  recency: "How new it is among the candidates",
  importance: "Its importance",
  access: "How often it was used",
};

/** Signals that have another scale than the others, or are no part of the score. */
const NOT_DRAWN = ["relevance", "length", "session"];

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
    .sort(([a], [b]) => rankSignal(a) - rankSignal(b));
  const parts = values.filter(([name, value]) => !NOT_DRAWN.includes(name) && value > 0);
  const total = parts.reduce((sum, [, value]) => sum + value, 0);
  return (
    <details class="signals">
      <summary>
        <span class="segments" aria-hidden="true">
          {parts.map(([name, value]) => (
            <span
              key={name}
              class={`segment segment-${name}`}
              style={{ width: `${(value / total) * 100}%` }}
            />
          ))}
        </span>
        <span class="signals-summary">
          score {formatShare(score)}
          {parts.slice(0, 2).map(([name, value]) => ` · ${name} ${formatShare(value)}`)}
        </span>
      </summary>
      <div class="signals-list">
        {values.map(([name, value]) => (
          <div key={name} title={EXPLANATIONS[name]}>
            <Bar
              label={formatName(name)}
              value={Math.abs(value)}
              text={formatShare(value)}
              tone={value < 0 ? "danger" : "accent"}
            />
          </div>
        ))}
      </div>
    </details>
  );
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
