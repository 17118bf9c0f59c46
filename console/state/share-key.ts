// Lets the consent page of OAuth use the keys of consoles that are open in other tabs: sessionStorage is of one tab, but
// the tabs of an origin reach each other by a channel.
const CHANNEL = "kioku.key";
const REQUEST = "request";

export const STORED_KEY = "kioku.key";

export type SharedKey = { key: string; tenant: string };

/** Answers requests with the key, as long as there is one. */
export function answerKeyRequests(readKey: () => SharedKey | null): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }) => {
    const shared = data === REQUEST ? readKey() : null;
    if (shared !== null) channel.postMessage(shared);
  });
}

/** Requests the keys of the consoles that are signed in, and offers each of them once, when its console answers. */
export function requestKeys(offer: (shared: SharedKey) => void): void {
  const channel = new BroadcastChannel(CHANNEL);
  const offered = new Set<string>();
  channel.addEventListener("message", ({ data }) => {
    if (typeof data?.key !== "string" || typeof data.tenant !== "string" || offered.has(data.key)) return;
    offered.add(data.key);
    offer({ key: data.key, tenant: data.tenant });
  });
  channel.postMessage(REQUEST);
}
