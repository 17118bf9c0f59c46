// Which pages of a browser may call. A page that has its own name point at this machine (DNS rebinding) sends that
// name as Host and as Origin alike, so that the two agree proves nothing but over TLS or on the loopback.
import { localhostAllowedHostnames } from "@modelcontextprotocol/server";

export function isAllowedOrigin(origin: string, url: string, allowed: readonly string[]): boolean {
  const own = new URL(url);
  const proven = own.protocol === "https:" || localhostAllowedHostnames().includes(own.hostname);
  return allowed.includes(origin) || (proven && origin === own.origin);
}
