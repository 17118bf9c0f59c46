// Links memories and episodes, and resolves contradictions between them.

import { type IdempotentReply, runIdempotent } from "../../calls/run-idempotent";
import type { OperationReply } from "../../calls/tool";
import { unwrap } from "../../kernel/errors";
import { deriveStep, type Idempotency } from "../../kernel/idempotency";
import type { Services } from "../../services/services";
import type { Contradiction, Link, LinkCreate, ResolveInput } from "./link-schemas";

/** Creates a link, or sets the strength of the existing one. */
export async function linkMemories(
  { store, indexing, later }: Services,
  input: LinkCreate,
  idempotency: Idempotency,
): Promise<OperationReply<Link>> {
  const { link, created } = unwrap(await store.links.create(input, idempotency));
  if (link.relation === "superseded_by") later(indexing.wake());
  return { status: created ? 201 : 200, body: link };
}

/** Resolves a contradiction. The reply quotes both memories, so it is stored where an erasure finds it. */
export async function settleContradiction(
  { store, indexing, later }: Services,
  input: ResolveInput & { id: string },
  idempotency: Idempotency,
): Promise<IdempotentReply<Contradiction>> {
  const reply = await runIdempotent(store, idempotency, async () => ({
    status: 200,
    body: unwrap(await store.contradictions.resolve(input, deriveStep(idempotency, "resolve"))),
  }));
  later(indexing.wake());
  return reply;
}
