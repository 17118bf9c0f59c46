// What is linked to an episode: the memories that were learnt from it, and anything else.
import { isKiokuError, type Kioku, type MemoryDetail } from "kioku/client";
import { LoadMore, WhenLoaded } from "../../components/feedback";
import { LinkedItem, StatusLabel, TypeLabel } from "../../components/labels";
import { formatName, formatShare } from "../../state/format";
import { useLoad, usePages } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

const MOST_LESSONS = 20;

/** The patterns and learnings that were derived from an episode. */
export function EpisodeLessons({ id }: { id: string }) {
  const { kioku } = useConnection();
  const lessons = useLoad((signal) => readLessons(kioku, id, signal), [id]);
  return (
    <WhenLoaded loaded={lessons} what="what was learnt">
      {({ memories, hasMore }) => (
        <>
          {memories.length === 0 && (
            <p class="soft">Nothing yet. Similar attempts become patterns when they are consolidated.</p>
          )}
          <ul class="cards cards-small">
            {memories.map(({ id, content, type, status, confidence }) => (
              <li key={id}>
                <a class="card-title" href={toHref(["memories", id])}>
                  {content}
                </a>
                <p class="meta">
                  <TypeLabel type={type} />
                  <StatusLabel status={status} />
                  <span>confidence {formatShare(confidence)}</span>
                </p>
              </li>
            ))}
          </ul>
          {hasMore && <p class="soft">There are more, which the graph shows.</p>}
        </>
      )}
    </WhenLoaded>
  );
}

async function readLessons(kioku: Kioku, id: string, signal: AbortSignal) {
  const place = { of: id, relation: "derived_from", direction: "in" } as const;
  const { data, next_cursor } = await kioku.links.list(place).page({ limit: MOST_LESSONS });
  const memories = await Promise.all(
    data.map(({ from }) => kioku.memories.get(from, {}, { signal }).catch(leaveOutHidden)),
  );
  return {
    memories: memories.filter((memory): memory is MemoryDetail => memory !== null),
    hasMore: next_cursor !== null,
  };
}

/** A bound key does not see every memory, and one may be erased meanwhile. */
function leaveOutHidden(error: unknown): null {
  if (isKiokuError(error) && error.status === 404) return null;
  throw error;
}

export function EpisodeLinks({ id }: { id: string }) {
  const { kioku } = useConnection();
  const pages = usePages(() => kioku.links.list({ of: id }), [id]);
  return (
    <WhenLoaded loaded={pages} what="the links">
      {(links) => {
        const others = links.filter(
          ({ relation, direction }) => relation !== "derived_from" || direction === "out",
        );
        return (
          <>
            {others.length === 0 && !pages.hasMore && <p class="soft">None.</p>}
            <ul class="plain">
              {others.map(({ id, from, to, relation, direction }) => (
                <li key={id}>
                  {direction === "out" && `${formatName(relation)} `}
                  <LinkedItem id={direction === "out" ? to : from} />
                  {direction === "in" && ` ${formatName(relation)} this one`}
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
