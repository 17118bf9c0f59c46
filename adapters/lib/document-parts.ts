// Reads a document from the memories that store it.
import type { Memory } from "../../client/schema.generated";

export type Document<A, V> = {
  address: A;
  value: V;
  created_at: string;
  updated_at: string;
  /** Memory id of the head. */
  id: string;
  /** Memory ids of the other parts. */
  parts: string[];
};

/** Metadata in the first line of the head; a piece of the value follows. */
export type Head<A> = { address: A; version: string; parts: number; created_at?: string };

export type FoundHead<A> = { memory: Memory; head: Head<A> };

function readDetail({ properties }: Memory): string {
  return properties.detailedExplanation?.[0] ?? "";
}

/** Returns the head's metadata; null for other parts and for foreign memories under such a key. */
export function parseHead<A>(memory: Memory): Head<A> | null {
  const [line = ""] = readDetail(memory).split("\n", 1);
  if (!line.startsWith('{"address":')) return null;
  try {
    return JSON.parse(line) as Head<A>;
  } catch {
    return null;
  }
}

/** Joins a document from its head and its parts among the candidates; null if a part is missing. */
export function assemble<A, V>(
  { memory, head }: FoundHead<A>,
  candidates: readonly Memory[],
): Document<A, V> | null {
  const { address, version, created_at = memory.timestamp } = head;
  const detail = readDetail(memory);
  let json = detail.slice(detail.indexOf("\n") + 1);
  const parts: string[] = [];
  for (let index = 1; index < head.parts; index += 1) {
    const part = candidates.find(({ key }) => key?.endsWith(`\n${version}.${index}`));
    if (part === undefined) return null;
    parts.push(part.id);
    json += readDetail(part);
  }
  const value = JSON.parse(json) as V;
  return { address, value, created_at, updated_at: memory.timestamp, id: memory.id, parts };
}
