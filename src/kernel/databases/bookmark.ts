// Bookmarks of D1's Sessions API, as tokens for callers. A bookmark is a position in the history of one database, so the
// token also names the database, the tenant and the epoch of its placement.
//
// The tokens of one tenant sort as text, the oldest first: by epoch, then by position, since D1's bookmarks sort so.
import { hash64 } from "../hash";
import { isShardName } from "./shard-bindings";
import type { Placement } from "./tenant-directory";

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
