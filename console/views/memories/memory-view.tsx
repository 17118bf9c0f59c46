// One memory: what it says, where it comes from, what came of it, and what can be done with it.
import type { MemoryDetail } from "kioku/client";
import { useState } from "preact/hooks";
import { Bar } from "../../components/bars";
import { Receipt } from "../../components/dialog";
import { type Fact, Facts } from "../../components/facts";
import { WhenLoaded } from "../../components/feedback";
import { LinkedItem, Owners, StatusLabel, Time, TypeLabel } from "../../components/labels";
import { LongText } from "../../components/long-text";
import { formatName, formatQuantity, formatTime } from "../../state/format";
import { useLoad } from "../../state/load";
import { route, toHref } from "../../state/router";
import { hasScope, useConnection } from "../../state/sign-in";
import { useTitle } from "../../state/title";
import { EditDialog, EraseDialog, ForgetDialog } from "./memory-dialogs";
import { MemoryHistory } from "./memory-history";
import { MemoryImpact } from "./memory-impact";
import { MemoryTriples } from "./memory-triples";
import { WhyPicture } from "./why-picture";

export function MemoryView() {
  const { kioku } = useConnection();
  const [, id = ""] = route.value.path;
  const { as_of } = route.value.query;
  const clock = as_of === undefined ? {} : { as_of };
  const memory = useLoad((signal) => kioku.memories.get(id, clock, { signal }), [id, as_of]);
  const [receipt, setReceipt] = useState<Record<string, number> | null>(null);
  useTitle(memory.value?.content ?? "Memory");
  if (receipt !== null)
    return (
      <>
        <h1>Memory</h1>
        <Receipt deleted={receipt} />
        <p>
          <a href={toHref(["memories"])}>Back to the memories</a>
        </p>
      </>
    );
  return (
    <>
      <p class="breadcrumb">
        <a href={toHref(["memories"], { as_of })}>Memories</a>
      </p>
      {as_of !== undefined && (
        <p class="note note-warn">
          As it was on {formatTime(as_of)}. <a href={toHref(["memories", id])}>Show it as it is now</a>
        </p>
      )}
      {memory.value === undefined && <h1>Memory</h1>}
      <WhenLoaded loaded={memory} what="the memory">
        {(detail) => (
          <MemoryPage key={detail.id} memory={detail} reload={memory.reload} showReceipt={setReceipt} />
        )}
      </WhenLoaded>
    </>
  );
}

/** In characters: longer content, or one of several lines, is set as text rather than as a heading. */
const LONG_CONTENT = 200;

type MemoryPageProps = {
  memory: MemoryDetail;
  reload: () => void;
  showReceipt: (deleted: Record<string, number>) => void;
};

function MemoryPage({ memory, reload, showReceipt }: MemoryPageProps) {
  const [open, setOpen] = useState<"edit" | "forget" | "erase" | null>(null);
  const close = () => setOpen(null);
  const canForget = memory.status === "live";
  const isLong = memory.content.length > LONG_CONTENT || memory.content.includes("\n");
  return (
    <>
      <LongText>
        <h1 class={isLong ? "statement statement-long" : "statement"}>{memory.content}</h1>
      </LongText>
      <p class="meta">
        <TypeLabel type={memory.type} />
        <StatusLabel status={memory.status} />
        <Time at={memory.timestamp} isExact />
        <Owners {...memory} />
        <a href={toHref(["graph", `memory_${memory.id}`])}>Show in the graph</a>
      </p>
      {hasScope("write") && route.value.query.as_of === undefined && (
        <p class="actions">
          {canForget && (
            <button type="button" class="button" onClick={() => setOpen("edit")}>
              Edit
            </button>
          )}
          {canForget && (
            <button type="button" class="button" onClick={() => setOpen("forget")}>
              Forget
            </button>
          )}
          <button type="button" class="button button-danger" onClick={() => setOpen("erase")}>
            Erase
          </button>
        </p>
      )}
      {open === "edit" && <EditDialog memory={memory} close={close} done={reload} />}
      {open === "forget" && <ForgetDialog memory={memory} close={close} done={reload} />}
      {open === "erase" && <EraseDialog memory={memory} close={close} done={showReceipt} />}

      <section>
        <h2>Why</h2>
        <WhyPicture id={memory.id} status={memory.status} asOf={route.value.query.as_of} />
      </section>
      <div class="columns">
        <section>
          <h2>Details</h2>
          <MemoryFacts memory={memory} />
        </section>
        <div>
          <section>
            <h2>History</h2>
            <MemoryHistory id={memory.id} revision={memory.status} asOf={route.value.query.as_of} />
          </section>
          <section>
            <h2>If it were wrong</h2>
            <MemoryImpact id={memory.id} />
          </section>
        </div>
      </div>
      <MemoryTriples id={memory.id} />
    </>
  );
}

function MemoryFacts({ memory }: { memory: MemoryDetail }) {
  const labels = Object.entries(memory.metadata).map(([name, value]) => `${name}: ${String(value)}`);
  const facts: Fact[] = [
    ["Rationale", memory.rationale],
    ["Source", formatName(memory.source_type)],
    ["Evidence", memory.evidence.join(", ")],
    ["Key", memory.key],
    ["Tags", memory.tags.join(", ")],
    ["Metadata", labels.join(", ")],
    ...Object.entries(memory.properties).map(([name, values]): Fact => [name, values.join(", ")]),
    ["Valid from", formatTime(memory.valid_from)],
    ["Valid until", memory.valid_until && formatTime(memory.valid_until)],
    ["Stored", formatTime(memory.timestamp)],
    [
      "Used",
      `${formatQuantity(memory.access_count, "time")}${memory.access_count === 0 ? "" : `, last ${formatTime(memory.last_accessed)}`}`,
    ],
    ["Forgotten", memory.forgotten_at && formatTime(memory.forgotten_at)],
    ["Reason", memory.forget_reason],
    ["Id", memory.id],
  ];
  return (
    <>
      <div class="bars">
        <Bar label="confidence" value={memory.confidence} />
        <Bar label="importance" value={memory.importance} />
      </div>
      <Facts facts={facts} />
      {memory.links.length > 0 && (
        <>
          <h3>Links</h3>
          <ul class="plain">
            {memory.links.map(({ relation, direction, id }) => (
              <li key={`${relation} ${direction} ${id}`}>
                {direction === "out" && `${formatName(relation)} `}
                <LinkedItem id={id} />
                {direction === "in" && ` ${formatName(relation)} this one`}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
