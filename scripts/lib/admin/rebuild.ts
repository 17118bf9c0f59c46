// Rebuilds the read model and the text index from the triples, page by page.
import { parseArgs } from "node:util";
import type { AdminCall } from "./admin-api.ts";

interface RebuiltPage {
  rebuilt: number;
  next_cursor: string | null;
}

export async function rebuild(call: AdminCall, argv: readonly string[]): Promise<void> {
  const { tenant } = parseArgs({ args: [...argv], options: { tenant: { type: "string" } } }).values;
  let total = 0;
  for (let cursor: string | null = null; ; console.log(`${total} so far`)) {
    const body = { ...(cursor && { cursor }), ...(tenant && { tenant }) };
    const page: RebuiltPage = await call("POST", "/v1/admin/rebuild", body);
    total += page.rebuilt;
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  console.log(`Rebuilt ${total}.`);
}
