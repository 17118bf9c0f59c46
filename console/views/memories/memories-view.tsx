// Memories: the newest, or those that a recall finds, with the signals of each hit.
import type { RecallAnswer } from "kioku/client";
import { useEffect, useState } from "preact/hooks";
import { SignalBars } from "../../components/bars";
import { CodeBlock } from "../../components/code-block";
import { EmptyState, LoadMore, WhenLoaded } from "../../components/feedback";
import { DateField, Filters, SelectField, TextField } from "../../components/fields";
import { Owners, StatusLabel, Time, TypeLabel } from "../../components/labels";
import { formatName, formatShare } from "../../state/format";
import { useLoad, usePages } from "../../state/load";
import { replaceQuery, route, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import {
  FILTER_NAMES,
  isRecall,
  listMemories,
  type MemoryFilters,
  matches,
  recallMemories,
} from "./memory-filters";

export function MemoriesView() {
  const filters: MemoryFilters = route.value.query;
  const change = (changes: MemoryFilters) => replaceQuery({ ...filters, ...changes });
  return (
    <>
      <h1>Memories</h1>
      <SearchForm query={filters.query ?? ""} search={(query) => change({ query })} />
      <MemoryFilterFields filters={filters} change={change} />
      {isRecall(filters) ? <RecalledMemories filters={filters} /> : <NewestMemories filters={filters} />}
    </>
  );
}

function SearchForm({ query, search }: { query: string; search: (query: string) => void }) {
  const [text, setText] = useState(query);
  useEffect(() => setText(query), [query]);
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          search(text.trim());
        }}
      >
        <input
          type="search"
          aria-label="Recall"
          placeholder="What would an agent recall? Ask in plain words"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="button button-primary">
          Recall
        </button>
      </form>
    </search>
  );
}

const STATUSES = [["", "live"], ["all", "all"], "superseded", "invalidated", "forgotten"] as const;
const MODES = [["", "hybrid"], "text", "semantic"] as const;
const SOURCES = [
  ["", "memories and messages"],
  "memories",
  "messages",
  ["memories,messages,episodes", "everything"],
] as const;

type FilterFieldsProps = { filters: MemoryFilters; change: (changes: MemoryFilters) => void };

function MemoryFilterFields({ filters, change }: FilterFieldsProps) {
  const { kioku } = useConnection();
  const ontology = useLoad((signal) => kioku.ontology({ signal }), []);
  const types = [["", "any"] as const, ...(ontology.value?.memory_types ?? [])];
  const count = FILTER_NAMES.filter((name) => filters[name]).length;
  return (
    <Filters count={count}>
      <SelectField
        label="Type"
        value={filters.type ?? ""}
        options={types}
        change={(type) => change({ type })}
      />
      <TextField label="User" value={filters.user ?? ""} change={(user) => change({ user })} />
      <TextField label="Agent" value={filters.agent ?? ""} change={(agent) => change({ agent })} />
      <TextField label="Project" value={filters.project ?? ""} change={(project) => change({ project })} />
      <TextField label="Tag" value={filters.tag ?? ""} change={(tag) => change({ tag })} />
      <SelectField
        label="Status"
        value={filters.status ?? ""}
        options={STATUSES}
        change={(status) => change({ status })}
      />
      <DateField label="Since" value={filters.since ?? ""} change={(since) => change({ since })} />
      <DateField label="Until" value={filters.until ?? ""} change={(until) => change({ until })} />
      {isRecall(filters) && (
        <>
          <SelectField
            label="Mode"
            value={filters.mode ?? ""}
            options={MODES}
            change={(mode) => change({ mode })}
          />
          <SelectField
            label="Search in"
            value={filters.sources ?? ""}
            options={SOURCES}
            change={(sources) => change({ sources })}
          />
        </>
      )}
      {count > 0 && (
        <button type="button" class="button" onClick={() => replaceQuery({ query: filters.query })}>
          Clear filters
        </button>
      )}
    </Filters>
  );
}

function NewestMemories({ filters }: { filters: MemoryFilters }) {
  const { kioku } = useConnection();
  const pages = usePages(() => listMemories(kioku, filters), [filters]);
  return (
    <WhenLoaded loaded={pages} what="memories">
      {(loaded) => {
        const memories = loaded.filter((memory) => matches(memory, filters));
        return (
          <>
            {memories.length === 0 && !pages.hasMore && (
              <NoMemories isFiltered={Object.keys(filters).length > 0} />
            )}
            <ul class="cards" aria-label="Newest memories">
              {memories.map((memory) => (
                <li key={memory.id}>
                  <MemoryCard memory={memory} />
                </li>
              ))}
            </ul>
            <LoadMore {...pages} />
          </>
        );
      }}
    </WhenLoaded>
  );
}

function NoMemories({ isFiltered }: { isFiltered: boolean }) {
  const { key } = useConnection();
  if (isFiltered) return <EmptyState title="No memory passes these filters" />;
  const call = `curl -sS ${location.origin}/v1/remember \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"content":"The project uses Phoenix 1.7","type":"fact","project_id":"shop"}'`;
  return (
    <EmptyState title="Nothing is remembered yet">
      <p>Store the first memory:</p>
      <CodeBlock code={call} label="Store a memory" />
    </EmptyState>
  );
}

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

function MemoryCard({ memory }: { memory: ListedMemory }) {
  return (
    <>
      <a class="card-title" href={toHref(["memories", memory.id])}>
        {memory.content}
      </a>
      <p class="meta">
        <TypeLabel type={memory.type} />
        {memory.status !== "live" && <StatusLabel status={memory.status} />}
        <Time at={memory.timestamp} />
        <span>confidence {formatShare(memory.confidence)}</span>
        {memory.source_type !== "agent" && <span>from {formatName(memory.source_type)}</span>}
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

function RecalledMemories({ filters }: { filters: MemoryFilters }) {
  const { kioku } = useConnection();
  const recalled = useLoad((signal) => recallMemories(kioku, filters, signal), [filters]);
  return (
    <WhenLoaded loaded={recalled} what="hits">
      {(answer) => (
        <>
          <RecallSummary answer={answer} hasQuery={Boolean(filters.query)} />
          <ol class="cards" aria-label="Hits">
            {answer.memories.map((hit) => (
              <li key={`${hit.kind} ${hit.id}`}>
                <HitCard hit={hit} />
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
        {hasQuery && (
          <span>
            answers the query: <StatusLabel status={confidence} />
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
          <p>An agent would get the same answer: no hits, rather than a wrong one.</p>
        </EmptyState>
      )}
    </div>
  );
}

function HitCard({ hit }: { hit: RecallAnswer["memories"][number] }) {
  switch (hit.kind) {
    case "memory":
      return <MemoryCard memory={hit} />;
    case "message":
      return (
        <>
          <a class="card-title" href={toHref(["sessions", hit.session_id])}>
            {hit.content}
          </a>
          <p class="meta">
            <span class="label">message</span>
            <span>{hit.name ?? hit.role}</span>
            <Time at={hit.timestamp} />
            <Owners {...hit} />
          </p>
        </>
      );
    case "episode":
      return (
        <>
          <span class="card-title">{hit.content}</span>
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
