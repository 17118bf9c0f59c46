// Hashes texts to short names.

/** Returns the first twelve hexadecimal digits of SHA-256. */
export async function computeShortHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest, 0, 6), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
