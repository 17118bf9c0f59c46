// Helpers of the tests of links: a tenant with memories and episodes, its links over HTTP, and its rows of D1.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import {
  insertEpisodeRows,
  toEpisodeRow,
  toEpisodeTriples,
} from "../../../src/experience/episodes/episode-mapping";
import type { Episode } from "../../../src/experience/episodes/episode-schemas";
import { openDatabase, runBatch } from "../../../src/kernel/databases/d1";
import { insertTriples } from "../../../src/ontology/triples";
import { newEpisode } from "../../fakes/records";
import { NOON, newTenant, rebuild } from "../store/long-term-support";
import { type Answer, freshId } from "../support";

export type Linked = {
  id: string;
  from: string;
  to: string;
  relation: string;
  strength: number;
  direction?: string;
  created_at: string | null;
};
export type Tenant = Awaited<ReturnType<typeof newLinkTenant>>;

export async function newLinkTenant() {
  const tenant = await newTenant();
  const { call } = tenant;

  return {
    ...tenant,
    /** A new memory of a project, and its id. */
    async memory(more: object = {}): Promise<string> {
      const said = {
        session_id: undefined,
        project_id: "p-1",
        content: freshId("Something"),
        type: "discovery",
      };
      return tenant.remember({ ...said, ...more });
    },
    async episode(more: Partial<Episode> = {}): Promise<string> {
      const context = { goal: "Open the gate" };
      const episode = newEpisode({ id: freshId("ep"), timestamp: NOON, context, ...more });
      await runBatch(openDatabase(env.DB), [
        insertTriples(tenant.tenant, toEpisodeTriples(episode)),
        ...insertEpisodeRows(tenant.tenant, [await toEpisodeRow(tenant.tenant, episode)]),
      ]);
      return episode.id;
    },
    read: tenant.memory,

    link: (body: object, headers = {}): Promise<Answer> => call("POST", "/v1/links", body, headers),
    /** A new link. */
    async linked(from: string, relation: string, to: string, strength?: number): Promise<Linked> {
      const { status, body } = await call("POST", "/v1/links", { from, to, relation, strength });
      expect(status).toBe(201);
      return body;
    },
    async linksOf(id: string): Promise<Linked[]> {
      const { status, body } = await call("GET", `/v1/links?of=${id}&limit=100`);
      expect(status).toBe(200);
      return body.data;
    },
    unlink: (id: string): Promise<Answer> => call("DELETE", `/v1/links/${id}`),

    resolve: (id: string, body: object, headers = {}): Promise<Answer> =>
      call("POST", `/v1/contradictions/${id}/resolve`, body, headers),
    async contradictions(query = "") {
      const { status, body } = await call("GET", `/v1/contradictions?limit=100${query}`);
      expect(status).toBe(200);
      return body.data;
    },

    /** The read model, rebuilt from the triples alone, is what it was. */
    async expectRebuilt(): Promise<void> {
      const before = await tenant.contents();
      await rebuild(tenant.tenant);
      expect(await tenant.contents()).toEqual(before);
    },
  };
}

export function newKey(): Record<string, string> {
  return { "Idempotency-Key": freshId("key") };
}
