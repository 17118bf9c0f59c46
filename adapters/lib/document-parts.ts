// A document, and how it is read from the memories that it is kept in.
import type { Memory } from "../../client/schema.generated";

export type Document<A, V> = {
  address: A;
  value: V;
  created_at: string;
  updated_at: string;
  /** The head's memory. */
  id: string;
  /** Those of the other parts. */
  parts: string[];
};

/** What the head says besides its piece of the value, as its first line. */
export type Head<A> = { address: A; version: string; parts: number; created_at?: string };

export type Found<A> = { memory: Memory; head: Head<A> };

function detailOf({ properties }: Memory): string {
  return properties.detailedExplanation?.[0] ?? "";
}

/** Null for another part, and for a memory that somebody else has written under such a key. */
export function headOf<A>(memory: Memory): Head<A> | null {
  const [line = ""] = detailOf(memory).split("\n", 1);
  if (!line.startsWith('{"address":')) return null;
  try {
    return JSON.parse(line) as Head<A>;
  } catch {
    return null;
  }
}

/** The document whose other parts are among the candidates; null while not all of them are. */
export function assemble<A, V>(
  { memory, head }: Found<A>,
  candidates: readonly Memory[],
): Document<A, V> | null {
  const { address, version, created_at = memory.timestamp } = head;
  const detail = detailOf(memory);
  let json = detail.slice(detail.indexOf("\n") + 1);
  const parts: string[] = [];
  for (let index = 1; index < head.parts; index += 1) {
    const part = candidates.find(({ key }) => key?.endsWith(`\n${version}.${index}`));
    if (part === undefined) return null;
    parts.push(part.id);
    json += detailOf(part);
  }
  const value = JSON.parse(json) as V;
  return { address, value, created_at, updated_at: memory.timestamp, id: memory.id, parts };
}
