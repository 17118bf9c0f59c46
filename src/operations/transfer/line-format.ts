// The frame of an export in JSON lines: its header, its end line, and the digest of the lines between.
import { toHex } from "../../platform/hash";
import type { Scope } from "../../schemas/common";

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

/** Computes the SHA-256 of bytes as they come. */
export function createDigest(): { write(bytes: Uint8Array): Promise<void>; finish(): Promise<string> } {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  return {
    write: (bytes) => writer.write(bytes),
    async finish() {
      await writer.close();
      return `sha256-${toHex(new Uint8Array(await stream.digest))}`;
    },
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
