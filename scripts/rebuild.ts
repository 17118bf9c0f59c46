// `npm run rebuild [-- --tenant x]`: makes the read model and the text index anew from the triples, page by page.
// Uses the server that is running; with none, serves the local data itself meanwhile.
import { parseArgs } from "node:util";
import { withAdmin } from "./lib/admin.mjs";

await withAdmin(async (call) => {
  const { tenant } = parseArgs({ options: { tenant: { type: "string" } } }).values;
  let total = 0;
  for (let cursor = null; ; console.log(`${total} so far`)) {
    const body = { ...(cursor && { cursor }), ...(tenant && { tenant }) };
    const { rebuilt, next_cursor } = await call("POST", "/v1/admin/rebuild", body);
    total += rebuilt;
    cursor = next_cursor;
    if (cursor === null) break;
  }
  console.log(`Rebuilt ${total}.`);
});
