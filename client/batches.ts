// Sends the lines of a file in batches, in order. A line that the service rejects does not block the others.
import { isKiokuError, type KiokuError, type KiokuErrorCode } from "./errors";

/** A line that is not imported, with its number from 1. */
export type BadLine = { line: number; message: string };
type NumberedLine<T> = { line: number; value: T };

/** Limits of one call, far below the service's own. */
export const MAX_BATCH_ITEMS = 500;
export const MAX_BATCH_CHARS = 200_000;

/** Failures caused by the data of a line; any other failure would repeat on the next line. */
const PER_LINE_CODES: readonly KiokuErrorCode[] = ["invalid_request", "not_found"];

export type Batches<T> = {
  /** Whether the batch must be sent before `next` is added; without `next`, whether there is anything to send. */
  isFull(next?: T): boolean;
  push(item: NumberedLine<T>): void;
  /** Sends the waiting lines and returns the rejected ones. */
  send(): Promise<BadLine[]>;
};

export function createBatches<T>(
  countItems: (value: T) => number,
  sendAll: (values: T[]) => Promise<void>,
): Batches<T> {
  const measure = (value: T) => ({ items: countItems(value), chars: JSON.stringify(value).length });
  let waiting: NumberedLine<T>[] = [];
  let size = { items: 0, chars: 0 };
  return {
    isFull(next) {
      if (next === undefined) return waiting.length > 0;
      const more = measure(next);
      return (
        waiting.length > 0 &&
        (size.items + more.items > MAX_BATCH_ITEMS || size.chars + more.chars > MAX_BATCH_CHARS)
      );
    },
    push(item) {
      const more = measure(item.value);
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

/** Sends a batch; if the service rejects it, sends its lines one by one. */
async function sendOrSplit<T>(
  items: NumberedLine<T>[],
  sendAll: (values: T[]) => Promise<void>,
): Promise<BadLine[]> {
  const [only] = items;
  if (only === undefined) return [];
  try {
    await sendAll(items.map(({ value }) => value));
    return [];
  } catch (error) {
    if (!PER_LINE_CODES.some((code) => isKiokuError(error, code))) throw error;
    if (items.length === 1) return [{ line: only.line, message: (error as KiokuError).detail }];
  }
  const rejected: BadLine[] = [];
  for (const item of items) rejected.push(...(await sendOrSplit([item], sendAll)));
  return rejected;
}
