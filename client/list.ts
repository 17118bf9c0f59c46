// A list as a caller reads it: all of its items, one after the other, or a page at a time.

export type Page<T> = { data: T[]; next_cursor: string | null };

export type PagePlace = { cursor?: string | undefined; limit?: number | undefined };

export class List<T> implements AsyncIterable<T> {
  readonly #read: (place: PagePlace) => Promise<Page<T>>;

  constructor(read: (place: PagePlace) => Promise<Page<T>>) {
    this.#read = read;
  }

  /** One page: the first, or the one that `next_cursor` of another leads to. */
  page(place: PagePlace = {}): Promise<Page<T>> {
    return this.#read(place);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page: Page<T> = await this.#read({ cursor });
      yield* page.data;
      cursor = page.next_cursor;
    }
  }
}
