// Links memories and episodes, and resolves contradictions between them.
import { unwrap } from "../platform/errors";
import { deriveStep, type Idempotency } from "../platform/idempotency";
import type { Contradiction, Link, LinkCreate, ResolveInput } from "../schemas/link";
import { type IdempotentReply, runIdempotent } from "./run-idempotent";
import type { Services } from "./services";
import type { OperationReply } from "./tools/tool";

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
