// What the tests of adapters share: the client as others import it, and what was promised as what came of it.
import { Kioku } from "kioku/client";
import type { Client } from "../support/client";

export function kiokuOf(api: Client): Kioku {
  return new Kioku({ url: api.url(""), key: api.key ?? "" });
}

/** What came of it, or the message it failed with: two implementations can be compared by it. */
export async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}
