// Skills that consolidation proposes. Each pattern proposes one, once: decisions stay.

import { type SQL, sql } from "drizzle-orm";
import { readAll, runBatch } from "../../kernel/databases/d1";
import { declareMethods } from "../../kernel/declare-methods";
import type { Page, StoreContext } from "../../kernel/store-context";
import type { skillProposals } from "../../kernel/tables";

/** `body` is the skill as Markdown. */
export type SkillProposal = Omit<typeof skillProposals.$inferSelect, "tenant" | "decided_at">;

export function createSkillProposalRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  const { reads, writes } = declareMethods(context);

  async function select(conditions: readonly SQL[], end: SQL = sql``): Promise<SkillProposal[]> {
    return readAll<SkillProposal>(
      db,
      sql`SELECT project_id, slug, pattern_id, body, status, created_at FROM skill_proposals
        WHERE ${sql.join([sql`tenant = ${tenant}`, ...conditions], sql` AND `)} ${end}`,
    );
  }

  return {
    /** Stores a proposal unless there is one of its pattern, or of its slug in the project. */
    add: writes(async ({ project_id, slug, pattern_id, body }: NewSkillProposal): Promise<void> => {
      await runBatch(db, [
        sql`INSERT OR IGNORE INTO skill_proposals (tenant, project_id, slug, pattern_id, body, status, created_at)
          VALUES (${tenant}, ${project_id}, ${slug}, ${pattern_id}, ${body}, 'proposed', ${now()})`,
      ]);
    }),

    /** Returns the proposals of a slug, in one project or in all. */
    find: reads((slug: string, projectId: string | null) =>
      select([
        sql`slug = ${slug}`,
        projectId === null ? sql`project_id >= ''` : sql`project_id = ${projectId}`,
      ]),
    ),

    /** Returns all proposals of a project, decided ones included. */
    listAll: reads((projectId: string) => select([sql`project_id = ${projectId}`])),

    /** Returns proposals, newest first. */
    list: reads(
      (
        { project_id, status }: { project_id: string | null; status: SkillProposal["status"] },
        { limit, after }: Page,
      ) =>
        select(
          [
            sql`status = ${status}`,
            ...(project_id === null ? [] : [sql`project_id = ${project_id}`]),
            ...(after === null ? [] : [sql`(created_at, pattern_id) < (${after.timestamp}, ${after.id})`]),
          ],
          sql`ORDER BY created_at DESC, pattern_id DESC LIMIT ${limit}`,
        ),
    ),

    /** Records a decision. */
    decide: writes(
      async (
        { project_id, slug }: Pick<SkillProposal, "project_id" | "slug">,
        status: "accepted" | "dismissed",
      ): Promise<void> => {
        await runBatch(db, [
          sql`UPDATE skill_proposals SET status = ${status}, decided_at = ${now()}
          WHERE tenant = ${tenant} AND project_id = ${project_id} AND slug = ${slug} AND status <> ${status}`,
        ]);
      },
    ),
  };
}

export type NewSkillProposal = Pick<SkillProposal, "project_id" | "slug" | "pattern_id" | "body">;
