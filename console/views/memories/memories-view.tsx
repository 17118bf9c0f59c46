// Memories: the newest, or those that a recall finds, with the signals of each hit.
import { CodeBlock } from "../../components/code-block";
import { EmptyState, LoadMore, WhenLoaded } from "../../components/feedback";
import { DateField, Filters, SelectField, TextField } from "../../components/fields";
import { SearchForm } from "../../components/search-form";
import { KEEPS_VALUE, useLoad, usePages } from "../../state/load";
import { replaceQuery, route } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { AsOfSlider } from "./as-of-slider";
import { MemoryCard } from "./memory-card";
import { FILTER_NAMES, isRecall, listMemories, type MemoryFilters, matches } from "./memory-filters";
import { RecalledMemories } from "./recalled-memories";

/** An undefined value removes a filter. */
type Changes = { [name in keyof MemoryFilters]: string | undefined };

export function MemoriesView() {
  const filters: MemoryFilters = route.value.query;
  const change = (changes: Changes) => replaceQuery({ ...filters, ...changes });
  // The memories of another time take the place of those that are shown; other filters begin anew.
  const others = JSON.stringify({ ...filters, as_of: undefined });
  return (
    <>
      <h1>Memories</h1>
      <SearchForm
        label="Recall"
        placeholder="What would an agent recall? Ask in plain words"
        verb="Recall"
        query={filters.query ?? ""}
        search={(query) => change({ query })}
      />
      <MemoryFilterFields filters={filters} change={change} />
      <AsOfSlider asOf={filters.as_of} change={(as_of) => change({ as_of })} />
      {isRecall(filters) ? (
        <RecalledMemories key={others} filters={filters} />
      ) : (
        <NewestMemories key={others} filters={filters} />
      )}
    </>
  );
}

const STATUSES = [["", "live"], ["all", "all"], "superseded", "invalidated", "forgotten"] as const;
const MODES = [["", "hybrid"], "text", "semantic"] as const;
const SOURCES = [["", "both"], "memories", "messages", ["memories,messages,episodes", "everything"]] as const;

type FilterFieldsProps = { filters: MemoryFilters; change: (changes: Changes) => void };

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
        <button
          type="button"
          class="button"
          onClick={() => replaceQuery({ query: filters.query, as_of: filters.as_of })}
        >
          Clear filters
        </button>
      )}
    </Filters>
  );
}

function NewestMemories({ filters }: { filters: MemoryFilters }) {
  const { kioku } = useConnection();
  const pages = usePages(() => listMemories(kioku, filters), [filters], KEEPS_VALUE);
  return (
    <WhenLoaded loaded={pages} what="memories">
      {(loaded) => {
        const memories = loaded.filter((memory) => matches(memory, filters));
        return (
          <>
            {memories.length === 0 && !pages.hasMore && <NoMemories filters={filters} />}
            <ul class="cards" aria-label="Newest memories" aria-busy={pages.isLoading}>
              {memories.map((memory) => (
                <li key={memory.id}>
                  <MemoryCard memory={memory} asOf={filters.as_of} />
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

function NoMemories({ filters: { as_of, ...others } }: { filters: MemoryFilters }) {
  const { key } = useConnection();
  if (Object.keys(others).length > 0)
    return (
      <EmptyState title="No memory passes these filters">
        <p>Clear them, or search in all statuses.</p>
      </EmptyState>
    );
  if (as_of !== undefined)
    return (
      <EmptyState title="Nothing was known yet">
        <p>Move the slider to a later time.</p>
      </EmptyState>
    );
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
