// The key that the console calls the service with. It stays in sessionStorage and ends with the tab.
import { signal } from "@preact/signals";
import { isKiokuError, Kioku, type OwnKey } from "kioku/client";
import { answerKeyRequests, type SharedKey, STORED_KEY } from "./share-key";

export type Connection = {
  kioku: Kioku;
  key: string;
  own: OwnKey;
};

export type SignInStatus = { kind: "idle" } | { kind: "checking" } | { kind: "refused"; message: string };

/** The fragment of the link that `npm start` prints. */
const KEY_FRAGMENT = /^#key=([\x21-\x7e]+)$/;
/** Links with a key sign in on this machine only: elsewhere they would end up in histories and chats. */
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

export const connection = signal<Connection | null>(null);
export const signInStatus = signal<SignInStatus>({ kind: "idle" });

/** Signs in with the key in the address, or with that of this tab. */
export async function resumeSignIn(): Promise<void> {
  answerKeyRequests(findSharedKey);
  const key = takeKeyFromAddress() ?? sessionStorage.getItem(STORED_KEY);
  if (key !== null) await signIn(key);
}

export async function signIn(key: string): Promise<void> {
  signInStatus.value = { kind: "checking" };
  try {
    const kioku = new Kioku({ url: location.origin, key, retries: 1 });
    const own = await kioku.request("GET", "/v1/keys/self");
    sessionStorage.setItem(STORED_KEY, key);
    connection.value = { kioku, key, own };
    signInStatus.value = { kind: "idle" };
  } catch (error) {
    if (!isKiokuError(error)) throw error;
    if (error.code === "unauthorized") sessionStorage.removeItem(STORED_KEY);
    signInStatus.value = { kind: "refused", message: describeRefusal(error) };
  }
}

/** Returns the key for the consent page. The admin key has no tenant and gives no consent. */
function findSharedKey(): SharedKey | null {
  if (connection.value === null) return null;
  const { key, own } = connection.value;
  return own.tenant === null ? null : { key, tenant: own.tenant };
}

export function signOut(message?: string): void {
  sessionStorage.removeItem(STORED_KEY);
  connection.value = null;
  signInStatus.value = message === undefined ? { kind: "idle" } : { kind: "refused", message };
}

/** Returns the connection inside of views, which are shown only while there is one. */
export function useConnection(): Connection {
  if (connection.value === null) throw new Error("A view was shown without a key");
  return connection.value;
}

export function hasScope(scope: "read" | "write" | "admin"): boolean {
  return connection.value?.own.scopes.includes(scope) ?? false;
}

/** Removes the key from the address at once, so that neither the history nor a screenshot has it. */
function takeKeyFromAddress(): string | null {
  const [, key] = KEY_FRAGMENT.exec(location.hash) ?? [];
  if (key === undefined) return null;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  return LOCAL_HOSTS.includes(location.hostname) ? decodeURIComponent(key) : null;
}

function describeRefusal(error: { code: string; detail: string }): string {
  switch (error.code) {
    case "unauthorized":
      return "The service does not know this key. It may be mistyped, deleted or expired.";
    case "network":
    case "timeout":
      return "The service does not answer. Check that it runs, and try again.";
    default:
      return error.detail;
  }
}
