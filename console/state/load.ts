// Reads from the service for a view: one value, or a list page by page. A view that is left aborts its calls.
import { isKiokuError, type List } from "kioku/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { signOut } from "./sign-in";

export type Loaded<T> = {
  /** The last value, also while a newer one is loading; undefined until the first one is there. */
  value: T | undefined;
  error: string | null;
  isLoading: boolean;
  reload: () => void;
};

type LoadOptions = { keepsValue: boolean };

/** Shows the value of the last inputs until that of the new ones is there. */
export const KEEPS_VALUE: LoadOptions = { keepsValue: true };

/** Loads a value, and loads it again when one of `inputs` changes. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  { keepsValue = false }: Partial<LoadOptions> = {},
): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, "value" | "error" | "isLoading">>({
    value: undefined,
    error: null,
    isLoading: true,
  });
  const [attempt, setAttempt] = useState(0);
  const key = JSON.stringify(inputs);
  const lastKey = useRef(key);

  useEffect(() => {
    const controller = new AbortController();
    const isOther = lastKey.current !== key && !keepsValue;
    lastKey.current = key;
    setState(({ value }) => ({ value: isOther ? undefined : value, error: null, isLoading: true }));
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, error: null, isLoading: false });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setState(({ value }) => ({ value, error: describeError(error), isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [key, attempt]);

  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...state, reload };
}

export type Pages<T> = Loaded<T[]> & { hasMore: boolean; loadMore: () => void };

const PAGE_SIZE = 50;

/** Loads the first page of a list, and further ones on demand. The first may be shorter, where more follows on the page. */
export function usePages<T>(
  open: () => List<T>,
  inputs: readonly unknown[],
  { firstPage = PAGE_SIZE, ...options }: Partial<LoadOptions> & { firstPage?: number } = {},
): Pages<T> {
  const [more, setMore] = useState<{ items: T[]; cursor: string | null } | null>(null);
  const [moreError, setMoreError] = useState<string | null>(null);
  const [isLoadingMore, setLoadingMore] = useState(false);
  const first = useLoad(() => open().page({ limit: firstPage }), inputs, options);

  // A new first page makes the further ones obsolete.
  useEffect(() => {
    setMore(null);
    setMoreError(null);
  }, [first.value]);

  const cursor = more === null ? (first.value?.next_cursor ?? null) : more.cursor;
  const loadMore = async () => {
    if (cursor === null) return;
    setLoadingMore(true);
    setMoreError(null);
    try {
      const page = await open().page({ limit: PAGE_SIZE, cursor });
      setMore({ items: [...(more?.items ?? []), ...page.data], cursor: page.next_cursor });
    } catch (error) {
      setMoreError(describeError(error));
    } finally {
      setLoadingMore(false);
    }
  };
  return {
    value: first.value === undefined ? undefined : [...first.value.data, ...(more?.items ?? [])],
    error: first.error ?? moreError,
    isLoading: first.isLoading || isLoadingMore,
    reload: first.reload,
    hasMore: cursor !== null,
    loadMore: () => void loadMore(),
  };
}

export type Action<Arguments extends unknown[]> = {
  run: (...args: Arguments) => void;
  isRunning: boolean;
  error: string | null;
};

/** Runs a change on demand, one at a time, and keeps its error. */
export function useAction<Arguments extends unknown[]>(
  perform: (...args: Arguments) => Promise<void>,
): Action<Arguments> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (...args: Arguments) => {
    if (isRunning) return;
    setRunning(true);
    setError(null);
    try {
      await perform(...args);
    } catch (caught) {
      setError(describeError(caught));
    } finally {
      setRunning(false);
    }
  };
  return { run: (...args) => void run(...args), isRunning, error };
}

/** Returns the text of an error of the service. A key that no longer works ends the sign-in. */
export function describeError(error: unknown): string {
  if (!isKiokuError(error)) throw error;
  if (error.code === "unauthorized") signOut("The key no longer works. Sign in with another one.");
  if (error.code === "network")
    return "The service does not answer. Check that it runs and that you are online.";
  if (error.code === "timeout")
    return "The service has not answered in time. It may be busy: try again later, or ask for less.";
  return error.detail;
}
