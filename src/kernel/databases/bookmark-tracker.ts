// Which copies of the tenant's database a call may read, and the newest state that the call has seen. A call that only
// reads and has a bookmark may read any copy that has reached it; every other call reads and writes the primary.

import { findPosition, formatBookmark, isBookmarkFor, selectNewer } from "./bookmark";
import type { Placement } from "./tenant-directory";

/** How a call reads, for an object that reads in its place. */
export type CallReads = { replicas: boolean; bookmark: string | null };

export class BookmarkTracker {
  readonly tenant: string;
  #readsReplicas = false;
  /** No read of the call may be older; null for a call that reads the primary. */
  #least: string | null = null;
  #newest: string | null = null;
  /** The oldest state that was read from a replica. */
  #oldestRead: string | null = null;

  constructor(tenant: string) {
    this.tenant = tenant;
  }

  /** Allows reads from replicas, because the call writes nothing that depends on them. */
  allowReplicas(): void {
    this.#readsReplicas = true;
  }

  /** Sends all further reads to the primary. */
  usePrimary(): void {
    this.#readsReplicas = false;
  }

  /** Takes the bookmark of the caller. One of another tenant is ignored. */
  accept(token: string | null): void {
    if (token !== null && isBookmarkFor(this.tenant, token)) this.#least = selectNewer(this.#least, token);
  }

  /**
   * Takes the bookmark of an object that was called: its writes must be seen. It does not stand for one of the caller,
   * who may have written elsewhere.
   */
  noteObject(token: string | null): void {
    this.#newest = selectNewer(this.#newest, token);
    if (this.#least !== null) this.accept(token);
  }

  /** Returns the bookmark that a read must have reached; null if it goes to the primary. */
  selectPosition(placement: Placement): string | null {
    if (!this.mayLag()) return null;
    // Two reads of a call never go back in time.
    const least = selectNewer(this.#least, this.#newest);
    return least === null ? null : findPosition(least, placement);
  }

  /** Notes the state of the database that answered. */
  noteState(placement: Placement, position: string | null, isReplica: boolean): void {
    const token = position === null ? null : formatBookmark({ ...placement, tenant: this.tenant, position });
    this.#newest = selectNewer(this.#newest, token);
    if (isReplica && token !== null && (this.#oldestRead === null || token < this.#oldestRead))
      this.#oldestRead = token;
  }

  /** Whether a read may be answered by a copy that is behind the primary. */
  mayLag(): boolean {
    return this.#readsReplicas && this.#least !== null;
  }

  /** Whether a read has missed writes of an object whose bookmark came later. */
  isBehind(): boolean {
    return this.#oldestRead !== null && this.#least !== null && this.#oldestRead < this.#least;
  }

  /** Returns the token of the newest state that the call has seen; null if it has reached no database. */
  get newest(): string | null {
    return this.#newest;
  }

  describeReads(): CallReads {
    return { replicas: this.#readsReplicas, bookmark: this.#least };
  }
}
