// A paginated list, read by iterating over all items or page by page.

export type Page<T> = { data: T[]; next_cursor: string | null };

export type PagePlace = { cursor?: string | undefined; limit?: number | undefined };

export class List<T> implements AsyncIterable<T> {
  readonly #read: (place: PagePlace) => Promise<Page<T>>;

  constructor(read: (place: PagePlace) => Promise<Page<T>>) {
    this.#read = read;
  }

  /** Fetches one page: the first, or the one at the cursor of another page. */
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
