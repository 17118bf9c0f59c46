// What a view shows while it loads, when a call failed, and when there is nothing.
import type { ComponentChildren } from "preact";
import type { Loaded } from "../state/load";

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

export function ErrorNote({ message, retry }: { message: string; retry?: (() => void) | undefined }) {
  return (
    <div class="note note-danger" role="alert">
      <p>{message}</p>
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

type WhenLoadedProps<T> = {
  loaded: Loaded<T>;
  /** What is loading, as in "Loading memories…". */
  what: string;
  children: (value: T) => ComponentChildren;
};

/** Shows a value once it is loaded. A value stays on the page while it is loaded again. */
export function WhenLoaded<T>({ loaded, what, children }: WhenLoadedProps<T>) {
  const { value, error, reload } = loaded;
  return (
    <>
      {error !== null && <ErrorNote message={error} retry={reload} />}
      {value === undefined ? error === null && <Loading what={what} /> : children(value)}
    </>
  );
}

export function LoadMore({
  hasMore,
  isLoading,
  loadMore,
}: {
  hasMore: boolean;
  isLoading: boolean;
  loadMore: () => void;
}) {
  if (!hasMore) return null;
  return (
    <p class="load-more">
      <button type="button" class="button" onClick={loadMore} disabled={isLoading}>
        {isLoading ? "Loading…" : "Load more"}
      </button>
    </p>
  );
}
