// A slider through time: the memories below are those that were known at its time.
import { useEffect, useState } from "preact/hooks";
import { SelectField } from "../../components/fields";
import { formatTime } from "../../state/format";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far back the slider reaches, and how far one step of it moves. */
const SPANS = {
  day: { length: DAY_MS, step: HOUR_MS / 12 },
  week: { length: 7 * DAY_MS, step: HOUR_MS },
  month: { length: 30 * DAY_MS, step: 3 * HOUR_MS },
  year: { length: 365 * DAY_MS, step: DAY_MS },
} as const;
type Span = keyof typeof SPANS;

/** A drag passes many times: the memories of one are read when the slider rests for so long. */
const REST_MS = 200;

type AsOfSliderProps = {
  /** An ISO time; undefined for now. */
  asOf: string | undefined;
  change: (asOf: string | undefined) => void;
};

export function AsOfSlider({ asOf, change }: AsOfSliderProps) {
  const [now] = useState(Date.now);
  const [span, setSpan] = useState<Span>(() => findSpan(asOf, now));
  const { length, step } = SPANS[span];
  const steps = length / step;
  const age = now - Date.parse(asOf ?? "");
  // Now, if there is no time, or none that can be read: the service says what is wrong with it.
  const given = Number.isNaN(age) ? steps : Math.round(steps - age / step);
  const [position, setPosition] = useState(given);
  const shown = position >= steps ? undefined : new Date(now - (steps - position) * step).toISOString();

  useEffect(() => setPosition(given), [given]);
  useEffect(() => {
    if (position === given) return;
    const timer = setTimeout(() => change(shown), REST_MS);
    return () => clearTimeout(timer);
  }, [position]);

  // A time from the address may lie between two steps.
  const time = position === given ? asOf : shown;
  const text = time === undefined ? "now" : formatTime(time);
  return (
    <fieldset class="as-of">
      <legend class="field-label">What was known</legend>
      <input
        type="range"
        aria-label="What was known at"
        aria-valuetext={text}
        min={0}
        max={steps}
        value={Math.max(0, position)}
        onInput={({ currentTarget }) => setPosition(currentTarget.valueAsNumber)}
      />
      <output class="as-of-time">{text}</output>
      <button type="button" class="button" disabled={time === undefined} onClick={() => change(undefined)}>
        Now
      </button>
      <SelectField
        label="Look back"
        value={span}
        options={Object.keys(SPANS).map((name) => [name, `a ${name}`] as const)}
        change={(next) => setSpan(next as Span)}
      />
    </fieldset>
  );
}

/** Returns the shortest span that has the time; a month, which is what people ask about, if it is now. */
function findSpan(asOf: string | undefined, now: number): Span {
  const age = now - Date.parse(asOf ?? "");
  if (Number.isNaN(age)) return "month";
  const names = Object.keys(SPANS) as Span[];
  return names.find((name) => age <= SPANS[name].length) ?? "year";
}
