// Keeps a session's view up to date: at once after a signal, and after a change that sends none within seconds.
import type { Session, Signal } from "kioku/client";
import { useEffect, useState } from "preact/hooks";
import { describeError } from "../../state/load";
import { useConnection } from "../../state/sign-in";

/** Messages and context send no signal; the session's record shows that they changed. */
const REFRESH_MS = 4_000;

export type LiveSession = {
  /** Grows with every change: what depends on it is read again. */
  revision: number;
  session: Session | undefined;
  /** The newest signals, newest first. */
  signals: readonly Signal[];
  state: "connecting" | "live" | "lost";
  /** Why the last call failed, while it is lost. */
  error: string | null;
};

const MOST_SIGNALS = 20;

export function useLiveSession(id: string): LiveSession {
  const { kioku } = useConnection();
  const [revision, setRevision] = useState(0);
  const [session, setSession] = useState<Session>();
  const [signals, setSignals] = useState<readonly Signal[]>([]);
  const [state, setState] = useState<LiveSession["state"]>("connecting");
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let seen = "";

    const refresh = async (): Promise<void> => {
      const found = await kioku.session(id).get({ signal });
      const { updated_at, counts, promotion, status } = found;
      const fingerprint = JSON.stringify([updated_at, counts, promotion, status]);
      if (fingerprint === seen) return;
      seen = fingerprint;
      setSession(found);
      setRevision((count) => count + 1);
    };
    const attempt = (work: () => Promise<void>) =>
      work().then(
        () => {
          setState("live");
          setError(null);
        },
        (caught: unknown) => {
          if (signal.aborted) return;
          setState("lost");
          setError(describeError(caught));
        },
      );
    let last: number | undefined;
    const follow = async (): Promise<void> => {
      for await (const received of kioku.session(id).signals.stream({ signal, after: last })) {
        last = received.seq;
        setSignals((known) => [received, ...known].slice(0, MOST_SIGNALS));
        await attempt(refresh);
      }
    };
    // The stream ends with an error when the service is restarted.
    const keepFollowing = async (): Promise<void> => {
      while (!signal.aborted) {
        await attempt(follow);
        await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
      }
    };

    void attempt(refresh);
    void keepFollowing();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void attempt(refresh);
    }, REFRESH_MS);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [id, kioku]);

  return { revision, session, signals, state, error };
}
