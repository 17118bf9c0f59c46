// Writes memories and messages to D1 through the service's own store, without HTTP and sessions: the same triples, rows
// and index entries as a promotion of fifty writes, fast enough for a hundred thousand.

import type { NewMemory } from "../../src/memories/memory-schemas";
import type { Message } from "../../src/memories/message-schemas";
import { createRepositories } from "../../src/services/repositories";
import { readSourceRanks } from "../../src/trust/source-rank";

/** `conversation` is a whole session, in order. */
type Load = {
  tenant: string;
  memories?: { op: string; memory: NewMemory }[];
  conversation?: { session_id: string; agent_id: string; messages: (Message & { position: number })[] };
};

export default {
  async fetch(request, { DB }) {
    const { tenant, memories = [], conversation } = await request.json<Load>();
    const writes = memories.map((write) => ({ ...write, fingerprint: "" }));
    const store = createRepositories(DB, tenant, {
      now: () => Date.now(),
      memoriesPerSession: memories.length * 1_000,
      ranks: readSourceRanks(undefined),
      removeVectors: async () => 0,
      forgetUsage: async () => undefined,
      wakeDeliverer: () => undefined,
    });
    const results = await store.memories.commit(writes);
    if (conversation !== undefined) {
      const { session_id, agent_id, messages } = conversation;
      await store.messages.write(
        { session_id, user_id: null, agent_id, project_id: null },
        messages,
        messages[0]?.position ?? 0,
      );
    }
    const written = results.filter((result) => result.ok && !result.value.deduplicated).length;
    const { meta } = await DB.prepare("SELECT 1").run();
    return Response.json({ written, bytes: meta.size_after });
  },
} satisfies ExportedHandler<{ DB: D1Database }>;
