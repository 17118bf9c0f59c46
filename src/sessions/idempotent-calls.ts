// Idempotency of a session's calls: a call that repeats an idempotency key gets the first answer, stored or in flight.

import { unwrap } from "../kernel/errors";
import { type Idempotency, type Operation, replayAnswer, type StoredAnswer } from "../kernel/idempotency";
import { shortenAnswer } from "../trust/withhold-content";
import type { AppliedEntry } from "./outbox";
import type { SessionStorage } from "./session-storage";

export class IdempotentCalls {
  readonly #storage: SessionStorage;
  readonly #now: () => number;
  readonly #inFlight = new Map<string, StoredAnswer & { answer: Promise<unknown> }>();

  constructor(storage: SessionStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /** Returns the first answer, null if there is none yet. Throws if the key was used with another body. */
  findAnswer<T>(idempotency: Idempotency): T | null {
    if (idempotency === null || this.#storage.read() === null) return null;
    return replay<T>(this.#storage.findAnswer(idempotency.op, this.#now()), idempotency);
  }

  /** Inside a transaction: stores the answer and returns it. */
  saveAnswer<T>(idempotency: Idempotency, value: T): T {
    if (idempotency !== null) {
      const { op, fingerprint } = idempotency;
      this.#storage.saveAnswer(
        op,
        { fingerprint, response: JSON.stringify(shortenAnswer(value)) },
        this.#now(),
      );
    }
    return value;
  }

  /** Inside a transaction: stores the answer of a call whose key its entry in the outbox has reserved. */
  completeReserved({ op, entry, result }: AppliedEntry): void {
    const { fingerprint } = entry;
    if (fingerprint === undefined || !result.ok) return;
    this.#storage.saveAnswer(op, { fingerprint, response: JSON.stringify(result.value) }, this.#now());
  }

  /** Runs work of several steps once per key: a concurrent call awaits the answer of the first one. */
  async runOnce<T>(idempotency: Idempotency, work: () => Promise<T>): Promise<T> {
    if (idempotency === null) return work();
    const stored = this.findAnswer<T>(idempotency);
    if (stored !== null) return stored;
    const { op, fingerprint } = idempotency;
    const first = this.#inFlight.get(op);
    if (first !== undefined) {
      replay(first, idempotency);
      return first.answer as Promise<T>;
    }
    const answer = work().then((value) => this.#storage.write(() => this.saveAnswer(idempotency, value)));
    this.#inFlight.set(op, { fingerprint, response: null, answer });
    try {
      return await answer;
    } finally {
      this.#inFlight.delete(op);
    }
  }
}

/** Returns the first answer, null while it is in flight. Throws if the first call had another body. */
function replay<T>(first: StoredAnswer | null, operation: Operation): T | null {
  const answer = replayAnswer<T>(first, operation);
  return answer === null ? null : unwrap(answer);
}
