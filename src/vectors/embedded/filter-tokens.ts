// Scopes and types as small numbers, so that a filter compares integers. 0 is no scope at all.

export const NO_TOKEN = 0;

export class Tokens {
  readonly #numbers = new Map<string, number>();
  #last = NO_TOKEN;
  #fresh: [number: number, token: string][] = [];

  /** One more than the largest number in use. */
  get size(): number {
    return this.#last + 1;
  }

  get count(): number {
    return this.#numbers.size;
  }

  load(number: number, token: string): void {
    this.#numbers.set(token, number);
    this.#last = Math.max(this.#last, number);
  }

  /** A token's number, or undefined when nothing here ever had it. */
  find(token: string): number | undefined {
    return this.#numbers.get(token);
  }

  intern(token: string | null): number {
    if (token === null) return NO_TOKEN;
    const known = this.#numbers.get(token);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(token, this.#last);
    this.#fresh.push([this.#last, token]);
    return this.#last;
  }

  /** The tokens whose numbers are not marked in `used`. */
  unused(used: Uint8Array): [token: string, number: number][] {
    return [...this.#numbers].filter(([, number]) => used[number] !== 1);
  }

  drop(tokens: readonly [token: string, number: number][]): void {
    for (const [token] of tokens) this.#numbers.delete(token);
  }

  /** The tokens that were added since this was last asked. */
  takeFresh(): [number: number, token: string][] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
