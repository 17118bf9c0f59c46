// A signal becomes known: numbered for whoever listens, and told in the thread. Runs inside a transaction.
import type { Json } from "../../platform/json";
import type { Signal } from "../../schemas/directive";
import type { SessionStorage } from "../session-storage";

export function publish(
  storage: SessionStorage,
  sessionId: string,
  time: string,
  { type, data }: { type: string; data: Json },
): Signal {
  const signal = storage.signals.append(type, data, { sessionId, time });
  storage.tell({ kind: "signal", at: time, payload: signal, ref: signal.id });
  return signal;
}
