// The header X-Kioku-Bookmark: the state of the database that a caller has seen. A call that only reads may then be
// answered by a replica that has reached it.
import { z } from "../kernel/common";
import { BookmarkTracker, isBookmarkToken } from "../kernel/databases/bookmark-tracker";
import type { AppContext } from "./app-context";
import { validate } from "./read-request";

export const BOOKMARK_HEADER = "X-Kioku-Bookmark";

export const BOOKMARK_EXAMPLE =
  "000000.0000004f-00000003-00004f2a-5d2e6f4b0c1a9d8e7f6a5b4c3d2e1f00.DB.9c1f0a7be2d34c58";

export const BookmarkToken = z
  .string()
  .refine(
    isBookmarkToken,
    "is not a bookmark: send one that an answer had in this header, unchanged, or none",
  )
  .optional()
  .openapi({
    type: "string",
    description:
      "The bookmark of an earlier answer. The call then sees at least what that answer saw or wrote, and may be answered " +
      "by a read replica. Without it, the call is answered by the primary database.",
    example: BOOKMARK_EXAMPLE,
  });

/** Opens the tracker of a call, with the bookmark that the caller has sent. */
export function openBookmarks(
  c: AppContext,
  tenant: string | null,
  { onlyReads }: { onlyReads: boolean },
): BookmarkTracker | null {
  const { [BOOKMARK_HEADER]: token } = validate(
    z.object({ [BOOKMARK_HEADER]: BookmarkToken }),
    { [BOOKMARK_HEADER]: c.req.header(BOOKMARK_HEADER) },
    "header",
  );
  if (tenant === null) return null;
  const bookmarks = new BookmarkTracker(tenant);
  if (onlyReads) bookmarks.allowReplicas();
  bookmarks.accept(token ?? null);
  return bookmarks;
}
