// The rows of a SELECT as a table, and as a chart if they are counts by something.
import type { SparqlResults } from "kioku/client";
import { Bar } from "../../components/bars";
import { DayChart } from "../../components/day-chart";
import { ScrollRegion } from "../../components/scroll-region";
import { formatCount, formatQuantity } from "../../state/format";
import { toHref } from "../../state/router";

type Row = NonNullable<SparqlResults["results"]>["bindings"][number];
type Term = Row[string];

/** More rows are in the answer, but too many for a page. */
const SHOWN_ROWS = 500;
const CHARTED_ROWS = 40;

export function SparqlTable({ names, rows }: { names: readonly string[]; rows: readonly Row[] }) {
  return (
    <>
      <p class="soft" role="status">
        {formatQuantity(rows.length, "row")}
        {rows.length === 0 && ": nothing that is stored matches the query"}
        {rows.length > SHOWN_ROWS && `, of which the first ${SHOWN_ROWS} are shown`}
      </p>
      <CountChart names={names} rows={rows} />
      <ScrollRegion label="Result">
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN_ROWS).map((row, index) => (
              <tr key={index}>
                {names.map((name) => (
                  <td key={name}>
                    <TermText term={row[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

/** Draws rows of a name and a number; days as a chart over time. */
function CountChart({
  names: [first = "", second, third],
  rows,
}: {
  names: readonly string[];
  rows: readonly Row[];
}) {
  const pairs = rows.map(
    (row) => [row[first]?.value ?? "", Number(row[second ?? ""]?.value ?? Number.NaN)] as const,
  );
  const isCounts =
    pairs.length > 1 && third === undefined && pairs.every(([, count]) => Number.isFinite(count));
  if (!isCounts) return null;
  if (pairs.every(([day]) => /^\d{4}-\d\d-\d\d$/.test(day)))
    return (
      <DayChart
        label={`${second} by ${first}`}
        days={pairs.map(([day]) => day)}
        series={[{ name: second ?? "", tone: "accent", values: pairs.map(([, count]) => count) }]}
      />
    );
  const max = Math.max(...pairs.map(([, count]) => count));
  return (
    <div class="bars">
      {pairs.slice(0, CHARTED_ROWS).map(([name, count]) => (
        <Bar key={name} label={shortenIri(name)} value={count} max={max} text={formatCount(count)} />
      ))}
    </div>
  );
}

function TermText({ term }: { term: Term | undefined }) {
  if (term === undefined) return null;
  if (term.type !== "uri") return <>{term.value}</>;
  const name = shortenIri(term.value);
  const [, memory] = /^memory_([0-9a-f]{32})$/.exec(name) ?? [];
  return memory === undefined ? <code>{name}</code> : <a href={toHref(["memories", memory])}>{name}</a>;
}

function shortenIri(iri: string): string {
  return /^https?:\/\/[^#]*#(.+)$/.exec(iri)?.[1] ?? iri;
}
