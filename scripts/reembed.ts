// `npm run reembed`: embeds every memory and message anew, after a change of embedder. Stop it and run it again:
// it goes on where it was. Uses the server that is running; with none, serves the local data itself meanwhile.
import { withAdmin } from "./lib/admin.mjs";

await withAdmin(async (call) => {
  for (const started = Date.now(); ; ) {
    const { done, total, finished } = await call("POST", "/v1/admin/reembed", {});
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`${done} of ${total} embedded (${seconds} s)`);
    if (finished) break;
  }
  const { made_with, waiting } = await call("GET", "/v1/admin/index");
  const left = waiting === 0 ? "" : ` ${waiting} could not be embedded yet and are tried again.`;
  console.log(`The index is made with ${made_with.embedder}, ${made_with.dimensions} dimensions.${left}`);
});
