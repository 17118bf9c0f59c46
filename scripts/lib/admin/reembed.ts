// Embeds every memory and message again, after a change of embedder. A run that was stopped continues where it was.
import type { AdminCall } from "./admin-api.ts";

interface Reembedding {
  done: number;
  total: number;
  finished: boolean;
}

interface IndexState {
  made_with: { embedder: string; dimensions: number };
  waiting: number;
}

export async function reembed(call: AdminCall): Promise<void> {
  for (const started = Date.now(); ; ) {
    const { done, total, finished } = await call<Reembedding>("POST", "/v1/admin/reembed", {});
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`${done} of ${total} embedded (${seconds} s)`);
    if (finished) break;
  }
  const { made_with, waiting } = await call<IndexState>("GET", "/v1/admin/index");
  const left = waiting === 0 ? "" : ` ${waiting} could not be embedded yet and are tried again.`;
  console.log(`The index is made with ${made_with.embedder}, ${made_with.dimensions} dimensions.${left}`);
}
