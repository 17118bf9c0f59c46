// What a recall finds, with the signals of each hit.
import type { RecallAnswer } from "kioku/client";
import { SignalBars } from "../../components/bars";
import { EmptyState, WhenLoaded } from "../../components/feedback";
import { Owners, StatusLabel, Time } from "../../components/labels";
import { KEEPS_VALUE, useLoad } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { MemoryCard } from "./memory-card";
import { linkToKnown, type MemoryFilters, recallMemories } from "./memory-filters";

export function RecalledMemories({ filters }: { filters: MemoryFilters }) {
  const { kioku } = useConnection();
  const recalled = useLoad((signal) => recallMemories(kioku, filters, signal), [filters], KEEPS_VALUE);
  return (
    <WhenLoaded loaded={recalled} what="hits">
      {(answer) => (
        <>
          <RecallSummary answer={answer} hasQuery={Boolean(filters.query)} />
          <ol class="cards" aria-label="Hits" aria-busy={recalled.isLoading}>
            {answer.memories.map((hit) => (
              <li key={`${hit.kind} ${hit.id}`}>
                <HitCard hit={hit} asOf={filters.as_of} />
                <SignalBars signals={hit.signals} score={hit.score} />
              </li>
            ))}
          </ol>
        </>
      )}
    </WhenLoaded>
  );
}

function RecallSummary({ answer, hasQuery }: { answer: RecallAnswer; hasQuery: boolean }) {
  const { memories, confidence, hint, degraded, not_reranked, time_ranges } = answer;
  const mode = memories[0]?.signals.mode;
  return (
    <div class="recall-summary" role="status">
      <p class="meta">
        <strong>
          {memories.length} {memories.length === 1 ? "hit" : "hits"}
        </strong>
        {hasQuery && memories.length > 0 && (
          <span>
            match <StatusLabel status={confidence} />
          </span>
        )}
        {mode !== undefined && <span>{mode} search</span>}
        {time_ranges?.map(({ text, since, until }) => (
          <span key={text}>
            “{text}” is {since.slice(0, 10)} to {until.slice(0, 10)}
          </span>
        ))}
      </p>
      {[hint, degraded, not_reranked].map(
        (text) =>
          text !== undefined && (
            <p key={text} class="note">
              {text}
            </p>
          ),
      )}
      {memories.length === 0 && (
        <EmptyState title="Nothing is known about this">
          <p>
            An agent would get the same answer: no hits, rather than wrong ones. Ask in other words, or search
            in everything and in all statuses with the filters above.
          </p>
        </EmptyState>
      )}
    </div>
  );
}

function HitCard({ hit, asOf }: { hit: RecallAnswer["memories"][number]; asOf: string | undefined }) {
  switch (hit.kind) {
    case "memory":
      return <MemoryCard memory={hit} asOf={asOf} />;
    case "message":
      return (
        <>
          <a class="card-title" href={toHref(["sessions", hit.session_id], { message: hit.id })}>
            {hit.content}
          </a>
          <p class="meta">
            <span class="label">message</span>
            <span>{hit.name ?? hit.role}</span>
            <Time at={hit.timestamp} />
            {hit.role === "assistant" && <a href={linkToKnown(hit, hit)}>What it could know</a>}
            <Owners {...hit} />
          </p>
        </>
      );
    case "episode":
      return (
        <>
          <a class="card-title" href={toHref(["experience", hit.id])}>
            {hit.content}
          </a>
          <p class="meta">
            <span class="label">episode</span>
            <StatusLabel status={hit.outcome} />
            <Time at={hit.timestamp} />
            <Owners {...hit} />
          </p>
        </>
      );
  }
}
