// The frame of an export in JSON lines: its header, its end line, and the digest of the lines between.
import { createHash } from "node:crypto";
import type { Scope } from "../kernel/common";

/** Incremented when an older version could misread a newer file. Format 1 is that of earlier versions of `kioku export`. */
export const LINES_FORMAT = 2;

/** What no export has. */
export const LEFT_OUT = ["keys", "secrets", "audit log", "vectors"] as const;

export type ExportHeader = {
  kind: "kioku";
  format: typeof LINES_FORMAT;
  version: string;
  exported_at: string;
  scope: Scope;
  /** The id of the owner; null for the tenant. */
  id: string | null;
  /** The kinds of records that the export may have, in their order. */
  contains: string[];
  leaves_out: string[];
};

export type RecordLine = { kind: string };

/** The last line: a file without it is cut off. */
export type ExportEnd = { kind: "end"; lines: number; counts: Record<string, number>; digest: string };

/** Computes the digest of lines as they come: SHA-256 of their UTF-8, each with its line feed. */
export function createDigest(): { add(text: string): void; finish(): string } {
  const hash = createHash("sha256");
  return {
    add: (text) => void hash.update(text),
    finish: () => `sha256-${hash.digest("hex")}`,
  };
}

/** Returns a stream that takes the next bytes when its reader asks for them. */
export function streamBytes(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
}
