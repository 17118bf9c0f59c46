// A memory in a list.
import { Owners, StatusLabel, Time, TypeLabel } from "../../components/labels";
import { formatName, formatShare } from "../../state/format";
import { toHref } from "../../state/router";

type ListedMemory = {
  id: string;
  content: string;
  type: string;
  status: string;
  confidence: number;
  timestamp: string;
  source_type: string;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  session_id: string | null;
  tags: string[];
};

/** `asOf` is the time that the list is of; the memory is opened as it was then. */
export function MemoryCard({ memory, asOf }: { memory: ListedMemory; asOf: string | undefined }) {
  const href = toHref(["memories", memory.id], { as_of: asOf });
  return (
    <>
      <a class="card-title" href={href}>
        {memory.content}
      </a>
      <p class="meta">
        <TypeLabel type={memory.type} />
        {memory.status !== "live" && <StatusLabel status={memory.status} />}
        <Time at={memory.timestamp} />
        <span>confidence {formatShare(memory.confidence)}</span>
        {memory.source_type !== "agent" && <span>from {formatName(memory.source_type)}</span>}
        <a href={href}>Why</a>
        <Owners {...memory} />
        {memory.tags.map((tag) => (
          <a key={tag} href={toHref(["memories"], { tag })}>
            #{tag}
          </a>
        ))}
      </p>
    </>
  );
}
