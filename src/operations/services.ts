// What the work of a call is done with, for one tenant. Handed in, so that nothing below knows of HTTP.

import type { Telemetry } from "../platform/telemetry";
import type { ProjectRpc } from "../project/project-rpc";
import type { SessionRpc } from "../session/session-rpc";
import type { LongTermStore } from "../store/store";

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
