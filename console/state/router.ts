// The current view, in the fragment of the address: `#/memories/<id>?query=…`. The service never sees it.
import { signal } from "@preact/signals";

export type Route = { path: readonly string[]; query: Readonly<Record<string, string>> };

export const route = signal<Route>(parseRoute(location.hash));

window.addEventListener("hashchange", () => {
  const next = parseRoute(location.hash);
  const isOtherView = next.path.join("/") !== route.value.path.join("/");
  route.value = next;
  if (isOtherView) window.scrollTo(0, 0);
});

/** Returns the address of a view. Empty values are left out of its query. */
export function toHref(path: readonly string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#/${path.map(encodeURIComponent).join("/")}${search}`;
}

export function navigate(href: string): void {
  location.hash = href;
}

/** Changes the query of the current view in place of its entry in the history. */
export function replaceQuery(query: Record<string, string | undefined>): void {
  const href = toHref(route.value.path, query);
  history.replaceState(null, "", href);
  route.value = parseRoute(href);
}

function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decodeSegment),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Decodes a part of an address. One that was typed may not be percent-encoded. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
