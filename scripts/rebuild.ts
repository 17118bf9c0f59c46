// `npm run rebuild [-- --tenant x]`: rebuilds the read model and the text index from the triples, page by page.
// Uses the running server; without one, serves the local data meanwhile.
import { parseArgs } from "node:util";
import { withAdminApi } from "./lib/admin-api.ts";

interface RebuiltPage {
  rebuilt: number;
  next_cursor: string | null;
}

await withAdminApi(async (call) => {
  const { tenant } = parseArgs({ options: { tenant: { type: "string" } } }).values;
  let total = 0;
  for (let cursor: string | null = null; ; console.log(`${total} so far`)) {
    const body = { ...(cursor && { cursor }), ...(tenant && { tenant }) };
    const page: RebuiltPage = await call("POST", "/v1/admin/rebuild", body);
    total += page.rebuilt;
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  console.log(`Rebuilt ${total}.`);
});
