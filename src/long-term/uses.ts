// What was given back and was of use: counted, and changed by it, memories and episodes in one batch.
import type { Episode } from "../schemas/experience";
import type { Memory } from "../schemas/memory";
import { batch, type Database, retryRaces } from "./database";
import { changeEpisodeStatements, findEpisodes } from "./episodes";
import { identityOf } from "./identity";
import { findMemories } from "./queries";
import { recordAccess } from "./statements";
import { changeStatements, standsAs } from "./update";

/** What was used, as it was read. */
export type Uses = { memories: readonly Memory[]; episodes: readonly Episode[]; at: string };

/** `lift` says what a use does to an importance. They are read again only if they changed meanwhile. */
export async function noteUses(
  db: Database,
  tenant: string,
  { memories, episodes, at }: Uses,
  lift: (importance: number) => number,
): Promise<void> {
  if (memories.length === 0 && episodes.length === 0) return;
  const ids = memories.map(({ id }) => id);
  let first = true;
  await retryRaces(async () => {
    const [known, happened] = first
      ? [memories, episodes]
      : await Promise.all([
          findMemories(db, tenant, ids),
          findEpisodes(
            db,
            tenant,
            episodes.map(({ id }) => id),
          ),
        ]);
    first = false;
    const changes = await Promise.all(
      known.map(async (before) => {
        const after: Memory = { ...before, importance: lift(before.importance) };
        return { before, after, identity: await identityOf(tenant, after) };
      }),
    );
    const used = happened.map((before) => {
      const importance = lift(before.importance);
      const after: Episode = { ...before, importance, usage_count: before.usage_count + 1, last_used: at };
      return { before, after };
    });
    await batch(db, [
      standsAs(tenant, known),
      ...recordAccess(tenant, ids, at),
      ...changes.flatMap((change) => changeStatements(tenant, change)),
      ...(await changeEpisodeStatements(tenant, used)),
    ]);
  });
}
