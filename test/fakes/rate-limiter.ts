// Cloudflare's rate limit binding: counts the calls of each key and refuses those beyond the limit. The platform's
// periods end by themselves; here `reset` ends one.
import type { RateLimiter } from "../../src/kernel/env";

export class FakeRateLimiter implements RateLimiter {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async limit({ key }: { key: string }): Promise<{ success: boolean }> {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return { success: count <= this.#limit };
  }

  get keys(): string[] {
    return [...this.#counts.keys()];
  }

  reset(): void {
    this.#counts.clear();
  }
}
