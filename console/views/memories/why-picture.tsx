// Why a memory exists, as a picture: its sources, the activity that stored it, the memory, and what came of it.
import type { LineageSource, MemoryLineage } from "kioku/client";
import { ImportanceBar } from "../../components/bars";
import { WhenLoaded } from "../../components/feedback";
import { type FlowColumn, FlowPicture } from "../../components/flow-picture";
import { IdLink, StatusLabel, Time, TypeLabel } from "../../components/labels";
import { formatName, shorten } from "../../state/format";
import { useLoad } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

const EXCERPT = 160;

/** `status` is that of the memory at the time `asOf`, by default now. */
export function WhyPicture({ id, status, asOf }: { id: string; status: string; asOf: string | undefined }) {
  const { kioku } = useConnection();
  const lineage = useLoad(
    (signal) => kioku.request("GET", "/v1/memories/{id}/why", { params: { id }, signal }),
    [id, status],
  );
  return (
    <WhenLoaded loaded={lineage} what="where it comes from">
      {(why) => (
        <>
          <FlowPicture
            label="From the sources to what came of it"
            columns={toColumns(asOf === undefined ? why : leaveOutLater(why, asOf), status)}
          />
          {why.hidden > 0 && (
            <p class="soft">
              {why.hidden} more {why.hidden === 1 ? "is" : "are"} not visible to this key.
            </p>
          )}
        </>
      )}
    </WhenLoaded>
  );
}

/** Leaves out what came of a memory after a time. Its sources are as old as itself. */
function leaveOutLater(why: MemoryLineage, asOf: string): MemoryLineage {
  const until = Date.parse(asOf);
  const isKnown = (at: string) => Date.parse(at) <= until;
  const { derived, superseded_by, forgotten } = why;
  return {
    ...why,
    derived: derived.filter(({ timestamp }) => isKnown(timestamp)),
    superseded_by: superseded_by !== null && isKnown(superseded_by.timestamp) ? superseded_by : null,
    forgotten: forgotten !== null && isKnown(forgotten.at) ? forgotten : null,
  };
}

function toColumns(why: MemoryLineage, status: string): FlowColumn[] {
  const { memory, activity, sources, supersedes, superseded_by, forgotten, derived } = why;
  return [
    {
      title: "Sources",
      cards: [
        ...sources.map((source, index) => ({
          id: `source ${index}`,
          content: <SourceCard source={source} />,
        })),
        ...supersedes.map((older) => ({
          id: `older ${older.id}`,
          content: <RelatedCard memory={older} says={`replaced: ${describeReason(older.reason)}`} />,
        })),
      ],
    },
    { title: "Stored by", cards: [{ id: "activity", content: <ActivityCard activity={activity} /> }] },
    {
      title: "This memory",
      cards: [
        {
          id: "memory",
          content: (
            <div class="flow-self">
              <p>{shorten(memory.content, EXCERPT)}</p>
              <p class="meta">
                <TypeLabel type={memory.type} />
                <StatusLabel status={status} />
              </p>
            </div>
          ),
        },
      ],
    },
    {
      title: "What came of it",
      cards: [
        ...derived.map((one) => ({
          id: `derived ${one.id}`,
          content: <RelatedCard memory={one} says="derived from it" />,
        })),
        ...(superseded_by === null
          ? []
          : [
              {
                id: `newer ${superseded_by.id}`,
                content: (
                  <RelatedCard
                    memory={superseded_by}
                    says={`replaced it: ${superseded_by.note ?? describeReason(superseded_by.reason)}`}
                  />
                ),
              },
            ]),
        ...(forgotten === null
          ? []
          : [
              {
                id: "forgotten",
                content: (
                  <p>
                    Forgotten <Time at={forgotten.at} />
                    {forgotten.reason !== null && `: ${forgotten.reason}`}
                  </p>
                ),
              },
            ]),
      ],
    },
  ];
}

function SourceCard({ source }: { source: LineageSource }) {
  switch (source.kind) {
    case "message":
      return (
        <>
          <p>“{shorten(source.content, EXCERPT)}”</p>
          <p class="meta">
            <span>
              {source.name ?? source.role} in{" "}
              <IdLink
                id={source.session_id}
                href={toHref(["sessions", source.session_id], { message: source.id })}
              />
            </span>
            <Time at={source.timestamp} isExact />
          </p>
        </>
      );
    case "memory":
      return <RelatedCard memory={source} says="evidence" />;
    case "episode":
      return (
        <>
          <p>
            <a href={toHref(["experience", source.id])}>{shorten(source.goal, EXCERPT)}</a>
          </p>
          <p class="meta">
            <span>episode</span>
            <StatusLabel status={source.outcome} />
            <Time at={source.timestamp} />
          </p>
        </>
      );
    case "reference":
      return (
        <>
          <p>{source.reference}</p>
          <p class="meta">reference</p>
        </>
      );
  }
}

type RelatedMemory = { id: string; content: string; type: string; status: string; timestamp: string };

function RelatedCard({ memory, says }: { memory: RelatedMemory; says: string }) {
  return (
    <>
      <p>
        <a href={toHref(["memories", memory.id])}>{shorten(memory.content, EXCERPT)}</a>
      </p>
      <p class="meta">
        <span>{says}</span>
        <StatusLabel status={memory.status} />
        <Time at={memory.timestamp} />
      </p>
    </>
  );
}

const ACTIVITIES: Readonly<Record<MemoryLineage["activity"]["kind"], string>> = {
  remember: "A call of remember",
  promotion: "Promotion from a session",
  consolidation: "Consolidation of episodes",
  learning: "A recorded learning",
  pattern: "A pattern that was written",
  skill: "A skill",
  turn: "A captured turn",
  entry: "An entry",
  graph: "The knowledge graph",
  change: "A change of another memory",
  unknown: "Not recorded",
};

function ActivityCard({ activity }: { activity: MemoryLineage["activity"] }) {
  const { kind, at, key_id, importance, extracted_by, context_key, run } = activity;
  return (
    <>
      <p>{ACTIVITIES[kind]}</p>
      {importance !== null && <ImportanceBar score={importance.score} parts={importance.parts} />}
      <p class="meta">
        <Time at={at} isExact />
        {extracted_by !== null && <span>extracted by {extracted_by}</span>}
        {context_key !== null && <span>context key {context_key}</span>}
        {run !== null && <span>run {run}</span>}
        {key_id !== null && <span>key {key_id.slice(0, 12)}</span>}
      </p>
    </>
  );
}

function describeReason(reason: string): string {
  switch (reason) {
    case "key":
      return "the same key";
    case "statement":
      return "another value of the same statement";
    case "change":
      return "it was edited";
    case "duplicate":
      return "the same in other words";
    default:
      return formatName(reason);
  }
}
