// What an episode is compared by. Its goal alone: attempts at the same thing are alike by what they were for, while
// files, phases and errors make the unlike alike.
import type { Episode } from "../schemas/experience";

export function episodeText({ context }: Pick<Episode, "context">): string {
  return context.goal;
}
