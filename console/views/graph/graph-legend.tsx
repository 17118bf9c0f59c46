// The colours of the nodes by their kind, and the names of the kinds.
import { formatName } from "../../state/format";
import { NODE_TONES } from "./graph-canvas";
import type { GraphNode } from "./read-neighbours";

export function GraphLegend({ hint }: { hint: string }) {
  return (
    <p class="meta">
      {Object.entries(NODE_TONES).map(([kind, tone]) => (
        <span key={kind} class={`legend legend-${tone}`}>
          {formatName(kind)}
        </span>
      ))}
      <span>{hint}</span>
    </p>
  );
}

export function nameKind({ kind, name, isEpisode }: GraphNode): string {
  if (kind !== "evidence") return formatName(kind);
  return isEpisode ? "episode" : name.startsWith("message:") ? "message" : "reference";
}
