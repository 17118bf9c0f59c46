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
  const started = Date.now();
  for (let reported = ""; ; ) {
    const { done, total, finished } = await call<Reembedding>("POST", "/v1/admin/reembed", {});
    const progress = `${done} of ${total} embedded`;
    const seconds = Math.round((Date.now() - started) / 1000);
    // Some steps only switch indexes, or find nothing left.
    if (progress !== reported) console.log(`${progress} (${seconds} s)`);
    reported = progress;
    if (finished) break;
  }
  const { made_with, waiting } = await call<IndexState>("GET", "/v1/admin/index");
  const left = waiting === 0 ? "" : ` ${waiting} could not be embedded yet and are tried again.`;
  console.log(`The index is made with ${made_with.embedder}, ${made_with.dimensions} dimensions.${left}`);
}
