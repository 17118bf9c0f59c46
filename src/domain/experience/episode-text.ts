// What an episode is compared by. Its goal alone, as measured with the embedded embedder: its actions make two tasks
// alike that only take the same steps, its errors tell two attempts at one task apart.
import type { Episode } from "../../schemas/episode";

export function episodeText({ context }: Pick<Episode, "context">): string {
  return context.goal;
}
