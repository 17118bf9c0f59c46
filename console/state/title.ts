// The title of the page, by which people find it among tabs and in the history.
import { useEffect } from "preact/hooks";
import { shorten } from "./format";

/** In characters: browsers cut longer titles. */
const LENGTH = 60;

/** Names the page after the item that a view shows. The frame has named it after the view. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name !== undefined) document.title = formatTitle(shorten(name, LENGTH));
  }, [name]);
}

export function formatTitle(name: string): string {
  return `${name} · Kioku`;
}
