// The colours of the nodes by their kind.
import { formatName } from "../../state/format";
import { NODE_TONES } from "./graph-canvas";

export function GraphLegend({ hint }: { hint: string }) {
  return (
    <p class="meta">
      {Object.entries(NODE_TONES).map(([kind, tone]) => (
        <span key={kind} class={`legend legend-${tone}`}>
          {nameKind(kind)}
        </span>
      ))}
      <span>{hint}</span>
    </p>
  );
}

export function nameKind(kind: string): string {
  return kind === "evidence" ? "episode" : formatName(kind);
}
