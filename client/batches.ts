// Lines of a file, sent some at a time in their order. A line that the service refuses does not hold up the others.
import { isKiokuError, type KiokuError, type KiokuErrorCode } from "./errors";

/** What was left out of a file, by its number from 1. */
export type BadLine = { line: number; message: string };
type Placed<T> = { line: number; value: T };

/** Of one call: far below what the service takes, in items and in characters. */
export const ITEMS = 500;
export const CHARS = 200_000;

/** The service's word on what was sent; any other failure would meet the next line, too. */
const OF_ONE: readonly KiokuErrorCode[] = ["invalid_request", "not_found"];

export type Batches<T> = {
  /** Whether it must be sent before `next` is taken in; without one, whether there is anything to send. */
  isFull(next?: T): boolean;
  push(item: Placed<T>): void;
  /** Sends everything that waits; gives what was refused. */
  send(): Promise<BadLine[]>;
};

export function batches<T>(
  itemsOf: (value: T) => number,
  sendAll: (values: T[]) => Promise<void>,
): Batches<T> {
  const sizeOf = (value: T) => ({ items: itemsOf(value), chars: JSON.stringify(value).length });
  let waiting: Placed<T>[] = [];
  let size = { items: 0, chars: 0 };
  return {
    isFull(next) {
      if (next === undefined) return waiting.length > 0;
      const more = sizeOf(next);
      return waiting.length > 0 && (size.items + more.items > ITEMS || size.chars + more.chars > CHARS);
    },
    push(item) {
      const more = sizeOf(item.value);
      waiting.push(item);
      size = { items: size.items + more.items, chars: size.chars + more.chars };
    },
    async send() {
      const sent = waiting;
      waiting = [];
      size = { items: 0, chars: 0 };
      return sendOrSplit(sent, sendAll);
    },
  };
}

/** One line that the service refuses does not take the others of its batch along. */
async function sendOrSplit<T>(
  items: Placed<T>[],
  sendAll: (values: T[]) => Promise<void>,
): Promise<BadLine[]> {
  const [only] = items;
  if (only === undefined) return [];
  try {
    await sendAll(items.map(({ value }) => value));
    return [];
  } catch (error) {
    if (!OF_ONE.some((code) => isKiokuError(error, code))) throw error;
    if (items.length === 1) return [{ line: only.line, message: (error as KiokuError).detail }];
  }
  const refused: BadLine[] = [];
  for (const item of items) refused.push(...(await sendOrSplit([item], sendAll)));
  return refused;
}
