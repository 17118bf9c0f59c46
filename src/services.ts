// What the work of a call is done with, for one tenant. Handed in, so that nothing below knows of HTTP.
import type { LongTermStore } from "./long-term/store";
import type { ProjectRpc } from "./project/rpc";
import type { SessionRpc } from "./session/rpc";
import type { Telemetry } from "./telemetry/telemetry";

export type Services = {
  tenant: string;
  store: LongTermStore;
  session: (id: string) => SessionRpc;
  project: (id: string) => ProjectRpc;
  /** A WebSocket of a session's signals after a number, for the holder of a key. */
  signals: (id: string, after: number | undefined, key: string) => Promise<WebSocket>;
  telemetry: Telemetry;
  now: () => number;
  /** Work that must not delay the answer. */
  later: (work: Promise<unknown>) => void;
};
