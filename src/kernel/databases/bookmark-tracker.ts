// Which copies of the tenant's database a call may read, and the newest state that the call has seen. A call that only
// reads and has a bookmark may read any copy that has reached it; every other call reads and writes the primary.

import { hash64 } from "../hash";
import { isShardName } from "./shard-bindings";
import type { Placement } from "./tenant-directory";

// Bookmarks of D1's Sessions API, as tokens for callers. A bookmark is a position in the history of one database, so the
// token also names the database, the tenant and the epoch of its placement.
//
// The tokens of one tenant sort as text, the oldest first: by epoch, then by position, since D1's bookmarks sort so.

/** The parts are: epoch, position, shard, tenant. The position is what D1 calls a bookmark. */
const TOKEN = /^(\d{6})\.([0-9A-Za-z_~-]{1,200})\.(\w{2,12})\.([0-9a-f]{16})$/;
const EPOCH_DIGITS = 6;
/** The words of D1's Sessions API that stand in place of a bookmark begin so. */
const CONSTRAINT = "first-";

/** The state of a tenant's database. */
export type Bookmark = Placement & { tenant: string; position: string };

/** Returns null for a position that no token can have. */
export function formatBookmark({ epoch, position, shard, tenant }: Bookmark): string | null {
  const token = `${`${epoch}`.padStart(EPOCH_DIGITS, "0")}.${position}.${shard}.${hash64(tenant)}`;
  return parseToken(token) === null ? null : token;
}

function parseToken(token: string): { epoch: number; position: string; shard: string; owner: string } | null {
  const [, epoch, position = "", shard = "", owner = ""] = TOKEN.exec(token) ?? [];
  if (epoch === undefined || position.startsWith(CONSTRAINT) || !isShardName(shard)) return null;
  return { epoch: Number(epoch), position, shard, owner };
}

export function isBookmarkToken(token: string): boolean {
  return parseToken(token) !== null;
}

/** Whether a token belongs to a tenant. The bookmark of another one says nothing about this one's writes. */
export function isBookmarkFor(tenant: string, token: string): boolean {
  return parseToken(token)?.owner === hash64(tenant);
}

/** Returns the position of a token in the database where the tenant is; null if the token is of another one, or of an earlier stay. */
export function findPosition(token: string, { shard, epoch }: Placement): string | null {
  const parsed = parseToken(token);
  return parsed !== null && parsed.shard === shard && parsed.epoch === epoch ? parsed.position : null;
}

/** Returns the newer one of two tokens of the same tenant. */
export function selectNewer(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

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
